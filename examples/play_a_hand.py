"""Bots play one hand of Big Three, and the result is told."""

from __future__ import annotations

import dasan


def main() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=7)
    bot = dasan.bot("greedy")
    while state.to_act is not None:
        seat = state.to_act
        move = bot.choose(state.view(seat))
        print(f"seat {seat}: {move}")
        state = state.play(move)
    assert state.result is not None
    print("payments:", *state.result.payments)


if __name__ == "__main__":
    main()

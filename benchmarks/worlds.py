"""Worlds a second, for each game and three moments of a hand. One core; process time; the median of five."""

from __future__ import annotations

import random
from statistics import median
from time import process_time
from typing import Any

import dasan
from dasan import State, worlds

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three", {"must_dig": True}),
    ("big-three-4p", {}),
    ("big-two", {}),
    ("winner", {}),
    ("winner", {"players": 6, "decks": 2, "jokers": True}),
]
COUNT = 100_000


def moments(rules: dasan.Rules) -> list[State]:
    """A hand at its start, when half the cards are left, and when a quarter is."""
    rng = random.Random(1)
    state = dasan.deal(rules, seed=5)
    whole = sum(state.hand_sizes)
    out = []
    for part in (1.0, 0.5, 0.25):
        while sum(state.hand_sizes) > part * whole and state.to_act is not None:
            legal = state.legal_moves()
            state = state.play(rng.choice([m for m in legal if m.type != "pass"] or legal))
        if state.to_act is not None:
            out.append(state)
    return out


def speed(state: State) -> float:
    """Millions of worlds a second for the seat to act."""
    view = state.view(state.to_act)
    worlds.deals(view, 1)
    taken = []
    for seed in range(5):
        begin = process_time()
        worlds.deals(view, COUNT, seed=seed)
        taken.append(process_time() - begin)
    return COUNT / median(taken) / 1e6


def main() -> None:
    for preset, options in GAMES:
        found = [f"{sum(s.hand_sizes)} cards held: {speed(s):.1f} M/s" for s in moments(dasan.rules(preset, **options))]
        print(preset, options or "", *found, sep="  ")


if __name__ == "__main__":
    main()

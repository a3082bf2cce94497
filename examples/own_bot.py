"""A bot of one's own: it plays its lowest cards, and keeps its twos. It meets the greedy bot over some sessions."""

from __future__ import annotations

import dasan


class Miser:
    """Plays the play with the most cards and no two in it, if there is one; else passes if it may."""

    name = "miser"
    version = "1"

    def choose(self, view: dasan.View) -> dasan.Move:
        moves = view.legal_moves()
        cheap = [move for move in moves if move.cards and all(card.rank != "2" for card in move.cards)]
        return max(cheap, key=lambda move: len(move.cards)) if cheap else moves[-1]


def main() -> None:
    rules = dasan.rules("big-two")
    seats = [Miser(), dasan.bot("greedy"), dasan.bot("greedy"), dasan.bot("greedy")]
    session = dasan.session(rules, seed=7)
    for _ in range(10):
        while (seat := session.state.to_act) is not None:
            session = session.play(seats[seat].choose(session.state.view(seat)))
        session = session.next_hand()
    print("after 10 hands:", dict(enumerate(session.balances)))


if __name__ == "__main__":
    main()

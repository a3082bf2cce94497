"""A player that plans how to empty its hand and looks one move ahead."""

from __future__ import annotations

from collections.abc import Sequence

from dasan.bots.bidding import choose_bid, choose_call
from dasan.bots.exchanging import choose_offer, choose_take
from dasan.bots.judgement import Judgement, Temper
from dasan.bots.protocol import choices
from dasan.play.moves import Move, MoveType
from dasan.play.view import View
from dasan.ruleset.rules import Guard


class GreedyBot:
    """Goes out when it can; otherwise the move that its `Judgement` finds cheapest. The same view, the same move."""

    name = "greedy"
    version = "1"

    def __init__(self, temper: Temper | None = None) -> None:
        self._temper = temper or Temper()

    def choose(self, view: View) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        if view.phase == "auction":
            return choose_bid(view)
        match moves[0].type:
            case MoveType.CALL:
                return choose_call(view)
            case MoveType.GIVE:
                return moves[0]
            case MoveType.OFFER:
                return choose_offer(view, self._temper)
            case MoveType.TAKE:
                return choose_take(view, self._temper)
        for move in moves:
            if len(move.cards) == len(view.hand):
                return move
        return min(_dutiful(view, moves), key=Judgement(view, self._temper).of)


def _dutiful(view: View, moves: Sequence[Move]) -> Sequence[Move]:
    """The moves that do not leave a neighbour's last card unguarded (D2.16), or all if there are none."""
    seat = view.seat if view.seat is not None else 0
    guarded = (seat + 1) % view.rules.players
    if view.rules.guard is Guard.OFF or view.hand_sizes[guarded] != 1 or guarded in view.passed:
        return moves
    highest = view.rules.combination((view.hand[-1],))
    if view.table is not None and (len(view.table.cards) != 1 or not highest.beats(view.table)):
        return moves
    kept = [m for m in moves if m.cards == highest.cards or (view.table is None and len(m.cards) > 1)]
    return kept or moves

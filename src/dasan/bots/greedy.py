"""A player that plans how to empty its hand and looks one move ahead."""

from __future__ import annotations

from collections.abc import Sequence

from dasan.bots.explanation import Explanation, explained, in_order
from dasan.bots.facts import Facts
from dasan.bots.heuristics.bidding import choose_bid, choose_call
from dasan.bots.heuristics.certain import Certain
from dasan.bots.heuristics.exchanging import choose_offer, choose_take
from dasan.bots.heuristics.sides import enmity
from dasan.bots.heuristics.view_costs import ViewCosts
from dasan.bots.protocol import Named, choices, goes_out, low_to_high
from dasan.play.moves import Move, MoveType
from dasan.play.view import View


class GreedyBot(Named):
    """Goes out if it can; otherwise makes the move with the least cost in its `ViewCosts`. Deterministic."""

    name = "greedy"
    version = "6"

    def __init__(self) -> None:
        self._before: dict[int | None, ViewCosts] = {}
        """The last costs of each seat, which only save time: a new bot chooses the same moves. A decision takes them out, so
        that no two threads use the same ones.
        """

    def choose(self, view: View) -> Move:
        return self._choose(view, Certain(view))

    def _choose(self, view: View, certain: Certain) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        if view.phase == "auction":
            return choose_bid(view)
        match moves[0].type:
            case MoveType.CALL:
                return choose_call(view)
            case MoveType.GIVE:
                return low_to_high(view, moves)[0]
            case MoveType.OFFER:
                return choose_offer(view)
            case MoveType.TAKE:
                return choose_take(view)
        out = goes_out(view)
        if out is not None:
            return out
        candidates = worthy(view, moves, certain)
        if len(candidates) == 1:
            return candidates[0]
        costs = ViewCosts(view, before=self._before.pop(view.seat, None))
        move = costs.cheapest(candidates)
        self._before[view.seat] = costs
        return move

    def explain(self, view: View) -> Explanation:
        """The value of a play or pass is minus the turns that the rest of the hand costs; other moves have none."""
        moves, facts = choices(view), Facts(view)
        chosen = self._choose(view, facts.certain)
        values: list[tuple[Move, float | None]] = [(move, None) for move in moves]
        if view.phase == "play" and len(moves) > 1:
            costs = ViewCosts(view)
            values = [(move, -costs.of(move)) for move in moves]
        return explained(self.name, "turns", in_order(chosen, values), {move: facts.of(move) for move in moves})


def worthy(view: View, moves: Sequence[Move], certain: Certain) -> Sequence[Move]:
    """`moves` without moves that are surely worse than another; never empty.

    Removed are, with two players left in Winner, moves that do not win where others do; passes that give the lead to an
    opponent with one card; and moves that leave a neighbour's last card unguarded.
    """
    if certain.proved:
        return certain.proved
    moves = _dutiful(view, moves)
    if gives_away(view):
        moves = [m for m in moves if m.type is not MoveType.PASS] or moves
    return moves


def gives_away(view: View) -> bool:
    """Whether a pass now would give the lead to an opponent who holds one card."""
    owner = view.table_seat
    return owner is not None and view.hand_sizes[owner] == 1 and enmity(view)[owner] > 0 and not view.waiting()


def _dutiful(view: View, moves: Sequence[Move]) -> Sequence[Move]:
    """The moves that do not leave a neighbour's last card unguarded (D2.16), or all if there are none."""
    if view.guarding is None:
        return moves
    highest = view.hand[-1:]
    return [m for m in moves if m.cards == highest or (view.table is None and len(m.cards) > 1)] or moves

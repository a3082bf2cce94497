"""Exact winners of positions, from one solver with a budget of nodes."""

from __future__ import annotations

from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.solver.budget import Budget
from dasan.solver.open_hands import OpenHands, position

MEMORY_MB = 64


class Unproved(Exception):
    """The nodes did not suffice."""


class Truth:
    """Exact winners of positions after `state`: one transposition table, and at most `nodes` search nodes for all."""

    def __init__(self, state: State, nodes: int) -> None:
        self._budget = Budget(None, nodes)
        self._solver = OpenHands(state, MEMORY_MB, self._budget)

    @property
    def nodes(self) -> int:
        """Search nodes used so far."""
        return self._budget.used

    def bidder_wins(self, state: State) -> bool:
        """Whether the bidder's side goes out first. `Unproved`: that takes too many nodes."""
        if state.phase is Phase.OVER:
            return not state.partners.isdisjoint(state.finished)
        won = self._solver.settle(position(state))
        if won is None:
            raise Unproved
        return won

    def wins(self, state: State, side: frozenset[int]) -> bool:
        """Whether `side`, one of the two sides, goes out first."""
        return self.bidder_wins(state) == (side == state.partners)

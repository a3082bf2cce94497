"""Exact winners of positions, from one solver with a budget of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dasan.backends import Purpose, choose
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.solver.budget import Budget
from dasan.solver.open_hands import OpenHands, applies, position

Winner: TypeAlias = Callable[[State], bool | None]
"""Whether the bidder's side wins; None if the budget did not suffice."""
MEMORY_MB = 64


class Unproved(Exception):
    """The nodes did not suffice."""


class Truth:
    """Exact winners of positions after `state`: one transposition table, and at most `nodes` search nodes for all."""

    def __init__(self, state: State, nodes: int) -> None:
        self._budget = Budget(None, nodes)
        self._winner = _by_open_hands(state, self._budget) if applies(state) else _by_endgame(state, self._budget)

    @property
    def nodes(self) -> int:
        """Search nodes used so far."""
        return self._budget.used

    def bidder_wins(self, state: State) -> bool:
        """Whether the bidder's side goes out first. `Unproved`: that takes too many nodes."""
        if state.phase is Phase.OVER:
            return not state.partners.isdisjoint(state.finished)
        won = self._winner(state)
        if won is None:
            raise Unproved
        return won

    def wins(self, state: State, side: frozenset[int]) -> bool:
        """Whether `side`, one of the two sides, goes out first."""
        return self.bidder_wins(state) == (side == state.partners)


def judges(state: State) -> bool:
    """Whether `Truth` knows positions of such hands: two sides play, by rules that a compiled solver honours."""
    return state.rules.has_sides and (applies(state) or choose(state.rules, Purpose.ENDGAME).compiled)


def _by_open_hands(state: State, budget: Budget) -> Winner:
    solver = OpenHands(state, MEMORY_MB, budget)
    return lambda after: solver.settle(position(after))


def _by_endgame(state: State, budget: Budget) -> Winner:
    from dasan.solver.compiled import CompiledEndgame

    search = CompiledEndgame(state.rules, state.bidder or 0, MEMORY_MB, budget)
    return lambda after: search.prove(after, 1)[0]

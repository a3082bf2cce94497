"""Endgames in which everybody plays for themselves ("max-n").

Each player makes the move that is best for itself and expects the same of the others. It breaks ties in favour of the
move that is worst for the next player, then for the one after, and so on around the table. This tie-break makes a
position's value independent of the move order; another tie-break may give other values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.ruleset.policies import FixedScoring
from dasan.solver.budget import Budget
from dasan.solver.endgame import FIRST_SHARE, Bounded, solution
from dasan.solver.interpreted import PLACES_A_MEGABYTE, OutOfBudget, key_of, ordered
from dasan.solver.solution import Solution
from dasan.solver.values import score

Values = tuple[int, ...]
"""Each seat's result; higher is better: the payment, or the negated place."""


class MaxN(Protocol):
    """A search for the results of all seats."""

    budget: Budget

    def values(self, state: State, most: int | None = None) -> tuple[Values | None, Move | None]:
        """(every seat's result, a move that leads to it). The first is None if `most` nodes or the budget did not
        suffice. Stored results cost no nodes.
        """
        ...


class InterpretedMaxN:
    """Interpreted search over the engine's states, for all rules. Results are cached in at most `memory_mb`."""

    def __init__(self, memory_mb: float, budget: Budget) -> None:
        self.budget = budget
        self._most = max(1, int(memory_mb * PLACES_A_MEGABYTE))
        self._known: dict[tuple[object, ...], tuple[Values, Move]] = {}
        self._until: int | None = None

    def values(self, state: State, most: int | None = None) -> tuple[Values | None, Move | None]:
        """As `MaxN.values`."""
        self._until = None if most is None else self.budget.used + most
        try:
            return self._values(state)
        except (OutOfBudget, RecursionError):
            return None, None

    def _values(self, state: State) -> tuple[Values, Move | None]:
        if state.phase is Phase.OVER:
            scores = (score(state, seat) for seat in range(state.rules.players))
            return tuple(0 if s is None else s for s in scores), None
        key = key_of(state)
        known = self._known.get(key)
        if known is not None:
            return known
        if self.budget.over() or (self._until is not None and self.budget.used >= self._until):
            raise OutOfBudget
        self.budget.spend(1)
        prefer, ideal = _preference(state), _ideal(state)
        best: tuple[Values, Move] | None = None
        for move, after in ordered(state):
            values, _ = self._values(after)
            if best is None or prefer(values) > prefer(best[0]):
                best = values, move
            if best[0] == ideal:
                break
        if best is None:
            raise ValueError("nobody can move")
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[key] = best
        return best


def _preference(state: State) -> Callable[[Values], Values]:
    """A sort key: the seat to act prefers the result with the greater key."""
    n, seat = state.rules.players, state.mover
    return lambda values: (values[seat], *(-values[(seat + i) % n] for i in range(1, n)))


def _ideal(state: State) -> Values | None:
    """The best result that the seat to act can still reach, if known; a search may stop there."""
    n, seat = state.rules.players, state.mover
    if state.rules.counts_places:
        places = {s: -(i + 1) for i, s in enumerate(state.finished)}
        places[seat] = -(len(state.finished) + 1)
        after = [s for s in ((seat + i) % n for i in range(1, n)) if s not in places]
        places.update((s, -(n - i)) for i, s in enumerate(after))
        return tuple(places[s] for s in range(n))
    match state.rules.scoring:
        case FixedScoring(stake=stake) if not state.rules.guard_pays:
            return tuple(stake * (n - 1) if s == seat else -stake for s in range(n))
        case _:
            return None


def solve_max_n(state: State, search: MaxN, *, moves: bool, line: bool, also: Move | None) -> Solution:
    """Solve a position of a game without sides, everybody playing for themselves. also: as in `solve_warm`."""
    seat = state.mover
    values, best = search.values(state)
    whole = Bounded(state, seat)
    if values is not None:
        whole.low = whole.high = values[seat]
    principal = _line(state, best, search) if moves and line and values is not None else ()
    proved = _all_moves(state, values, best, search, also) if moves else {}
    places = state.rules.counts_places
    by_seat = {} if values is None else {s: -value if places else value for s, value in enumerate(values)}
    return solution(state, whole, proved, principal, search.budget, "max-n", by_seat)


def _all_moves(
    state: State, values: Values | None, best: Move | None, search: MaxN, also: Move | None
) -> dict[Move, int]:
    """The acting seat's result of each move, as far as the budget goes, in rounds of equal node budgets."""
    seat = state.mover
    listed = state.legal_moves()
    moves = listed if also is None or also in listed else (*listed, also)
    after = {move: state.play(move) for move in moves}
    by_move: dict[Move, int] = {}
    if values is not None and best is not None:
        by_move[best] = values[seat]
    share = FIRST_SHARE
    while True:
        for move, child in after.items():
            got = search.values(child, share)[0] if move not in by_move else None
            if got is not None:
                by_move[move] = got[seat]
        if search.budget.over() or len(by_move) == len(after):
            return {move: by_move[move] for move in moves if move in by_move}
        share *= 4


def _line(state: State, best: Move | None, search: MaxN) -> tuple[Move, ...]:
    out: list[Move] = []
    while best is not None:
        out.append(best)
        state = state.play(best)
        best = search.values(state)[1]
    return tuple(out)

"""Endgames in which everybody plays for themselves ("max-n"), by plain search over the engine's own states.

Each player takes the move that is best for itself and expects the others to do so. Of moves that are equal for it, it
takes the one that is worst for the player who acts after it, then for the next, and so on around the table. With this
rule a position has one value, whatever the order in which moves are looked at; other rules for ties may give others.
"""

from __future__ import annotations

from collections.abc import Callable

from dasan.play.moves import Move
from dasan.play.state import Phase, State
from dasan.ruleset.rules import Ending, FixedScoring
from dasan.solver.budget import Budget
from dasan.solver.endgame import PLACES_A_MEGABYTE, OutOfBudget, key_of, ordered, score, solution
from dasan.solver.solution import Solution

Values = tuple[int, ...]
"""What each seat gets, more is better: payments, or places negated."""


class MaxN:
    """What every seat gets; what is known of positions stays known for the next ones, as far as the memory goes."""

    def __init__(self, memory_mb: float, budget: Budget) -> None:
        self.budget = budget
        self._most = max(1, int(memory_mb * PLACES_A_MEGABYTE))
        self._known: dict[tuple[object, ...], Values] = {}

    def exact(self, state: State) -> Values | None:
        """None if the budget did not suffice."""
        try:
            return self._values(state)
        except (OutOfBudget, RecursionError):
            return None

    def _values(self, state: State) -> Values:
        if state.phase is Phase.OVER:
            scores = (score(state, seat) for seat in range(state.rules.players))
            return tuple(0 if s is None else s for s in scores)
        if self.budget.over():
            raise OutOfBudget
        key = key_of(state)
        known = self._known.get(key)
        if known is not None:
            return known
        self.budget.spend(1)
        prefer, ideal = _preference(state), _ideal(state)
        found: Values | None = None
        for _, after in ordered(state):
            values = self._values(after)
            if found is None or prefer(values) > prefer(found):
                found = values
            if found == ideal:
                break
        if found is None:
            raise ValueError("nobody can move")
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[key] = found
        return found


def _preference(state: State) -> Callable[[Values], Values]:
    """How the seat to act weighs what everybody gets: the greatest is best."""
    n, seat = state.rules.players, state.mover
    return lambda values: (values[seat], *(-values[(seat + i) % n] for i in range(1, n)))


def _ideal(state: State) -> Values | None:
    """What the seat to act would like best of all that can still happen, where that is known: nothing better need be
    looked for.
    """
    n, seat = state.rules.players, state.mover
    if state.rules.ending is Ending.LAST_IN:
        places = {s: -(i + 1) for i, s in enumerate(state.finished)}
        places[seat] = -(len(state.finished) + 1)
        after = [s for s in ((seat + i) % n for i in range(1, n)) if s not in places]
        places.update((s, -(n - i)) for i, s in enumerate(after))
        return tuple(places[s] for s in range(n))
    match state.rules.scoring:
        case FixedScoring(stake=stake):
            return tuple(stake * (n - 1) if s == seat else -stake for s in range(n))
        case _:
            return None


def solve_max_n(state: State, search: MaxN, *, moves: bool, line: bool = True, also: Move | None = None) -> Solution:
    """A position of a game in which every player plays alone; `also` as in `solve_warm`."""
    seat = state.mover
    values = search.exact(state)
    proved: dict[Move, int] = {}
    if moves:
        listed = state.legal_moves()
        for move in listed if also is None or also in listed else (*listed, also):
            found = search.exact(state.play(move))
            if found is not None:
                proved[move] = found[seat]
    best = _line(state, values, search) if moves and line and values is not None else ()
    places = state.rules.ending is Ending.LAST_IN
    by_seat = {} if values is None else {s: -value if places else value for s, value in enumerate(values)}
    value = None if values is None else values[seat]
    return solution(state, value, proved, best, search.budget, "max-n", by_seat)


def _line(state: State, values: Values, search: MaxN) -> tuple[Move, ...]:
    out: list[Move] = []
    while state.phase is not Phase.OVER:
        after = ((move, state.play(move)) for move in state.legal_moves())
        step = next(((move, child) for move, child in after if search.exact(child) == values), None)
        if step is None:
            break
        move, state = step
        out.append(move)
    return tuple(out)

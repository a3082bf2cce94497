"""Endgames of games without sides, by plain search over the engine's own states.

With two players left the value is exact. With more, a seat plays against all others together ("paranoid"): the value is
what that seat can be sure of. What each gets if all look to themselves is another question: see `max_n`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dasan.play.moves import Move
from dasan.play.state import Phase, State
from dasan.ruleset.rules import CardScoring, Ending, FixedScoring
from dasan.solver.budget import Budget
from dasan.solver.solution import Solution

PLACES_A_MEGABYTE = 600
"""A position that is remembered takes about 1.7 kB."""


class OutOfBudget(Exception):
    pass


class Endgame:
    """Values for one seat, more is better, places negated; what is known of positions stays known for the next ones.

    A memory that is full is emptied: at most `memory_mb` are taken.
    """

    def __init__(self, seat: int, memory_mb: float, budget: Budget) -> None:
        self.seat = seat
        self.budget = budget
        self._most = max(1, int(memory_mb * PLACES_A_MEGABYTE))
        self._known: dict[tuple[object, ...], tuple[int, int]] = {}

    def exact(self, state: State) -> int | None:
        """The value, or None if the budget did not suffice."""
        try:
            return self._value(state, *bounds(state, self.seat))
        except (OutOfBudget, RecursionError):
            return None

    def _value(self, state: State, low: int, high: int) -> int:
        """The value if it lies between `low` and `high` or is one of them, else a bound beyond that end (fail-soft
        alpha-beta).
        """
        done = score(state, self.seat)
        if done is not None:
            return done
        if self.budget.over():
            raise OutOfBudget
        key = key_of(state)
        least, most = self._known.get(key, (-(10**9), 10**9))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        self.budget.spend(1)
        a, b = low, high
        mine = state.to_act == self.seat
        best: int | None = None
        for _, after in ordered(state):
            value = self._value(after, a, b)
            if best is None or (value > best if mine else value < best):
                best = value
            if mine:
                a = max(a, value)
            else:
                b = min(b, value)
            if a >= b:
                break
        if best is None:
            raise ValueError("nobody can move")
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[key] = (max(least, best) if best > low else least, min(most, best) if best < high else most)
        return best


def ordered(state: State) -> Iterator[tuple[Move, State]]:
    """Every legal move with what follows, those that leave the fewest cards first."""
    for move in sorted(state.legal_moves(), key=lambda move: -len(move.cards)):
        yield move, state.play(move)


def score(state: State, seat: int) -> int | None:
    """What the end of the hand, or of this seat's part in it, is worth: more is better; None while it is open."""
    places = state.rules.ending is Ending.LAST_IN
    if places and seat in state.finished:
        return -(state.finished.index(seat) + 1)
    if state.result is None:
        return None
    if places:
        return -(state.result.finish_order.index(seat) + 1)
    return state.result.payments[seat]


def bounds(state: State, seat: int) -> tuple[int, int]:
    """The worst and the best that can still happen to `seat`: hands only get shorter from here."""
    done = score(state, seat)
    if done is not None:
        return done, done
    if state.rules.ending is Ending.LAST_IN:
        return -state.rules.players, -(len(state.finished) + 1)
    match state.rules.scoring:
        case FixedScoring(stake=stake):
            return -stake, stake * (state.rules.players - 1)
        case CardScoring() as scoring:
            costs = [scoring.cost(len(hand), s in state.has_played) for s, hand in enumerate(state.hands)]
            return -costs[seat], sum(costs) - costs[seat]
        case _:
            raise ValueError("this game has sides")


def key_of(state: State) -> tuple[object, ...]:
    """All of a state that play from here, and what it pays, depends on."""
    table = state.table
    return (
        state.hands,
        state.to_act,
        None if table is None else (table.family, table.power, table.strength, len(table.cards)),
        state.table_seat,
        frozenset(state.passed),
        state.finished,
        state.payments,
        frozenset(state.has_played),
        state.must_include,
        state.watching,
        state.exchange,
        state.phase,
    )


def solve_endgame(
    state: State, search: Endgame, *, moves: bool, line: bool = True, also: Move | None = None
) -> Solution:
    """A position of a game in which every player plays alone, for the seat to act; `also` as in `solve_warm`."""
    value = search.exact(state)
    proved: dict[Move, int] = {}
    best: tuple[Move, ...] = ()
    if moves:
        listed = state.legal_moves()
        for move in listed if also is None or also in listed else (*listed, also):
            found = search.exact(state.play(move))
            if found is not None:
                proved[move] = found
        if value is not None and line:
            best = _line(state, value, search)
    return solution(state, value, proved, best, search.budget, "paranoid")


def solution(
    state: State,
    value: int | None,
    moves: dict[Move, int],
    line: tuple[Move, ...],
    budget: Budget,
    scope: str,
    by_seat: Mapping[int, int] | None = None,
) -> Solution:
    """What was found out for the seat to act, where more is better, as it is told: places count from 1."""
    low, high = bounds(state, state.mover)
    lower = low if value is None else value
    upper = high if value is None else value
    if state.rules.ending is Ending.LAST_IN:
        lower, upper = -upper, -lower
        value = None if value is None else -value
        moves = {move: -place for move, place in moves.items()}
    return Solution(
        value=value,
        exact=value is not None,
        lower=lower,
        upper=upper,
        moves=moves,
        line=line,
        nodes=budget.used,
        scope="two players" if len(state.active) == 2 else scope,
        by_seat=by_seat or {},
    )


def _line(state: State, value: int, search: Endgame) -> tuple[Move, ...]:
    out: list[Move] = []
    while state.phase is not Phase.OVER and score(state, search.seat) is None:
        for move, after in ordered(state):
            if search.exact(after) == value:
                out.append(move)
                state = after
                break
        else:
            break
    return tuple(out)

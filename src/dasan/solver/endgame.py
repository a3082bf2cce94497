"""Endgames of any game, by plain search over the engine's own states.

With two players left this is exact. With more, a seat plays against all others together ("paranoid"): the value is
what that seat can be sure of.
"""

from __future__ import annotations

from dasan.moves import Move
from dasan.ruleset import CardScoring, Ending, FixedScoring
from dasan.solver.budget import Budget
from dasan.solver.solution import Solution
from dasan.state import Phase, State


class _OutOfBudget(Exception):
    pass


class Endgame:
    """Values for one seat, remembered by position."""

    def __init__(self, state: State, seat: int, budget: Budget) -> None:
        self.seat = seat
        self._budget = budget
        self._places = state.rules.ending is Ending.LAST_IN
        self._known: dict[tuple[object, ...], int] = {}
        self._all = _range(state, seat)

    def score(self, state: State) -> int | None:
        """What the end of the hand, or of this seat's part in it, is worth: more is better; None while it is open."""
        if self._places and self.seat in state.finished:
            return -(state.finished.index(self.seat) + 1)
        if state.result is None:
            return None
        if self._places:
            return -(state.result.finish_order.index(self.seat) + 1)
        return state.result.payments[self.seat]

    def value(self, state: State, low: int, high: int) -> int:
        """The value if it lies between `low` and `high`, else a bound beyond that end (fail-soft alpha-beta)."""
        done = self.score(state)
        if done is not None:
            return done
        if self._budget.over():
            raise _OutOfBudget
        key = (_key(state), low, high)
        known = self._known.get(key)
        if known is not None:
            return known
        self._budget.spend(1)
        best: int | None = None
        a, b = low, high
        mine = state.to_act == self.seat
        for move in state.legal_moves():
            value = self.value(state.play(move), a, b)
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
        self._known[key] = best
        return best

    def exact(self, state: State) -> int | None:
        """The value, or None if the budget did not suffice."""
        try:
            return self.value(state, *self._all)
        except (_OutOfBudget, RecursionError):
            return None


def _key(state: State) -> tuple[object, ...]:
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


def _range(state: State, seat: int) -> tuple[int, int]:
    """Two numbers that the value surely lies strictly between."""
    low, high = _bounds(state, seat)
    return low - 1, high + 1


def solve_endgame(state: State, budget: Budget, *, moves: bool) -> Solution:
    """A position of a game in which every player plays alone."""
    seat = state.to_act
    if seat is None:
        raise ValueError("nobody is to act")
    places = state.rules.ending is Ending.LAST_IN
    search = Endgame(state, seat, budget)
    value = search.exact(state)
    proved: dict[Move, int] = {}
    line: tuple[Move, ...] = ()
    if moves:
        for move in state.legal_moves():
            found = search.exact(state.play(move))
            if found is not None:
                proved[move] = found
        if value is not None:
            line = _line(state, value, search)
    low, high = _bounds(state, seat)
    lower = low if value is None else value
    upper = high if value is None else value
    if places:
        lower, upper = -upper, -lower
        value = None if value is None else -value
        proved = {move: -place for move, place in proved.items()}
    return Solution(
        value=value,
        exact=value is not None,
        lower=lower,
        upper=upper,
        moves=proved,
        line=line,
        nodes=budget.used,
        scope="two players" if len(state.active) == 2 else "paranoid",
    )


def _bounds(state: State, seat: int) -> tuple[int, int]:
    """The worst and the best that can still happen to `seat`: hands only get shorter from here."""
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


def _line(state: State, value: int, search: Endgame) -> tuple[Move, ...]:
    out: list[Move] = []
    while state.phase is not Phase.OVER and search.score(state) is None:
        for move in state.legal_moves():
            after = state.play(move)
            if search.exact(after) == value:
                out.append(move)
                state = after
                break
        else:
            break
    return tuple(out)

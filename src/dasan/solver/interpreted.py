"""Interpreted search over the engine's states: for all rules."""

from __future__ import annotations

from collections.abc import Iterator

from dasan.play.moves import Move
from dasan.play.state import State
from dasan.solver.budget import Budget
from dasan.solver.values import score, side_of

PLACES_A_MEGABYTE = 600
"""Cached positions per megabyte, at about 1.7 kB each."""
BEYOND = 1 << 200
"""More than any hand pays."""


class OutOfBudget(Exception):
    pass


class InterpretedEndgame:
    """Finds what `seat` and its side can force against all others together. Results are cached in at most `memory_mb`;
    a full cache is cleared.
    """

    def __init__(self, seat: int, memory_mb: float, budget: Budget) -> None:
        self.seat = seat
        self.budget = budget
        self._most = max(1, int(memory_mb * PLACES_A_MEGABYTE))
        self._known: dict[tuple[object, ...], tuple[int, int]] = {}
        self._until: int | None = None
        self._cut: Move | None = None

    def prove(self, state: State, least: int, most: int | None = None) -> tuple[bool | None, Move | None]:
        """As `Endgame.prove`."""
        self._until = None if most is None else self.budget.used + most
        self._cut = None
        try:
            value = self._value(state, least - 1, least)
        except (OutOfBudget, RecursionError):
            return None, None
        return value >= least, self._cut if value >= least and state.to_act == self.seat else None

    def _value(self, state: State, low: int, high: int) -> int:
        """The value if it is within `low` and `high`; otherwise a bound on it outside that window (fail-soft
        alpha-beta).
        """
        self._cut = None
        done = score(state, self.seat)
        if done is not None:
            return done
        key = key_of(state)
        least, most = self._known.get(key, (-BEYOND, BEYOND))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        if self.budget.over() or (self._until is not None and self.budget.used >= self._until):
            raise OutOfBudget
        self.budget.spend(1)
        a, b = low, high
        mine = state.to_act in side_of(state, self.seat)
        best: int | None = None
        cut: Move | None = None
        for move, after in ordered(state):
            value = self._value(after, a, b)
            if best is None or (value > best if mine else value < best):
                best = value
            if mine:
                a = max(a, value)
            else:
                b = min(b, value)
            if a >= b:
                cut = move
                break
        if best is None:
            raise ValueError("nobody can move")
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[key] = (max(least, best) if best > low else least, min(most, best) if best < high else most)
        self._cut = cut
        return best


def ordered(state: State) -> Iterator[tuple[Move, State]]:
    """Every legal move with the state after it, ordered by the number of cards left, fewest first."""
    for move in sorted(state.legal_moves(), key=lambda move: -len(move.cards)):
        yield move, state.play(move)


def key_of(state: State) -> tuple[object, ...]:
    """A hashable key of everything that decides the rest of the hand and its payments."""
    table = state.table
    return (
        state.hands,
        state.to_act,
        None if table is None else (table.kind, table.family, table.power, table.strength, len(table.cards)),
        state.table_seat,
        frozenset(state.passed),
        state.finished,
        state.payments,
        frozenset(state.has_played),
        state.must_include,
        state.watching,
        state.exchange,
        state.phase,
        (state.bidder, state.partner, state.called, state.bid, state.bombs, min(state.bidder_plays, 2)),
    )

"""Solve endgames by bisecting bounds: first the value and a move that proves it, then a line, then the other moves.

With two sides, or two players left, the value is exact. Otherwise a seat plays against all others together ("paranoid"): the
value is what that seat can force. For values when everybody plays for themselves see `max_n`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from dasan.play import auction
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.solver.budget import Budget
from dasan.solver.solution import Solution
from dasan.solver.values import bounds, score, shown, side_of

FIRST_SHARE = 64
"""The node budget of each query in the first round."""


class Endgame(Protocol):
    """A search for what `seat` can force: `interpreted` for all rules, `compiled` for those that it honours."""

    seat: int
    budget: Budget

    def prove(self, state: State, least: int, most: int | None = None) -> tuple[bool | None, Move | None]:
        """(whether `seat` can force at least `least`, a move that does so if `seat` is to act and one is known).

        The first is None if `most` nodes or the budget did not suffice. Stored results cost no nodes.
        """
        ...


class Bounded:
    """A position with bounds on its value, `low` and `high`."""

    def __init__(self, state: State, seat: int) -> None:
        self.state = state
        self.low, self.high = bounds(state, seat)

    @property
    def value(self) -> int | None:
        return self.low if self.low == self.high else None

    def ask(self, search: Endgame, least: int, most: int | None = None) -> tuple[bool | None, Move | None]:
        """As `Endgame.prove`; the answer tightens the bounds."""
        if least <= self.low or least > self.high:
            return least <= self.low, None
        proved, move = search.prove(self.state, least, most)
        if proved:
            self.low = least
        elif proved is not None:
            self.high = least - 1
        return proved, move

    def settle(self, search: Endgame, most: int | None = None) -> None:
        """Bisect the interval between the bounds until they meet, or until `most` nodes or the budget do not suffice."""
        while self.low < self.high:
            if self.ask(search, (self.low + self.high + 1) // 2, most)[0] is None:
                return


def solve_endgame(
    state: State, search: Endgame, *, moves: bool, line: bool = True, also: Move | None = None
) -> Solution:
    """Solve a position for the seat to act. also: as in `solve_warm`."""
    whole = Bounded(state, search.seat)
    worst = whole.low
    best: Move | None = None
    while whole.low < whole.high:
        reached, move = whole.ask(search, (whole.low + whole.high + 1) // 2)
        if reached is None:
            break
        best = move if reached else best
    if not moves:
        return solution(state, whole, {}, (), search.budget)
    after = {move: Bounded(state.play(move), search.seat) for move in state.legal_moves()}
    for child in after.values():
        child.high = min(child.high, whole.high)
    if whole.value is not None:
        if whole.low == worst or len(after) == 1:
            best = best or next(iter(after))
        best = best or pick(after, whole.low, search)
        if best is not None:
            after[best].low = after[best].high = whole.low
    principal = _line(after, best, whole.low, search) if line and whole.value is not None and best is not None else ()
    if also is not None and also not in after:
        after[also] = Bounded(state.play(also), search.seat)
    _settle_all(after, search)
    listed = [after[move] for move in state.legal_moves()]
    whole.low = max(whole.low, *(child.low for child in listed))
    whole.high = min(whole.high, max(child.high for child in listed))
    proved = {move: child.low for move, child in after.items() if child.value is not None}
    if whole.value is not None and not principal:
        principal = tuple(move for move in state.legal_moves() if proved.get(move) == whole.low)[:1]
    return solution(state, whole, proved, principal, search.budget)


def _settle_all(after: Mapping[Move, Bounded], search: Endgame) -> None:
    """Value all moves in rounds of equal node budgets, so that easy ones come first."""
    share = FIRST_SHARE
    while True:
        for child in after.values():
            # Most moves keep the value or lose much, so try to prove the upper bound first.
            if child.low < child.high:
                child.ask(search, child.high, share)
            child.settle(search, share)
        if search.budget.over() or all(child.value is not None for child in after.values()):
            return
        share *= 4


def pick(after: Mapping[Move, Bounded], value: int, search: Endgame) -> Move | None:
    """A move of the seat to act that keeps `value`; None if the budget does not suffice to find one."""

    def keeps(child: Bounded, most: int) -> bool:
        return bool(child.ask(search, value, most)[0]) and child.ask(search, value + 1, most)[0] is False

    return _first(after, keeps, search)


def _first(after: Mapping[Move, Bounded], keeps: Callable[[Bounded, int], bool], search: Endgame) -> Move | None:
    if len(after) == 1:
        return next(iter(after))
    share = 0
    while True:
        for move, child in after.items():
            if keeps(child, share):
                return move
        if search.budget.over():
            return None
        share = max(FIRST_SHARE, 4 * share)


def _line(after: Mapping[Move, Bounded], best: Move | None, value: int, search: Endgame) -> tuple[Move, ...]:
    """Best play, beginning with `best`, as far as the budget goes."""
    out: list[Move] = []
    while best is not None:
        out.append(best)
        state = after[best].state
        if state.phase is Phase.OVER or score(state, search.seat) is not None:
            break
        after = {move: Bounded(state.play(move), search.seat) for move in state.legal_moves()}
        mine = state.to_act in side_of(state, search.seat)
        for child in after.values():
            # The position's value is `value`: no move of the seat has a higher value, and none of the others' a lower one.
            if mine:
                child.high = min(child.high, value)
            else:
                child.low = max(child.low, value)
        best = pick(after, value, search)
    return tuple(out)


def solution(
    state: State,
    whole: Bounded,
    moves: Mapping[Move, int],
    line: tuple[Move, ...],
    budget: Budget,
    scope: str = "paranoid",
    by_seat: Mapping[int, int] | None = None,
    seat: int | None = None,
) -> Solution:
    """The `Solution` of values for `seat`, by default the seat to act."""
    seat = state.mover if seat is None else seat
    lower, upper = sorted((shown(state, seat, whole.low), shown(state, seat, whole.high)))
    if state.rules.has_sides:
        scope = "two sides"
    elif len(state.active) == 2:
        scope = "two players"
    return Solution(
        value=lower if lower == upper else None,
        exact=lower == upper,
        lower=lower,
        upper=upper,
        moves={move: shown(state, seat, value) for move, value in moves.items()},
        line=line,
        nodes=budget.used,
        scope=scope,
        by_seat=by_seat or {},
    )


def solve_auction(state: State, search_of: Callable[[State, int], Endgame], budget: Budget) -> Solution:
    """Bounds of the value of the hand to each seat as the bidder, for a bid of 1. search_of: the search of a state for a seat."""
    contracts = {
        seat: auction.close(replace(state, bid=1, bidder=seat, passed=())) for seat in range(state.rules.players)
    }
    searches = {seat: search_of(contract, seat) for seat, contract in contracts.items()}
    values = {seat: Bounded(contract, seat) for seat, contract in contracts.items()}
    share = FIRST_SHARE
    while not budget.over() and any(value.value is None for value in values.values()):
        for seat, value in values.items():
            value.settle(searches[seat], share)
        share *= 4
    by_bidder = {seat: solution(contracts[seat], value, {}, (), budget, seat=seat) for seat, value in values.items()}
    return Solution.of_auction(by_bidder, budget.used)

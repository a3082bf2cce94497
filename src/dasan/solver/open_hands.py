"""Big Three and Wa Keng with open hands, two sides: converts states to the kernel's words, and results back."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from dasan.backends import OPEN_HANDS
from dasan.play import auction
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.ruleset.policies import BidScoring
from dasan.ruleset.rules import Rules
from dasan.solver.budget import Budget
from dasan.solver.proving import prove_within
from dasan.solver.solution import Solution

if TYPE_CHECKING:
    from dasan.arrays import Words
    from dasan.kernels.ranks.solver.search import Search

FIRST_SHARE = 2_000
"""The node budget of each position in the first round."""


def applies(state: State) -> bool:
    """Whether this solver can solve `state`, see `backends.OPEN_HANDS`."""
    return OPEN_HANDS.unsupported(state.rules) is None


@dataclass(frozen=True)
class OpenPosition:
    """A state in the kernel's encoding, seats counted from the bidder; equal positions have equal values."""

    hands: tuple[int, ...]
    side: int
    context: int


def position(state: State) -> OpenPosition:
    """The kernel's position of a state in the play. ValueError: the turn order cannot lead to this seat acting."""
    return placed(state, [_word(state, seat) for seat in range(state.rules.players)], state.partners)


def placed(state: State, held: Sequence[int], partners: Collection[int]) -> OpenPosition:
    """The position of `state` with other cards in the hands. held: by seat, see `held_words`. partners: the bidder's
    side. ValueError: as for `position`.
    """
    from dasan.kernels.ranks.solver import search as solver_search
    from dasan.kernels.ranks.tables import rank_catalogue

    n = state.rules.players
    bidder = state.bidder or 0
    seats = [(bidder + i) % n for i in range(n)]
    words = tuple(held[seat] for seat in seats)
    side = sum(1 << i for i, seat in enumerate(seats) if seat in partners)
    catalogue = rank_catalogue(state.rules)
    actor = state.mover
    if state.table is None or state.table_seat is None:
        return OpenPosition(words, side, solver_search.leading((actor - bidder) % n))
    between = [(state.table_seat + i) % n for i in range(1, (actor - state.table_seat) % n)]
    if any(seat not in state.passed for seat in between) or actor == state.table_seat:
        raise ValueError("a seat between the last play and the seat to act has not passed: no order of play leads there")
    waiting = [i for i, seat in enumerate(seats) if seat not in state.passed and seat != state.table_seat]
    action = _actions_of(state.rules)[state.table.family, state.table.strength]
    context = solver_search.facing(words, seats.index(actor), seats.index(state.table_seat), waiting, action, catalogue)
    return OpenPosition(words, side, context)


def _word(state: State, seat: int) -> int:
    place = state.rules.order.place
    held = [0] * len(state.rules.ranks)
    word = 0
    for c in state.hands[seat]:
        rank = place[c][0]
        word |= 1 << (16 * held[rank] + rank)
        held[rank] += 1
    return word


def held_words(cards: Words) -> Words:
    """Sets of cards, bit 16 × suit + rank, as the kernel's words: bit 16 × k + rank if there are more than k cards of a rank."""
    import numpy as np

    shifts = [np.uint64(16 * suit) for suit in range(4)]
    lanes = [cards >> shift & np.uint64(0xFFFF) for shift in shifts]
    for a, b in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        lanes[a], lanes[b] = lanes[a] | lanes[b], lanes[a] & lanes[b]
    words: Words = np.bitwise_or.reduce([lane << by for lane, by in zip(lanes, shifts, strict=True)])
    return words


@lru_cache(maxsize=16)
def _actions_of(rules: Rules) -> dict[tuple[str, int], int]:
    """The kernel's actions by family and strength."""
    from dasan.kernels.ranks.tables import rank_catalogue

    rows = rules.catalogue.rows
    return {
        (rows[row].family, rows[row].strength): action
        for action, row in enumerate(rank_catalogue(rules).rows.tolist())
        if row >= 0
    }


def stakes(state: State, bid: int | None = None) -> tuple[int, int]:
    """The bidder's payment if the bidder's side goes out first, and if not (B3.19, B4.06). bid: by default the state's."""
    scoring = state.rules.scoring
    each = scoring.pay_each_winner if isinstance(scoring, BidScoring) else False
    amount = bid if bid is not None else state.bid or 0
    side = 2 if state.rules.call is not None else 1
    others = state.rules.players - side
    return (amount * others, -amount * others) if each else (amount, -amount)


class OpenHands:
    """A search with one transposition table for the positions of a deal; `settle` finds their winners within
    `budget`.
    """

    def __init__(self, state: State, memory_mb: float, budget: Budget) -> None:
        from dasan.kernels.ranks.solver import search as solver_search
        from dasan.kernels.ranks.tables import rank_catalogue

        self._kernel = solver_search
        self._catalogue = rank_catalogue(state.rules)
        self._players = state.rules.players
        self._search: Search = solver_search.new_search(int(memory_mb * 2**20))
        self.budget = budget
        self._known: dict[OpenPosition, bool] = {}

    def exhausted(self) -> bool:
        return self.budget.over()

    def known(self, at: OpenPosition) -> bool | None:
        return self._known.get(at)

    def learn(self, at: OpenPosition, won: bool) -> bool:
        """Store `won`, and return it: whether the bidder's side wins `at`."""
        self._known[at] = won
        return won

    def settle(self, at: OpenPosition, most: int | None = None) -> bool | None:
        """Whether the bidder's side wins; None if `most` nodes or the budget did not suffice."""
        if at in self._known:
            return self._known[at]
        kernel = self._kernel
        players, catalogue = self._players, self._catalogue
        value = prove_within(
            self.budget,
            most,
            self._search,
            lambda search: kernel.set_out(search, players, at.hands, at.side, at.context, catalogue),
            kernel.another,
            lambda searches, nodes: kernel.search_on(searches, players, at.side, nodes, catalogue),
        )
        if value == 0:
            return None
        won = bool(value > 0)
        self._known[at] = won
        return won

    def chance(self, at: OpenPosition) -> float:
        """The estimated probability that the bidder's side wins: its share among similar positions; 1 or 0 if
        proved.
        """
        if at in self._known:
            return float(self._known[at])
        odds = self._kernel.odds_of(self._search, self._players, at.hands, at.side, at.context, self._catalogue)
        return 1 / (1 + math.exp(-odds))


def in_rounds(
    problems: Iterable[tuple[OpenHands, OpenPosition]], budget: Budget
) -> dict[tuple[OpenHands, OpenPosition], bool]:
    """The winners of the problems, as far as the budget goes, in rounds of equal node budgets."""
    out: dict[tuple[OpenHands, OpenPosition], bool] = {}
    open_ = list(dict.fromkeys(problems))
    share = FIRST_SHARE
    while open_:
        for solver, at in open_:
            value = solver.settle(at, share)
            if value is not None:
                out[solver, at] = value
        if budget.over():
            break
        open_ = [problem for problem in open_ if problem not in out]
        share *= 4
    return out


def solve_play(state: State, solver: OpenHands, budget: Budget, *, moves: bool, line: bool) -> Solution:
    """Solve a position in the play. moves: also value every move; line: if so, also find a line."""
    win, loss = stakes(state)
    at = position(state)
    value = solver.settle(at)
    if not moves:
        return _solution(value, {}, (), win, loss, budget, None if value is not None else solver.chance(at))
    children = {move: state.play(move) for move in state.legal_moves()}
    wanted = state.to_act in state.partners
    if value is (not wanted):
        # If the best move loses, every move does.
        principal = tuple(_line(state, value, solver)) if line else ()
        return _solution(value, dict.fromkeys(children, value), principal, win, loss, budget)
    over = {move: child for move, child in children.items() if child.phase is Phase.OVER}
    open_ = {move: position(child) for move, child in children.items() if move not in over}
    values = in_rounds([(solver, after) for after in open_.values()], budget)
    proved: dict[Move, bool] = {}
    for move in children:
        if move in over:
            proved[move] = state.to_act in state.partners
        elif (solver, open_[move]) in values:
            proved[move] = values[solver, open_[move]]
    if value is None:
        if wanted in proved.values():
            value = wanted
        elif len(proved) == len(children):
            value = not wanted
    best = tuple(_line(state, value, solver)) if line and value is not None else ()
    return _solution(value, proved, best, win, loss, budget, None if value is not None else solver.chance(at))


def solution_of(state: State, value: bool | None, proved: dict[Move, bool]) -> Solution:
    """The solution of a position from proved results. value: whether the bidder's side wins; proved: the same after
    each move.
    """
    return _solution(value, proved, (), *stakes(state), Budget(None, None))


def _solution(
    value: bool | None,
    proved: dict[Move, bool],
    line: tuple[Move, ...],
    win: int,
    loss: int,
    budget: Budget,
    chance: float | None = None,
) -> Solution:
    paid = None if value is None else win if value else loss
    return Solution(
        value=paid,
        exact=paid is not None,
        lower=loss if paid is None else paid,
        upper=win if paid is None else paid,
        moves={move: win if won else loss for move, won in proved.items()},
        line=line,
        nodes=budget.used,
        scope="two sides",
        estimate=None if chance is None else loss + chance * (win - loss),
    )


def _line(state: State, value: bool, solver: OpenHands) -> Iterator[Move]:
    """Best play from here. value: whether the bidder's side wins.

    The winning side makes the first move that is proved to win. The losing side, whose moves are all equal, makes the
    largest play, which shortens the hand.
    """
    while state.phase is Phase.PLAY:
        children = [(move, state.play(move)) for move in state.legal_moves()]
        out = [move for move, child in children if child.phase is Phase.OVER]
        if out:
            yield out[0]
            return
        if (state.to_act in state.partners) != value:
            move, state = max(children, key=lambda pair: len(pair[0].cards))
            yield move
            continue
        chosen = _winning(children, value, solver)
        if chosen is None:
            return
        move, state = chosen
        yield move


def _winning(children: list[tuple[Move, State]], value: bool, solver: OpenHands) -> tuple[Move, State] | None:
    at = [position(child) for _, child in children]
    if len(at) == 1:
        return children[0]
    for known in (i for i, place in enumerate(at) if solver.known(place) is value):
        return children[known]
    share = 16
    while not solver.exhausted():
        for i, place in enumerate(at):
            if solver.known(place) is None and solver.settle(place, share) is value:
                return children[i]
        share *= 4
    return None


def solve_auction(state: State, memory_mb: float, budget: Budget) -> Solution:
    """Solve a state in the auction: the value for each seat as bidder, for a bid of 1 (B3.11, B3.12)."""
    seats = range(state.rules.players)
    contracts = {seat: auction.close(replace(state, bid=1, bidder=seat, passed=())) for seat in seats}
    share = memory_mb / len(contracts)
    by_seat = _contracts(list(contracts.values()), share, budget)
    by_bidder = {
        seat: _solution(_best(values.values()), {}, (), *stakes(contracts[seat]), budget)
        for seat, values in zip(contracts, by_seat, strict=True)
    }
    return Solution.of_auction(by_bidder, budget.used)


def solve_call(state: State, memory_mb: float, budget: Budget) -> Solution:
    """Solve a state in the call. A call's value depends on the partner it selects (B4.03)."""
    win, loss = stakes(state)
    [values] = _contracts([state], memory_mb, budget)
    proved: dict[Move, bool] = {}
    for move in state.legal_moves():
        won = values[state.play(move).partner]
        if won is not None:
            proved[move] = won
    value = _best(values.values())
    line = tuple(move for move, won in proved.items() if won is value)[:1]
    return _solution(value, proved, line, win, loss, budget)


def _contracts(states: list[State], memory_mb: float, budget: Budget) -> list[dict[int | None, bool | None]]:
    """For each state after its auction: whether the bidder's side wins, by callable partner."""
    problems: list[dict[int | None, tuple[OpenHands, OpenPosition]]] = []
    for state in states:
        afters: dict[int | None, State] = {}
        for after in [state] if state.phase is Phase.PLAY else map(state.play, state.legal_moves()):
            afters.setdefault(after.partner, after)
        problems.append(
            {
                partner: (OpenHands(after, memory_mb / len(afters), budget), position(after))
                for partner, after in afters.items()
            }
        )
    values = in_rounds([problem for by_partner in problems for problem in by_partner.values()], budget)
    return [{partner: values.get(problem) for partner, problem in by.items()} for by in problems]


def _best(values: Iterable[bool | None]) -> bool | None:
    """Whether the bidder, who chooses the partner, wins; None if that is not proved."""
    seen = set(values)
    return True if True in seen else None if None in seen else False

"""Review a hand: which moves kept the result of best play with open hands.

Moves are judged from last to first with one transposition table, so that later positions speed up earlier ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from dasan.arguments import instance
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.records.retrace import moves_of
from dasan.solver.budget import Budget, Cancel
from dasan.solver.open_hands import applies
from dasan.solver.solution import Solution
from dasan.solver.solving import Scope, Warm, known_scope, solve_warm

MISSES = 3
"""Without a compiled two-sided search, give up after this many positions in a row that were too large."""
HURRIED = 0.02
"""Seconds for each position after the time for the hand has run out."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One move. seq: the number of its event. choices: the number of legal moves.

    value: the value of the position; worth: its value after the move, both as in `Solution.value`; None if unproved.
    keeping, losing: the legal moves that are proved to keep and not to keep the value. kept: whether this move kept it,
    as every forced move does; None if unproved. scope: as in `Solution`; None if nothing was judged.

    as_bidder: in the auction, the value of the hand to this seat if it becomes the bidder with this bid, or, after a pass, with
    the lowest bid it could have made. Bids are not judged further, because the others' bids are unknown.
    """

    seq: int
    seat: int
    phase: Phase
    move: Move
    choices: int
    value: int | None = None
    worth: int | None = None
    kept: bool | None = None
    keeping: tuple[Move, ...] = ()
    losing: tuple[Move, ...] = ()
    scope: str | None = None
    as_bidder: int | None = None

    @property
    def forced(self) -> bool:
        return self.choices == 1

    @property
    def shares(self) -> tuple[float, float] | None:
        """Bounds on the share of legal moves that keep the result, equal if all moves were proved; None if the value is
        unproved.
        """
        if self.forced:
            return 1.0, 1.0
        if self.value is None:
            return None
        return len(self.keeping) / self.choices, 1 - len(self.losing) / self.choices

    @property
    def could_turn(self) -> bool:
        """Whether some legal move is proved not to keep the result."""
        return self.value is not None and len(self.losing) > 0

    def to_json(self) -> dict[str, Any]:
        return {
            "seq": self.seq,
            "seat": self.seat,
            "phase": self.phase.value,
            "move": str(self.move),
            "choices": self.choices,
            "forced": self.forced,
            "scope": self.scope,
            "value": self.value,
            "worth": self.worth,
            "kept": self.kept,
            "keeping": [str(move) for move in self.keeping],
            "losing": [str(move) for move in self.losing],
            "share": None if self.shares is None else list(self.shares),
            "as_bidder": self.as_bidder,
        }


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a hand. hand: its last state. moves: every move in order."""

    hand: State
    moves: tuple[Judged, ...]

    def __repr__(self) -> str:
        return f"<Review of {self.hand.rules.name}, {len(self.moves)} moves>"

    @property
    def turning_points(self) -> tuple[Judged, ...]:
        """The moves that did not keep the result."""
        return tuple(j for j in self.moves if j.kept is False)

    @property
    def turning_point(self) -> Judged | None:
        """The first move that did not keep the result."""
        return next(iter(self.turning_points), None)

    @property
    def last_chance(self) -> Judged | None:
        """The last move where another move would have changed the result."""
        return next((j for j in reversed(self.moves) if j.could_turn), None)

    @property
    def not_judged(self) -> tuple[Judged, ...]:
        """Moves not known to have kept or lost the result, including bids."""
        return tuple(j for j in self.moves if j.kept is None)

    def to_json(self) -> dict[str, Any]:
        turn, last = self.turning_point, self.last_chance
        result = self.hand.result
        return {
            "preset": self.hand.rules.name,
            "bidder": self.hand.bidder,
            "bid": self.hand.bid,
            "partner": self.hand.partner,
            "payments": None if result is None else list(result.payments),
            "turning_point": None if turn is None else turn.seq,
            "turning_points": [j.seq for j in self.turning_points],
            "last_chance": None if last is None else last.seq,
            "not_judged": [j.seq for j in self.not_judged],
            "moves": [j.to_json() for j in self.moves],
        }


def review(
    state: State,
    *,
    seconds: float | None = 2,
    nodes: int | None = None,
    memory_mb: float = 256,
    threads: int = 1,
    scope: Scope | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[int, int], object] | None = None,
    notice: Callable[[str], object] | None = None,
) -> Review:
    """Judge every move that led to `state`, whether the hand is over or not.

    seconds, nodes: the budget for each position. progress: called with the number of moves judged and the number of all
    moves. Other arguments and errors as for `solve`.
    """
    every = sum(1 for _ in moves_of(state)) if progress is not None else 0
    out: list[Judged] = []
    for one in judge(
        state,
        seconds=seconds,
        nodes=nodes,
        memory_mb=memory_mb,
        threads=threads,
        scope=scope,
        cancel=cancel,
        notice=notice,
    ):
        out.append(one)
        if progress is not None:
            progress(len(out), every)
    return Review(state, tuple(reversed(out)))


def judge(
    state: State,
    *,
    seconds: float | None = 2,
    nodes: int | None = None,
    memory_mb: float = 256,
    threads: int = 1,
    scope: Scope | None = None,
    cancel: Cancel | None = None,
    notice: Callable[[str], object] | None = None,
) -> Iterator[Judged]:
    """As `review`, but yield the moves as they are judged, from the last to the first."""
    instance(state, State, "a hand is reviewed from its last state, such as one from dasan.replay")

    def budget(_: object) -> Budget:
        return Budget(seconds, nodes, cancel=cancel, threads=threads)

    budget(None)  # raises here, not when the first move is requested
    return judge_all(state, Warm(memory_mb, notice), budget, known_scope(scope), None)


def judge_all(
    state: State, warm: Warm, budget_of: Callable[[bool], Budget], scope: Scope | None, total: float | None
) -> Iterator[Judged]:
    """The moves as `judge` yields them. budget_of: a position's budget, given whether the time for the hand is over.

    total: seconds for all moves together, excluding the time to compile or load the solver; None for no limit.
    """
    end = None if total is None else monotonic() + total
    moves = list(moves_of(state))
    after = [now for now, _ in moves[1:]] + [state]
    last: Judged | None = None
    contracts: dict[int, int | None] = {}
    misses = 0
    for i in reversed(range(len(moves))):
        now, move = moves[i]
        if misses == MISSES or now.phase is Phase.EXCHANGE:
            last = unjudged(now, move)
        else:
            budget = budget_of(end is not None and monotonic() >= end)
            asked = budget.started
            if now.phase is Phase.AUCTION:
                if not contracts:
                    contracts = contracts_of(now, warm, budget, state, last)
                last = judged_bid(now, move, contracts[now.mover])
            else:
                also = None if applies(now) else move
                solution = solve_warm(now, warm, budget, scope=scope, line=False, also=also)
                last = judged_by(now, move, after[i], solution)
                if not applies(now):
                    misses = 0 if last.value is not None else misses + 1
            if end is not None:
                end += budget.started - asked
        yield last


def decisive(judged: Iterable[Judged], *, once: bool = False) -> tuple[Judged | None, bool]:
    """(the last play or call that lost the result, whether it is proved that there is none).

    judged: an iterator from `judge` or `judge_within`, consumed only until that move and an alternative that keeps the
    result are known. The answer is (None, False) if a later move is unjudged. once: whether each move comes once, so
    that the first unjudged move ends the search.
    """
    by_seq: dict[int, Judged] = {}
    lost: Judged | None = None
    for one in judged:
        by_seq[one.seq] = one
        for latest in sorted(by_seq, reverse=True):
            if by_seq[latest].phase in (Phase.AUCTION, Phase.EXCHANGE):
                return None, True
            if by_seq[latest].kept is None:
                if once:
                    return None, False
                break
            if not by_seq[latest].kept:
                lost = by_seq[latest]
                break
        if lost is not None and (once or lost.keeping):
            return lost, False
    return lost, lost is None and all(one.kept for one in by_seq.values())


def unjudged(state: State, move: Move) -> Judged:
    """The move without values; `kept` is true only if it is forced."""
    choices = len(state.legal_moves())
    return Judged(state.next_seq, state.mover, state.phase, move, choices, kept=True if choices == 1 else None)


def contracts_of(state: State, warm: Warm, budget: Budget, hand: State, first: Judged | None) -> dict[int, int | None]:
    """By seat, the value of the hand to it as the bidder, for a bid of 1; None if unproved. Every bid shares it.

    hand: the last state of the hand. first: the judged first move after the auction, if there is one.
    """
    solution = solve_warm(state, warm, budget)
    out = {seat: value.value for seat, value in solution.by_bidder.items()}
    if first is not None and first.value is not None and hand.bidder is not None and hand.bid and hand.rules.has_sides:
        out[hand.bidder] = first.value // hand.bid
    return out


def judged_bid(state: State, move: Move, worth: int | None) -> Judged:
    """Judge a bid or a pass. worth: the hand's value to the seat as the bidder, for a bid of 1; None if unproved."""
    bids = [m.bid for m in state.legal_moves() if m.bid is not None]
    level = move.bid if move.bid is not None else min(bids, default=None)
    return replace(
        unjudged(state, move),
        scope="auction",
        as_bidder=None if worth is None or level is None else worth * level if state.rules.has_sides else worth,
    )


def judged_by(state: State, move: Move, after: State, solution: Solution) -> Judged:
    """Judge a move by the values of the position's moves. after: the state after it."""
    listed = {m: v for m, v in solution.moves.items() if m in state.legal_moves()}
    played = listed_as(listed, state, move, after)
    worth = solution.moves.get(played)
    value = solution.value
    plain = unjudged(state, move)
    return replace(
        plain,
        value=value,
        worth=worth,
        kept=plain.kept if value is None or worth is None else worth == value,
        keeping=tuple(m for m, v in listed.items() if v == value),
        losing=() if value is None else tuple(m for m, v in listed.items() if v != value),
        scope=solution.scope,
    )


def listed_as(listed: Iterable[Move], state: State, move: Move, after: State) -> Move:
    """The listed move that leads to the same state as `move`, up to irrelevant suits; else `move`."""
    return next((one for one in listed if _same(state, one, after)), move)


def _same(state: State, listed: Move, after: State) -> bool:
    """Whether a listed move leads to `after`, up to irrelevant suits."""
    made = after.events[len(state.events)]
    if listed.type.value != made.type.value:
        return False
    cards = tuple(c for c in made.cards if c is not None)
    if listed.type is not MoveType.PLAY:
        return (listed.cards, listed.bid) == (cards, made.bid)
    if state.rules.suits_ranked or listed.combination is None:
        return Counter(listed.cards) == Counter(cards)
    if Counter(c.rank for c in listed.cards) != Counter(c.rank for c in cards):
        return False
    ours, theirs = state.rules.combination(cards), listed.combination
    return (ours.family, ours.power, ours.strength) == (theirs.family, theirs.power, theirs.strength)

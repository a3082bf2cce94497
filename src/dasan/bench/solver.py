"""Benchmark of Big Three's solver on seeded positions of a given number of cards.

A position is a random deal (any bidder, any seat on lead) played at random until at most the given number of cards is
left and a trick has just been cleared; 52 cards are a whole deal at the first lead. A world is such a position with the
cards of the other seats redealt among them.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import fmean

import dasan
from dasan.bench.timing import device
from dasan.estimates import wilson
from dasan.solver.budget import Budget
from dasan.solver.solving import Warm, solve_warm

SIZES = {20: (2_000, 2.0), 25: (2_000, 2.0), 30: (2_000, 2.0), 36: (500, 5.0), 42: (100, 20.0), 52: (40, 60.0)}
"""(positions, seconds of processor time for each) by number of cards."""
MOVES_AT = 30
WORLDS_AT = 24
WORLDS = 20
"""Worlds per position."""
WORLD_NODES = 2_000
"""Search nodes for one world; a bot uses an estimate where the search needs more."""

MEMORY_MB = 512
"""Of the transposition tables."""

Progress = Callable[[str, int, int], object]


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Quantiles; None for those above the limit, among unsolved positions."""

    median: float | None
    p90: float | None
    p99: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class SolverRow:
    """One row of the results.

    what: "value" (who wins), "moves" (also the value of every legal move), or "worlds" (who wins, in worlds of one
    position after another). cards: the maximum; mean_cards: the actual mean. bidder_wins: the share that the bidder's
    side wins of those whose winner is proved. unsolved: the share unproved within `seconds` of processor time or
    `nodes` nodes; unsolved_95: its 95 % interval (Wilson). ms: processor time of a call. nodes: nodes searched.
    per_second: positions or worlds solved or given up a second.
    """

    what: str
    cards: int
    count: int
    seed: int
    seconds: float | None
    nodes_limit: int | None
    mean_cards: float
    bidder_wins: float
    unsolved: float
    unsolved_95: tuple[float, float]
    ms: Quantiles
    nodes: Quantiles
    mean_nodes: float
    nodes_per_second: float
    per_second: float
    device: str


def measure_solver(
    sizes: Iterable[int],
    *,
    count: int | None = None,
    seed: int = 1,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Iterator[SolverRow]:
    """Yield a row "value" for each size; also a row "moves" if `MOVES_AT` is among the sizes, and a row "worlds" if `MOVES_AT` or
    `WORLDS_AT` is.

    count: positions of every size; seconds: the limit for each (default of both: `SIZES`). progress: called with the
    row's name, the number of positions done, and the number of all positions.
    """
    sizes = list(sizes)
    dasan.solve(at_random(12, random.Random(0)))

    def each(what: str, total: int) -> Iterator[int]:
        for done in range(total):
            if progress is not None:
                progress(what, done, total)
            yield done

    def row(what: str, cards: int, title: str) -> SolverRow:
        usual, limit = next(sample for size, sample in SIZES.items() if cards <= size)
        return _row(what, cards, each(title, count or usual), seed, seconds or limit)

    for cards in sizes:
        yield row("value", cards, f"{cards} cards")
    if MOVES_AT in sizes:
        yield row("moves", MOVES_AT, "all moves")
    if MOVES_AT in sizes or WORLDS_AT in sizes:
        yield _worlds(each("worlds", max(1, (count or SIZES[MOVES_AT][0]) // WORLDS)), seed)


def at_random(cards: int, source: random.Random, game: str = "big-three") -> dasan.State:
    """A position of at most `cards` cards with a player on lead. A partner is drawn from the other seats."""
    rules = dasan.rules(game)
    size, whole = rules.hand_size or 0, len(rules.pack)
    while True:
        pack = list(rules.pack)
        source.shuffle(pack)
        hands = [pack[k : k + size] for k in range(0, whole - rules.kitty_size, size)]
        bidder, called = source.randrange(rules.players), None
        if rules.call is not None:
            partner = (bidder + source.randrange(1, rules.players)) % rules.players
            callable_cards = [c for c in hands[partner] if c.rank in rules.call.ranks]
            if not callable_cards:
                continue
            called = source.choice(callable_cards)
        state = dasan.start(
            rules,
            hands,
            kitty=pack[whole - rules.kitty_size :],
            bidder=bidder,
            bid=1,
            called=called,
            leader=source.randrange(rules.players),
        )
        while state.phase is dasan.Phase.PLAY:
            if state.table is None and sum(state.hand_sizes) <= cards:
                return state
            state = state.play(source.choice(state.legal_moves()))


def world(state: dasan.State, source: random.Random) -> dasan.State:
    """The same position with the other seats' cards redealt among them."""
    hidden = [c for seat, hand in enumerate(state.hands) if seat != state.to_act for c in hand]
    source.shuffle(hidden)
    hands = []
    for seat, hand in enumerate(state.hands):
        if seat != state.to_act:
            hand, hidden = state.rules.order.hand(hidden[: len(hand)]), hidden[len(hand) :]
        hands.append(hand)
    return replace(state, hands=tuple(hands))


class _Processor:
    """A `Cancel` that stops after some seconds of processor time, so that other load on the machine does not matter."""

    def __init__(self, seconds: float) -> None:
        self.until = time.process_time() + seconds

    def is_set(self) -> bool:
        return time.process_time() >= self.until


@dataclass(frozen=True, slots=True)
class _Try:
    cards: int
    seconds: float
    nodes: int
    solved: bool
    won: bool | None
    """Whether the bidder's side wins; None if unproved."""


def _row(what: str, cards: int, each: Iterator[int], seed: int, seconds: float) -> SolverRow:
    source = random.Random(seed * 1000 + cards)
    moves = what == "moves"
    tries = []
    for _ in each:
        state = at_random(cards, source)
        budget = Budget(None, None, cancel=_Processor(seconds))
        tries.append(_try(state, Warm(MEMORY_MB), budget, moves=moves))
    return _summary(what, cards, seed, seconds, None, tries)


def _worlds(each: Iterator[int], seed: int) -> SolverRow:
    source = random.Random(seed * 1000 + WORLDS_AT)
    tries = []
    for _ in each:
        state = at_random(WORLDS_AT, source)
        warm = Warm(MEMORY_MB)
        for _ in range(WORLDS):
            tries.append(_try(world(state, source), warm, Budget(None, WORLD_NODES), moves=False))
    return _summary("worlds", WORLDS_AT, seed, None, WORLD_NODES, tries)


def _try(state: dasan.State, warm: Warm, budget: Budget, *, moves: bool) -> _Try:
    start = time.process_time()
    solution = solve_warm(state, warm, budget, moves=moves, line=False)
    spent = time.process_time() - start
    solved = solution.exact and (not moves or len(solution.moves) == len(state.legal_moves()))
    won = None if solution.value is None else solution.value > 0
    return _Try(sum(state.hand_sizes), spent, solution.nodes, solved, won)


def _summary(
    what: str, cards: int, seed: int, seconds: float | None, nodes_limit: int | None, tries: list[_Try]
) -> SolverRow:
    count, spent = len(tries), sum(t.seconds for t in tries)
    unsolved = sum(not t.solved for t in tries)
    proved = [t.won for t in tries if t.won is not None]
    return SolverRow(
        what=what,
        cards=cards,
        count=count,
        seed=seed,
        seconds=seconds,
        nodes_limit=nodes_limit,
        mean_cards=fmean(t.cards for t in tries),
        bidder_wins=sum(proved) / max(1, len(proved)),
        unsolved=unsolved / count,
        unsolved_95=wilson(unsolved / count, count),
        ms=_quantiles([1000 * t.seconds if t.solved else math.inf for t in tries]),
        nodes=_quantiles([t.nodes if t.solved else math.inf for t in tries]),
        mean_nodes=fmean(t.nodes for t in tries),
        nodes_per_second=sum(t.nodes for t in tries) / spent,
        per_second=count / spent,
        device=device(),
    )


def _quantiles(values: list[float]) -> Quantiles:
    ordered = sorted(values)

    def at(q: float) -> float | None:
        value = ordered[max(0, math.ceil(q * len(ordered)) - 1)]
        return None if math.isinf(value) else value

    return Quantiles(at(0.5), at(0.9), at(0.99), at(1.0))

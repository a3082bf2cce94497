"""The solver of Big Three: against plain minimax, and against itself."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.solver.minimax import wins
from tests.solver.positions import CALLED, RULES, WA_KENG, endgame, payment, played_out

import dasan
from dasan.kernels.ranks.solver import search as solver_search
from dasan.solver import Solution, solve, solve_many

SMALL = 0.01
"""Megabytes: a table of 128 buckets, to show that a full table does no harm."""


def compare(
    first: int, states: int, cards: tuple[int, ...], memory: float, games: Mapping[int, dasan.Rules] = RULES
) -> Counter[tuple[int, str]]:
    """Solve `states` positions both ways, some with all moves; returns the kinds of position."""
    source = random.Random(first)
    seen: Counter[tuple[int, str]] = Counter()
    while seen.total() < states:
        wins.cache_clear()
        for state in played_out(source, source.choice(cards), games):
            kind = "lead" if state.table is None else "passes pending" if state.passed else "mid-trick"
            seen[state.rules.players, kind] += 1
            every = seen.total() % 10 == 0
            solution = solve(state, nodes=10**7, memory_mb=memory, moves=every)
            assert solution.exact
            assert solution.value == payment(state), state.record()
            if every:
                assert set(solution.moves) == set(state.legal_moves())
                for move, value in solution.moves.items():
                    assert value == payment(state.play(move)), (move, state.record())
    return seen


def test_a_few_positions_equal_minimax() -> None:
    compare(1, 60, (5, 6), 1)


@pytest.mark.full
@pytest.mark.parametrize("games", [RULES, WA_KENG])
def test_equal_to_minimax(games: Mapping[int, dasan.Rules]) -> None:
    seen = compare(1, 2_000, (5, 6, 7, 8), 1, games)
    assert set(seen) == {(n, kind) for n in (3, 4) for kind in ("lead", "mid-trick", "passes pending")}
    assert min(seen.values()) > 50


@pytest.mark.full
def test_equal_to_minimax_in_a_tiny_table() -> None:
    compare(2, 300, (7, 8), 0.0001)


@pytest.mark.full
def test_equal_to_minimax_with_children_kept_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver_search, "KEPT_FROM", 0)
    compare(6, 300, (7, 8), 1)


@pytest.mark.full
def test_keeping_children_changes_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(13)
    for state in [large(source, 32) for _ in range(40)]:
        values = []
        for first in (0, 10**12):
            monkeypatch.setattr(solver_search, "KEPT_FROM", first)
            values.append(solve(state, nodes=1_000_000, memory_mb=16, moves=False))
        caching, not_kept = values
        assert caching.value == not_kept.value or not (caching.exact and not_kept.exact)


@pytest.mark.parametrize(("preset", "value"), [("big-three", 2), ("wa-keng", -2)])
def test_h_18_three_triplets_in_a_row_are_no_play(preset: str, value: int) -> None:
    """As one play they win at once; in parts they are beaten."""
    hands = ["4D 4C 4H 5D 5C 5H 6D 6C 6H", "7D 7C 8D 8C 9D 9C", "TD TC TH"]
    state = dasan.start(dasan.rules(preset), hands, bidder=0, bid=1, leader=0)
    assert solve(state).value == value


def test_a_set_is_split_only_once() -> None:
    """The threes can beat three singles, or a pair and a single, but not both; minimax finds the same in 13 seconds."""
    hands = ["8H 9H 9S JH JS KH AH AS AD 3H 3S 3D", "8C QC QD AC 2C 2D", "TC TD JC QS 2H 2S"]
    state = dasan.start(RULES[3], hands, bidder=0, bid=1, leader=0)
    assert solve(state, moves=False).value == -2


@pytest.mark.full
@pytest.mark.parametrize("hands", [70, pytest.param(200, marks=pytest.mark.slow)])
def test_estimates_of_what_is_not_proved(hands: int) -> None:
    """Estimates lie within the bounds, and on average much nearer to the true value than their middle; a proved value
    has none.
    """
    source = random.Random(17)
    misses = []
    for state in [large(source, 36) for _ in range(hands)]:
        guess = solve(state, nodes=1, memory_mb=1, moves=False)
        truth = solve(state, nodes=300_000, memory_mb=16, moves=False)
        if guess.exact:
            assert guess.estimate is None
        elif truth.exact:
            assert guess.estimate is not None
            assert guess.lower is not None
            assert guess.upper is not None
            assert truth.value is not None
            assert guess.lower < guess.estimate < guess.upper
            misses.append(abs(guess.estimate - truth.value) / (guess.upper - guess.lower))
    assert len(misses) > hands / 4
    assert sum(misses) / len(misses) < 0.35


@pytest.mark.slow
def test_equal_to_minimax_on_many_endgames() -> None:
    seen = compare(3, 20_000, (6, 7, 8, 9), 1)
    seen += compare(4, 2_000, (9, 10), SMALL)
    assert seen.total() >= 22_000


def end_of(state: dasan.State, solution: Solution) -> dasan.State:
    for move in solution.line:
        state = state.play(move)
    return state


def large(source: random.Random, cards: int) -> dasan.State:
    """A deal played at random down to about this many cards, with a trick just over."""
    while True:
        state = dasan.deal(RULES[3], seed=source.randrange(10**9))
        while state.phase is not dasan.Phase.OVER:
            if state.phase is dasan.Phase.PLAY and state.table is None and sum(state.hand_sizes) <= cards:
                return state
            state = state.play(source.choice(state.legal_moves()))


@pytest.mark.full
def test_lines_and_moves_of_larger_positions() -> None:
    """The line ends in the claimed result; the best move's value is the position's; a move's value is that of the next
    position.
    """
    source = random.Random(5)
    for _ in range(25):
        state = large(source, 22)
        solution = solve(state, nodes=2_000_000, memory_mb=16)
        assert solution.exact
        assert set(solution.moves) == set(state.legal_moves())
        best = max if state.to_act == state.bidder else min
        assert best(solution.moves.values()) == solution.value
        over = end_of(state, solution)
        assert over.result is not None
        assert over.result.payments[state.bidder or 0] == solution.value
        for move in source.sample(state.legal_moves(), min(3, len(state.legal_moves()))):
            after = state.play(move)
            if after.phase is dasan.Phase.PLAY:
                assert solve(after, nodes=2_000_000, memory_mb=16, moves=False).value == solution.moves[move]


@pytest.mark.full
def test_suits_and_seats_do_not_matter() -> None:
    source = random.Random(6)
    for _ in range(25):
        state = large(source, 22)
        value = solve(state, nodes=2_000_000, memory_mb=16, moves=False).value
        turn = source.randrange(1, 3)
        suits = dict(zip("DCHS", source.sample("DCHS", 4), strict=True))
        hands = [" ".join(c.rank + suits[c.suit] for c in hand) for hand in state.hands]
        turned = dasan.start(
            state.rules,
            [hands[(seat - turn) % 3] for seat in range(3)],
            bidder=((state.bidder or 0) + turn) % 3,
            bid=state.bid,
            leader=((state.to_act or 0) + turn) % 3,
        )
        assert solve(turned, nodes=2_000_000, memory_mb=16, moves=False).value == value


@pytest.mark.full
def test_budgets_never_make_a_wrong_answer() -> None:
    source = random.Random(7)
    unproved = 0
    for _ in range(15):
        state = large(source, 26)
        truth = solve(state, nodes=3_000_000, memory_mb=32, moves=False)
        for nodes in (0, 1, 10, 100, 1000):
            solution = solve(state, nodes=nodes, memory_mb=SMALL)
            assert solution.nodes <= nodes
            assert solution == solve(state, nodes=nodes, memory_mb=SMALL)
            assert (solution.value is not None) == solution.exact
            assert solution.lower is not None
            assert solution.upper is not None
            unproved += not solution.exact
            if truth.exact and truth.value is not None:
                assert solution.lower <= truth.value <= solution.upper
                assert solution.value in (None, truth.value)
    assert unproved > 10


@pytest.mark.full
def test_cancel_and_progress() -> None:
    state = dasan.deal(RULES[3], seed=3).play("bid 3")
    stop = threading.Event()
    seen: list[int] = []

    def progress(nodes: int) -> None:
        seen.append(nodes)
        if len(seen) == 3:
            stop.set()

    solution = solve(state, seconds=60, progress=progress, cancel=stop)
    assert len(seen) <= 4
    assert seen == sorted(seen)
    assert solution.nodes == seen[-1]


@pytest.mark.full
def test_threads_do_not_disturb_one_another() -> None:
    source = random.Random(8)
    states = [large(source, 24) for _ in range(6)]
    alone = [solve(state, nodes=300_000, memory_mb=8) for state in states]
    solutions: dict[int, Solution] = {}
    threads = [
        threading.Thread(target=lambda i=i, s=s: solutions.update({i: solve(s, nodes=300_000, memory_mb=8)}))
        for i, s in enumerate(states)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [solutions[i] for i in range(len(states))] == alone


@pytest.mark.full
def test_many_over_processes() -> None:
    source = random.Random(9)
    states = [endgame(source, 9) for _ in range(4)]
    assert solve_many(states, processes=2, nodes=10_000, memory_mb=1) == [
        solve(state, nodes=10_000, memory_mb=1) for state in states
    ]


@pytest.mark.full
@pytest.mark.parametrize("players", [3, 4])
def test_the_auction_has_a_value_for_each_bidder(players: int) -> None:
    solution = solve(dasan.deal(RULES[players], seed=1), nodes=20_000, memory_mb=64)
    assert solution.scope == "auction"
    assert solution.value is None
    assert list(solution.by_bidder) == list(range(players))
    amount = 2 if players == 3 else 1
    for value in solution.by_bidder.values():
        assert value.value in (None, amount, -amount)
        assert (value.lower, value.upper) == ((value.value, value.value) if value.exact else (-amount, amount))


@pytest.mark.full
def test_a_call_is_worth_its_partner() -> None:
    assert RULES[4].call is not None
    rules = replace(RULES[4], left_out="356789TJA", hand_size=4, call=replace(RULES[4].call, ranks="4QK2"))
    state = dasan.deal(rules, seed=5).play("bid 3")
    solution = solve(state, memory_mb=64)
    assert set(solution.moves) == set(state.legal_moves())
    worth: dict[int | None, int] = {}
    for move, value in solution.moves.items():
        assert worth.setdefault(state.play(move).partner, value) == value
    assert worth == {0: -3, 1: 3, 3: 3}


def test_a_hand_that_is_over_has_nothing_to_solve() -> None:
    state = dasan.start(RULES[3], ["4H", "5H", "6H"], bidder=0, bid=1, leader=0).play("4H")
    with pytest.raises(ValueError, match="over"):
        solve(state)


@pytest.mark.full
def test_called_card_makes_moves_but_no_difference() -> None:
    """Plays with and without the called card are both listed, and have the same value (B4.07)."""
    state = dasan.start(
        RULES[4], ["5H 5S 6D", f"{CALLED} 4D 7D", "8D 9D", "TD JD"], bidder=0, bid=1, called=CALLED, leader=1
    )
    values = solve(state).moves
    assert set(values) == set(state.legal_moves())
    assert len({value for move, value in values.items() if str(move) in (CALLED, "4D")}) == 1


@pytest.mark.parametrize("memory_mb", [-1, float("nan"), float("inf")])
def test_a_memory_that_is_no_size_is_refused(memory_mb: float) -> None:
    with pytest.raises(ValueError, match="memory_mb is a number from 0"):
        dasan.solve(dasan.deal(dasan.rules("big-three"), seed=1), memory_mb=memory_mb)

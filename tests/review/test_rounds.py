"""A review with a time limit: the same judgements as without one, as far as time allows; each move at least once."""

from __future__ import annotations

import random
from time import monotonic

import pytest
from tests.review.test_best_play import assert_minimax
from tests.rules.big_three import EXAMPLE
from tests.solver.positions import RULES, endgame

import dasan
from dasan.records.retrace import moves_of
from dasan.review import rounds
from dasan.review.best_play import HURRIED, Judged, Review, decisive, review
from dasan.review.rounds import judge_within
from dasan.solver.budget import Budget

pytestmark = pytest.mark.full

LONG = 600.0


def within(state: dasan.State, total: float) -> tuple[Review, list[Judged]]:
    """The review made of the last judgement of each move, and everything that was yielded."""
    judgements = list(judge_within(state, total, memory_mb=16))
    last = {one.seq: one for one in judgements}
    return Review(state, tuple(last[seq] for seq in sorted(last))), judgements


@pytest.mark.parametrize("players", [3, 4])
def test_with_time_enough_every_move_is_judged_as_minimax_judges(players: int) -> None:
    source = random.Random(players)
    for cards in (3, 4, 5, 5):
        state = endgame(source, cards)
        most = source.randrange(6, 60)
        for _ in range(most):
            if state.phase is dasan.Phase.OVER:
                break
            state = state.play(source.choice(state.legal_moves()))
        report, judgements = within(state, LONG)
        assert_minimax(report)
        assert [one.seq for one in judgements[: len(report.moves)]] == [one.seq for one in reversed(report.moves)]
        for before, after in zip(judgements, report.moves[::-1], strict=False):
            assert (before.value, before.worth, before.kept) == (after.value, after.worth, after.kept)
            assert set(before.keeping) <= set(after.keeping)
            assert set(before.losing) <= set(after.losing)
        (lost, held), (one, other) = decisive(judgements), decisive(reversed(report.moves))
        assert ((lost and lost.seq), held) == ((one and one.seq), other)
        assert lost is None or lost.keeping


def test_bids_and_a_call_are_judged_as_a_review_judges_them() -> None:
    hand = dasan.deal(RULES[4], seed=2).play("bid 1").play("pass").play("bid 3")
    hand = hand.play(hand.legal_moves()[0])
    report, plain = within(hand, 0.5)[0], review(hand, nodes=20_000, memory_mb=16)
    assert [(j.seq, j.move, j.phase, j.scope) for j in report.moves] == [
        (j.seq, j.move, j.phase, j.scope) for j in plain.moves
    ]
    for one, other in zip(report.moves, plain.moves, strict=True):
        assert one.as_bidder is None or other.as_bidder is None or one.as_bidder == other.as_bidder
    example = dasan.start(
        RULES[3], ["5D 5C KD KC AD", "2D 2C 5H 6H 7H 8S", "9D 9C JS QS KS 4S"], bidder=0, bid=3, leader=0
    )
    for _, move in EXAMPLE:
        example = example.play(move)
    assert within(example, LONG)[0].moves == review(example, seconds=LONG, memory_mb=16).moves


@pytest.mark.sampled(2, 2)
@pytest.mark.parametrize("game", ["big-three", "big-three-4p", "big-two", "winner"])
def test_without_time_each_move_is_judged_once_and_soon(game: str) -> None:
    source = random.Random(6)
    state = dasan.deal(dasan.rules(game), seed=1)
    while state.phase is not dasan.Phase.OVER:
        state = state.play(source.choice(state.legal_moves()))
    list(judge_within(state, 0.0, memory_mb=16))  # compiled before the clock is looked at
    begun = monotonic()
    report, judgements = within(state, 0.0)
    moves = [now.next_seq for now, _ in moves_of(state)]
    assert monotonic() - begun < 10 + len(moves) * 2 * HURRIED
    assert sorted(one.seq for one in judgements) == moves
    assert report.moves[-1].kept is not None


@pytest.mark.parametrize("nodes", [50, 400])
def test_a_move_that_comes_again_says_no_less(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def budget(_: float, __: None, threads: int) -> Budget:
        nonlocal asked
        asked += 1
        return Budget(None, nodes * (1 + asked % 3))

    monkeypatch.setattr(rounds, "Budget", budget)
    source = random.Random(nodes)
    again = 0
    for seed in range(4):
        state = dasan.deal(RULES[3], seed=seed)
        while state.phase is not dasan.Phase.OVER:
            state = state.play(source.choice(state.legal_moves()))
        latest: dict[int, Judged] = {}
        for one in judge_within(state, LONG, memory_mb=16):
            before = latest.get(one.seq)
            if before is not None:
                again += 1
                assert before.value in (None, one.value)
                assert before.kept in (None, one.kept)
                assert set(before.keeping) <= set(one.keeping)
                assert set(before.losing) <= set(one.losing)
            latest[one.seq] = one
    assert again


def test_a_time_is_a_number() -> None:
    state = dasan.deal(RULES[3], seed=1)
    for wrong in (-1, "5", True):
        with pytest.raises(ValueError, match="total is a number"):
            judge_within(state, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a hand is reviewed"):
        judge_within("record", 1)  # type: ignore[arg-type]

"""Values by what could be known: means over deals consistent with a view, independent of the hidden cards."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.bots.hidden import shuffled_for

import dasan
from dasan import bots
from dasan.bots.sampling.rollouts import Tried
from dasan.review.expected import _judged, _plain, decision, known

pytestmark = pytest.mark.full


def test_hidden_cards_change_nothing() -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=3)
    for _ in range(9):
        state = state.play(bots.bot("greedy").choose(state.view(state.mover)))
    made = state.legal_moves()[-1]
    judgement = decision(state, made, 16)
    assert judgement.made == made
    assert len(judgement.estimates) > 1
    assert decision(shuffled_for(state, state.mover, random.Random(1)), made, 16) == judgement


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("preset", ["big-three", "winner"])
def test_every_move_is_told_and_the_made_one_is_among_the_candidates(preset: str) -> None:
    state = dasan.deal(dasan.rules(preset), seed=5)
    rng = random.Random(preset)
    moves = []
    for _ in range(14):
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    judgements = list(known(state, worlds=4))
    assert [one.made for one in judgements] == moves
    for one in judgements:
        decided = one.choices > 1
        assert bool(one.estimates) is decided
        if decided:
            assert one.made in [estimate.move for estimate in one.estimates]
            values = [estimate.value for estimate in one.estimates]
            assert values == sorted(values, reverse=True)
            assert (one.habit is None) is (one.best == one.made)
            assert one.to_json()["seq"] == one.seq


def test_a_winning_move_is_known_to_be_better() -> None:
    """Playing the last card surely wins; passing does not."""
    rules = dasan.rules("big-two", guard="off")
    state = dasan.start(rules, ["TS", "JD", "QC", "3H 4H"], table="9D", table_seat=3, to_act=0)
    judgement = decision(state, next(move for move in state.legal_moves() if move.combination is None), 32)
    assert str(judgement.best) == "TS"
    assert judgement.mistake
    assert judgement.habit == "pass"
    assert judgement.cost > 0
    right = decision(state, judgement.best, 32)
    assert (right.habit, right.mistake) == (None, False)
    assert right.cost == 0


def test_an_interval_of_few_deals_is_student_s() -> None:
    """Four deals have the quantile 3.182 instead of 1.960, and a sample's variance."""
    values = np.array([[1.0, -1.0, 1.0, -1.0], [2.0, 2.0, 2.0, 2.0]])
    state = dasan.deal(dasan.rules("big-three"), seed=7)
    tried = Tried(state.legal_moves()[:2], values, np.ones(4))
    best, made = _judged(_plain(state.view(state.mover), state, tried.moves[0]), tried).estimates
    assert (best.value, best.margin) == (2, 0)
    assert made.value == 0
    assert made.margin == pytest.approx(3.182 * (4 / 3 / 4) ** 0.5, rel=2e-3)


def test_time_bounds_a_whole_hand() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=8)
    while state.to_act is not None:
        state = state.play(bots.bot("thrifty").choose(state.view(state.to_act)))
    judgements = list(known(state, seconds=0))
    # The first decision is always tried out.
    assert [bool(one.estimates) for one in judgements if one.choices > 1][:2] == [True, False]
    assert sum(bool(one.estimates) for one in judgements) == 1

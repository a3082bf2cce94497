"""Rollouts, and the elimination of candidate moves."""

from __future__ import annotations

import numpy as np
import pytest
from tests.bots.test_search import halfway

import dasan
from dasan.arrays import Doubles
from dasan.bots.sampling.beliefs import by_likelihood, evenly
from dasan.bots.sampling.elimination import Blend, Elimination, _stay, eliminate
from dasan.bots.sampling.rollouts import by_network
from dasan.bots.sampling.simulator import ROOM
from dasan.networks.trained import fitted

pytestmark = pytest.mark.full

WORLDS = 300


@pytest.mark.sampled(2, 2)
@pytest.mark.parametrize("preset", ["big-three", "big-two"])
@pytest.mark.parametrize("pool", [0, 512])
def test_an_elimination_plays_what_all_rollouts_play(preset: str, pool: int) -> None:
    """Each move has the outcomes of `by_network` in the worlds that it was tried in, and those that stay are tried in all."""
    rules = dasan.rules(preset)
    fit = fitted(rules)
    assert fit is not None
    left_early = 0
    for seed in (1, 2, 3, 4):
        state = halfway(rules, seed)
        view = state.view(state.to_act)
        moves = view.legal_moves()[:6]
        beliefs = by_likelihood(view, WORLDS, seed, fit, pool) if pool else evenly(view, WORLDS, seed)
        tried = by_network(view, moves, beliefs, fit)
        left = eliminate(view, moves, beliefs, fit, Blend(np.zeros(len(moves)), 0.0))
        summed = np.cumsum(beliefs.weights)
        for i, weight in enumerate(left.weights):
            n = int(np.searchsorted(summed, weight)) + 1
            assert summed[n - 1] == weight
            mean = tried.values[i, :n] @ beliefs.weights[:n] / weight
            assert left.means[i] == pytest.approx(mean)
            assert left.values[i] == pytest.approx(mean)
        assert (left.weights[left.stayed] == left.weights.max()).all()
        if left.stayed.sum() > 1:
            assert left.weights.max() == summed[-1]
        assert tried.means.max() - tried.means[moves.index(left.best)] < 0.1
        left_early += int((left.weights < summed[-1]).sum())
    assert left_early > 0


def test_without_time_every_move_is_still_tried() -> None:
    rules = dasan.rules("big-two")
    fit = fitted(rules)
    assert fit is not None
    state = halfway(rules, 1)
    view = state.view(state.to_act)
    moves = view.legal_moves()[:4]
    left = eliminate(view, moves, evenly(view, 512, 1), fit, Blend(np.zeros(len(moves)), 0.0), seconds=0.0)
    assert (left.weights == ROOM // len(moves)).all()
    assert np.isfinite(left.values).all()


def test_the_best_move_was_not_eliminated() -> None:
    """An eliminated move may have a higher value over few deals."""
    rules = dasan.rules("big-two")
    moves = dasan.deal(rules, seed=1).legal_moves()[:3]
    values = np.array([0.5, 0.9, 0.7])
    left = Elimination(moves, values, np.full(3, 10.0), values, np.array([True, False, True]))
    assert left.best == moves[2]


def outcomes(*means: float, worlds: int = 100) -> Doubles:
    """Outcomes of moves that depend much more on the deal than on the move; their differences vary little."""
    luck = np.random.default_rng(1).normal(0, 3, worlds)
    noise = np.random.default_rng(2).normal(0, 0.1, (len(means), worlds))
    values: Doubles = luck + noise - noise.mean(axis=1, keepdims=True) + np.array(means)[:, None] - luck.mean()
    return values


def stay(values: Doubles, blend: Blend, weights: Doubles | None = None) -> list[bool]:
    staying: list[bool] = _stay(values, np.ones(values.shape[1]) if weights is None else weights, blend).tolist()
    return staying


def test_clearly_worse_candidates_are_eliminated() -> None:
    plain = Blend(np.zeros(3), 0.0)
    assert stay(outcomes(1.0, 0.999, 0.9), plain) == [True, True, False]
    assert stay(outcomes(0.9, 1.0, 0.2), plain) == [False, True, False]


def test_of_equal_moves_the_first_is_left() -> None:
    same = np.tile(outcomes(1.0), (3, 1))
    assert stay(same, Blend(np.zeros(3), 0.0)) == [True, False, False]


def test_a_heavy_world_counts_more() -> None:
    """The second move is better in the last world alone."""
    values = np.zeros((2, 50))
    values[0, :-1] = np.tile([0.9, 1.1], 25)[:-1]
    values[1, -1] = 1.0
    assert stay(values, Blend(np.zeros(2), 0.0)) == [True, False]
    assert stay(values, Blend(np.zeros(2), 0.0), np.r_[np.ones(49), 49.0]) == [True, True]


def test_a_first_score_has_the_weight_of_several_worlds() -> None:
    """A move that the network rates far ahead stays, and so does one that another estimate rates ahead."""
    values = outcomes(1.0, 0.9)
    assert stay(values, Blend(np.array([0.0, 0.0]), 100.0)) == [True, False]
    assert stay(values, Blend(np.array([0.0, 0.1]), 100.0)) == [True, True]
    assert stay(values, Blend(np.array([0.0, 0.3]), 100.0)) == [False, True]
    assert stay(values, Blend(np.array([0.0, 0.0]), 0.0, np.array([0.0, 0.1]))) == [True, True]
    assert Blend(np.array([2.0]), 50.0).values(np.array([1.0]), 50.0).tolist() == [1.5]
    assert Blend(np.array([2.0]), 50.0, np.array([0.5])).values(np.array([1.0]), 50.0).tolist() == [1.0]


def test_a_first_score_counts_as_it_will_at_the_end() -> None:
    """After few of many worlds a move that the network rates behind stays if it may catch up in the rest."""
    values = outcomes(1.0, 1.1, worlds=20)
    blend = Blend(np.array([1.0, 0.0]), 100.0)
    assert stay(values, blend) == [True, False]
    assert stay(values, blend, np.ones(2_000)) == [True, True]


def test_a_blend_of_some_candidates() -> None:
    blend = Blend(np.array([1.0, 2.0, 3.0]), 5.0, np.array([4.0, 5.0, 6.0])).of(np.array([0, 2]))
    assert blend.first.tolist() == [1.0, 3.0]
    assert blend.other is not None
    assert blend.other.tolist() == [4.0, 6.0]

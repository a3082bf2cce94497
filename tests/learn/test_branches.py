"""Training with branches: which environments diverge, which moves they try, and how the network learns from their differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dasan.learn.branches import Branches, batches
from dasan.learn.config import Config
from dasan.learn.learner import contrasted
from dasan.learn.trainer import Trainer

pytestmark = pytest.mark.full

SMALL = Config(
    "big-three",
    envs=32,
    rounds=2,
    epochs=4,
    first=16,
    second=8,
    batch=128,
    keep=1.0,
    trace=0.9,
    unit=2.0,
    derived=True,
    branches=4,
    span=8,
    pool=("thrifty", "past"),
    share=0.25,
)


def test_branches_show_one_observation_and_different_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(SMALL)
    taken: list[tuple[np.ndarray, ...]] = []
    take = trainer.hands.decisions.take

    def kept(keep: float, random: np.random.Generator) -> tuple[np.ndarray, ...]:
        taken.append(take(keep, random))
        return taken[-1]

    monkeypatch.setattr(trainer.hands.decisions, "take", kept)
    trainer.epoch()
    assert len(taken) == SMALL.rounds
    assert trainer.progress.samples == trainer.progress.decisions > 0
    assert trainer.hands.decisions.waiting == 0
    sizes = []
    for obs, moves, targets, groups in taken:
        assert len(obs) == len(moves) == len(targets)
        for group in np.unique(groups[groups >= 0]):
            rows = np.flatnonzero(groups == group)
            sizes.append(len(rows))
            assert len(np.unique(obs[rows], axis=0)) == 1
            assert len(np.unique(moves[rows], axis=0)) == len(rows)
    assert max(sizes) == SMALL.branches
    assert min(sizes) > 1


def test_environments_of_a_deal_are_alike_until_they_part() -> None:
    trainer = Trainer(SMALL)
    trainer.epoch()
    env, branches = trainer.hands.env, trainer.hands.branches
    random = np.random.default_rng(1)
    env.reset(branches.begin(random))
    first = np.arange(SMALL.envs) // 4 * 4
    assert env.obs is not None
    assert (branches.chooses == (np.arange(SMALL.envs) == first)).all()
    open_ = np.ones(SMALL.envs, np.bool_)
    for _ in range(12):
        trainer.hands.step(random, open_, closing=True)
        apart = np.repeat(branches.chooses.reshape(-1, 4).all(axis=1), 4)
        assert (env.obs[~apart] == env.obs[first[~apart]]).all()
    assert apart.any()
    assert len({bytes(row) for row in env.obs[apart]}) > apart.sum() / 4


def test_rows_of_a_group_are_in_one_batch() -> None:
    random = np.random.default_rng(2)
    groups = np.where(random.random(1000) < 0.3, random.integers(0, 60, 1000), -1).astype(np.int32)
    parts = batches(groups, 7)
    assert sorted(np.concatenate(parts)) == list(range(1000))
    assert len(parts) == 7
    place = np.empty(1000, np.int64)
    for k, part in enumerate(parts):
        place[part] = k
    assert all(len(set(place[groups == group])) == 1 for group in range(60) if (groups == group).any())
    assert max(map(len, parts)) < 1.6 * 1000 / 7
    few = batches(np.array([0, 0, 1, 1, -1, -1, -1, -1], np.int32), 8)
    assert all(len(part) for part in few)
    assert sorted(np.concatenate(few)) == list(range(8))
    alone = batches(np.full(10, -1, np.int32), 3)
    assert [part.tolist() for part in alone] == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]


def test_the_weighted_error_is_the_slope_of_the_weighted_squares() -> None:
    random = np.random.default_rng(3)
    error = random.normal(size=12)
    groups = np.array([0, -1, 0, 3, 3, 3, -1, 0, 5, -1, 5, -1], np.int32)

    def squares(e: np.ndarray) -> float:
        total = float((e[groups < 0] ** 2).sum())
        for group in (0, 3, 5):
            rows = e[groups == group]
            total += len(rows) * rows.mean() ** 2 + 3 * ((rows - rows.mean()) ** 2).sum()
        return total

    weighted = contrasted(error.astype(np.float32), groups, np.float32(3))
    for i in range(12):
        step = np.zeros(12)
        step[i] = 1e-4
        slope = (squares(error + step) - squares(error - step)) / 2e-4
        assert 2 * weighted[i] == pytest.approx(slope, rel=1e-3)


def test_a_hand_that_ends_early_is_played_once() -> None:
    trainer = Trainer(replace(SMALL, span=10_000, rounds=1))
    trainer.epoch()
    assert trainer.progress.hands == SMALL.envs // SMALL.branches


def test_settings_that_make_no_branches_are_refused() -> None:
    with pytest.raises(ValueError, match="a multiple of branches"):
        replace(SMALL, envs=30)


def test_environments_without_branches_choose_for_themselves() -> None:
    assert Branches(4, 1, 5, 1.0).chooses.all()

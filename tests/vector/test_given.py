"""Arguments of the caller: a seed for each environment, and arrays to write to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan.vector as vector

pytestmark = pytest.mark.full


@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_a_seed_of_its_own_makes_the_first_environment_of_that_seed(preset: str) -> None:
    seeds = [7, 0, 7, -1]
    several = vector.make(preset, 4, seeds)
    alone = [vector.make(preset, 1, seed) for seed in seeds]
    for _ in range(150):
        for i, env in enumerate(alone):
            assert (several.mask[i] == env.mask[0]).all()
            assert several.obs is not None
            assert env.obs is not None
            assert (several.obs[i] == env.obs[0]).all()
            env.step(env.sample())
        several.step(several.sample())
    several.reset([1, 2, 3, 4])
    assert (several.mask[2] == vector.make(preset, 1, 3).mask[0]).all()
    with pytest.raises(ValueError, match="one seed, or 4, not 2"):
        several.reset([1, 2])


def test_arrays_of_the_caller() -> None:
    own = vector.make("big-two", 3, 5)
    assert own.obs is not None
    names = ("mask", "obs", "rewards", "places", "done", "to_act", "legal", "num_legal")
    given: dict[str, np.ndarray[Any, Any]] = {name: np.ones_like(getattr(own, name)) for name in names}
    env = vector.make("big-two", 3, 5, buffers=given)
    for _ in range(200):
        for name in names:
            assert np.array_equal(given[name], getattr(own, name)), name
        own.step(own.sample())
        env.step(env.sample())


@pytest.mark.parametrize(
    "buffers",
    [
        {"mask": np.zeros((2, 175), np.uint8)},
        {"mask": np.zeros((3, 175), np.bool_)},
        {"mask": np.zeros((2, 350), np.bool_)[:, ::2]},
        {"done": np.zeros(3, np.bool_)[1:]},
        {"points": np.zeros(2)},
        {"mask": [[False] * 175] * 2},
        {"mask": np.ma.zeros((2, 175), np.bool_)},
    ],
)
def test_arrays_that_do_not_fit(buffers: dict[str, np.ndarray[Any, Any]]) -> None:
    with pytest.raises(ValueError, match="buffer"):
        vector.make("big-three", 2, buffers=buffers)


def test_arrays_that_share_memory() -> None:
    memory = np.zeros(1 << 12, np.uint8)
    mask = memory[:350].view(np.bool_).reshape(2, 175)
    places = memory[344:350].reshape(2, 3)
    with pytest.raises(ValueError, match="mask and places share memory"):
        vector.make("big-three", 2, buffers={"mask": mask, "places": places})


def test_arrays_are_left_alone_where_one_is_refused() -> None:
    done = np.ones(2, np.bool_)
    with pytest.raises(ValueError, match="there is no buffer points"):
        vector.make("big-three", 2, buffers={"done": done, "points": np.zeros(2)})
    assert done.all()


@pytest.mark.parametrize("seed", ["12", 1.0, None, [1, 2.5], [1], [[1], [2]], [1, 2, 3]])
def test_seeds_that_are_none(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed"):
        vector.make("big-three", 2, seed)


def test_seeds_of_numpy_count_like_others_and_belong_to_the_environments() -> None:
    plain = vector.make("big-three", 2, 5)
    assert np.array_equal(vector.make("big-three", 2, np.int64(5)).mask, plain.mask)  # type: ignore[arg-type]
    seeds = [3, -4]
    env = vector.make("big-three", 2, np.array(seeds))  # type: ignore[arg-type]
    same = vector.make("big-three", 2, seeds)
    assert np.array_equal(env.mask, same.mask)
    seeds[0] = 9
    same.reset()
    assert np.array_equal(env.mask, same.mask)


def test_a_refused_reset_changes_nothing() -> None:
    env = vector.make("big-three", 2, 5)
    with pytest.raises(ValueError, match="one seed, or 2, not 3"):
        env.reset([1, 2, 3])
    env.reset()
    assert np.array_equal(env.mask, vector.make("big-three", 2, 5).mask)


@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_a_list_spoilt_by_the_caller_harms_nothing_else(preset: str) -> None:
    env = vector.make(preset, 2, 5)
    env.num_legal[:] = [1 << 30, -5]
    env.legal[:] = 30_000
    env.sample()
    env.mask[:, 0] = True
    env.step(np.zeros(2, np.int32))  # legal by the mask, which the caller has also damaged
    env.reset()

"""What the caller gives: a seed for each environment, and arrays to write in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan.vector as vector


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
    ],
)
def test_arrays_that_do_not_fit(buffers: dict[str, np.ndarray[Any, Any]]) -> None:
    with pytest.raises(ValueError, match="buffer"):
        vector.make("big-three", 2, buffers=buffers)

"""A copy of an environment continues from the same point, whenever and however it is made."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest

for package in ("gymnasium", "pettingzoo", "pyspiel"):
    pytest.importorskip(package, reason="needs the extra envs: make envs")

from tests.envs.wrappers import WRAPPERS, Driver
from tests.vector.covering import drawn_options

import dasan
from dasan import vector
from dasan.play.action_ids import action_ids

KNOWN = ("ignore:Observation is not a NumPy array", "ignore:Action mask numpy array is all zeros")
pytestmark = [pytest.mark.full, *(pytest.mark.filterwarnings(text) for text in KNOWN)]


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


AGAIN: dict[str, Callable[[Any], Any]] = {"copied": copy.copy, "copied deeply": copy.deepcopy, "pickled": pickled}


def check_copies(driver: Driver, plies: int, ahead: int, seed: int, *, each: bool = False) -> int:
    """Copy twice at every ply, in one way in turn or in `each`; play the copies for `ahead` plies, and check that they
    agree and that the original is unaffected. Then the original plays as a pickle of it has played. Returns the number
    of copies.
    """
    env, source = driver.env, random.Random(seed)
    driver.reset(env, seed)
    copies = 0
    for ply in range(plies):
        if driver.over is not None and driver.over(env):
            driver.reset(env, None)
        before = driver.seen(env)
        names = list(AGAIN) if each else [list(AGAIN)[ply % len(AGAIN)]]
        for name in names:
            one, two = AGAIN[name](env), AGAIN[name](env)
            assert driver.seen(one) == before == driver.seen(two), (name, ply)
            played = [trace(driver, twin, ahead, seed + ply) for twin in (one, two)]
            assert played[0] == played[1], (name, ply)
            assert driver.seen(env) == before, (name, ply)
            copies += 2
        twin, state = pickled(env), source.getstate()
        expected = driver.step(twin, source), driver.seen(twin)
        source.setstate(state)
        assert (driver.step(env, source), driver.seen(env)) == expected, ply
    return copies


def trace(driver: Driver, env: Any, plies: int, seed: int) -> list[object]:
    """An environment's results and outputs over some plies, including later hands."""
    source, out = random.Random(seed), []
    for _ in range(plies):
        if driver.over is not None and driver.over(env):
            out.append(driver.reset(env, None))
        out += [driver.step(env, source), driver.seen(env)]
    return out


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_copy_goes_on_where_the_original_is(wrapper: str) -> None:
    assert check_copies(WRAPPERS[wrapper]("big-three"), plies=6, ahead=3, seed=3, each=True) == 36


@pytest.mark.sampled(0, 9)
@pytest.mark.parametrize("preset", dasan.PRESETS)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_copy_goes_on_at_every_ply_of_every_game(wrapper: str, preset: str) -> None:
    for plies, options in zip((15, 60), drawn_options(preset, 2), strict=True):
        assert check_copies(WRAPPERS[wrapper](preset, **options), plies, ahead=1, seed=plies) == 2 * plies


@pytest.mark.parametrize("again", AGAIN)
def test_a_copy_has_no_catalogue_of_its_own(again: str) -> None:
    """One that copied it took more than a second in Big Two."""
    ids = action_ids(dasan.rules("big-two"), False)
    assert AGAIN[again](ids) is ids
    assert AGAIN[again](vector.make("big-two", 1)).ids is ids


def test_a_copy_of_other_code_is_refused() -> None:
    fast, slow = vector.make("big-two", 2), vector.make("big-two", 2, backend="engine")
    with pytest.raises(ValueError, match="played by engine and not by cardsets"):
        fast.__setstate__(slow.__reduce__()[2])  # type: ignore[arg-type]


@pytest.mark.parametrize("again", AGAIN)
def test_an_environment_on_a_gpu_is_not_copied(again: str) -> None:
    from dasan.kernels.ranks.cuda.env import GpuEnv

    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        AGAIN[again](object.__new__(GpuEnv))

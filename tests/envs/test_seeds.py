"""Two runs with one seed are equal, whatever is called in between."""

from __future__ import annotations

import random

import pytest

for package in ("gymnasium", "pettingzoo", "pyspiel"):
    pytest.importorskip(package, reason="needs the extra envs: make envs")

from tests.envs.wrappers import WRAPPERS, Driver, aec, parallel, rlcard
from tests.vector.covering import drawn_options

import dasan

KNOWN = ("ignore:Observation is not a NumPy array", "ignore:Action mask numpy array is all zeros")
pytestmark = [pytest.mark.full, *(pytest.mark.filterwarnings(text) for text in KNOWN)]


def run(driver: Driver, seed: int, calls: int) -> list[object]:
    """Steps and resets in any order, in mid-hand too, with all outputs."""
    source, env = random.Random(f"{seed}"), driver.env
    out: list[object] = [driver.reset(env, seed), driver.seen(env)]
    for _ in range(calls):
        if (driver.over is not None and driver.over(env)) or source.random() < 0.1:
            out.append(driver.reset(env, source.randrange(100) if source.random() < 0.2 else None))
        else:
            out.append(driver.step(env, source))
        out.append(driver.seen(env))
    return out


def abandoned(driver: Driver, seed: int, plies: int) -> list[object]:
    """The beginnings of hands of which each is abandoned after some plies."""
    env, source = driver.env, random.Random(plies)
    out = []
    for hand in range(4):
        driver.reset(env, seed if hand == 0 else None)
        out.append(driver.seen(env))
        for _ in range(plies):
            if driver.over is None or not driver.over(env):
                driver.step(env, source)
    return out


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_two_runs_with_one_seed_are_equal(wrapper: str) -> None:
    make = WRAPPERS[wrapper]
    first = run(make("big-three"), 5, 40)
    used = make("big-three")
    run(used, 8, 7)
    assert run(used, 5, 40) == first
    assert run(make("big-three"), 6, 40) != first


@pytest.mark.sampled(0, 10)
@pytest.mark.parametrize("preset", dasan.PRESETS)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_two_runs_with_one_seed_are_equal_in_every_game(wrapper: str, preset: str) -> None:
    make = WRAPPERS[wrapper]
    for seed, options in enumerate(drawn_options(preset, 2)):
        first = run(make(preset, **options), seed, 80)
        used = make(preset, **options)
        run(used, 99, 11)
        assert run(used, seed, 80) == first, options


@pytest.mark.parametrize("wrapper", [aec, parallel, rlcard])
def test_the_next_hand_is_the_same_wherever_the_last_one_was_left(wrapper: object) -> None:
    """The hands of a seed are those of `dasan.vector`, also after hands that nobody plays to the end."""
    assert callable(wrapper)
    began = [abandoned(wrapper("big-two"), 7, plies) for plies in (0, 1, 9, 400)]
    assert began[0] == began[1] == began[2] == began[3]
    env = dasan.vector.make("big-two", 1, seed=7)
    hands = []
    for _ in range(4):
        hands.append(env.dealt(0).hands)
        while True:
            env.step(env.sample())
            if env.done[0]:
                break
    driver = wrapper("big-two")
    for hand, wanted in enumerate(hands):
        driver.reset(driver.env, 7 if hand == 0 else None)
        inner = getattr(driver.env, "aec_env", driver.env)
        assert inner._hand.state.hands == wanted


@pytest.mark.parametrize("wrapper", [aec, parallel])
def test_hands_that_are_cut_off_follow_the_seed(wrapper: object) -> None:
    assert callable(wrapper)
    runs: list[list[object]] = []
    for _ in range(2):
        driver = wrapper("big-two", max_cycles=2)
        runs.append([])
        driver.reset(driver.env, 3)
        source = random.Random(1)
        for _ in range(60):
            if driver.over(driver.env):
                driver.reset(driver.env, None)
            driver.step(driver.env, source)
            runs[-1].append(driver.seen(driver.env))
    assert runs[0] == runs[1]

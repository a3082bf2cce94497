"""Whole hands: the same on any number of threads, with the lengths and payments of batched environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.backends import Purpose, choose

FAMILIES = ["big-three", "big-three-4p", "big-two", "winner", "dou-dizhu"]
COMPILED = [preset for preset in dasan.PRESETS if choose(dasan.rules(preset), Purpose.ENVIRONMENTS).compiled]


def arrays(done: vector.Playouts) -> list[Any]:
    return [done.payments.tolist(), done.places.tolist(), done.plies.tolist()]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("preset", FAMILIES)
def test_hands_do_not_depend_on_how_they_are_shared_out(preset: str) -> None:
    whole = vector.playouts(preset, 100, seed=5)
    assert whole.backend != "engine"
    assert arrays(whole) == arrays(vector.playouts(preset, 100, seed=5 - 2**64, threads=3))
    assert arrays(vector.playouts(preset, 40, seed=5, first=30)) == [part[30:70] for part in arrays(whole)]
    assert arrays(whole) != arrays(vector.playouts(preset, 100, seed=6))


def check_results(rules: dasan.Rules, done: vector.Playouts) -> None:
    assert (done.payments.sum(axis=1) == 0).all()
    assert (done.plies >= rules.players - 1).all()
    void = done.places.max(axis=1) == 0
    assert (done.payments[void] == 0).all()
    assert ((done.places == 1).sum(axis=1) == ~void).all()
    out = done.places == 1
    assert not rules.pays or (done.payments[out] > 0).all()


@pytest.mark.full
@pytest.mark.sampled(2, 5)
@pytest.mark.parametrize("preset", COMPILED)
def test_they_are_as_long_and_as_dear_as_those_of_environments(preset: str) -> None:
    """Means within 4.5 standard errors of their difference. The first hands of many environments, so that none is cut off."""
    rules = dasan.rules(preset)
    done = vector.playouts(rules, 6_000, seed=1)
    check_results(rules, done)
    env = vector.make(rules, 3_000, seed=2, observations=False, mask=False)
    plies = np.zeros(env.num_envs, np.int64)
    paid = np.zeros(env.num_envs, np.int64)
    under_way = np.ones(env.num_envs, np.bool_)
    while under_way.any():
        env.step(env.sample())
        plies += under_way
        ended = under_way & env.done
        paid[ended] = env.rewards[ended].max(axis=1)
        under_way &= ~ended
    for ours, theirs in ((done.plies, plies), (done.payments.max(axis=1), paid)):
        error = np.hypot(ours.std() / len(ours) ** 0.5, theirs.std() / len(theirs) ** 0.5)
        assert abs(ours.mean() - theirs.mean()) <= 4.5 * error


@pytest.mark.full
def test_one_hand_of_dou_dizhu_in_64_is_void() -> None:
    done = vector.playouts("dou-dizhu", 64_000, seed=3)
    void = done.places.max(axis=1) == 0
    assert 860 < void.sum() < 1140
    assert (done.plies[void] == 3).all()
    check_results(dasan.rules("dou-dizhu"), done)


def test_the_engine_plays_what_is_not_compiled() -> None:
    rules = dasan.rules("big-two-taiwan", dragon=True)
    done = vector.playouts(rules, 3, seed=1, threads=2)
    assert done.backend == "engine"
    check_results(rules, done)
    assert arrays(vector.playouts(rules, 1, seed=1, first=2)) == [part[2:] for part in arrays(done)]
    with pytest.raises(ValueError, match="no compiled"):
        vector.playouts(rules, 3, backend="compiled")


def test_what_is_refused() -> None:
    assert len(vector.playouts("big-three", 0)) == 0
    for words, arguments in (
        ("hands is", {"hands": -1}),
        ("first is", {"hands": 1, "first": -1}),
        ("threads is", {"hands": 1, "threads": 0}),
        ('policy is "random", not', {"hands": 1, "policy": "thrifty"}),
        ("no option", {"hands": 1, "decks": 2}),
    ):
        with pytest.raises(ValueError, match=words):
            vector.playouts("big-three", **arguments)


@pytest.mark.parametrize("backend", ["compiled", "engine"])
@pytest.mark.parametrize("wrong", [{"hands": 10**30}, {"hands": 2**31}, {"first": 2**63}, {"hands": -1}])
def test_numbers_out_of_range_are_refused(backend: str, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="is a whole number from 0 to 2147483647"):
        vector.playouts("big-three", **{"hands": 1, "backend": backend, **wrong})  # type: ignore[arg-type]


def test_numpy_integers_are_numbers() -> None:
    numbers: dict[str, Any] = {
        "first": np.int16(2),
        "threads": np.uint8(2),
        "seed": np.uint64(2**64 - 1),
        "hands": np.int8(3),
    }
    done = vector.playouts("winner", **numbers, players=8, decks=2)
    assert arrays(done) == arrays(vector.playouts("winner", 3, -1, first=2, players=8, decks=2))
    assert len(vector.playouts("big-two", 0)) == 0

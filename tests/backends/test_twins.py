"""The engine as a backend: the hands, buffers and ids of the kernels, from the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.playing import SETUPS, Options, every_setup, rules_of
from tests.vector.differential import follow, move_rows

from dasan import Rules, vector

pytestmark = pytest.mark.full


def twins(rules: Rules, session: bool) -> list[vector.VectorEnv]:
    moves: vector.Moves = "ragged" if session else "padded"
    return [
        vector.make(rules, 2, 3, session=session, moves=moves, perfect=True, backend=backend)
        for backend in ("compiled", "engine")
    ]


def check_equal(compiled: vector.VectorEnv, engine: vector.VectorEnv) -> None:
    """All buffers; lists of legal ids in any order."""
    for name in ("mask", "obs", "rewards", "places", "done", "to_act", "num_legal", "perfect"):
        ours, theirs = getattr(compiled, name), getattr(engine, name)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert np.array_equal(ours, theirs), name
    for i, n in enumerate(compiled.num_legal.tolist()):
        assert sorted(compiled.legal[i, :n].tolist()) == sorted(engine.legal[i, :n].tolist())
        assert move_rows(compiled, i) == move_rows(engine, i)


def play_beside(rules: Rules, steps: int, session: bool) -> int:
    """Equal after every step; how many hands were played to the end."""
    compiled, engine = twins(rules, session)
    assert compiled.backend != engine.backend == "engine"
    hands = 0
    for _ in range(steps):
        check_equal(compiled, engine)
        assert compiled.dealt(0).begun == engine.dealt(0).begun
        actions = compiled.sample().copy()
        compiled.step(actions)
        engine.step(actions)
        hands += int(compiled.done.sum())
    return hands


@pytest.mark.sampled(6, 6)
@every_setup
def test_a_seed_makes_the_same_environments(setup: tuple[str, Options]) -> None:
    play_beside(rules_of(setup), 15, session=SETUPS.index(setup) % 2 == 1)


@pytest.mark.slow
@every_setup
def test_whole_hands_of_twins(setup: tuple[str, Options]) -> None:
    for session in (False, True):
        assert play_beside(rules_of(setup), 700, session) >= 2


@pytest.mark.sampled(2, 2)
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_the_engines_environments_are_its_own_hands(preset: str) -> None:
    env = vector.make(preset, 2, seed=5, session=True, moves=True, perfect=True, backend="engine")
    assert follow(env, 3, every=10).hands >= 3


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    env = vector.make("big-two", 3, seed=5, backend="engine")
    before: list[Any] = [array.tobytes() for array in (env.mask, env.obs, env.to_act, env.legal)]  # type: ignore[union-attr]
    actions = env.sample().copy()
    actions[1] = 0
    with pytest.raises(ValueError, match="action 0 is not legal in environment 1"):
        env.step(actions)
    assert before == [array.tobytes() for array in (env.mask, env.obs, env.to_act, env.legal)]  # type: ignore[union-attr]
    env.reset(5)
    assert before == [array.tobytes() for array in (env.mask, env.obs, env.to_act, env.legal)]  # type: ignore[union-attr]


def test_the_word_for_a_backend() -> None:
    with pytest.raises(ValueError, match="auto, compiled or engine"):
        vector.make("big-two", 1, backend="ranks")  # type: ignore[arg-type]

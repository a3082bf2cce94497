"""Legal ids are ascending, whichever code plays and whichever outputs are written, so `sample` is the same."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.vector.covering import drawn_options

import dasan
from dasan import vector, worlds


def ids_and_samples(env: vector.VectorEnv, steps: int) -> list[Any]:
    out = []
    for _ in range(steps):
        rows = [env.legal[i, :n].tolist() for i, n in enumerate(env.num_legal)]
        assert rows == [np.flatnonzero(mask).tolist() for mask in env.mask]
        actions = env.sample().copy()
        env.step(actions)
        out.append((rows, actions.tolist()))
    return out


def check(preset: str, steps: int, session: bool, options: dict[str, Any]) -> int:
    """Compare compiled code with the engine, and outputs without the list or the mask. Returns the number of positions."""
    made = [vector.make(preset, 2, seed=4, session=session, backend=b, **options) for b in ("auto", "engine")]
    played = [ids_and_samples(env, steps) for env in made]
    assert played[0] == played[1]
    masks: tuple[vector.Output, ...] = (True, False, "packed")
    outputs = product(masks, (True, False))
    others = [vector.make(preset, 2, seed=4, session=session, mask=m, legal=n, **options) for m, n in outputs]
    for _, actions in played[0]:
        for env in others:
            assert env.sample().tolist() == actions
            env.step(np.array(actions))
    return 2 * steps


@pytest.mark.parametrize("preset", ["big-three", "big-two"])
def test_legal_is_ascending_on_every_backend(preset: str) -> None:
    assert check(preset, 25, False, {}) == 50


@pytest.mark.sampled(0, 8)
@pytest.mark.parametrize("session", [False, True], ids=["hand", "session"])
@pytest.mark.parametrize("preset", dasan.PRESETS)
@pytest.mark.parametrize(("steps", "settings"), [(120, 3), pytest.param(250, 4, marks=pytest.mark.slow)])
def test_legal_is_ascending_on_every_backend_in_every_game(
    steps: int, settings: int, preset: str, session: bool
) -> None:
    compared = sum(check(preset, steps, session, options) for options in drawn_options(preset, settings))
    assert compared == 2 * steps * settings


def test_random_playouts_are_the_same_on_every_backend() -> None:
    state = dasan.deal(dasan.rules("winner"), seed=2)
    outcomes = []
    for backend in ("auto", "engine"):
        positions = worlds.Positions(state.rules, 1, backend=backend)
        positions.put(0, state)
        outcomes.append(positions.play_out(policy="random", times=4, seed=9))
    assert outcomes[0].places.tolist() == outcomes[1].places.tolist()
    assert outcomes[0].plies == outcomes[1].plies

"""Bad arguments to the environments, to training and to puzzle generation: a right answer, or one sentence of ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.test_arguments import THREE, unrefused

import dasan
from dasan import puzzles
from dasan.learn.config import Config
from dasan.learn.trainer import Trainer

for package in ("gymnasium", "pettingzoo"):
    pytest.importorskip(package, reason="needs the extra envs: make envs")

from dasan.envs import gymnasium, pettingzoo, rlcard

pytestmark = pytest.mark.full

CONFIG = Config("big-three", envs=2, steps=2, rounds=1, epochs=1, first=8, second=8)


def begun(env: Any, call: str, *arguments: object, **named: object) -> object:
    """A method of an environment whose hand has just begun."""
    env.reset(seed=1)
    return getattr(env, call)(*arguments, **named)


def again(env: Any, call: str, *arguments: object, **named: object) -> object:
    """A method of an environment of RLCard, whose hand has just begun."""
    env.seed(1)
    env.reset()
    return getattr(env, call)(*arguments, **named)


def config(**fields: Any) -> Config:
    return Config(**{**CONFIG.to_json(), **fields})


Calls = dict[str, tuple[Callable[..., object], dict[str, Any]]]


def calls() -> Calls:
    """A valid call of every entry point; the environments are made here, because they compile kernels."""
    aec, parallel = pettingzoo.env("big-three"), pettingzoo.parallel_env("big-three")
    alone, batch = gymnasium.make("big-three", opponents="random", seat=0), gymnasium.make_vec("big-three", 2)
    cards = rlcard.make("big-three", 1)
    return {
        "pettingzoo.env": (
            pettingzoo.env,
            {
                "preset": "big-three",
                "render_mode": None,
                "max_cycles": None,
                "illegal": "raise",
                "opener_may_pass": False,
            },
        ),
        "pettingzoo.parallel_env": (
            pettingzoo.parallel_env,
            {
                "preset": "big-three",
                "render_mode": None,
                "max_cycles": None,
                "illegal": "raise",
                "opener_may_pass": False,
            },
        ),
        "AEC.reset": (aec.reset, {"seed": 1}),
        "AEC.step": (partial(begun, aec, "step"), {"action": 1}),
        "AEC.observe": (partial(begun, aec, "observe"), {"agent": "player_0"}),
        "AEC.observation_space": (aec.observation_space, {"agent": "player_0"}),
        "AEC.action_space": (aec.action_space, {"agent": "player_0"}),
        "Parallel.reset": (parallel.reset, {"seed": 1}),
        "Parallel.step": (partial(begun, parallel, "step"), {"actions": {f"player_{n}": 1 for n in range(3)}}),
        "Parallel.observation_space": (parallel.observation_space, {"agent": "player_0"}),
        "Parallel.action_space": (parallel.action_space, {"agent": "player_0"}),
        "gymnasium.make": (
            gymnasium.make,
            {
                "preset": "big-three",
                "opponents": "random",
                "seat": None,
                "illegal": "end",
                "render_mode": None,
                "opener_may_pass": False,
            },
        ),
        "Gymnasium.reset": (alone.reset, {"seed": 1}),
        "Gymnasium.step": (partial(begun, alone, "step"), {"action": 1}),
        "gymnasium.make_vec": (
            gymnasium.make_vec,
            {"preset": "big-three", "num_envs": 2, "opponents": None, "threads": 1, "opener_may_pass": False},
        ),
        "gymnasium.make_vec of bots": (
            gymnasium.make_vec,
            {"preset": "big-three", "num_envs": 1, "opponents": "random", "seat": 0, "illegal": "end"},
        ),
        "Gymnasium.vector.reset": (batch.reset, {"seed": 1}),
        "Gymnasium.vector.step": (partial(begun, batch, "step"), {"actions": np.ones(2, np.int32)}),
        "rlcard.make": (rlcard.make, {"preset": "big-three", "seed": 1, "opener_may_pass": False}),
        "RLCard.seed": (cards.seed, {"seed": 1}),
        "RLCard.step": (partial(again, cards, "step"), {"action": 1, "raw_action": False}),
        "RLCard.get_state": (partial(again, cards, "get_state"), {"player": 0}),
        "RLCard.set_agents": (cards.set_agents, {"agents": [None] * 3}),
        "learn.Config": (config, CONFIG.to_json()),
        "learn.Config.from_json": (Config.from_json, {"data": CONFIG.to_json()}),
        "learn.Trainer": (Trainer, {"config": CONFIG}),
        "puzzles.generate": (
            puzzles.generate,
            {
                "count": 1,
                "seed": 1,
                "themes": ("feeding",),
                "players": (3,),
                "cards": (8, 9),
                "hands": 1,
                "workers": 1,
                "progress": None,
            },
        ),
    }


ENDLESS = {("puzzles.generate", "hands"), ("puzzles.generate", "count")}
OWN = {("puzzles.generate", "progress")}


def test_a_stranger_is_answered_or_refused() -> None:
    wrong = [line for call, (f, arguments) in calls().items() for line in unrefused(call, f, arguments, ENDLESS, OWN)]
    assert not wrong, "\n".join(wrong)


SPIEL = "python_dasan_big_three"


@pytest.mark.parametrize("name", ["dealer", "cut", "stake_chips", "nothing"])
def test_parameters_of_openspiel_are_answered_or_refused(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from dasan.envs import openspiel

    openspiel.register()
    for value in (True, False, -2, -1, 0, 2, 3, 10**9, 0.5, 1.0, float("nan"), "x", ""):
        try:
            game = pyspiel.load_game(SPIEL, {name: value})
        except (pyspiel.SpielError, TypeError, ValueError, dasan.DasanError) as error:
            assert str(error).strip()
            continue
        assert pyspiel.load_game(str(game)).get_parameters() == game.get_parameters()
        assert not isinstance(value, str)
    assert dasan.rules("big-three") == THREE

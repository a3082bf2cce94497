"""PettingZoo's own tests, and what they leave out: the engine's rules, views and payments."""

from __future__ import annotations

import pickle
import random
import types
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="needs the extra envs: make envs")

import dasan
from dasan.envs import pettingzoo as ours
from dasan.features import encode

KNOWN = (
    # PettingZoo warns so about every third-party environment whose observations are a dict with a mask.
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)
pytestmark = [pytest.mark.full, *(pytest.mark.filterwarnings(text) for text in KNOWN)]


@pytest.mark.parametrize("preset", [*dasan.PRESETS, "big-three-small"])
def test_api(preset: str) -> None:
    from pettingzoo.test import api_test

    api_test(ours.env(preset), num_cycles=60)


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_seeds(preset: str) -> None:
    from pettingzoo.test import seed_test

    seed_test(partial(ours.env, preset), num_cycles=30)


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import render_test

    render_test(partial(ours.env, "winner"))
    assert "to act" in capsys.readouterr().out


def test_saving_observations_says_that_they_are_no_images(capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import test_save_obs

    test_save_obs(ours.env("big-three"))
    assert "did not save the observations" in capsys.readouterr().out


def test_max_cycles() -> None:
    from pettingzoo.test import max_cycles_test

    module = types.SimpleNamespace(
        env=partial(ours.env, "big-two", illegal="random"),
        parallel_env=partial(ours.parallel_env, "big-two", illegal="random"),
    )
    max_cycles_test(module)
    env = ours.env("big-two", max_cycles=cast(int, np.int8(100)))
    env.reset(seed=1)
    for _ in range(45):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
        assert not any(env.truncations.values())


def test_parallel() -> None:
    from pettingzoo.test import parallel_api_test
    from pettingzoo.test.seed_test import parallel_seed_test

    parallel_api_test(ours.parallel_env("big-three", illegal="random"), num_cycles=100)
    parallel_seed_test(lambda: ours.parallel_env("big-three", illegal="random"), num_cycles=100)


def test_infos_of_a_parallel_step_are_of_its_own_action() -> None:
    env = ours.parallel_env("big-three", illegal="random")
    env.reset(seed=7)
    first = env.aec_env.agent_selection
    for action, illegal in ((env.aec_env.ids.count - 1, [first]), (0, [])):  # a play in the auction, a pass
        infos = env.step(dict.fromkeys(env.agents, action))[-1]
        assert [agent for agent, about in infos.items() if "illegal" in about] == illegal


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_a_hand_is_the_engines(preset: str) -> None:
    env = ours.env(preset)
    source = random.Random(preset)
    env.reset(seed=5)
    state = env._hand.state
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, over, cut, _ = env.last()
        paid[agent] += reward
        seat = env.possible_agents.index(agent)
        assert seen is not None
        assert seen["observation"].tolist() == encode(state.view(seat))
        assert not cut
        if over:
            env.step(None)
            continue
        legal = {env.ids.of(move, state.called): move for move in state.legal_moves()}
        assert sorted(legal) == np.flatnonzero(seen["action_mask"]).tolist()
        watcher = env.observe(env.possible_agents[seat - 1])
        assert watcher["observation"].tolist() == encode(state.view((seat - 1) % state.rules.players))
        assert not watcher["action_mask"].any()
        action = source.choice(sorted(legal))
        assert env.ids.move(action, state.view(seat)) == legal[action]
        env.step(np.int64(action))
        state = state.play(legal[action])
    assert state.result is not None
    assert sum(paid.values()) == 0
    if preset != "winner":
        assert tuple(paid.values()) == state.result.payments


@pytest.mark.parametrize("action", [-1, 10_000, True, 1.0, "pass", None])
def test_illegal_actions_are_refused(action: Any) -> None:
    env = ours.env("big-three")
    env.reset(seed=1)
    before = env.observe(env.agent_selection)["observation"]
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    assert (env.observe(env.agent_selection)["observation"] == before).all()


@pytest.mark.parametrize(
    "wrong", [{"render_mode": "rgb_array"}, {"illegal": "pass"}, {"max_cycles": 0}, {"max_cycles": True}, {"cut": 3}]
)
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ours.env("big-three", **wrong)
    with pytest.raises(ValueError, match="reset first"):
        ours.env("big-three").step(1)


def test_the_last_observation_is_of_its_own_hand_whenever_it_is_read() -> None:
    env = ours.env("big-three")
    env.reset(seed=5)
    while not any(env.terminations.values()):
        seen, *_ = env.last()
        assert seen is not None
        env.step(np.flatnonzero(seen["action_mask"])[0])
    last = env.observe("player_1")
    wanted = encode(env._hand.state.view(1))
    env.reset()
    assert {**last}["observation"].tolist() == wanted
    assert dict(last).keys() == {"observation", "action_mask"} == set(last)
    assert not pickle.loads(pickle.dumps(last))["action_mask"].any()


@pytest.mark.parametrize(
    "use",
    [
        lambda seen: seen.pop("action_mask"),
        lambda seen: seen.popitem(),
        lambda seen: seen.setdefault("action_mask", 0),
        lambda seen: seen.update(agent=3),
        lambda seen: seen.__setitem__("action_mask", 7),
        lambda seen: seen.__delitem__("action_mask"),
        lambda seen: seen.__ior__({"agent": 3}),
        lambda seen: {"agent": 3} | seen,
        lambda seen: seen | {"agent": 3},
        lambda seen: list(reversed(seen)),
        lambda seen: seen.clear(),
    ],
)
def test_the_last_observation_is_a_dict_however_it_is_first_used(use: Callable[[dict[str, Any]], object]) -> None:
    env = ours.env("big-three")
    env.reset(seed=5)
    while not any(env.terminations.values()):
        env.step(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])
    last, plain = env.observe("player_1"), {**env.observe("player_1")}
    assert repr(use(last)) == repr(use(plain))
    assert repr(last) == repr(plain)


def test_agents_that_read_see_their_own_cards_only() -> None:
    env = ours.env("big-three", text="en")
    env.reset(seed=3)
    for agent in env.agent_iter():
        *_, terminated, _, info = env.last()
        hand = env._hand.state
        assert {a: env.infos[a]["text"] for a in env.agents} == {a: hand.view(int(a[-1])).describe() for a in env.agents}
        assert all(env.infos[other]["actions"] == [] for other in env.agents if other != agent)
        assert bool(info["actions"]) != terminated
        env.step(None if terminated else info["actions"][0])
    both = ours.parallel_env("big-three", text="en")
    _, infos = both.reset(seed=3)
    acting = both.aec_env.agent_selection
    *_, infos = both.step({acting: infos[acting]["actions"][0]})
    assert all(infos[agent]["text"].startswith("The game is Big Three") for agent in both.agents)

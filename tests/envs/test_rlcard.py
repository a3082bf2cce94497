"""The environment with RLCard's interface, played by RLCard's own agents where it is installed."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dasan
from dasan.envs import rlcard as ours

pytestmark = pytest.mark.full


class Drawer:
    """A uniformly random agent, as RLCard's are."""

    use_raw = False

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def step(self, state: dict[str, Any]) -> int:
        return int(self._random.choice(list(state["legal_actions"])))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return self.step(state), {}


@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_a_run(preset: str) -> None:
    env = ours.make(preset, seed=3)
    env.set_agents([Drawer(k) for k in range(env.num_players)])
    trajectories, paid = env.run(is_training=True)
    assert len(trajectories) == env.num_players == len(paid)
    assert paid.sum() == 0
    assert env.is_over()
    assert sum(len(t) // 2 for t in trajectories) == env.timestep
    for trajectory in trajectories:
        for seen, action in zip(trajectory[:-1:2], trajectory[1::2], strict=True):
            assert action in seen["legal_actions"]
            assert seen["obs"].shape == tuple(env.state_shape[0])
        assert not trajectory[-1]["legal_actions"]


def test_text_actions_and_seeds() -> None:
    env, twin = ours.make("big-three", seed=9), ours.make("big-three", seed=9)
    (state, player), (same, _) = env.reset(), twin.reset()
    assert (state["obs"] == same["obs"]).all()
    assert state["raw_obs"]["hand"] == [str(c) for c in env._hand.state.hands[player]]
    assert dict(state["raw_obs"]) == env._hand.state.view(player).to_json()
    assert "hand" in state["raw_obs"]
    assert state["raw_obs"].get("kings") is None
    assert repr(state["raw_obs"]) == repr(dict(state["raw_obs"]))
    state, following = env.step("bid 3", raw_action=True)
    assert state["action_record"] == [(player, "bid 3")]
    other, _ = twin.step(3)
    assert (state["obs"] == other["obs"]).all()
    with pytest.raises(dasan.DasanError):
        env.step("bid 3")
    for wrong in (-1, 10**6):
        with pytest.raises(ValueError, match="not legal"):
            env.step(wrong)
    no_ids: tuple[Any, ...] = (1.0, True, None)
    for no_id in no_ids:
        with pytest.raises(TypeError, match="an action is a whole number"):
            env.step(no_id)
    with pytest.raises(ValueError, match="not legal"):
        env.step(3)
    assert following == env.get_player_id()


@pytest.mark.sampled(3, 9)
@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_a_raw_legal_action_is_the_move_that_is_played(preset: str) -> None:
    env = ours.make(preset, seed=2)
    source = random.Random(preset)
    for _ in range(2):
        state, player = env.reset()
        while not env.is_over():
            before = env._hand.state
            raw = list(state["raw_legal_actions"])
            assert sorted(raw) == sorted(map(str, before.legal_moves()))
            assert [env._named(before, text) for text in raw] == list(state["legal_actions"])
            text = source.choice(raw)
            state, _ = env.step(text, raw_action=True)
            assert env._hand.state == before.play(text)
            assert state["action_record"][-1] == (player, text)
            player = env.get_player_id()
        assert state["raw_legal_actions"] == []


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda seen: pickle.loads(pickle.dumps(seen))])
def test_a_copied_state_is_plain_data(again: Callable[[Any], Any]) -> None:
    """One that computes its text from the hand when it is read would also hold everybody's cards."""
    state, _ = ours.make("big-three", seed=9).reset()
    for name, kind in (("raw_obs", dict), ("raw_legal_actions", list)):
        copied = again(state[name])
        assert type(copied) is kind
        assert copied == state[name]


def test_a_raw_action_whose_cards_would_not_be_played_is_refused() -> None:
    env = ours.make("winner", seed=2)
    state, player = env.reset()
    assert "3D 3C 3S AD AC" in state["raw_legal_actions"]
    with pytest.raises(
        ValueError, match=r"^3D 3C 3S AC AH is action \d+, for which the environment plays 3D 3C 3S AD AC"
    ):
        env.step("3D 3C 3S AC AH", raw_action=True)
    assert (env.get_player_id(), env.action_recorder) == (player, [])


def test_an_agent_that_reads_plays_by_numbers() -> None:
    env = ours.make("big-two", seed=3, text="zh-Hans")
    state, player = env.reset()
    while not env.is_over():
        view = env._hand.state.view(player)
        assert state["text"] == view.describe("zh-Hans")
        assert sorted(state["actions"]) == list(state["legal_actions"])
        assert env.get_state((player + 1) % 4)["actions"] == []
        state, player = env.step(state["actions"][0])
        assert state["action_record"][-1][1] == str(view.legal_moves()[0])
    with pytest.raises(ValueError, match="text is None, en"):
        ours.make("big-two", text="de")


def test_a_config_as_rlcard_takes_it() -> None:
    (one, _), (other, _) = ours.make("winner", config={"seed": 4}).reset(), ours.make("winner", seed=4).reset()
    assert (one["obs"] == other["obs"]).all()
    assert ours.make("winner", config={}, players=5).num_players == 5
    wrong: tuple[Any, ...] = ({"seed": 1, "players": 5}, ["seed"], 7)
    for config in wrong:
        with pytest.raises(ValueError, match="config holds a seed"):
            ours.make("winner", config=config)
    with pytest.raises(ValueError, match="not both"):
        ours.make("winner", 1, {"seed": 1})


def test_rlcards_own_agents() -> None:
    agents = pytest.importorskip("rlcard.agents", reason="RLCard is not installed: make envs")
    env = ours.make("big-three", seed=1)
    env.set_agents([agents.RandomAgent(env.num_actions) for _ in range(env.num_players)])
    np.random.seed(1)
    assert env.run()[1].sum() == 0


def test_rlcards_rules_in_both_roles_of_a_deal() -> None:
    """The measurement of the strength page: the same deal gives the same pair, and `greedy` wins more than it loses."""
    pytest.importorskip("rlcard.models", reason="RLCard is not installed: make envs")
    from benchmarks.rlcard_rules import dealt, pair, report

    assert dealt(7000).phase is dasan.Phase.PLAY
    assert pair("greedy", 7000) == pair("greedy", 7000)
    pairs = [pair("greedy", seed) for seed in range(7000, 7010)]
    assert all(one.as_landlord % 2 == one.as_peasants % 2 == 0 for one in pairs)
    assert sum(map(sum, pairs)) > 0
    assert report("greedy", pairs).startswith("| `greedy` | 10 | ")

"""Gymnasium's own checks, and what they leave out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs the extra envs: make envs")

import dasan
from dasan.envs import gymnasium as ours
from dasan.features import encode

pytestmark = pytest.mark.full


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_one_seat(preset: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(ours.make(preset, opponents="random"))
    check_env(ours.make(preset, seat=1))


def test_by_name() -> None:
    env = gymnasium.make("dasan/big-three-v0", opponents="random", cut=False)
    seen, info = env.reset(seed=3)
    assert env.unwrapped.rules == dasan.rules("big-three", cut=False)
    total, over = 0.0, False
    while not over:
        action = env.action_space.sample(seen["action_mask"])
        seen, reward, over, _, info = env.step(action)
        total += reward
    assert total == info["payoffs"][info["seat"]] != 0
    assert sum(info["payoffs"]) == 0


def test_an_illegal_action_ends_the_hand_or_is_refused() -> None:
    env = ours.make("big-three", seat=0, opponents="random")
    env.reset(seed=1)
    _, reward, over, _, info = env.step(150)
    assert (reward, over, info["illegal"]) == (-6.0, True, True)
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)
    strict = ours.make("big-three", seat=0, opponents="random", illegal="raise")
    seen, _ = strict.reset(seed=1)
    with pytest.raises(ValueError, match="not legal"):
        strict.step(150)
    strict.step(int(np.flatnonzero(seen["action_mask"])[0]))


@pytest.mark.parametrize("illegal", ["end", "raise"])
def test_an_action_of_a_wrong_type_is_no_move(illegal: Any) -> None:
    env = ours.make("big-three", seat=0, opponents="random", illegal=illegal)
    seen, _ = env.reset(seed=1)
    for wrong in (1.0, np.array([1]), True, None, "1"):
        with pytest.raises(TypeError, match="an action is a whole number"):
            env.step(wrong)
    env.step(np.flatnonzero(seen["action_mask"])[0])


def test_seeds_are_integers_of_any_kind() -> None:
    one: Any
    batch: Any
    one, batch = ours.make("big-two", opponents="random"), ours.make_vec("big-two", 2)
    for env in (one, batch):
        env.reset(seed=np.int64(3))
        drawn = env.np_random.integers(1 << 60)
        env.reset(seed=3)
        assert env.np_random.integers(1 << 60) == drawn
        with pytest.raises(ValueError, match="seed is a whole number"):
            env.reset(seed=1.5)
    seen, info = batch.reset(seed=[4, 5])
    before = info["to_act"].copy()
    batch.step(seen["action_mask"].argmax(axis=1))
    assert (info["to_act"] == before).all()


def test_everything_follows_from_the_seed() -> None:
    def played() -> list[Any]:
        env = ours.make("winner", opponents="greedy")
        out = []
        for seed in (7, None, None):
            seen, info = env.reset(seed=seed)
            out.append(info["seat"])
            over = False
            while not over:
                seen, reward, over, _, _ = env.step(int(np.flatnonzero(seen["action_mask"])[-1]))
                out.append(reward)
        return out

    assert played() == played()


@pytest.mark.parametrize("seed", [7, [7, 8, 9]])
def test_the_batch_follows_from_its_seeds_too(seed: Any) -> None:
    def dealt() -> list[Any]:
        env = ours.make_vec("big-two", 3)
        return [env.reset(seed=one)[0]["observation"].tolist() for one in (seed, None, None)]

    hands = dealt()
    assert hands == dealt()
    assert hands[0] != hands[1] != hands[2]


@pytest.mark.parametrize("preset", ["big-three", "winner"])
def test_many_hands_share_the_buffers_of_the_environments(preset: str) -> None:
    env = gymnasium.make_vec(f"dasan/{preset}-v0", num_envs=5)
    bare = dasan.vector.make(preset, 5, seed=11)
    seen, info = env.reset(seed=11)
    for _ in range(200):
        assert env.observation_space.contains(seen)
        assert np.shares_memory(seen["observation"], env.unwrapped.env.obs)
        assert (seen["observation"] == bare.obs).all()
        actions = bare.sample().copy()
        acted = info["to_act"].copy()
        bare.step(actions)
        seen, rewards, done, cut, info = env.step(actions)
        assert (done == bare.done).all()
        assert not cut.any()
        assert (info["payoffs"].sum(axis=1) == 0).all()
        assert (rewards == info["payoffs"][np.arange(5), acted]).all()
        assert (info["payoffs"][done].max(axis=1) > 0).all()


def test_gymnasiums_wrappers_take_the_batch() -> None:
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    env = RecordEpisodeStatistics(ours.make_vec("big-two", 3))
    seen, _ = env.reset(seed=2)
    ended = 0
    for _ in range(250):
        actions = np.array([np.flatnonzero(mask)[0] for mask in seen["action_mask"]])
        seen, _, _, _, info = env.step(actions)
        ended += int(info["_episode"].sum()) if "_episode" in info else 0
    assert ended > 0
    slow = ours.make_vec("big-three", 2, opponents="random", seat=0)
    slow.reset(seed=1)
    assert slow.num_envs == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"seat": 3},
        {"seat": True},
        {"opponents": ["greedy"]},
        {"opponents": 5},
        {"opponents": [5, 5]},
        {"illegal": "x"},
        {"render_mode": "x"},
    ],
)
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"seat|whole number|opponents|illegal|render_mode"):
        ours.make("big-three", **wrong)


@pytest.mark.parametrize("preset", ["big-three", "winner"])
def test_a_batch_tells_how_hands_ended_as_gymnasium_does(preset: str) -> None:
    """The keys and types of Gymnasium's own SAME_STEP, and in them the engine's last view of each hand."""
    env = ours.make_vec(preset, 3)
    seen, info = env.reset(seed=4)
    states = [env.env.dealt(i) for i in range(3)]
    infos: list[tuple[Any, Any]] = []
    while len(infos) < 9:
        actions = np.array([np.flatnonzero(mask)[-1] for mask in seen["action_mask"]])
        for i, action in enumerate(actions):
            states[i] = states[i].play(env.env.ids.move(int(action), states[i]))
        acted = info["to_act"]
        seen, rewards, done, _, info = env.step(actions)
        assert ("final_obs" in info) == done.any() == ("final_info" in info)
        if not done.any():
            continue
        assert (info["_final_obs"] == done).all()
        assert (info["_final_info"] == done).all()
        about = info["final_info"]
        for i in range(3):
            if not done[i]:
                assert info["final_obs"][i] is None
                continue
            assert states[i].result is not None
            assert about["seat"][i] == acted[i]
            assert about["payoffs"][i][acted[i]] == rewards[i]
            assert about["_seat"][i]
            infos.append((info["final_obs"][i], encode(states[i].view(int(acted[i])))))
            states[i] = env.env.dealt(i)
    env.reset(seed=5)
    for last, wanted in infos:
        assert env.single_observation_space.contains(last)
        assert last["observation"].tolist() == wanted
        assert not last["action_mask"].any()


def test_the_keys_are_those_of_gymnasiums_own_batch() -> None:
    from functools import partial

    theirs = gymnasium.vector.SyncVectorEnv(
        [partial(ours.make, "big-three", opponents="random", seat=0)] * 2,
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    mine = ours.make_vec("big-three", 2)
    ended = []
    for env in (theirs, mine):
        seen, _ = env.reset(seed=1)
        while True:
            actions = np.array([np.flatnonzero(mask)[-1] for mask in seen["action_mask"]])
            seen, _, done, _, info = env.step(actions)
            if done.any():
                break
        ended.append({name: type(info[name]) for name in ("final_obs", "_final_obs", "final_info", "_final_info")})
        assert info["final_obs"].dtype == object
        assert {*info["final_info"]} >= {"payoffs", "_payoffs", "seat", "_seat"}
        assert isinstance(info["final_obs"][int(done.argmax())], dict)
    assert ended[0] == ended[1]


def test_agents_that_read_play_many_hands() -> None:
    """Each sees its own view in every hand, and when a hand ends, the view of the seat that ended it."""
    env = ours.make_vec("big-two", 3, text="en")
    _, info = env.reset(seed=3)
    ended = 0
    while ended < 2:
        states = [story.state for story in env._stories]
        assert info["text"].tolist() == [state.view(state.to_act).describe() for state in states]
        assert info["to_act"].tolist() == [state.to_act for state in states]
        assert all(env.env.mask[i, actions].all() for i, actions in enumerate(info["actions"]))
        actions = [numbered[0] for numbered in info["actions"]]
        acted = info["to_act"]
        _, _, done, _, info = env.step(np.array(actions))
        for i in np.flatnonzero(done):
            last = states[i].play(env.env.ids.pick(actions[i], states[i].hands[acted[i]], None))
            assert info["final_info"]["text"][i] == last.view(acted[i]).describe()
            assert info["final_info"]["actions"][i] == []
            ended += 1
        if done.any():
            assert [text is None for text in info["final_info"]["text"]] == (~done).tolist()
    beside = ours.make_vec("big-two", 2, opponents="random", text="fr")
    assert all("1. " in text for text in beside.reset(seed=1)[1]["text"])
    assert "text" not in ours.make_vec("big-two", 2).reset(seed=1)[1]


def test_an_agent_that_reads_plays_by_numbers() -> None:
    env = ours.make("big-two", seat=2, opponents="random", text="fr")
    _, info = env.reset(seed=3)
    over = False
    while not over:
        view = env.unwrapped._hand.state.view(2)
        assert info["text"] == view.describe("fr")
        assert info["actions"] == [env.unwrapped.ids.of(move, view.called) for move in view.legal_moves()]
        _, _, over, _, info = env.step(info["actions"][-1])
    assert info["actions"] == []
    assert sum(info["payoffs"]) == 0
    with pytest.raises(ValueError, match=r"text is None, en, .* or fr, not 'de'"):
        ours.make("big-two", text="de")

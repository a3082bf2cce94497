"""Hands that the deal decides (H.31) have no move: no environment waits in one, and each counts them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

for package in ("gymnasium", "pettingzoo", "pyspiel"):
    pytest.importorskip(package, reason="needs the extra envs: make envs")

from tests.envs.test_copies import check_copies
from tests.envs.test_seeds import run
from tests.envs.wrappers import WRAPPERS, openspiel

import dasan
from dasan import vector
from dasan.envs import gymnasium
from dasan.features import encode
from dasan.interpreted.dealing import deal_hand
from dasan.play.new_hand import begin
from dasan.ruleset.policies import Leftover
from dasan.vector import VectorEnv

KNOWN = ("ignore:Observation is not a NumPy array", "ignore:Action mask numpy array is all zeros")
pytestmark = [pytest.mark.full, *(pytest.mark.filterwarnings(text) for text in KNOWN)]

RULES = replace(dasan.rules("big-two", players=2, dragon=True), hand_size=26, leftover=Leftover.BIDDER)
"""With half the pack in each hand, three hands in four have a dragon."""
WRAPPED = [name for name in WRAPPERS if name != "openspiel"]


def batch(env: Any) -> VectorEnv:
    """The batched environments inside a wrapper."""
    for name in ("aec_env", "envs", "_hand", "env"):
        env = getattr(env, name, env)
        env = env[0] if isinstance(env, tuple | list) else env
    assert isinstance(env, VectorEnv)
    return env


def played(env: VectorEnv) -> list[int]:
    """The numbers of the first hands of environment 0 that have a move."""
    base = int(env._base[0])
    return [number for number in range(40) if begin(RULES, deal_hand(RULES, base, number)).result is None]


@pytest.mark.parametrize("wrapper", WRAPPED)
def test_h_31_environments_go_on_with_the_next_hand_that_asks_for_a_move(wrapper: str) -> None:
    driver = WRAPPERS[wrapper](RULES)
    env, source, numbers = driver.env, random.Random(2), set()
    driver.reset(env, 3)
    inner = batch(env)
    first = played(inner)
    for _ in range(400):
        numbers.add(int(inner.hand_numbers[0]))
        if len(numbers) == 4:
            break
        if driver.over is not None and driver.over(env):
            driver.reset(env, None)
        else:
            driver.step(env, source)
        assert inner.num_legal.min() > 0
    if not inner.session and wrapper not in (
        "gymnasium",
        "gymnasium make_vec with bots",
    ):  # they draw a seed for each hand
        assert sorted(numbers) == first[:4] != [0, 1, 2, 3]


@pytest.mark.parametrize("wrapper", WRAPPED)
def test_h_31_copies_and_seeds_hold_among_decided_hands(wrapper: str) -> None:
    make: Any = WRAPPERS[wrapper]
    assert check_copies(make(RULES), plies=24, ahead=2, seed=5) == 48
    used = make(RULES)
    run(used, 8, 7)
    assert run(used, 5, 60) == run(make(RULES), 5, 60)


def test_h_31_the_last_observation_of_a_batch_is_of_its_own_hand() -> None:
    env = gymnasium.make_vec(RULES, 2)
    seen, info = env.reset(seed=4)
    states = [env.env.dealt(i) for i in range(2)]
    compared = 0
    while compared < 6:
        actions = np.array([np.flatnonzero(mask)[0] for mask in seen["action_mask"]])
        for i, action in enumerate(actions):
            states[i] = states[i].play(env.env.ids.move(int(action), states[i]))
        acted = info["to_act"]
        seen, _, done, _, info = env.step(actions)
        for i in np.flatnonzero(done).tolist():
            wanted = encode(states[i].view(int(acted[i])))
            assert info["final_obs"][i]["observation"].tolist() == wanted
            states[i] = env.env.dealt(i)
            compared += 1
    assert env.env.hand_numbers.sum() > compared


def test_h_31_whole_hands_are_counted_with_no_plies() -> None:
    done = vector.playouts(RULES, 30, seed=1)
    decided = done.plies == 0
    assert 0 < decided.sum() < 30
    assert (done.payments[decided].max(axis=1) > 0).all()
    assert (done.places[decided].max(axis=1) == 1).all()


def test_h_31_openspiel_ends_at_the_deal() -> None:
    """The deal is a part of OpenSpiel's game, so such a hand is over, and pays, before anybody acts."""
    driver = openspiel("big-two", dragon=True)
    env = driver.env
    driver.reset(env, 1)
    state = env.state.get_game().new_initial_state()
    dealt = [0] * 4
    for card in state.node.game.deck:
        # Seat 2 gets the diamonds, which are one card of each rank; the others share the rest.
        seat = 2 if card.suit == "D" else min((0, 1, 3), key=dealt.__getitem__)
        dealt[seat] += 1
        assert not state.is_terminal()
        state.apply_action(seat)
    assert state.is_terminal()
    assert state.returns() == [-1.0, -1.0, 3.0, -1.0]
    assert state.legal_actions() == []
    assert len(state.information_state_tensor(0)) == len(env.state.information_state_tensor(0))
    env.state = state
    again = state.clone()
    assert (str(again), again.returns(), driver.seen(env)) == (str(state), state.returns(), driver.seen(env))

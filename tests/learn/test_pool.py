"""Opponents from outside a run: they play like the bots of the same names, and the network does not learn from their
decisions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.learn.config import Config
from dasan.learn.pool import Pool, Simple
from dasan.learn.trainer import Trainer
from dasan.networks.scoring import Scorer
from dasan.networks.trained import fitted
from dasan.play.action_ids import action_ids

pytestmark = pytest.mark.full

RULES = dasan.rules("big-two", triples=True, two_pairs=True, fours=True, four_plus_one=False, guard="off")


@pytest.mark.parametrize("name", ["low", "shed"])
@pytest.mark.parametrize(
    "rules", [RULES, *map(dasan.rules, ("big-three", "big-three-4p", "winner"))], ids=lambda rules: rules.name
)
def test_simple_opponents_make_the_moves_of_the_bots_of_their_names(rules: dasan.Rules, name: str) -> None:
    env = vector.make(rules, 6, seed=1, moves="ragged")
    states, simple, bot = [env.dealt(i) for i in range(6)], Simple(rules, False), dasan.bot(name)
    ids = action_ids(rules)
    live = list(range(6))
    while live:
        actions = env.legal[:, 0].astype(np.int32)
        actions[live] = simple.choose(name, env, np.array(live))
        for i in live:
            seat = states[i].to_act
            assert seat is not None
            move = bot.choose(states[i].view(seat))
            assert actions[i] == ids.of(move, states[i].called)
            states[i] = states[i].play(move)
        env.step(actions)
        live = [i for i in live if states[i].to_act is not None]


def test_only_the_learners_decisions_are_learnt_from() -> None:
    plain = Config("big-two", envs=16, rounds=1, steps=8, epochs=1, first=16, second=8, batch=64)
    alone = Trainer(plain)
    mixed = Trainer(Config.from_json({**plain.to_json(), "pool": ["low", "thrifty", "past"], "share": 1.0}))
    for trainer in (alone, mixed):
        trainer.epoch()
        assert trainer.progress.hands >= 16
    assert mixed.progress.decisions / mixed.progress.plies < 0.5 * alone.progress.decisions / alone.progress.plies
    env = vector.make("big-two", 8, seed=1, moves="ragged")
    seven = np.arange(1, 8)
    chosen = Pool(env.rules, False, ("thrifty",), 1.0, 8).choose(env, seven, {}, Scorer())
    assert chosen.tolist() == env.thrifty()[seven].tolist()
    with pytest.raises(ValueError, match="a pool has members among"):
        Pool(RULES, False, ("grandma",), 0.5, 8)


def test_frozen_networks_make_their_best_move(tmp_path: Path) -> None:
    env = vector.make("big-three", 9, seed=1, moves="ragged")
    package = fitted(env.rules)
    assert package is not None
    file = f"net:{tmp_path}"
    package.network.save(tmp_path / "network.npz")
    theirs = np.flatnonzero(np.arange(9) // 3 < 2)
    chosen = Pool(env.rules, False, ("net", file), 1.0, 9).choose(env, theirs, {}, Scorer())
    for env_id, action in zip(theirs, chosen, strict=True):
        state = env.dealt(int(env_id))
        assert state.to_act is not None
        scores = package.network.of_view(state.view(state.to_act), session=False)
        assert action == action_ids(env.rules).of(state.legal_moves()[int(scores.argmax())], state.called)
    with pytest.raises(ValueError, match="features of other rules"):
        Pool(dasan.rules("big-two"), False, (file,), 0.5, 8)
    with pytest.raises(ValueError, match="cannot read"):
        Pool(RULES, False, (f"net:{tmp_path / 'none.npz'}",), 0.5, 8)
    with pytest.raises(ValueError, match="has none for these rules"):
        Pool(dasan.rules("big-two-tiny"), False, ("net",), 0.5, 8)


@pytest.mark.parametrize("session", [False, True])
def test_a_frozen_network_plays_first_hands_alike_with_sessions_and_without(session: bool) -> None:
    env = vector.make("winner", 8, seed=1, session=session, moves="ragged")
    package = fitted(env.rules)
    assert package is not None
    theirs = np.arange(8)
    chosen = Pool(env.rules, session, ("net",), 1.0, 8).choose(env, theirs, {}, Scorer())
    for env_id, action in zip(theirs, chosen, strict=True):
        state = env.dealt(int(env_id))
        assert state.to_act is not None
        scores = package.network.of_view(state.view(state.to_act), package.trained.session)
        assert env.legal[env_id][scores.argmax()] == action

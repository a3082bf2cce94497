"""Opponents from outside a run: they play like the bots of the same names, and the network does not learn from their
decisions.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.games import changed_options
from dasan.learn.actors import _hands
from dasan.learn.config import Config, RuleSet
from dasan.learn.pool import MemberFailed, Pool, Simple, noted
from dasan.learn.trainer import Trainer
from dasan.networks.scoring import Scorer
from dasan.networks.source import find
from dasan.networks.trained import fitted
from dasan.play.action_ids import action_ids

pytestmark = pytest.mark.full

RULES = dasan.rules("big-two", triples=True, two_pairs=True, fours=True, four_plus_one=False, guard="off")


def pool(rules: dasan.Rules, members: tuple[str, ...], share: float, envs: int, session: bool = False) -> Pool:
    settings = changed_options(rules)
    return Pool(Config(rules.name, settings, session=session, envs=envs, pool=members, share=share))


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
    chosen = pool(env.rules, ("thrifty",), 1.0, 8).choose(env, seven, {}, Scorer())
    assert chosen.tolist() == env.thrifty()[seven].tolist()
    with pytest.raises(ValueError, match="a pool has members among"):
        pool(RULES, ("grandma",), 0.5, 8)


def test_frozen_networks_make_their_best_move(tmp_path: Path) -> None:
    env = vector.make("big-three", 9, seed=1, moves="ragged")
    package = fitted(env.rules)
    assert package is not None
    file = f"net:{tmp_path}"
    package.network.save(tmp_path / "network.npz")
    theirs = np.flatnonzero(np.arange(9) // 3 < 2)
    chosen = pool(env.rules, ("net", file), 1.0, 9).choose(env, theirs, {}, Scorer())
    for env_id, action in zip(theirs, chosen, strict=True):
        state = env.dealt(int(env_id))
        assert state.to_act is not None
        scores = package.network.of_view(state.view(state.to_act), session=False)
        assert action == action_ids(env.rules).of(state.legal_moves()[int(scores.argmax())], state.called)
    with pytest.raises(ValueError, match="features of other rules"):
        pool(dasan.rules("big-two"), (file,), 0.5, 8)
    with pytest.raises(MemberFailed, match=r"^net:big-three was trained for another game: big-three$"):
        pool(RULES, ("net:big-three",), 0.5, 8)
    with pytest.raises(ValueError, match="cannot read"):
        pool(RULES, (f"net:{tmp_path / 'none.npz'}",), 0.5, 8)
    with pytest.raises(ValueError, match="has none for these rules"):
        pool(dasan.rules("big-two-tiny"), ("net",), 0.5, 8)


@pytest.mark.parametrize("session", [False, True])
def test_a_frozen_network_plays_first_hands_alike_with_sessions_and_without(session: bool) -> None:
    env = vector.make("winner", 8, seed=1, session=session, moves="ragged")
    package = fitted(env.rules)
    assert package is not None
    theirs = np.arange(8)
    chosen = pool(env.rules, ("net",), 1.0, 8, session).choose(env, theirs, {}, Scorer())
    for env_id, action in zip(theirs, chosen, strict=True):
        state = env.dealt(int(env_id))
        assert state.to_act is not None
        scores = package.network.of_view(state.view(state.to_act), package.trained.session)
        assert env.legal[env_id][scores.argmax()] == action


@pytest.mark.parametrize("kind", ["here", "actors", "policy"])
def test_a_run_knows_the_networks_that_it_played_against(tmp_path: Path, kind: str) -> None:
    """It goes on against the same ones only, and so do its actors."""
    small = Config("big-two", envs=4, rounds=1, steps=4, epochs=2, first=16, second=8, batch=64)
    other, run = tmp_path / "other", tmp_path / "run.npz"
    other.mkdir()
    Trainer(small).network().save(other / "network.npz")
    name = f"net:{other}"
    kinds: dict[str, dict[str, object]] = {"here": {}, "actors": {"actors": 1}, "policy": {"method": "policy"}}
    against = {"pool": ["low", name, "net:big-two"], "share": 1.0}
    begun = Trainer(Config.from_json({**small.to_json(), **kinds[kind], **against}))
    assert begun.config.pooled == {name: find(name).digest, "net:big-two": find("big-two").digest}
    digest = find(name).digest
    begun.epoch()
    begun.save(run)
    assert Trainer.load(run, epochs=3).config == replace(begun.config, epochs=3)
    assert replace(begun.config, pool=("low", "net:big-two")).pooled == {"net:big-two": find("big-two").digest}

    noted = Trainer(begun.config)
    noted.config = replace(begun.config, pooled={})  # a run of an earlier version noted nothing
    noted.save(tmp_path / "older.npz")
    assert Trainer.load(tmp_path / "older.npz").config == begun.config

    Trainer(replace(small, seed=1)).network().save(other / "network.npz")
    changed = f"the pool's member {name} is not the network that this run began with"
    with pytest.raises(MemberFailed, match=changed):
        Trainer(begun.config)
    if kind == "actors":
        _hands.cache_clear()
        with pytest.raises(MemberFailed, match=changed):
            begun.epoch()
    Trainer(replace(begun.config, pooled={}))
    for fault in (changed, f"cannot read the network of {name}: No such file or directory"):
        copy = tmp_path / "pool" / f"{digest}.npz"
        went_on = Trainer.load(run)
        assert went_on.config.pool == ("low", f"net:{copy}", "net:big-two")
        assert went_on.config.pooled == {f"net:{copy}": find(str(copy)).digest, "net:big-two": find("big-two").digest}
        went_on.save(tmp_path / "again.npz")
        assert Trainer.load(tmp_path / "again.npz").config == went_on.config
        copy.rename(tmp_path / "kept.npz")
        with pytest.raises(
            MemberFailed,
            match=re.escape(f"; to go on, save the network that it began with, with its model card, as {copy}"),
        ):
            Trainer.load(run)
        with pytest.raises(MemberFailed, match=re.escape(fault)):
            Trainer.load(run)
        Trainer(replace(small, seed=2)).network().save(copy)
        with pytest.raises(MemberFailed, match=re.escape(f"; and its copy {copy} has changed since it was written")):
            Trainer.load(run)
        copy.unlink()
        begun.save(tmp_path / "run.npz")  # whose network is not there to be copied
        (tmp_path / "kept.npz").rename(copy)
        (other / "network.npz").unlink(missing_ok=True)


def test_a_run_goes_on_against_a_network_of_the_package_that_an_upgrade_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly as without the upgrade."""
    config = Config(
        "big-two", envs=4, rounds=1, steps=4, epochs=2, first=16, second=8, batch=64, pool=("net",), share=1.0
    )
    begun = Trainer(config)
    (name,) = begun.config.pool
    assert begun.config.pooled == {name: find(name).digest}
    assert name.startswith("net:big-two")
    begun.epoch()
    begun.save(tmp_path / "run.npz")
    begun.epoch()
    other = replace(find("big-two-all"), digest="0" * 64)
    monkeypatch.setattr("dasan.networks.source._of_package", lambda name: other)
    went_on = Trainer.load(tmp_path / "run.npz")
    assert went_on.config.pool == (f"net:{tmp_path / 'pool' / begun.config.pooled[name]}.npz",)
    went_on.epoch()
    assert (went_on.learner.flat == begun.learner.flat).all()


def test_a_network_that_cannot_be_saved_is_not_copied(tmp_path: Path) -> None:
    """A file of single precision may have weights that half precision cannot hold."""
    config = Config("big-two", envs=4, first=16, second=8)
    network, file = Trainer(config).network(), tmp_path / "network.npz"
    parts: dict[str, Any] = {**network.weights, "w_last": np.full(8, 70_000, np.float32)}
    np.savez(file, unit=np.float32(1), card=np.array(json.dumps(network.card)), **parts)
    Trainer(replace(config, pool=(f"net:{file}",), share=1.0)).save(tmp_path / "run.npz")
    assert not list((tmp_path / "pool").iterdir())


def test_the_package_s_networks_of_several_games_keep_their_common_name() -> None:
    other = RuleSet("big-three")
    config = Config("big-two", envs=4, first=16, second=8, pool=("low", "net"), share=1.0, also=(other,), actors=2)
    assert noted(config).pool == ("low", "net")
    assert noted(replace(config, preset="big-two-tiny", also=(), actors=0)).pool == ("low", "net")

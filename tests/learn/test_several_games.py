"""Training one network for several games: each actor plays one, and all decisions are learnt from together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import output, refusal

import dasan
from dasan.learn.actors import here
from dasan.learn.config import Config, RuleSet, usual_unit
from dasan.learn.decisions import Samples
from dasan.learn.duel import duel
from dasan.learn.trainer import Trainer
from dasan.networks.derived import Reads, derived
from dasan.networks.network import Network
from dasan.networks.trained import Trained, adapted, catalogue, fit, load, named

SMALL = Config(
    "big-two", envs=8, rounds=2, steps=32, epochs=3, first=16, second=8, batch=128, keep=1.0, actors=3,
    also=(RuleSet("big-two", {"guard": "off", "fours": True}), RuleSet("big-two-hong-kong", unit=8.0)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("also", "message"),
    [
        (5, "further games are a list of rule sets"),
        (["big-two"], "a rule set is a dictionary"),
        ([{}], "a rule set has a field preset"),
        ([{"preset": 5}], "preset is text"),
        ([{"preset": "big-two", "options": []}], "options are a dictionary"),
        ([{"preset": "big-two", "options": {5: 5}}], "options are a dictionary by their names"),
        ([{"preset": "big-two", "unit": 0}], "unit is more than 0"),
        ([{"preset": "big-two", "unit": "a lot"}], "unit"),
        ([{"preset": "big-two", "seed": 5}], "a rule set has no field 'seed'"),
        ([{"preset": "big-two"}] * 3, "4 games need as many actors, or more"),
    ],
)
def test_games_of_a_stranger_s_configuration_are_checked(also: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Config.from_json({"preset": "big-three", "actors": 3, "also": also})


def test_a_configuration_survives_its_file() -> None:
    assert Config.from_json(json.loads(json.dumps(SMALL.to_json()))) == SMALL
    own, other, regional = SMALL.games()
    assert (own.preset, own.options, own.also, own.unit) == ("big-two", {}, (), 1.0)
    assert (other.options, regional.preset, regional.unit) == ({"guard": "off", "fours": True}, "big-two-hong-kong", 8.0)


def test_two_games_with_the_same_options_are_refused() -> None:
    with pytest.raises(ValueError, match="the same options"):
        replace(SMALL, also=(RuleSet("big-two", {"show_hands_after": False}),)).shared()


@pytest.mark.full
def test_one_game_with_features_of_suits_is_enough() -> None:
    run = replace(SMALL, derived=True, answers=True, suits=True, actors=2, also=(RuleSet("winner"),))
    assert [game.suits for game in run.games()] == [True, False]
    trainer = Trainer(run)
    trainer.epoch()
    for network, game in zip(trainer.networks(), run.games(), strict=True):
        longer = derived(game.rules(), Reads(answers=True, suits=True))
        assert len(network.weights["w_move"]) == longer.move_size
    with pytest.raises(ValueError, match="suits need a game whose moves name exact cards"):
        replace(run, preset="big-three")


@pytest.mark.full
def test_every_game_is_played_and_learnt_and_a_run_goes_on_exactly(tmp_path: Path) -> None:
    played = []

    def noted(orders: Any) -> Any:
        played.append([(order.config.preset, order.number[2], order.config.also) for order in orders])
        return here(orders)

    whole, part = Trainer(SMALL), Trainer(SMALL)
    whole.epoch()
    part.epoch(noted)
    assert played[0] == [("big-two", 0, ()), ("big-two", 1, ()), ("big-two-hong-kong", 2, ())]
    part.save(tmp_path / "run.npz")
    again = Trainer.load(tmp_path / "run.npz")
    whole.epoch()
    again.epoch()
    assert np.array_equal(whole.learner.flat, again.learner.flat)
    assert again.progress.samples == again.progress.decisions > 0
    shared = again.shared
    assert shared is not None
    flags = [place for label, place in shared.labels[0].items() if label[0] == "rule"]
    assert np.abs(whole.learner.parts["w_obs"] - Trainer(SMALL).learner.parts["w_obs"])[flags].max(axis=1).all()


@pytest.mark.full
def test_each_step_learns_from_all_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one game after another the network forgets: its errors in three unlike games grew from epoch to epoch."""
    trainer = Trainer(SMALL)
    shared = trainer.shared
    assert shared is not None
    flags = [place for label, place in shared.labels[0].items() if label[0] == "rule"]
    games = []

    def update(samples: Samples, *_: Any) -> float:
        games.append(len(np.unique(samples.obs[:, flags], axis=0)))
        return 0.0

    monkeypatch.setattr(trainer.learner, "update", update)
    trainer.epoch()
    assert len(games) > 4
    assert set(games) == {3}


@pytest.mark.full
def test_each_game_has_its_network_and_other_rules_have_the_nearest_unit() -> None:
    trainer = Trainer(replace(SMALL, derived=True, pool=("past",), share=0.5))
    trainer.epoch()
    networks, games = trainer.networks(), trainer.config.games()
    assert [network.unit for network in networks] == [1.0, 1.0, 8.0]
    for network, game in zip(networks, games, strict=True):
        assert network.fits(game.rules(), False)
        assert duel(game.rules(), network, network, 2).mean == 0
    rules = [game.rules() for game in games]
    card = Trained("mine", rules[0], Reads(derived=True), {}, ((rules[1], 1.0), (rules[2], 8.0)))
    for network, own in zip(networks, rules, strict=True):
        mine = adapted(trainer.network(), card, own)
        assert all(np.array_equal(mine.weights[name], weights) for name, weights in network.weights.items())
        assert mine.unit == network.unit
    other = replace(games[2], options={"later_lead": "three-of-diamonds", "triples": False}).rules()
    nearest = adapted(trainer.network(), card, other)
    assert nearest.fits(other, False)
    assert nearest.unit == 8.0
    plain = adapted(trainer.network(), card, other, Reads(card.session))
    assert plain.fits(other, False)
    assert len(plain.weights["w_obs"]) < len(nearest.weights["w_obs"])


@pytest.mark.full
def test_a_run_begins_with_the_weights_of_a_network_for_one_game() -> None:
    one = next(one for one in catalogue() if one.name == "big-two")
    trainer = Trainer(replace(SMALL, derived=True, first=256, second=64, start="big-two", unit=2.0))
    state = dasan.deal(one.rules, seed=3)
    view = state.view(state.to_act)
    network, regional = trainer.networks()[0], trainer.networks()[1]
    assert network.of_view(view, False) == pytest.approx(load(one).of_view(view, False), abs=1e-3)
    assert np.array_equal(network.weights["bias"], regional.weights["bias"])  # the flags of rules weigh nothing yet


@pytest.mark.full
@pytest.mark.parametrize(
    ("preset", "unit"), [("big-two", 2), ("big-two-hong-kong", 8), ("big-three", 4), ("dou-dizhu", 8), ("winner", 1)]
)
def test_a_unit_is_near_the_deviation_of_payments(preset: str, unit: float) -> None:
    assert usual_unit(dasan.rules(preset)) == unit


@pytest.mark.full
def test_the_command_line_names_further_games(tmp_path: Path) -> None:
    out, small = tmp_path / "run", ("--game", "big-two", "--envs", "4", "--rounds", "1", "--steps", "8", "--deals", "2")
    arguments = ("train", "--out", out, *small, "--also", "big-two:guard=off,fours=on", "--also", "big-two-taiwan")
    assert json.loads(output(*arguments, "--epochs", "1", "--json"))["epoch"] == 1
    config = Trainer.load(out / "run.npz").config
    assert (config.actors, config.unit) == (3, 2.0)
    assert config.also[0] == RuleSet("big-two", {"guard": "off", "fours": True}, 2.0)
    assert {f"network{k}.npz" for k in ("", "-1", "-2", "-3")} <= {file.name for file in out.iterdir()}
    with (out / "network-3.npz").open("rb") as stream:
        assert Network.load(stream).fits(config.games()[2].rules(), False)
    assert json.loads(output("train", "--out", out, "--resume", "--epochs", "2", "--json"))["epoch"] == 2
    other = ("train", "--out", tmp_path / "other", *small)
    assert "no preset 'chess'" in refusal(*other, "--also", "chess")
    assert "no option 'fives'" in refusal(*other, "--also", "big-two:fives=on")
    assert "need as many actors" in refusal(*other, "--also", "big-two-taiwan", "--actors", "1")
    assert "leave out --also" in refusal("train", "--out", out, "--resume", "--also", "big-two-taiwan")


@pytest.mark.parametrize(
    ("start", "game", "other"),
    [
        ("winner-all", Config("winner", session=True), RuleSet("winner", {"min_straight": 3})),
        ("big-two-all", Config("big-two-hong-kong", unit=8), RuleSet("big-two-taiwan", {}, 2)),
    ],
    ids=["flags", "units"],
)
def test_a_run_begins_with_the_house_rules_that_all_its_games_have(start: str, game: Config, other: RuleSet) -> None:
    """Flags of the network's games that do not vary in the new run count as parts of the bias. A score keeps the unit of
    its own game, which need not be the network's first.
    """
    one = named(start)
    reads: dict[str, Any] = {"derived": True, "answers": one.reads.answers, "first": 256, "second": 64}
    run = Trainer(replace(game, **reads, envs=8, start=start, also=(other,), actors=2))
    began, shipped = run.networks()[0], fit(one, run.config.rules()).network
    random = np.random.default_rng(1)
    obs = (random.random((20, len(shipped.weights["w_obs"]))) < 0.1).astype(np.uint8)
    moves = (random.random((20, len(shipped.weights["w_move"]))) < 0.1).astype(np.uint8)
    for seen, made in zip(obs, moves, strict=True):
        assert began.score(seen, [made]) == pytest.approx(shipped.score(seen, [made]), abs=1e-4)


def test_games_that_differ_in_which_options_they_have_have_flags() -> None:
    shared = Config("big-three", also=(RuleSet("big-three-4p"),), actors=2).shared()
    assert shared is not None
    flags = [
        {label for label in shared.labels[0] if label[0] == "rule" and label[1:] in rules.settings}
        for rules in shared.rules
    ]
    assert flags[0] != flags[1]

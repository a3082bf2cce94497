"""Networks that a user names: those of the package, files of `dasan train`, folders of runs, and files of something else."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import output, refusal

import dasan
from dasan.learn.config import Config, RuleSet
from dasan.learn.duel import duel
from dasan.learn.trainer import Trainer
from dasan.networks.network import Network
from dasan.networks.source import find
from dasan.networks.trained import catalogue, load, named

pytestmark = pytest.mark.full

SMALL = Config("big-two", envs=4, steps=2, rounds=1, epochs=1, first=16, second=8, derived=True)
RUN = ("--envs", 4, "--rounds", 1, "--steps", 2, "--epochs", 1, "--deals", 2)


def saved(folder: Path, config: Config = SMALL) -> Trainer:
    """A run before its first epoch, with its network in `folder`."""
    trainer = Trainer(config)
    folder.mkdir(parents=True, exist_ok=True)
    trainer.network().save(folder / "network.npz")
    return trainer


def damaged(folder: Path, **changes: Any) -> Path:
    """A file whose arrays differ from those of a network."""
    saved(folder)
    with np.load(folder / "network.npz") as stream:
        arrays: dict[str, Any] = {**stream, **changes}
    file = folder / "damaged.npz"
    np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
    return file


def card(config: object) -> Any:
    return np.array(json.dumps({"config": config}))


def test_a_network_has_one_name_everywhere(tmp_path: Path) -> None:
    trainer = saved(tmp_path / "run")
    file = tmp_path / "run" / "network.npz"
    for name in (str(tmp_path / "run"), str(file), f"net:{file}"):
        source = find(name)
        assert source.digest == sha256(file.read_bytes()).hexdigest()
        assert source.card is not None
        assert Config.from_json(source.card["config"]) == trainer.config
        assert source.trained(dasan.rules("big-three")).reads == SMALL.reads
    assert find("net:winner").trained(dasan.rules("winner")) is named("winner")
    assert find("winner").digest != find("winner-3").digest
    for name in (f"net:{tmp_path / 'run'}", f"net:{file}", f"net:{tmp_path / 'run' / '..' / 'run'}"):
        assert dasan.bot(name).name == "net:run"
    assert dasan.bot("net:winner").name == "net:winner"
    shutil.copy(file, tmp_path / "best.npz")
    assert dasan.bot(f"net:{tmp_path / 'best.npz'}").name == "net:best.npz"
    for name in ("", "net:", "a\0/b"):
        with pytest.raises(ValueError, match="there is no network '"):
            find(name)


def test_a_run_begins_with_the_network_of_another(tmp_path: Path) -> None:
    """It may read more, be wider, learn in another way, and learn other games."""
    first = saved(tmp_path / "first", replace(SMALL, derived=False))
    start = str(tmp_path / "first")
    same = Trainer(replace(first.config, start=start))
    state = dasan.deal(dasan.rules("big-two"), seed=3)
    scores = [run.network().of_view(state.view(state.to_act), False) for run in (first, same)]
    more = replace(first.config, start=start, derived=True, answers=True, suits=True)
    scores.append(Trainer(more).network().of_view(state.view(state.to_act), False))
    assert scores[1] == pytest.approx(scores[0], abs=1e-2)
    assert scores[2] == pytest.approx(scores[1], abs=1e-6)
    Trainer(replace(more, first=32, method="policy", rate=1e-4))
    with pytest.raises(ValueError, match="have other sizes: 16 and 8"):
        Trainer(replace(more, first=24))
    several = saved(tmp_path / "all", replace(SMALL, start=start, actors=2, also=(RuleSet("big-two-taiwan"),)))
    Trainer(replace(SMALL, preset="big-two-taiwan", start=str(tmp_path / "all")))
    assert [one.card["config"]["preset"] for one in several.networks() if one.card] == ["big-two", "big-two-taiwan"]


def test_a_run_says_what_it_began_with(tmp_path: Path) -> None:
    folder = tmp_path / "first"
    saved(folder)
    begun = Trainer(replace(SMALL, start=str(folder)))
    assert begun.config.started == sha256((folder / "network.npz").read_bytes()).hexdigest()
    begun.save(tmp_path / "run.npz")
    Trainer(begun.config)
    saved(folder, replace(SMALL, seed=1))
    with pytest.raises(ValueError, match=r"first is not the network that these settings began with: its SHA-256 is"):
        Trainer(begun.config)
    (folder / "network.npz").unlink()
    with pytest.raises(FileNotFoundError):
        Trainer(begun.config)
    assert Trainer.load(tmp_path / "run.npz").config == begun.config
    assert Trainer(replace(SMALL, start="big-two", first=256, second=64)).config.started == find("big-two").digest


def test_the_command_line_continues_a_run(tmp_path: Path) -> None:
    a, b, c = (tmp_path / name for name in "abc")
    output("train", "--game", "big-two", "--out", a, *RUN, "--set", "first=16", "--set", "second=8")
    output("train", "--game", "big-two", "--out", b, *RUN, "--start", a, "--derived", "--set", "rate=3e-4")
    config = Trainer.load(b / "run.npz").config
    assert (config.start, config.started) == (str(a), find(str(a)).digest)
    assert (config.first, config.second, config.derived, config.rate) == (16, 8, True, 3e-4)
    policy = ("--method", "policy", "--envs", 4, "--rounds", 1)
    output("train", "--like", b, "--out", c, "--start", b, "--seed", 5, *policy)
    config = Trainer.load(c / "run.npz").config
    assert (config.start, config.started, config.seed) == (str(b), find(str(b)).digest, 5)
    assert (config.method, config.derived, config.first) == ("policy", True, 16)
    saved(a, replace(SMALL, seed=1))
    assert "not the network that these settings began with" in refusal("train", "--like", b, "--out", tmp_path / "e")
    output("train", "--like", b, "--start", a, "--out", tmp_path / "e")
    a.rename(tmp_path / "moved")
    assert "epoch 2" in output("train", "--out", b, "--resume", "--epochs", 2)
    said = refusal("train", "--like", b, "--out", tmp_path / "d")
    assert said == f"cannot read or write {a}: No such file or directory"
    output("train", "--like", b, "--start", tmp_path / "moved", "--out", tmp_path / "d")


def test_the_command_line_continues_against_the_same_networks(tmp_path: Path) -> None:
    a, b, c = (tmp_path / name for name in "abc")
    saved(a)
    against = ("--pool", f"net:{a}", "--share", 1, "--set", "first=16", "--set", "second=8")
    output("train", "--game", "big-two", "--out", b, *RUN, *against)
    assert Trainer.load(b / "run.npz").config.pooled == {f"net:{a}": find(str(a)).digest}
    saved(a, replace(SMALL, seed=1))
    changed = f"the pool's member net:{a} is not the network that this run began with"
    said = refusal("train", "--like", b, "--out", c)
    assert said.startswith(changed)
    assert said.endswith("; name the opponents anew with --pool")
    (copy,) = (b / "pool").iterdir()
    copy.rename(tmp_path / "kept.npz")
    said = refusal("train", "--out", b, "--resume", "--epochs", 2)
    assert said.startswith(f"cannot resume the run in {b}: {changed}")
    assert said.endswith(f"; to go on, save the network that it began with, with its model card, as {copy}")
    (tmp_path / "kept.npz").rename(copy)
    output("train", "--out", b, "--resume", "--epochs", 2)
    output("train", "--like", b, "--out", c, "--pool", f"net:{a}", "--epochs", 1)
    assert Trainer.load(c / "run.npz").config.pooled == {f"net:{a}": find(str(a)).digest}


def test_everything_that_names_a_bot_takes_a_network(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium", reason="needs the extra envs")
    from dasan.arena.duplicate import duplicate
    from dasan.envs.gymnasium import make
    from dasan.learn.dataset import DatasetPlan, played

    trainer = saved(tmp_path)
    rules, name = trainer.config.rules(), f"net:{tmp_path}"
    bot = dasan.bot(name, rules=rules)
    assert (bot.name, bot.version) == (f"net:{tmp_path.name}", find(name).digest[:8])
    assert duplicate(rules, [name, "low", "low", "low"], deals=1).hands == 4
    assert played(DatasetPlan(rules, (name,) * 4, 1), 0)["hand"] == 0
    env = make("big-two", opponents=name)
    assert env.reset(seed=1)[0]["action_mask"].any()
    network = Network.load(tmp_path / "network.npz")
    assert duel(rules, network, network, 1).mean == 0
    state = dasan.deal(dasan.rules("big-two", guard="off"), seed=1)
    assert bot.choose(state.view(state.to_act)) in state.legal_moves()
    for refuses in (
        lambda: dasan.bot(name, rules=dasan.rules("big-three")),
        lambda: duplicate(dasan.rules("big-three"), [name] * 3, deals=1),
        lambda: make("big-three", opponents=name),
        lambda: DatasetPlan(dasan.rules("big-three"), (name,) * 3, 1).manifest(),
    ):
        with pytest.raises(ValueError, match=f"^net:{tmp_path.name} was trained for another game: big-two$"):
            refuses()
    with pytest.raises(ValueError, match="'cmd:x' is a program, which plays in dasan arena"):
        dasan.bot("cmd:x")


def test_a_network_of_several_games_plays_all_of_them(tmp_path: Path) -> None:
    saved(tmp_path, replace(SMALL, actors=2, also=(RuleSet("big-two-taiwan"),)))
    for preset in ("big-two", "big-two-taiwan"):
        state = dasan.deal(dasan.rules(preset), seed=1)
        bot = dasan.bot(f"net:{tmp_path}", rules=state.rules)
        assert bot.choose(state.view(state.to_act)) in state.legal_moves()


def test_a_network_without_a_card_is_one_for_the_rules_whose_features_it_reads(tmp_path: Path) -> None:
    rules = dasan.rules("big-three")
    load(named("big-three")).save(tmp_path / "plain.npz")
    name = str(tmp_path / "plain.npz")
    assert find(name).trained(rules).reads == named("big-three").reads
    assert find(name).trained(rules) is find(name).trained(rules)
    with pytest.raises(ValueError, match="has no model card, and reads features of other rules"):
        dasan.bot(f"net:{name}", rules=dasan.rules("big-two"))
    out = tmp_path / "run"
    assert refusal("train", "--like", name, "--out", out).endswith("has no model card: its settings are unknown")
    output("train", "--game", "big-three", "--start", name, "--out", out, *RUN)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"card": np.array("[")}, "does not contain a network"),
        ({"card": np.array("[]")}, "does not contain a network"),
        ({"card": np.zeros(3)}, "does not contain a network"),
        ({"card": np.array({"config": 1}, dtype=object)}, "does not contain a network"),
        ({"card": np.array("{}")}, "the model card of the network is malformed"),
        ({"card": card(None)}, "the model card of the network is malformed"),
        ({"card": card({"preset": "big-two", "options": [1]})}, "the model card of the network is malformed"),
        ({"card": card({"preset": "chess", "options": {}})}, "there is no preset 'chess'"),
        ({"card": card({"preset": "big-two", "options": {"fives": 1}})}, "no option 'fives'"),
        ({"card": card({"preset": "big-two", "options": {}})}, "does not read the features that its model card says"),
        ({"card": card({"preset": "big-three", "options": {}, "derived": True})}, "features that its model card says"),
        (
            {"card": card({"preset": "big-two", "options": {}, "also": [1]})},
            "the model card of the network is malformed",
        ),
        (
            {"card": card({**SMALL.to_json(), "also": [{"preset": "big-two", "options": {}, "unit": 1}]})},
            "two rule sets of a network have the same options",
        ),
        (
            {"card": card({**SMALL.to_json(), "also": [{"preset": "big-two-taiwan", "options": {}, "unit": 0}]})},
            "unit is more than 0",
        ),
        ({"bias": None}, "does not contain a network"),
        ({"bias": np.zeros(3)}, "its layers do not fit together"),
        (
            {"w_obs": np.zeros((8, 0)), "w_move": np.zeros((8, 0)), "bias": np.zeros(0), "w_second": np.zeros((0, 8))},
            "its layers do not fit together",
        ),
        ({"b_last": np.array([np.nan])}, "its weights are not finite"),
    ],
)
def test_a_damaged_network_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = damaged(tmp_path, **changes)
    with pytest.raises(ValueError, match=message) as refused:
        find(str(file))
    assert str(refused.value).startswith(str(file))
    with pytest.raises(ValueError, match=message):
        dasan.bot(f"net:{file}")


def test_a_file_without_an_end_or_with_too_many_numbers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe, device, bomb = (tmp_path / name for name in ("pipe.npz", "device.npz", "bomb.npz"))
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    with np.load(damaged(tmp_path)) as arrays:
        np.savez_compressed(bomb, zeros=np.zeros(200_000, np.uint8), **arrays)
    find(str(bomb))
    monkeypatch.setattr("dasan.networks.network.MOST_BYTES", 200_000)
    os.utime(bomb, ns=(0, 0))
    for file in (pipe, device, bomb):
        with pytest.raises(ValueError, match=f"^{re.escape(str(file))}: the file does not contain a network$"):
            find(str(file))


@pytest.mark.parametrize("content", [b"", b"PK", b"\x80\x04N.", b"\x93NUMPY"])
def test_a_file_of_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "network.npz"
    file.write_bytes(content)
    said = f"{file}: the file does not contain a network"
    for command in (
        ("train", "--start", tmp_path, "--out", tmp_path / "out"),
        ("train", "--like", tmp_path, "--out", tmp_path / "out"),
        ("train", "--pool", f"net:{tmp_path}", "--out", tmp_path / "out"),
        ("evaluate", f"net:{tmp_path}"),
        ("tui", "--plain", "--bot", f"net:{tmp_path}"),
        ("bot-protocol", f"net:{tmp_path}"),
    ):
        assert refusal(*command) == said
    assert not (tmp_path / "out").exists()


def test_no_data_set_is_begun_with_a_file_of_something_else(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    file = tmp_path / "network.npz"
    file.write_bytes(b"PK")
    error = refusal("generate", "--bot", f"net:{tmp_path}", "--out", tmp_path / "out")
    assert error == f"{file}: the file does not contain a network"
    assert not (tmp_path / "out").exists()


def test_a_program_writes_a_data_set_or_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    command = ("generate", "--game", "big-two", "--hands", 2, "--processes", 1, "--out")
    first = f"cmd:{shlex.quote(sys.executable)} {Path('examples/bots/first.py').resolve()}"
    assert "holds 2 hands" in output(*command, tmp_path / "first", "--bot", first)
    assert {one["version"] for one in json.loads((tmp_path / "first" / "manifest.json").read_text())["bots"]} == {
        "first-py 1"
    }
    said = refusal(*command, tmp_path / "none", "--bot", "cmd:false")
    assert said.startswith("cmd:false does not start")
    assert not (tmp_path / "none").exists()


def test_a_data_set_has_hands_of_one_network_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    from dasan.learn import dataset

    saved(tmp_path / "run")
    plan = dataset.DatasetPlan(SMALL.rules(), (f"net:{tmp_path / 'run'}",) * 4, 2, part=1)
    part_file = dataset.part_file

    def trained_further(plan: dataset.DatasetPlan, part: int, **networks: Any) -> bytes:
        saved(tmp_path / "run", replace(SMALL, seed=part))
        return part_file(plan, part, **networks)

    monkeypatch.setattr(dataset, "part_file", trained_further)
    with pytest.raises(ValueError, match="run is no longer the network that began to play"):
        dataset.make(plan, tmp_path / "out")
    assert dataset.held_parts(tmp_path / "out") == {0: 1}


def test_a_network_of_the_package_has_its_model_card_beside_it() -> None:
    """A second one in the file would be of its last run alone, and a copy of the file would be played by its rules."""
    assert [one.name for one in catalogue() if load(one).card is not None] == []

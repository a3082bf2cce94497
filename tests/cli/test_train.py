"""`dasan train`: options that would be ignored are refused."""

from __future__ import annotations

import pickle
from errno import ENOSPC
from pathlib import Path

import numpy as np
import pytest

from dasan.learn.config import Config
from dasan.learn.curves import read
from dasan.learn.trainer import Diverged, Trainer

from .running import output, refusal

pytestmark = pytest.mark.full

SMALL = ("--game", "big-three", "--envs", "4", "--rounds", "1", "--steps", "2", "--deals", "2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--like", "winner", "--game", "big-three"], "--like takes the games of winner: leave out --game"),
        (["--like", "winner", "-o", "jokers=true"], "leave out --option"),
        (["--resume", "--rounds", "40"], "a resumed run keeps its own settings: leave out --rounds"),
        (["--resume", "--pool", "low"], "leave out --pool"),
        (["--resume", "--start", "big-three"], "leave out --start"),
        (["--pool", "grandma"], "a pool has members among low, shed, thrifty, past, net and networks such as net:FILE"),
        (["--share", "0.5"], "name one"),
        (["--random-bids", "0.5"], "only policy gradients have random bids and calls"),
        (["--resume", "--random-bids", "0.5"], "leave out --random-bids"),
        (["--random-calls", "0.5"], "only policy gradients have random bids and calls"),
        (["--resume", "--random-calls", "0.5"], "leave out --random-calls"),
        (["--envs", "30", "--branches", "4"], "a multiple of branches"),
        (["--set", "seed=2"], "seed has an option of its own, --seed"),
        (["--set", "speed=2"], "there is no setting 'speed'; there are average, batch, contrast, explore, first, heat"),
        (["--set", "first=2.5"], "first is a whole number, not '2.5'"),
        (["--set", "rate"], "rate is a number, not ''"),
        (["--set", "rate=nan"], "rate is a number from 0 to"),
        (["--resume", "--set", "rate=1"], "leave out --set"),
        (["--like", "nowhere"], "there is no network 'nowhere'; there are big-three"),
        (["--game", "winner", "--derived", "--answers", "--suits"], "suits need a game whose moves name exact cards"),
    ],
)
def test_options_without_effect_are_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    assert message in refusal("train", "--out", tmp_path / "run", *arguments)
    assert not (tmp_path / "run").exists()


@pytest.mark.full
def test_a_resumed_run_measures_as_it_began(tmp_path: Path) -> None:
    """`--every` and `--deals` are settings of the run; given again, they apply from then on."""
    out = tmp_path / "run"
    small = ("--game", "big-three", "--envs", "4", "--rounds", "1", "--steps", "2")
    output("train", "--out", out, *small, "--epochs", "1", "--every", "2", "--deals", "3")
    output("train", "--out", out, "--resume", "--epochs", "5")
    measured = [bool(row["random"]) for row in read(out / "curve.csv")]
    assert measured == [True, True, False, True, True]  # every second epoch, and the last one of each call
    config = Trainer.load(out / "run.npz").config
    assert (config.every, config.deals) == (2, 3)
    output("train", "--out", out, "--resume", "--epochs", "6", "--every", "4", "--deals", "2")
    config = Trainer.load(out / "run.npz").config
    assert (config.epochs, config.every, config.deals) == (6, 4, 2)


def test_a_run_reads_what_the_network_that_it_begins_with_reads(tmp_path: Path) -> None:
    small = ("--envs", "4", "--rounds", "1", "--steps", "2", "--epochs", "1", "--deals", "2")
    output("train", "--out", tmp_path / "run", "--game", "wa-keng", "--start", "big-three", *small)
    config = Trainer.load(tmp_path / "run" / "run.npz").config
    assert (config.start, config.first, config.second) == ("big-three", 512, 128)
    assert config.derived
    assert config.answers
    output("train", "--out", tmp_path / "ranks", "--start", "big-two-charlesworth-suits", *small)
    config = Trainer.load(tmp_path / "ranks" / "run.npz").config
    assert (config.preset, config.answers, config.suits) == ("big-three", True, False)
    assert "no network" in refusal("train", "--out", tmp_path / "other", "--start", "big-one", *small)


def test_a_run_keeps_how_it_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    Trainer(Config("big-three", envs=2, steps=2, rounds=1, first=8, second=8, every=3, deals=4)).save(file)
    assert (Trainer.load(file).config.every, Trainer.load(file).config.deals) == (3, 4)
    changed = Trainer.load(file, every=5, epochs=7).config
    assert (changed.epochs, changed.every, changed.deals) == (7, 5, 4)
    with pytest.raises(ValueError, match="a resumed run cannot change rounds"):
        Trainer.load(file, rounds=3)


@pytest.mark.parametrize(
    ("name", "epochs"), [("run.npz", 1), ("curve.csv", 1), ("curve.csv", 2), ("network.npz", 2), ("curve.svg", 2)]
)
def test_a_run_that_stopped_between_its_files_is_completed(
    name: str, epochs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    output("train", "--out", whole, *SMALL, "--epochs", epochs)

    replace = Path.replace

    def full(written: Path, file: Path) -> Path:
        if file == part / name and (epochs == 1 or file.exists()):
            raise OSError(ENOSPC, "no space left")
        return replace(written, file)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "replace", full)
        assert f"cannot write in {part}: no space left" in refusal("train", "--out", part, *SMALL, "--epochs", epochs)
    if (part / "run.npz").exists():
        output("train", "--out", part, "--resume")
    else:
        output("train", "--out", part, *SMALL, "--epochs", epochs)
    rows = read(part / "curve.csv")
    assert [row.pop("seconds") != "" for row in rows] == [True] * epochs
    assert rows == [{key: row[key] for key in row if key != "seconds"} for row in read(whole / "curve.csv")]
    assert (part / "curve.svg").read_bytes() == (whole / "curve.svg").read_bytes()
    assert (part / "network.npz").read_bytes() == (whole / "network.npz").read_bytes()


def test_a_run_that_was_stopped_in_its_first_epoch_cannot_resume(tmp_path: Path) -> None:
    for out in (tmp_path, tmp_path / "nowhere"):
        error = refusal("train", "--out", out, "--resume")
        assert error == f"there is no run to resume in {out}: a run is saved at the end of each epoch"


def test_a_new_run_leaves_the_files_of_something_else(tmp_path: Path) -> None:
    out = tmp_path / "run"
    output("train", "--out", out, *SMALL, "--epochs", "1")
    assert "continue it with --resume" in refusal("train", "--out", out, *SMALL)
    (out / "run.npz").unlink()
    kept = {file.name: file.read_bytes() for file in out.iterdir()}
    error = refusal("train", "--out", out, "--game", "big-two", "--epochs", "1")
    assert (
        error
        == f"{out} has curve.csv, curve.svg, network.npz, but no run to resume: move them, or choose another folder"
    )
    assert {file.name: file.read_bytes() for file in out.iterdir()} == kept
    other = tmp_path / "other"
    other.mkdir()
    (other / "curve.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    assert "has curve.csv, but no run" in refusal("train", "--out", other, *SMALL)
    (other / "curve.csv").rename(other / "points.csv")
    assert "epoch 1" in output("train", "--out", other, *SMALL, "--epochs", "1")


@pytest.mark.parametrize("setting", ["rate=1e9", "unit=1e-320"])
def test_a_run_that_diverges_keeps_its_last_epoch(setting: str, tmp_path: Path) -> None:
    """The epoch is lost, with a sentence, and no file is overwritten by weights that nobody can load."""
    small = ("--game", "big-two", "--envs", 4, "--rounds", 2, "--steps", 2, "--deals", 2, "--set", "batch=10")
    said = refusal("train", "--out", tmp_path / "run", *small, "--epochs", 1, "--set", setting)
    assert said.startswith("epoch 1 is lost, because the weights grew beyond all numbers: ")
    assert not list((tmp_path / "run").iterdir())


@pytest.mark.parametrize("method", ["values", "policy"])
def test_weights_that_no_file_can_hold_are_no_epoch(method: str) -> None:
    config = Config("big-two", envs=4, steps=2, rounds=1, first=16, second=8, method=method)
    for array in Trainer(config).learner.arrays():
        trainer = Trainer(config)
        trainer.learner.arrays()[array][0] = np.inf if "average" not in array else 1e7
        with pytest.raises(Diverged) as caught:
            trainer.epoch()
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value), "a process can hand it to another"

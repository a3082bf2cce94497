"""The learner in PyTorch learns as the compiled one does, and its runs resume exactly."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import output, refusal

from dasan.learn.actors import spread
from dasan.learn.config import Config
from dasan.learn.decisions import Samples
from dasan.learn.in_torch import DeviceFailed, TorchLearner, TorchScorer, best_device
from dasan.learn.learner import Learner
from dasan.learn.trainer import Trainer
from dasan.networks.network import LayerSizes
from dasan.networks.scoring import Scorer

pytestmark = pytest.mark.full

SMALL = Config("big-two", envs=16, rounds=2, steps=16, epochs=3, first=32, second=16, batch=128, keep=1.0, device="cpu")
TINY = "--game", "big-two-tiny", "--envs", "4", "--rounds", "1", "--epochs", "1", "--deals", "2"
in_torch = pytest.mark.skipif(not find_spec("torch"), reason="PyTorch is not installed: make train")


@in_torch
def test_both_learners_make_the_same_steps() -> None:
    compiled_trainer = Trainer(replace(SMALL, device=""))
    shape = LayerSizes(*compiled_trainer.hands.sizes, SMALL.first, SMALL.second)
    compiled, learner = Learner(SMALL, shape), TorchLearner(SMALL, shape)
    random = np.random.default_rng(5)
    rows = 500
    obs = (random.random((rows, shape.observation)) < 0.2).astype(np.uint8) * 3
    moves = (random.random((rows, shape.move)) < 0.2).astype(np.uint8)
    targets = random.normal(size=rows).astype(np.float32)
    groups = np.where(random.random(rows) < 0.5, random.integers(0, 60, rows), -1).astype(np.int32)
    for number in range(3):
        errors = [one.learn(Samples(obs, moves, targets, groups), 1e-3, 3 * number) for one in (compiled, learner)]
        assert errors[0] == pytest.approx(errors[1], rel=1e-3)
        assert len(errors[0]) == 3
    for name in ("mean", "square", "flat", "average"):
        one, other = getattr(compiled, name), getattr(learner, name)
        assert np.linalg.norm(one - other) < 0.02 * np.linalg.norm(one), name
    assert np.abs(learner.flat - Learner(SMALL, shape).flat).max() > 1e-3


@in_torch
@pytest.mark.parametrize("reads", [False, True], ids=["features", "derived"])
def test_a_device_scores_moves_as_compiled_code_does(reads: bool) -> None:
    trainer = Trainer(replace(SMALL, device="", derived=reads, answers=reads))
    env, weights = trainer.hands.env, trainer.learner.scaled(trainer.learner.flat)
    device = TorchScorer("cpu")
    for _ in range(20):
        envs = np.flatnonzero(env.num_legal > 1)[::-1].copy()
        one, other = Scorer()(env, envs, weights), device(env, envs, weights)
        assert np.array_equal(one.begin, other.begin)
        assert one.rows == pytest.approx(other.rows, abs=1e-4)
        which = np.arange(len(envs))
        for mine, theirs in zip(one.read(which, one.best()), other.read(which, one.best()), strict=True):
            assert np.array_equal(mine, theirs)
        env.step(env.legal[:, 0].astype(np.int32))
    assert np.ptp(one.rows) > 0.01
    other = device(env, envs, trainer.learner.scaled(trainer.learner.flat * 2))
    assert other.rows != pytest.approx(one.rows, abs=1e-4)


@pytest.mark.skipif(not best_device(), reason="PyTorch has no GPU here")
def test_actors_score_on_the_gpu() -> None:
    trainer = Trainer(replace(SMALL, device="cuda", actors=2, branches=4, derived=True))
    with spread(2, device="cuda") as actors:
        trainer.epoch(actors)
    assert trainer.progress.samples == trainer.progress.decisions > 0


@in_torch
@pytest.mark.parametrize("actors", [0, 2])
def test_a_run_in_pytorch_goes_on_exactly(tmp_path: Path, actors: int) -> None:
    config = replace(SMALL, actors=actors, branches=4, derived=True)
    whole, part = Trainer(config), Trainer(config)
    for _ in range(2):
        whole.epoch()
    part.epoch()
    part.save(tmp_path / "run.npz")
    again = Trainer.load(tmp_path / "run.npz")
    again.epoch()
    assert np.array_equal(whole.learner.flat, again.learner.flat)
    assert whole.progress.samples == whole.progress.decisions > 0


@in_torch
def test_a_device_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="PyTorch has no device 'cuda:77'"):
        Trainer(replace(SMALL, device="cuda:77"))
    assert "no device" in refusal("train", "--out", tmp_path / "run", *TINY, "--device", "cuda:77")
    assert "epoch 1" in output("train", "--out", tmp_path / "run", *TINY, "--device", "cpu")
    assert "leave out --device" in refusal("train", "--out", tmp_path / "run", "--resume", "--device", "cpu")


@in_torch
def test_steps_that_fail_leave_the_weights_and_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(SMALL)
    trainer.epoch()
    trainer.save(tmp_path / "run.npz")
    flat = trainer.learner.flat.copy()

    def fail(*_: object) -> None:
        raise RuntimeError("CUDA out of memory.\nTried to allocate 2 GiB")

    monkeypatch.setattr(TorchLearner, "_contrasted", fail)
    with pytest.raises(DeviceFailed, match=r"PyTorch failed on cpu: CUDA out of memory\.$"):
        trainer.epoch()
    assert np.array_equal(flat, trainer.learner.flat)
    error = refusal("train", "--out", tmp_path, "--resume")
    assert "out of memory" in error
    assert "--resume continues from epoch 1" in error
    assert "--resume" not in refusal("train", "--out", tmp_path / "run", *TINY, "--device", "cpu")


@in_torch
def test_the_learner_restores_pytorchs_settings() -> None:
    torch = import_module("torch")
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        Trainer(SMALL).epoch()
        assert torch.is_deterministic_algorithms_warn_only_enabled()
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    "device", ["meta", "toaster", "cuda:", "cuda:-1", "cuda:1\n", "cpu:0", "a\nb", "\ud800", "cuda:²"]
)
def test_unknown_devices_are_refused(device: str) -> None:
    with pytest.raises(ValueError, match="a device is cpu, cuda, or one of several GPUs"):
        replace(SMALL, device=device)


@pytest.mark.skipif(bool(find_spec("torch")), reason="PyTorch is installed")
def test_without_pytorch_a_device_is_refused_and_auto_does_without(tmp_path: Path) -> None:
    assert "dasan[train]" in refusal("train", "--out", tmp_path / "run", *TINY, "--device", "cpu")
    assert "epoch 1" in output("train", "--out", tmp_path / "run", *TINY, "--device", "auto")


@pytest.mark.parametrize(
    "error",
    ["ImportError('no symbol\\nat all')", "OSError('no symbol')", "ModuleNotFoundError('no symbol', name='sympy')"],
)
def test_a_pytorch_that_does_not_load_is_refused_and_auto_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    (tmp_path / "torch.py").write_text(f"raise {error}", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    message = refusal("train", "--out", tmp_path / "run", *TINY, "--device", "cpu")
    assert "PyTorch does not load: no symbol" in message
    assert "at all" not in message
    assert best_device() == ""

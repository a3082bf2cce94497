"""Batches as values: a step does not change its batch, and gives the same results as live environments."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import dasan
from dasan.backends import Wanted

pytestmark = pytest.mark.full


@pytest.mark.parametrize(("game", "backend"), [("big-three", "auto"), ("winner", "auto"), ("big-two", "engine")])
def test_steps_are_those_of_the_environments(game: str, backend: Wanted) -> None:
    n = 2 if backend == "engine" else 16
    functions = dasan.vector.functional(game, n, backend=backend)
    env = dasan.vector.make(game, n, seed=4, backend=backend)
    batch = functions.init(4)
    for k in range(60):
        assert env.obs is not None
        assert (functions.observe(batch) == env.obs).all()
        assert (batch.legal_action_mask == env.mask).all()
        assert (batch.current_player == env.to_act).all()
        assert (batch.rewards == env.rewards).all()
        assert (batch.terminated == env.done).all()
        assert (batch.num_moves == k).all()
        actions = env.sample().copy()
        assert (functions.sample(batch) == functions.sample(batch)).all()
        assert (functions.sample(batch) == actions).all()
        env.step(actions)
        batch = functions.step(batch, actions)


def test_a_batch_can_be_stepped_again() -> None:
    game = dasan.vector.functional("big-three", 8)
    first = game.init([3, 1, 4, 1, 5, 9, 2, 6])
    seen = first.observation.copy()
    one = first.legal_action_mask.argmax(axis=1)
    other = game.num_actions - 1 - first.legal_action_mask[:, ::-1].argmax(axis=1)
    after = game.step(first, one)
    for _ in range(30):
        after = game.step(after, game.sample(after))
    assert (first.observation == seen).all()
    again, elsewhere = game.step(first, one), game.step(first, other)
    assert (game.step(first, one).observation == again.observation).all()
    assert (elsewhere.observation != again.observation).any()
    assert (game.sample(first) == game.sample(first)).all()


def test_a_batch_of_another_game_is_refused() -> None:
    game, other = dasan.vector.functional("big-three", 4), dasan.vector.functional("big-three", 5)
    batch = game.init(1)
    with pytest.raises(ValueError, match="not of 5 environments"):
        other.step(batch, np.ones(5, np.int32))
    with pytest.raises(ValueError, match="not legal in environment"):
        game.step(batch, np.full(4, 170))


@pytest.mark.parametrize(
    "other",
    [
        {"opener_may_pass": True},
        {"session": True},
        {"backend": "engine"},
        {"preset": "big-three-4p"},
        {"preset": "winner"},
    ],
    ids=str,
)
def test_a_batch_of_other_rules_is_refused_and_nothing_has_changed(other: dict[str, Any]) -> None:
    game = dasan.vector.functional("big-three", 4)
    batch = game.init(1)
    actions = game.sample(batch)
    wanted = game.step(batch, actions)
    foreign = dasan.vector.functional(**{"preset": "big-three", "num_envs": 4, **other}).init(2)
    for call in (lambda: game.step(foreign, actions), lambda: game.sample(foreign), lambda: game.observe(foreign)):
        with pytest.raises(ValueError, match="a batch of another game"):
            call()
    assert (game.step(batch, actions).observation == wanted.observation).all()
    assert (game.step(wanted, game.sample(wanted)).num_moves == 2).all()


def test_an_interrupted_step_leaves_batches_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after the environments have stepped, and before the batch is made."""
    game = dasan.vector.functional("big-three", 4)
    batch = game.init(1)
    actions = game.sample(batch)
    wanted = game.step(batch, actions)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    fresh = game.init(1)
    with monkeypatch.context() as patched:
        patched.setattr(game, "_taken", interrupt)
        with pytest.raises(KeyboardInterrupt):
            game.step(fresh, actions)
    assert (game.step(fresh, actions).observation == wanted.observation).all()


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy], ids=["pickled", "copied", "copied deeply"])
def test_functions_and_batches_can_be_copied(again: Callable[[Any], Any]) -> None:
    game: Any = dasan.vector.functional("big-three", 4)
    batch = game.init(1)
    actions = game.sample(batch)
    wanted = game.step(batch, actions)
    twin = again(game)
    twin.init(7)
    assert (game.step(again(batch), actions).observation == wanted.observation).all()
    assert (twin.step(again(batch), actions).observation == wanted.observation).all()
    assert (twin.init(1).observation == batch.observation).all()


def test_what_is_no_batch_or_seed_is_refused() -> None:
    game: Any = dasan.vector.functional("big-three", 4)
    for name, arguments in (("step", (None, [0] * 4)), ("sample", (5,)), ("observe", ("x",))):
        with pytest.raises(TypeError, match="a batch is what init and step give"):
            getattr(game, name)(*arguments)
    with pytest.raises(TypeError, match="init takes a seed"):
        game.init(None)
    with pytest.raises(TypeError, match=r"dasan\.vector\.make"):
        dasan.vector.Functional(game)


def test_pytorch_shares_the_memory() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    batch = dasan.vector.functional("big-three", 4).init(1)
    for array in (batch.observation, batch.legal_action_mask, batch.rewards, batch.current_player):
        tensor = torch.from_dlpack(array)
        assert tensor.data_ptr() == array.ctypes.data
    env = dasan.vector.make("big-three", 4, seed=1)
    live = torch.from_dlpack(env.mask)
    env.step(env.sample())
    assert (live.numpy() == env.mask).all()


@pytest.mark.parametrize("game", ["big-three", "big-two", "winner"])
def test_every_live_buffer_is_shared_with_pytorch(game: str) -> None:
    """Tensors made before a step contain what the step writes."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    env = dasan.vector.make(game, 4, seed=1, moves="padded", perfect=True)
    names = ("mask", "obs", "to_act", "done", "rewards", "places", "legal", "num_legal", "moves", "perfect")
    tensors = {name: torch.from_dlpack(getattr(env, name)) for name in names}
    for _ in range(3):
        env.step(env.sample())
        for name, tensor in tensors.items():
            assert tensor.data_ptr() == getattr(env, name).ctypes.data
            assert (tensor.numpy() == getattr(env, name)).all(), name


def test_jax_shares_the_memory() -> None:
    """In its own process: once imported, JAX warns at every fork, and other tests fork."""
    if find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    program = """
import jax.numpy as jnp, numpy as np, dasan
for num_envs in (1, 5, 4096):
    batch = dasan.vector.functional("big-three", num_envs).init(1)
    for array in (batch.observation, batch.legal_action_mask, batch.rewards, batch.current_player, batch.terminated):
        taken = jnp.from_dlpack(array)
        assert taken.unsafe_buffer_pointer() == array.ctypes.data
        assert (np.asarray(taken) == array).all()
"""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr

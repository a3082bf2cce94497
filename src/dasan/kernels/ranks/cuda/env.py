"""Batched Big Three in the memory of a GPU."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from numba import cuda

from dasan.backends import GPU
from dasan.kernels.ranks import env as rank_env
from dasan.kernels.ranks.cuda import step as cuda_step
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

THREADS = 128
"""Threads in a block."""


class GpuEnv:
    """`num_envs` hands of Big Three. All arrays are device arrays of Numba, which PyTorch, CuPy and JAX can share.

    bits: uint64 [n, 4] or, for four players, [n, 7], the legal actions of the seat to act: bit k of word j stands for id
    `bit_ids[j, k]`. to_act, done, rewards, places: as in `VectorEnv`, done as 0 or 1. actions: int32 [n], filled by
    `sample`. Arrays of two dimensions are stored column by column. Environment i deals and samples as environment i of a
    `VectorEnv` with this seed. ValueError: the rules are not Big Three's.
    """

    def __init__(self, rules: Rules, num_envs: int, seed: int = 0, *, session: bool = False) -> None:
        if num_envs < 1:
            raise ValueError("num_envs starts at 1")
        GPU.require(rules)
        self.rules = rules
        self.num_envs = num_envs
        self.num_players = rules.players
        self.session = session
        self.seed = seed
        self.ids = action_ids(rules, session)
        self.num_actions = self.ids.count
        self._m = memory = cuda_step.memory(rules, num_envs, session, cuda.to_device)
        self.bits, self.actions = memory.bits, memory.actions
        self.to_act, self.done, self.rewards, self.places = memory.to_act, memory.done, memory.rewards, memory.places
        self.bit_ids: npt.NDArray[np.int16] = memory.ids.copy_to_host().reshape(-1, 64)
        self.reset()

    def __reduce__(self) -> NoReturn:
        raise TypeError("environments on a GPU cannot be copied or pickled: make others with the same seed")

    def reset(self, seed: int | None = None) -> None:
        """Restart all environments with their first hand; `seed` selects other hands."""
        if seed is not None:
            self.seed = seed
        self._run(cuda_step.start, np.uint64(self.seed % (1 << 64)))

    def sample(self) -> Any:
        """Choose a uniformly random legal action for each environment; return the array `actions`."""
        self._run(cuda_step.sample)
        return self.actions

    def step(self, actions: Any) -> None:
        """Carry out one action (an id) in every environment. actions: int32 [n], of NumPy or any library on the device.

        An environment whose action is illegal does not change, and `refused` grows by one.
        """
        if isinstance(actions, np.ndarray):
            actions = cuda.to_device(actions)
        elif not hasattr(actions, "copy_to_host"):
            actions = cuda.as_cuda_array(actions)
        if actions.shape != (self.num_envs,) or actions.dtype != np.int32:
            raise ValueError(f"step takes {self.num_envs} actions, int32")
        self._run(cuda_step.step, actions)

    def play(self, steps: int) -> None:
        """Run `step(sample())` `steps` times in one launch."""
        self._run(cuda_step.play, steps)

    @property
    def refused(self) -> int:
        """The number of illegal actions refused so far."""
        return int(self._m.refused.copy_to_host()[0])

    @cached_property
    def _mask(self) -> Any:
        return cuda.to_device(np.zeros((self.num_envs, self.num_actions), np.uint8))

    def mask(self) -> Any:
        """The legal actions as bytes by id, 0 or 1: uint8 [n, num_actions], row by row, the same array at every call."""
        blocks = -(-self.num_envs * self.num_actions // THREADS)
        cuda_step.spread[blocks, THREADS](self._m, self._mask)
        return self._mask

    def hands_played(self) -> int:
        """How many hands have ended since the last reset."""
        return int(self._m.words[:, rank_env.NUMBER].copy_to_host().sum())

    def _run(self, kernel: Any, *args: Any) -> None:
        kernel[-(-self.num_envs // THREADS), THREADS](*args, self._m)


def why_not() -> str:
    """Why no GPU can be used; empty if one can."""
    try:
        return "" if cuda.is_available() else "Numba finds no CUDA device"
    except Exception as failure:
        return str(failure)


def device_name() -> str:
    """The GPU's name."""
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def wait() -> None:
    """Wait until all started kernels have finished."""
    cuda.synchronize()

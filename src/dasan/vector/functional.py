"""Batched environments as pure functions, as in pgx: `init`, `step` and `observe`.

A batch is immutable: `step` returns a new one, so that a search can return to the first. Its arrays are
NumPy arrays in the processor's memory, which PyTorch and JAX take without a copy (`torch.from_dlpack(batch.observation)`).

>>> import dasan
>>> game = dasan.vector.functional("big-three", 4)
>>> batch = game.init(seed=7)
>>> later = game.step(batch, game.sample(batch))
>>> bool((later.num_moves == 1).all()), bool((batch.num_moves == 0).all())
(True, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dasan.arguments import WrongType, instance
from dasan.arrays import Bytes, Flags, Ints, Longs
from dasan.vector.env import VectorEnv


@dataclass(frozen=True, eq=False, slots=True)
class BatchState:
    """`num_envs` hands at one moment. The arrays are never overwritten.

    observation: uint8 [n, num_features], what the seat to act sees. legal_action_mask: bool [n, num_actions], what it may do.
    current_player: int8 [n]. rewards, places: int32, uint8 [n, seats], of hands that the last step ended, else 0; see
    `VectorEnv`. terminated: bool [n], whether the last step ended a hand; the next one has been dealt already. num_moves:
    int64 [n], steps since `init`.
    """

    observation: Bytes
    legal_action_mask: Flags
    current_player: npt.NDArray[np.int8]
    rewards: Ints
    places: Bytes
    terminated: Flags
    num_moves: Longs
    _memory: tuple[npt.NDArray[Any], ...]
    _drawn: Ints
    _game: tuple[object, ...]

    def __repr__(self) -> str:
        return f"<BatchState of {len(self.num_moves)} hands>"


class Functional:
    """The functions of one game. Not thread-safe, because they share environments.

    A pickle or a copy has its own environments and accepts the same batches.
    """

    def __init__(self, env: VectorEnv) -> None:
        instance(env, VectorEnv, "functional batches take environments, such as those from dasan.vector.make")
        if env.obs is None:
            raise ValueError("functional batches take environments with observations")
        self._mask = env.mask
        self._env = env
        self._obs = env.obs
        self._shown: BatchState | None = None
        shapes = tuple((array.dtype.str, array.shape) for array in env.live_arrays())
        self._game = (env.rules.digest, env.session, env.backend, shapes)
        self.num_actions, self.num_features, self.num_players = env.num_actions, env.num_features, env.num_players

    def __repr__(self) -> str:
        return f"<Functional of {self._env!r}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Functional, (self._env.anew(),)

    def init(self, seed: int | Sequence[int]) -> BatchState:
        """The first hands of a seed, or of one for each environment. ValueError: as for `VectorEnv.reset`."""
        if seed is None:
            raise WrongType("init takes a seed, or one for each environment, not None")
        self._shown = None
        self._env.reset(seed)
        return self._taken(np.zeros(self._env.num_envs, np.int64))

    def step(self, batch: BatchState, actions: npt.NDArray[Any]) -> BatchState:
        """The batch after one action (an id) in every environment. ValueError: one is not legal."""
        self._show(batch)
        self._shown = None
        self._env.step(actions)
        return self._taken(batch.num_moves + 1)

    def observe(self, batch: BatchState) -> Bytes:
        """uint8 [n, num_features]: what the seats to act see."""
        return self._own(batch).observation

    def sample(self, batch: BatchState) -> Ints:
        """int32 [n]: a uniformly random legal action for every environment; the same batch always gives the same sample."""
        return self._own(batch)._drawn.copy()

    def _own(self, batch: BatchState) -> BatchState:
        """`batch`, checked to be of this game."""
        instance(batch, BatchState, "a batch is what init and step give")
        if batch._game != self._game:
            raise ValueError(f"this is a batch of another game, or not of {self._env.num_envs} environments")
        return batch

    def _show(self, batch: BatchState) -> None:
        """Load `batch` into the environments. ValueError: it is of another game or size."""
        if self._shown is not self._own(batch):
            self._shown = None
            for array, stored in zip(self._env.live_arrays(), batch._memory, strict=True):
                array[...] = stored
            self._shown = batch

    def _taken(self, num_moves: Longs) -> BatchState:
        """Copy the environments' arrays into a new value."""
        env = self._env
        drawn = env.sample().copy()  # before the memory is copied, so that the next batch draws other numbers
        self._shown = BatchState(
            observation=_aligned(self._obs),
            legal_action_mask=_aligned(self._mask),
            current_player=_aligned(env.to_act),
            rewards=_aligned(env.rewards),
            places=_aligned(env.places),
            terminated=_aligned(env.done),
            num_moves=_aligned(num_moves),
            _memory=tuple(array.copy() for array in env.live_arrays()),
            _drawn=drawn,
            _game=self._game,
        )
        return self._shown


def _aligned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A copy that begins at a multiple of 64 bytes: JAX copies an array that does not."""
    room = np.empty(array.nbytes + 63, np.uint8)
    first = -room.ctypes.data % 64
    copy = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy

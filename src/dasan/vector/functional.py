"""Batched environments as functions of values, in pgx's manner: `init`, `step` and `observe`.

A batch is a value: `step` returns another one and leaves the first as it was, so that a search can go back to it. Its arrays are
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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dasan.vector.env import VectorEnv


@dataclass(frozen=True, eq=False, slots=True)
class BatchState:
    """`num_envs` hands at one moment. The arrays are this value's own: nothing writes over them later.

    observation: uint8 [n, num_features], what the seat to act sees. legal_action_mask: bool [n, num_actions], what it may do.
    current_player: int8 [n]. rewards, places: int32, uint8 [n, seats], of hands that the last step ended, else 0; see
    `VectorEnv`. terminated: bool [n], whether the last step ended a hand; the next one has been dealt already. num_moves:
    int64 [n], moves since `init`.
    """

    observation: npt.NDArray[np.uint8]
    legal_action_mask: npt.NDArray[np.bool_]
    current_player: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.int32]
    places: npt.NDArray[np.uint8]
    terminated: npt.NDArray[np.bool_]
    num_moves: npt.NDArray[np.int64]
    _memory: tuple[npt.NDArray[Any], ...] = field(repr=False)


class Functional:
    """The functions of one game. One thread calls them at a time."""

    def __init__(self, env: VectorEnv) -> None:
        if env.obs is None:
            raise ValueError("functional batches take environments with observations")
        self._env = env
        self._obs: npt.NDArray[np.uint8] = env.obs
        self._shown: BatchState | None = None
        self.num_actions, self.num_features, self.num_players = env.num_actions, env.num_features, env.num_players

    def init(self, seed: int | Sequence[int]) -> BatchState:
        """The first hands of a seed, or of one for each environment. ValueError: as for `VectorEnv.reset`."""
        self._shown = None
        self._env.reset(seed)
        return self._taken(np.zeros(self._env.num_envs, np.int64))

    def step(self, batch: BatchState, actions: npt.NDArray[Any]) -> BatchState:
        """The batch after one action (an id) in every environment. ValueError: one is not legal."""
        self._show(batch)
        self._env.step(actions)
        return self._taken(batch.num_moves + 1)

    def observe(self, batch: BatchState) -> npt.NDArray[np.uint8]:
        """uint8 [n, num_features]: what the seats to act see."""
        return batch.observation

    def sample(self, batch: BatchState) -> npt.NDArray[np.int32]:
        """int32 [n]: a uniformly random legal action for every environment; the same batch always gives the same sample."""
        self._show(batch)
        actions = self._env.sample().copy()
        self._shown = None
        return actions

    def _show(self, batch: BatchState) -> None:
        """Load `batch` into the environments. ValueError: it is of another game or size."""
        if self._shown is not batch:
            if len(batch.terminated) != self._env.num_envs or len(batch._memory) != len(self._env.parts()):
                raise ValueError(f"this is a batch of another game, or not of {self._env.num_envs} environments")
            for part, kept in zip(self._env.parts(), batch._memory, strict=True):
                part[...] = kept
            self._shown = batch

    def _taken(self, num_moves: npt.NDArray[np.int64]) -> BatchState:
        """Copy the environments' arrays into a new value."""
        env = self._env
        self._shown = BatchState(
            observation=self._obs.copy(),
            legal_action_mask=env.mask.copy(),
            current_player=env.to_act.copy(),
            rewards=env.rewards.copy(),
            places=env.places.copy(),
            terminated=env.done.copy(),
            num_moves=num_moves,
            _memory=tuple(part.copy() for part in self._env.parts()),
        )
        return self._shown


__all__ = ["BatchState", "Functional"]

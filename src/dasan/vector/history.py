"""The last moves of every environment, and the same as features for a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dasan.arrays import Bytes, Ints
from dasan.kernels.env.past import Past, remember_all

if TYPE_CHECKING:
    from dasan.kernels.env.buffers import Buffers


class MoveHistory:
    """Live arrays of the last moves, the latest first; -1 where there are fewer.

    actions: int32 [n, k], their ids. seats: int8 [n, k], the seats that made them. past: the same in the kernels' form.
    private: ids from here on are not recorded.
    """

    def __init__(self, num_envs: int, length: int, private: int) -> None:
        self.actions: Ints = np.full((num_envs, length), -1, np.int32)
        self.seats: npt.NDArray[np.int8] = np.full((num_envs, length), -1, np.int8)
        self.past = Past(self.actions, self.seats, private)

    def __bool__(self) -> bool:
        """Whether any moves are kept."""
        return bool(self.actions.shape[1])

    def enter(self, actions: Ints, seats: npt.NDArray[np.int8], buffers: Buffers) -> None:
        """Record the move that `seats` just made in each environment; clear the history of hands that it ended."""
        remember_all(actions, seats, buffers, self.past)

    def clear(self) -> None:
        """Clear the history."""
        self.actions[:] = self.seats[:] = -1

    def encode(self, features: Bytes, to_act: npt.NDArray[np.int8], players: int) -> Bytes:
        """uint8 [n, k, features + players]: see `VectorEnv.past`. features: the row of every id."""
        seats = (self.seats - to_act[:, None]) % players
        flags = seats[:, :, None] == np.arange(players)
        out: Bytes = np.concatenate([features[self.actions], flags], axis=2, dtype=np.uint8)
        out[self.actions < 0] = 0
        return out

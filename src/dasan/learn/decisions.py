"""A buffer of training decisions, which get their targets when their hand ends.

Decisions of unfinished hands stay for a later batch; dropping them would bias training towards short hands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Bytes, Flags, Floats, Ints, Longs


class Samples(NamedTuple):
    """Decisions to learn from. obs, moves: uint8 [n, features], the observation and the move made. targets: float32 [n], the
    scores to learn. groups: int32 [n], the same number, from 0, for branches of one decision; -1 for other decisions.
    """

    obs: Bytes
    moves: Bytes
    targets: Floats
    groups: Ints

    def part(self, rows: Longs) -> Samples:
        """The decisions in these rows."""
        return Samples(self.obs[rows], self.moves[rows], self.targets[rows], self.groups[rows])


class Decisions:
    """Decisions of `num_envs` parallel environments, by the seat that made them.

    features, move_features: row lengths. capacity: the initial capacity, which grows. trace: the lambda of TD(lambda),
    from 0 (the target is the value of the seat's next decision) to 1 (the target is the payment).
    """

    def __init__(
        self, num_envs: int, players: int, features: int, move_features: int, *, trace: float = 1.0, capacity: int = 4096
    ) -> None:
        if not 0 <= trace <= 1:
            raise ValueError("trace is a part, from 0 to 1")
        self.trace = trace
        self._last = np.full((num_envs, players), -1, np.int32)
        self._obs = np.zeros((capacity, features), np.uint8)
        self._moves = np.zeros((capacity, move_features), np.uint8)
        self._before = np.zeros(capacity, np.int32)
        self._values = np.zeros(capacity, np.float32)
        self._explored = np.zeros(capacity, np.bool_)
        self._groups = np.zeros(capacity, np.int32)
        self._targets = np.zeros(capacity, np.float32)
        self._ready = np.zeros(capacity, np.int32)
        self._count = 0
        self._free = np.arange(capacity, dtype=np.int32)[::-1].copy()
        self._left = capacity

    @property
    def waiting(self) -> int:
        """The number of decisions of unfinished hands."""
        return len(self._before) - self._left - self._count

    def add(
        self,
        envs: Longs,
        seats: npt.NDArray[np.int8],
        obs: Bytes,
        moves: Bytes,
        values: Floats,
        explored: Flags,
        groups: Ints | None = None,
    ) -> None:
        """Add one decision for each of the distinct `envs`: the observation, the move made, the value of the best move,
        and whether the move was exploratory. groups: the decisions' group numbers, -1 for none; None: no groups.
        """
        from dasan.kernels.network.targets import link

        n = len(envs)
        while n > self._left:
            self._grow()
        slots = self._free[self._left - n : self._left]
        self._left -= n
        self._obs[slots] = obs
        self._moves[slots] = moves
        self._values[slots] = values
        self._explored[slots] = explored
        self._groups[slots] = -1 if groups is None else groups
        link(slots, envs, seats, self._before, self._last)

    def finish(self, envs: Longs, payments: Floats) -> None:
        """End the hands of `envs`. payments: float32 [environments, seats]; only the rows `envs` are read."""
        from dasan.kernels.network.targets import settle

        self._count = settle(
            envs,
            payments,
            self.trace,
            self._before,
            self._last,
            self._values,
            self._explored,
            self._targets,
            self._ready,
            self._count,
        )

    def take(self, keep: float, random: np.random.Generator) -> Samples:
        """Remove the decisions of finished hands; return a share `keep` of them in random order, and drop the rest."""
        slots = self._ready[: self._count]
        chosen = random.permutation(slots)[: int(len(slots) * keep)]
        out = Samples(self._obs[chosen], self._moves[chosen], self._targets[chosen], self._groups[chosen])
        self._free[self._left : self._left + len(slots)] = slots
        self._left += len(slots)
        self._count = 0
        return out

    def clear(self) -> None:
        """Discard all decisions."""
        self._last[:] = -1
        self._count = 0
        self._left = len(self._free)
        self._free[:] = np.arange(self._left, dtype=np.int32)[::-1]

    def _grow(self) -> None:
        """Double the capacity."""
        size = len(self._before)

        def longer(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.concatenate([array, np.zeros_like(array)])

        self._obs, self._moves, self._before = longer(self._obs), longer(self._moves), longer(self._before)
        self._values, self._explored = longer(self._values), longer(self._explored)
        self._groups = longer(self._groups)
        self._targets, self._ready, self._free = longer(self._targets), longer(self._ready), longer(self._free)
        self._free[self._left : self._left + size] = np.arange(2 * size - 1, size - 1, -1, dtype=np.int32)
        self._left += size

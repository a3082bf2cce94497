"""The legal actions of a batch of environments: the best by score, and the rows of their features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dasan.arrays import Flags, Ints, Longs
from dasan.features.packing import unpack
from dasan.vector.choosing import best_of_all, best_of_rows, real

if TYPE_CHECKING:
    from dasan.kernels.env.buffers import Buffers


class LegalActions:
    """A view of the live buffers, always current.

    mask: bool [n, num_actions], or None where it was left out. ids: [n, most], the list, or None where the caller has left it
    out. starts: int64 [n + 1], with ragged moves each environment's first row, else None. padded: whether moves are padded.
    """

    def __init__(
        self,
        buffers: Buffers,
        num_actions: int,
        *,
        mask: Flags | None,
        listed: bool,
        starts: Longs | None,
        padded: bool,
    ) -> None:
        self._buffers, self._num_actions, self._mask = buffers, num_actions, mask
        self._ids: npt.NDArray[Any] | None = buffers.legal if listed else None
        self._counts = buffers.num_legal
        self._starts, self._padded = starts, padded

    @property
    def ids(self) -> npt.NDArray[Any]:
        """int16 or int32 [n, most]. ValueError: the list was left out."""
        if self._ids is None:
            raise ValueError("these environments write no list of legal actions; make them with legal=True")
        return self._ids

    def mask(self) -> Flags:
        """bool [n, num_actions]; where it was left out, made from the packed mask or the list of legal actions."""
        if self._mask is not None:
            return self._mask
        if self._buffers.written.bits:
            return unpack(self._buffers.bits, self._num_actions).view(np.bool_)
        mask = np.zeros((len(self._counts), self._num_actions), np.bool_)
        there = np.arange(self._buffers.legal.shape[1]) < self._counts[:, None]
        mask[there.nonzero()[0], self._buffers.legal[there]] = True
        return mask

    def best(self, scores: object) -> Ints:
        """int32 [n]: the ids with the highest scores; ties go to the first. scores, ValueError: as for `VectorEnv.argmax`."""
        given, starts, n = real(scores), self._starts, len(self._counts)
        if given.shape == (n, self._num_actions):
            return best_of_all(given, self.mask())
        if starts is not None and given.ndim == 1 and len(given) >= starts[-1]:
            return self.at(np.arange(n), best_of_rows(given[: starts[-1]], starts))
        if self._padded and given.shape == self._buffers.legal.shape:
            there = np.arange(given.shape[1]) < self._counts[:, None]
            return self.at(np.arange(n), best_of_all(given, there))
        raise ValueError(f"scores are [{n}, {self._num_actions}], or one for each row of moves, not {given.shape}")

    def at(self, envs: Longs, places: npt.NDArray[Any]) -> Ints:
        """int32 [k]: the ids at indices `places` of the lists of `envs`."""
        actions: Ints = self.ids[envs, places].astype(np.int32)
        return actions

    def rows(self, envs: Longs) -> tuple[Longs, Longs]:
        """(concatenated rows of ragged moves of `envs`, int64 [k + 1] with the start of each environment's rows among
        them).
        """
        assert self._starts is not None
        begin, sizes = self._starts[:-1][envs], self._counts[envs].astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return np.arange(starts[-1]) + np.repeat(begin - starts[:-1], sizes), starts

    def row_of(self, actions: npt.NDArray[Any]) -> Longs:
        """int64 [n]: see `VectorEnv.row_of`."""
        most = int(self._counts.max())
        hits = (self.ids[:, :most] == actions[:, None]) & (np.arange(most) < self._counts[:, None])
        if not hits.any(axis=1).all():
            raise ValueError("row_of takes a legal action for each environment")
        starts = np.arange(len(actions)) * self.ids.shape[1] if self._starts is None else self._starts[:-1]
        rows: Longs = starts + hits.argmax(axis=1)
        return rows

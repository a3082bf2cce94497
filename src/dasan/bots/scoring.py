"""Scores of all legal moves in many environments at once, by compiled code and one matrix product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dasan.vector import VectorEnv

Floats = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of the legal moves of some environments.

    envs: which. begin: int64 [len(envs) + 1]; the moves of envs[e] are rows begin[e] up to begin[e + 1], in the order of
    `VectorEnv.legal`. rows: float32 [begin[-1]], to be read before the next call of the scorer.
    """

    envs: Longs
    begin: Longs
    rows: Floats

    def best(self) -> Longs:
        """The row of the highest score of each environment, of equal ones the first."""
        from dasan.kernels.network import layers

        out = np.empty(len(self.envs), np.int64)
        layers.best(self.rows, self.begin, out)
        return out


class Scorer:
    """Scores moves with weights as `Network` has them; room for rows is made once and grows."""

    def __init__(self) -> None:
        self._room = np.empty((0, 0), np.float32)

    def __call__(self, env: VectorEnv, envs: Longs, weights: Mapping[str, Floats]) -> Scores:
        """The scores in `envs` (int64, no environment twice). ValueError: the environments show no ragged moves."""
        from dasan.kernels.network import layers

        if env.obs is None or env.moves is None or env.move_starts is None or env.moves.ndim != 2:
            raise ValueError('scoring takes environments with observations and moves="ragged"')
        size = len(weights["bias"])
        rows = int(env.num_legal[envs].sum())
        if rows > len(self._room) or self._room.shape[1] != size:
            self._room = np.empty((2 * rows + 64, size), np.float32)
        begin = np.empty(len(envs) + 1, np.int64)
        layers.score_first(
            env.obs,
            env.obs.view(np.uint64),
            envs,
            env.num_legal,
            env.move_starts,
            env.moves,
            env.moves.view(np.uint64),
            weights["w_obs"],
            weights["w_move"],
            weights["bias"],
            self._room,
            begin,
        )
        second = self._room[:rows] @ weights["w_second"]
        second += weights["b_second"]
        np.maximum(second, 0, out=second)
        scores = second @ weights["w_last"] + weights["b_last"]
        return Scores(envs, begin, scores.astype(np.float32, copy=False))

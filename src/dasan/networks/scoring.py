"""Score all legal moves of many environments at once, with compiled code and one matrix product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dasan.arrays import Bytes, Floats, Ints, Longs
from dasan.networks.derived import Derived, fitting
from dasan.vector import VectorEnv


@dataclass(frozen=True, eq=False)
class Inputs:
    """The input of a network. obs: uint8 [k, features]; row at[e] belongs to environment e, which has num[at[e]]
    legal moves, the rows of `moves` from starts[at[e]] on.
    """

    obs: Bytes
    at: Longs
    num: Ints
    starts: Longs
    moves: Bytes


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of the legal moves of some environments. The next call of the scorer overwrites all arrays.

    envs: the environments. begin: int64 [len(envs) + 1]; the moves of envs[e] are rows begin[e] up to begin[e + 1],
    in the order of `VectorEnv.legal`. rows: float32 [begin[-1]].
    """

    envs: Longs
    begin: Longs
    rows: Floats
    _inputs: Inputs

    def best(self) -> Longs:
        """The row of the highest score of each environment, the first on ties."""
        from dasan.kernels.network import layers

        out = np.empty(len(self.envs), np.int64)
        layers.best(self.rows, self.begin, out)
        return out

    def read(self, which: Longs, rows: Longs) -> tuple[Bytes, Bytes]:
        """The network's input for one move in each of the environments `envs[which]`: observations, and the features
        of the moves in `rows`. New arrays.
        """
        read = self._inputs
        at = read.at[which]
        return read.obs[at], read.moves[read.starts[at] + rows - self.begin[which]]


class Scorer:
    """Scores moves with the weights of a `Network`; its buffers grow as needed."""

    def __init__(self) -> None:
        self._room = np.empty((0, 0), np.float32)
        self._obs = np.empty((0, 0), np.uint8)
        self._moves = np.empty((0, 0), np.uint8)

    def __call__(self, env: VectorEnv, envs: Longs, weights: Mapping[str, Floats]) -> Scores:
        """The scores in `envs` (int64, no environment twice). ValueError: the environments show no ragged moves, or the network
        reads features of other rules.
        """
        if env.obs is None or env.moves is None or env.move_starts is None or env.moves.ndim != 2:
            raise ValueError('scoring takes environments with observations and moves="ragged"')
        rows = int(env.num_legal[envs].sum())
        read = Inputs(env.obs, envs, env.num_legal, env.move_starts, env.moves)
        if len(weights["w_obs"]) != env.num_features:
            read = self._longer(read, rows, fitting(env.rules, env.session, len(weights["w_obs"])))
        if (len(weights["w_obs"]), len(weights["w_move"])) != (read.obs.shape[1], read.moves.shape[1]):
            raise ValueError("the network reads features of other rules")
        return Scores(envs, *self._scored(read, rows, weights), read)

    def _scored(self, read: Inputs, rows: int, weights: Mapping[str, Floats]) -> tuple[Longs, Floats]:
        """`begin` and `rows` of `Scores`. rows: the number of legal moves."""
        from dasan.kernels.network import layers

        size = len(weights["bias"])
        if rows > len(self._room) or self._room.shape[1] != size:
            self._room = np.empty((2 * rows + 64, size), np.float32)
        begin = np.empty(len(read.at) + 1, np.int64)
        layers.score_first(
            read.obs,
            read.obs.view(np.uint64),
            read.at,
            read.num,
            read.starts,
            read.moves,
            read.moves.view(np.uint64),
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
        return begin, scores.astype(np.float32, copy=False)

    def _longer(self, read: Inputs, rows: int, features: Derived) -> Inputs:
        """The input with derived features. rows: the number of legal moves."""
        envs = read.at
        if len(envs) > len(self._obs) or self._obs.shape[1] != features.observation_size:
            self._obs = np.empty((2 * len(envs) + 8, features.observation_size), np.uint8)
        if rows > len(self._moves) or self._moves.shape[1] != features.move_size:
            self._moves = np.empty((2 * rows + 64, features.move_size), np.uint8)
        out = self._obs, self._moves
        begin = features.rows(read.obs, envs, read.num, read.starts, read.moves, out)
        return Inputs(self._obs, np.arange(len(envs)), read.num[envs], begin, self._moves)

"""The first layer of a network over rows of small numbers, most of them 0, and the step of the optimiser.

A row of the first layer is `bias + sum of observation features x their weights + sum of move features x theirs`. Only
features that are not 0 cost time. All arrays are C-contiguous; rows of features are multiples of eight bytes.

| array | shape | what it holds |
|---|---|---|
| `obs`, `moves` | uint8 [rows, features] | observations, features of moves |
| `w_obs`, `w_move`, `bias` | float32 [features, h], [features, h], [h] | weights of the first layer |
| `scale_obs`, `scale_move` | float32 [features] | the factor of a feature before its weights |
"""

from __future__ import annotations

import numpy as np

from dasan.arrays import Bytes, Floats, Ints, Longs, Words
from dasan.kernels.runtime.compiled import njit

_FUSED = {"contract", "nsz"}


def _gather(features: Bytes, words: Words, row: int, index: Longs, value: Floats) -> int:
    """List the features of a row that are not 0, padded with zeros to a multiple of four; return the number listed."""
    n = 0
    for k in range(words.shape[1]):
        if words[row, k]:
            for j in range(8 * k, 8 * k + 8):
                if features[row, j]:
                    index[n] = j
                    value[n] = np.float32(features[row, j])
                    n += 1
    while n & 3:
        index[n] = 0
        value[n] = np.float32(0)
        n += 1
    return n


def _add(total: Floats, row: int, weights: Floats, index: Longs, value: Floats, n: int) -> None:
    """Add `n` rows of weights, times their values, to a row of `total`; four at a time, because memory is the bottleneck."""
    for k in range(0, n, 4):
        first, second, third, fourth = index[k], index[k + 1], index[k + 2], index[k + 3]
        first_value, second_value, third_value, fourth_value = value[k], value[k + 1], value[k + 2], value[k + 3]
        for unit in range(weights.shape[1]):
            total[row, unit] += (
                first_value * weights[first, unit]
                + second_value * weights[second, unit]
                + third_value * weights[third, unit]
                + fourth_value * weights[fourth, unit]
            )


gather = njit(_gather, forceinline=True)
add = njit(_add, fastmath=_FUSED, forceinline=True)


def _score_first(
    obs: Bytes,
    obs_words: Words,
    envs: Longs,
    num: Ints,
    starts: Longs,
    moves: Bytes,
    move_words: Words,
    w_obs: Floats,
    w_move: Floats,
    bias: Floats,
    out: Floats,
    begin: Longs,
) -> int:
    """Write relu of the first layer for every legal move of `envs` into `out`, and return the number of rows.

    obs_words, move_words: `obs` and `moves`, eight features a word. Rows of environment envs[e] are begin[e] up to
    begin[e + 1]. The weights have been multiplied by the scales.
    """
    size = bias.shape[0]
    base = np.empty((1, size), np.float32)
    index = np.zeros(obs.shape[1] + moves.shape[1] + 8, np.int64)
    value = np.zeros(len(index), np.float32)
    row = 0
    for number in range(len(envs)):
        i = envs[number]
        for unit in range(size):
            base[0, unit] = bias[unit]
        add(base, 0, w_obs, index, value, gather(obs, obs_words, i, index, value))
        begin[number] = row
        for k in range(num[i]):
            n = gather(moves, move_words, starts[i] + k, index, value)
            for unit in range(size):
                out[row, unit] = base[0, unit]
            add(out, row, w_move, index, value, n)
            for unit in range(size):
                out[row, unit] = max(out[row, unit], np.float32(0))
            row += 1
    begin[len(envs)] = row
    return row


def _best(scores: Floats, begin: Longs, best: Longs) -> None:
    """Write best[e], the row of the highest score from begin[e] up to begin[e + 1]; ties go to the first."""
    for number in range(len(best)):
        highest = begin[number]
        for row in range(begin[number] + 1, begin[number + 1]):
            if scores[row] > scores[highest]:
                highest = row
        best[number] = highest


def _forward(
    obs: Bytes,
    obs_words: Words,
    moves: Bytes,
    move_words: Words,
    scale_obs: Floats,
    scale_move: Floats,
    w_obs: Floats,
    w_move: Floats,
    bias: Floats,
    out: Floats,
) -> None:
    """Write relu of the first layer of each pair of rows of `obs` and `moves` into `out`."""
    size = bias.shape[0]
    index = np.zeros(obs.shape[1] + moves.shape[1] + 8, np.int64)
    value = np.zeros(len(index), np.float32)
    for i in range(obs.shape[0]):
        for unit in range(size):
            out[i, unit] = bias[unit]
        n = gather(obs, obs_words, i, index, value)
        for k in range(n):
            value[k] *= scale_obs[index[k]]
        add(out, i, w_obs, index, value, n)
        n = gather(moves, move_words, i, index, value)
        for k in range(n):
            value[k] *= scale_move[index[k]]
        add(out, i, w_move, index, value, n)
        for unit in range(size):
            out[i, unit] = max(out[i, unit], np.float32(0))


def _backward(
    obs: Bytes,
    moves: Bytes,
    scale_obs: Floats,
    scale_move: Floats,
    gradient: Floats,
    g_obs: Floats,
    g_move: Floats,
    g_bias: Floats,
) -> None:
    """Add to `g_obs`, `g_move`, `g_bias` the gradient of the weights, from `gradient` [rows, h] before the relu."""
    units = gradient.shape[1]
    for i in range(obs.shape[0]):
        for unit in range(units):
            g_bias[unit] += gradient[i, unit]
        for j in range(obs.shape[1]):
            if obs[i, j]:
                value = np.float32(obs[i, j]) * scale_obs[j]
                for unit in range(units):
                    g_obs[j, unit] += value * gradient[i, unit]
        for j in range(moves.shape[1]):
            if moves[i, j]:
                value = np.float32(moves[i, j]) * scale_move[j]
                for unit in range(units):
                    g_move[j, unit] += value * gradient[i, unit]


def _adam(
    weights: Floats, gradient: Floats, mean: Floats, square: Floats, rate: float, decay1: float, decay2: float, step: int
) -> None:
    """One step of Adam (arXiv:1412.6980) in place, over flat arrays; `step` counts from 1."""
    one = np.float32(1)
    d1, d2 = np.float32(decay1), np.float32(decay2)
    size = np.float32(rate / (1 - decay1**step))
    root = np.float32(1 / (1 - decay2**step))
    for i in range(len(weights)):
        slope = gradient[i]
        mean[i] = d1 * mean[i] + (one - d1) * slope
        square[i] = d2 * square[i] + (one - d2) * slope * slope
        weights[i] -= size * mean[i] / (np.sqrt(square[i] * root) + np.float32(1e-8))


score_first = njit(_score_first, fastmath=_FUSED)
best = njit(_best)
forward = njit(_forward, fastmath=_FUSED)
backward = njit(_backward, fastmath=_FUSED)
adam = njit(_adam, fastmath=_FUSED)

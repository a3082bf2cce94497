"""Pick each environment's best legal action from one array of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dasan.arguments import WrongType, shown
from dasan.arrays import Flags, Ints, Longs


def real(scores: object) -> npt.NDArray[Any]:
    """`scores` as an array of real numbers. WrongType: they are not real numbers."""
    try:
        array = np.asarray(scores)
    except (TypeError, ValueError, RuntimeError):
        raise WrongType(f"scores are an array of numbers, not {shown(scores)}") from None
    if array.dtype.kind not in "biuf":
        raise WrongType(f"scores are real numbers, not of type {array.dtype}")
    return array


def for_rows(scores: object, rows: int) -> npt.NDArray[Any]:
    """A score function's answer, validated: one number for each of `rows` rows. ValueError: it has another shape, or
    NaN.
    """
    array = real(scores)
    if array.shape != (rows,):
        raise ValueError(
            f"a score function gives one score for each of {rows} rows, not an array of shape {array.shape}"
        )
    _refuse_nan(array)
    return array


def best_of_all(scores: npt.NDArray[Any], mask: Flags) -> Ints:
    """int32 [n]: the legal id with the highest score; ties go to the lowest id. scores, mask: [n, num_actions].

    ValueError: the score of a legal id is NaN.
    """
    if scores.dtype.kind == "b":
        scores = scores.view(np.uint8)
    lowest = -np.inf if scores.dtype.kind == "f" else np.iinfo(scores.dtype).min
    best = np.where(mask, scores, np.asarray(lowest, scores.dtype)).argmax(axis=1)
    rows = np.arange(len(best))
    _refuse_nan(scores[rows, best])  # NaN counts as the highest
    low = ~mask[rows, best]
    if low.any():  # all legal scores there are -inf or the type's minimum
        best[low] = mask[low].argmax(axis=1)
    places: Ints = best.astype(np.int32)
    return places


def best_of_rows(scores: npt.NDArray[Any], starts: Longs) -> Longs:
    """int64 [n]: the row with each environment's highest score, counted from its first row; ties go to the first.

    scores: [rows]; those of environment i are at starts[i] up to starts[i + 1]. Every environment has at least one row.
    ValueError: a score is NaN.

    >>> best_of_rows(np.array([1.0, 3.0, 2.0, 5.0, 5.0]), np.array([0, 3, 5])).tolist()
    [1, 0]
    """
    from dasan.kernels.network import layers

    _refuse_nan(scores)
    if not len(scores):
        return np.zeros(0, np.int64)
    if not np.can_cast(scores.dtype, np.float32):
        highest = np.repeat(np.maximum.reduceat(scores, starts[:-1]), np.diff(starts))
        hits = np.flatnonzero(scores == highest)
        first: Longs = hits[np.searchsorted(hits, starts[:-1])] - starts[:-1]
        return first
    out = np.empty(len(starts) - 1, np.int64)
    layers.best(np.ascontiguousarray(scores, np.float32), np.ascontiguousarray(starts, np.int64), out)
    return out - starts[:-1]


def _refuse_nan(scores: npt.NDArray[Any]) -> None:
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        raise ValueError("a score of a legal action is not a number (NaN)")

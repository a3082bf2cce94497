"""Pick each environment's best legal action from one array of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]


def best_of_all(scores: npt.NDArray[Any], mask: npt.NDArray[np.bool_]) -> Ids:
    """int32 [n]: the legal id with the highest score; ties go to the lowest id. scores, mask: [n, num_actions]."""
    best: Ids = np.where(mask, scores, -np.inf).argmax(axis=1).astype(np.int32)
    return best


def best_of_rows(scores: npt.NDArray[Any], starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64 [n]: the row with each environment's highest score, counted from its first row; ties go to the first.

    scores: [rows], those of environment i from starts[i] up to starts[i + 1]. Every environment has at least one row.

    >>> best_of_rows(np.array([1.0, 3.0, 2.0, 5.0, 5.0]), np.array([0, 3, 5])).tolist()
    [1, 0]
    """
    from dasan.kernels.network import layers

    out = np.empty(len(starts) - 1, np.int64)
    layers.best(np.ascontiguousarray(scores, np.float32), np.ascontiguousarray(starts, np.int64), out)
    return out - starts[:-1]


__all__ = ["best_of_all", "best_of_rows"]

"""Validation of the caller's buffers and seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dasan.arguments import WrongType, shown, whole


class Given:
    """Provides buffers: the caller's array of a name, or a new one."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._left = dict(arrays)
        self._taken: dict[str, npt.NDArray[Any]] = {}

    def take(self, name: str, shape: tuple[int, ...], kind: type[np.generic]) -> npt.NDArray[Any]:
        if name not in self._left:
            return np.zeros(shape, kind)
        array = self._left.pop(name)
        fits = isinstance(array, np.ndarray) and not isinstance(array, np.ma.MaskedArray)
        fits = fits and array.shape == shape and array.dtype == kind and array.ctypes.data % 8 == 0
        if not fits or not (array.flags.c_contiguous and array.flags.writeable):
            wanted = f"a writable, contiguous array of {kind.__name__} {shape} at a multiple of 8 bytes"
            raise ValueError(f"buffer {name} must be {wanted}")
        for other, taken in self._taken.items():
            if np.may_share_memory(array, taken):
                raise ValueError(f"buffers {other} and {name} share memory")
        self._taken[name] = array
        return array

    def accept(self) -> None:
        """Refuse unused arrays, then fill the others with zeros. ValueError: there is no such buffer."""
        if self._left:
            raise ValueError(f"there is no buffer {sorted(self._left)[0]} here")
        for array in self._taken.values():
            array.fill(0)


def seeds_of(seed: int | Sequence[int], num_envs: int) -> int | tuple[int, ...]:
    """One seed, or one for each environment, below 2 ** 64."""
    try:
        if (
            isinstance(seed, (Sequence, np.ndarray))
            and not isinstance(seed, str | bytes)
            and getattr(seed, "ndim", 1) == 1
        ):
            own = tuple(whole(one, "a seed") % (1 << 64) for one in seed)
        else:
            return whole(seed, "a seed") % (1 << 64)
    except TypeError:
        raise WrongType(f"a seed is a whole number, or there is one for each environment, not {shown(seed)}") from None
    if len(own) != num_envs:
        raise ValueError(f"one seed, or {num_envs}, not {len(own)}")
    return own

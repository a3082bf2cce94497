"""Arrays aligned to cache lines, so that a row of eight words lies in one line."""

from __future__ import annotations

import numpy as np

from dasan.arrays import Words

_LINE = 64
"""Bytes of a cache line."""


def zeroed_lines(words: int) -> Words:
    """So many words, all 0. Memory that is never touched costs nothing."""
    room = np.zeros(words + _LINE // 8, np.uint64)
    start = -room.ctypes.data % _LINE // 8
    return room[start : start + words]

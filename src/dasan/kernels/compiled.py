"""`njit` with types: the decorator that every kernel is compiled with.

Compiled code is cached beside its source, or in the user's cache folder where that cannot be written (Numba decides).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` at its first call, without the interpreter lock; the machine code is kept for later."""
    out: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    return out


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `compiled`, for small helpers that are inlined into their callers."""
    out: Callable[P, R] = numba.njit(inline="always", cache=True, nogil=True)(function)
    return out


DISABLED: Any = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]

"""`njit` with types: the decorators that every kernel is compiled with.

Machine code is kept on disk, see `code_cache`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

from dasan.kernels.runtime.code_cache import CodeCache

P = ParamSpec("P")
R = TypeVar("R")

DISABLED: Any = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def njit(function: Callable[P, R], **flags: Any) -> Callable[P, R]:
    """Compile `function` at its first call with Numba's `flags`, without the interpreter lock; the code is kept."""
    out: Any = numba.njit(nogil=True, **flags)(function)
    if not DISABLED:
        out._cache = CodeCache(function)
    return out  # type: ignore[no-any-return]


def ready(function: Any, *args: Any) -> bool:
    """Whether a call of a kernel with such arguments finds its machine code in the process or on disk."""
    if DISABLED:
        return True
    signature = tuple(numba.typeof(arg) for arg in args)  # type: ignore[no-untyped-call]
    return signature in function.overloads or function._cache.holds(signature, function.targetctx)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel."""
    return njit(function)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `compiled`, for small helpers that are inlined into their callers."""
    return njit(function, inline="always")


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """As `compiled`, without counting references to arrays, for functions that make no arrays.

    Numba would count at every access to an array of a tuple and at every call, with atomic instructions: ten times the
    work of a step, and threads would wait for each other.
    """
    return njit(function, _nrt=False)


def woven(function: Callable[P, R]) -> Callable[P, R]:
    """As `lean`, and part of its callers' machine code: a call would hand over every array of every tuple by value."""
    return njit(function, _nrt=False, forceinline=True)

"""Typed wrappers of `numba.njit`: the decorators of every kernel.

`code_cache` keeps the machine code on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
from numba.core import types
from numba.core.compiler import Flags
from numba.core.registry import CPUDispatcher
from numba.np import arrayobj

from dasan.kernels.runtime.code_cache import CodeCache
from dasan.kernels.runtime.libraries import APART, WOVEN

P = ParamSpec("P")
R = TypeVar("R")


class _Flags(Flags):
    """Numba's options of one compilation.

    The type inference compares them for each operator. Numba then asks every option for its value or its default, which takes a
    tenth of the compile time.
    """

    __slots__ = ()

    def values(self) -> dict[str, Any]:
        return _DEFAULTS | self._values


_from_the_end: Any = arrayobj.fix_integer_index


def _as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """The index of an array element, for `numba.np.arrayobj`.

    Numba lets a negative index count from the end, which takes three instructions for each access. Kernels have none, and with
    Numba's bounds check one raises IndexError. Other functions keep Numba's way.
    """
    if context.fndesc is None or not context.fndesc.modname.startswith("dasan.kernels."):
        return _from_the_end(context, builder, kind, index, size)
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


arrayobj.fix_integer_index = _as_it_is
_DEFAULTS = {name: option.default for name, option in Flags.options.items()}
DISABLED: Any = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def njit(function: Callable[P, R], **flags: Any) -> Callable[P, R]:
    """Compile `function` at its first call with Numba's `flags`, release the interpreter lock, and cache the code."""
    out: Any = numba.njit(nogil=True, **flags)(function)
    if not DISABLED:
        out._compiler._customize_flags = _Flags
        out._cache = CodeCache(function)
        out.compile = out._cache.once(out.compile)
    return out  # type: ignore[no-any-return]


def ready(function: Any, *args: Any) -> bool:
    """Whether a call of a kernel with such arguments finds its machine code in the process or on disk."""
    if DISABLED:
        return True
    signature = tuple(numba.typeof(arg) for arg in args)  # type: ignore[no-untyped-call]
    return signature in function.overloads or function._cache.holds(signature, function.targetctx)


def belonging_to(module: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a function that a factory makes for `module`: its machine code is cached with that module's."""

    def moved(function: Callable[P, R]) -> Callable[P, R]:
        function.__module__ = module
        return function

    return moved


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel."""
    return njit(function)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `compiled`, inlined into the callers; for small helpers."""
    return njit(function, inline="always")


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """As `compiled`, without reference counts; for functions that allocate no arrays.

    Numba counts references with atomic instructions at every access to an array of a tuple and at every call. That costs
    ten times the work of a step, and threads contend for the counters.
    """
    return njit(function, _nrt=False)


def woven(function: Callable[P, R]) -> Callable[P, R]:
    """As `lean`, and inlined into the callers, because a call passes every array of every tuple by value.

    Only for calls from compiled code: the entry point for Python is not compiled, which would take a third of the compile time.
    """
    return _only_compiled(function, forceinline=True, pipeline_class=WOVEN)


def apart(function: Callable[P, R]) -> Callable[P, R]:
    """As `lean`, only for calls from compiled code, and never inlined."""
    return _only_compiled(function, pipeline_class=APART)


def linked(function: Callable[P, R]) -> Callable[P, R]:
    """As `lean`, only for calls from compiled code; optimised and compiled again as a part of each caller: faster to run than
    `apart`, and slower to compile.
    """
    return _only_compiled(function)


def _only_compiled(function: Callable[P, R], **flags: Any) -> Callable[P, R]:
    out: Any = njit(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)
    if not DISABLED:
        out.__class__ = _OnlyCompiled
    return out  # type: ignore[no-any-return]


def woven_callable(function: Callable[P, R]) -> Callable[P, R]:
    """As `woven`, for functions that Python calls as well."""
    return njit(function, _nrt=False, forceinline=True)


class _OnlyCompiled(CPUDispatcher):
    """Rejects calls from Python, for which there is no compiled entry point."""

    def __call__(self, *args: object) -> None:
        raise TypeError(f"{self.py_func.__qualname__} can only be called by compiled code")

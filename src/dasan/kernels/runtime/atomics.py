"""Atomic loads, stores and exchanges on words of memory that threads share.

Compiled code only: interpreted kernels have one thread. `words` is a one-dimensional array of int64. `store` and `swap`
release, `load`, `swap` and `replace` acquire: a thread that reads the new word also sees everything written before it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from dasan.arrays import Longs

Shared = Longs
HAS_YIELD = os.name == "posix"


def _place(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    words = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(words.data, [args[1]])


@intrinsic
def _load(typing: Any, words: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_place(context, builder, signature, args), "acquire", 8)

    return types.int64(words, types.int64), generate


@intrinsic
def _store(typing: Any, words: Any, at: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _place(context, builder, signature, args), "release", 8)
        return context.get_dummy_value()

    return types.void(words, types.int64, types.int64), generate


@intrinsic
def _swap(typing: Any, words: Any, at: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("xchg", _place(context, builder, signature, args), args[2], "acq_rel")

    return types.int64(words, types.int64, types.int64), generate


@intrinsic
def _replace(typing: Any, words: Any, at: Any, old: Any, new: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature, args)
        return builder.extract_value(builder.cmpxchg(place, args[2], args[3], "acq_rel", "acquire"), 1)

    return types.boolean(words, types.int64, types.int64, types.int64), generate


@intrinsic
def _give_way(typing: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if HAS_YIELD:
            name = "sched_yield"
            function = builder.module.globals.get(name) or ir.Function(
                builder.module, ir.FunctionType(ir.IntType(32), []), name
            )
            builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


load: Callable[[Shared, int], int] = cast("Any", _load)
"""(words, at): words[at]."""
store: Callable[[Shared, int, int], None] = cast("Any", _store)
"""(words, at, word): words[at] = word."""
swap: Callable[[Shared, int, int], int] = cast("Any", _swap)
"""(words, at, word): set words[at] to `word` and return the old word."""
replace: Callable[[Shared, int, int, int], bool] = cast("Any", _replace)
"""(words, at, old, new): compare and exchange; True if words[at] was `old` and is now `new`."""
give_way: Callable[[], None] = cast("Any", _give_way)
"""Yield the core to another thread, if the system has a call for it."""

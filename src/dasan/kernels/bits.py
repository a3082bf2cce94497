"""Bit primitives on unsigned 64-bit words: the one module that knows the processor, or that it is a GPU.

`popcount`, `trailing_zeros`, `leading_zeros`, `extract` (gather the bits under a mask, x86 PEXT) and `deposit` (spread
bits under a mask, PDEP). Where the processor lacks bit extract, and on a GPU, a portable loop gives the same results;
`portable_*` are always there, for comparison. `prefetch(words, at)` asks for the cache line of
`words[at]`, which is about to be read. Inside kernels all words are `np.uint64`: mixing in signed integers would turn them
into floating point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import config, types
from numba.core.cpu import CPUContext
from numba.extending import intrinsic

from dasan.kernels.compiled import DISABLED, inlined, woven

U = np.uint64
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_TWO = np.uint64(2)
_FIELDS = np.uint64(0x1111_1111_1111_1111)


def _has_bit_extract() -> bool:
    """Whether code is compiled for a processor with fast PEXT and PDEP."""
    if DISABLED or config.CPU_NAME or config.CPU_FEATURES:  # type: ignore[attr-defined]
        return False
    return bool(dict(binding.get_host_cpu_features()).get("bmi2", False))


HAS_BIT_EXTRACT = _has_bit_extract()


def _python_popcount(word: np.uint64) -> np.uint64:
    return U(int(word).bit_count())


def _python_trailing_zeros(word: np.uint64) -> np.uint64:
    number = int(word)
    return U((number & -number).bit_length() - 1) if number else U(64)


def _python_leading_zeros(word: np.uint64) -> np.uint64:
    return U(64 - int(word).bit_length())


def _unary(name: str) -> Any:
    """An intrinsic that is one LLVM instruction on a word; a zero word gives 64 for both counts of zeros."""

    @intrinsic
    def call(typing: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(args[0])
            return getattr(builder, name)(args[0], ir.Constant(ir.IntType(1), 0))

        return types.uint64(types.uint64), generate

    return call


def _binary(name: str, portable: Any) -> Any:
    """An intrinsic that is one instruction of the processor; code for another device gets `portable`."""

    @intrinsic
    def call(typing: Any, word: Any, mask: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if not isinstance(context, CPUContext):
                return context.compile_internal(builder, portable, signature, args)
            word64 = ir.IntType(64)
            function = builder.module.declare_intrinsic(name, fnty=ir.FunctionType(word64, [word64, word64]))
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), generate

    return call


@intrinsic
def _prefetch(typing: Any, words: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(
            builder.module, ir.FunctionType(ir.VoidType(), [byte, number, number, number]), name
        )
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(words, at), generate


def _no_prefetch(words: Any, at: Any) -> None:
    """There is no cache to fill."""


prefetch: Any = _no_prefetch if DISABLED else _prefetch
popcount: Any = _python_popcount if DISABLED else _unary("ctpop")
trailing_zeros: Any = _python_trailing_zeros if DISABLED else _unary("cttz")
leading_zeros: Any = _python_leading_zeros if DISABLED else _unary("ctlz")


def portable_extract(word: np.uint64, mask: np.uint64) -> np.uint64:
    """As `extract`, one run of ones in the mask after the other."""
    out = place = _ZERO
    while mask != _ZERO:
        run = mask & ~(mask + (mask & (~mask + _ONE)))
        out |= ((word & run) >> trailing_zeros(mask)) << place
        place += popcount(run)
        mask ^= run
    return out


def portable_deposit(word: np.uint64, mask: np.uint64) -> np.uint64:
    """As `deposit`, one run of ones in the mask after the other."""
    out = place = _ZERO
    while mask != _ZERO:
        run = mask & ~(mask + (mask & (~mask + _ONE)))
        out |= ((word >> place) << trailing_zeros(mask)) & run
        place += popcount(run)
        mask ^= run
    return out


extract: Any = _binary("llvm.x86.bmi.pext.64", portable_extract) if HAS_BIT_EXTRACT else inlined(portable_extract)
deposit: Any = _binary("llvm.x86.bmi.pdep.64", portable_deposit) if HAS_BIT_EXTRACT else inlined(portable_deposit)


def nth_set(word: np.uint64, n: np.uint64) -> np.uint64:
    """The place of the `n`-th (from 0) lowest set bit of `word`, which has more than `n`."""
    return trailing_zeros(deposit(_ONE << n, word))  # type: ignore[no-any-return]


nth_set_bit: Any = inlined(nth_set)


@woven
def used_fields(word: np.uint64) -> np.uint64:
    """The lowest bit of every field of four bits that is not 0."""
    pairs = word | (word >> _ONE)
    fields: np.uint64 = (pairs | (pairs >> _TWO)) & _FIELDS
    return fields

"""Bit primitives on unsigned 64-bit words; the only module that depends on the processor or GPU.

`popcount`, `trailing_zeros`, `leading_zeros`, `extract` (gather the bits under a mask, x86 PEXT) and `deposit` (spread
bits under a mask, PDEP). Where the processor lacks bit extract, and on a GPU, a portable loop gives the same results;
`portable_*` exist everywhere, for comparison. `prefetch(words, at)` prefetches the cache line of `words[at]`. Inside
kernels all words are `np.uint64`: Numba would convert a mix of signed and unsigned words to floating point.

Three primitives process many bytes at once where the processor can.
`spread(word, out, i, at)` writes the 64 bits as bytes, 0 or 1, into row
i of a contiguous array of bytes or words, from element `at` on; `spread_few` the lowest 16 bits, of an array of bytes.
`gather(word, offsets, first, base, out, i, at)` lists the set bits, the lowest first: for bit b, `base + offsets[first + b]`
goes into row i of `out` (int16), from element `at` on; it returns the place after the last. Up to 63 elements after that may be
overwritten: the row must have room for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import config, types
from numba.core.codegen import get_host_cpu_features
from numba.core.cpu import CPUContext
from numba.extending import intrinsic

from dasan.arrays import U
from dasan.kernels.runtime.compiled import DISABLED, inlined, woven

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_TWO = np.uint64(2)
_BYTES = np.uint64(0x0101_0101_0101_0101)
_FIELDS = np.uint64(0x1111_1111_1111_1111)


def _processor_has(*features: str) -> bool:
    """Whether code is compiled for this machine's processor and the processor has all of `features`."""
    if DISABLED or config.CPU_NAME or config.CPU_FEATURES is not None:  # type: ignore[attr-defined]
        return False
    there = get_host_cpu_features().split(",")  # type: ignore[no-untyped-call]
    return all(f"+{feature}" in there for feature in features)


HAS_BIT_EXTRACT = _processor_has("bmi2")
CHECKED = bool(config.BOUNDSCHECK)  # type: ignore[attr-defined]
"""Whether Numba checks array bounds; primitives that write 64 bytes at once do not, so they are not used then."""
HAS_BYTE_VECTORS = _processor_has("avx2") and not CHECKED
HAS_COMPRESS = _processor_has("avx512bw", "avx512vbmi2") and not CHECKED


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
    """Do nothing: this target has no prefetch instruction."""


prefetch: Any = _no_prefetch if DISABLED else _prefetch
popcount: Any = _python_popcount if DISABLED else _unary("ctpop")
trailing_zeros: Any = _python_trailing_zeros if DISABLED else _unary("cttz")
leading_zeros: Any = _python_leading_zeros if DISABLED else _unary("ctlz")


def portable_extract(word: np.uint64, mask: np.uint64) -> np.uint64:
    """`extract` as a loop over the runs of ones in the mask."""
    out = place = _ZERO
    while mask != _ZERO:
        run = mask & ~(mask + (mask & (~mask + _ONE)))
        out |= ((word & run) >> trailing_zeros(mask)) << place
        place += popcount(run)
        mask ^= run
    return out


def portable_deposit(word: np.uint64, mask: np.uint64) -> np.uint64:
    """`deposit` as a loop over the runs of ones in the mask."""
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
    """The place of the `n`-th lowest set bit of `word`, counted from 0; `word` has more than `n` set bits."""
    return trailing_zeros(deposit(_ONE << n, word))  # type: ignore[no-any-return]


nth_set_bit: Any = inlined(nth_set)


@woven
def used_fields(word: np.uint64) -> np.uint64:
    """The lowest bit of every field of four bits that is not 0."""
    pairs = word | (word >> _ONE)
    fields: np.uint64 = (pairs | (pairs >> _TWO)) & _FIELDS
    return fields


def _place(context: Any, builder: Any, kind: Any, array: Any, row: Any, column: Any) -> Any:
    """A pointer into a contiguous array of two dimensions."""
    made = context.make_array(kind)(context, builder, array)
    width = builder.extract_value(made.shape, 1)
    return builder.gep(made.data, [builder.add(builder.mul(row, width), column)])


def _numbers(context: Any, builder: Any, signature: Any, args: Any, *which: int) -> list[Any]:
    return [context.cast(builder, args[k], signature.args[k], types.int64) for k in which]


def _spread_wide(bits: int) -> Any:
    """An intrinsic that writes the lowest `bits` bits of a word as bytes."""

    @intrinsic
    def call(typing: Any, word: Any, out: Any, i: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            row, column = _numbers(context, builder, signature, args, 2, 3)
            flags, bytes_ = ir.VectorType(ir.IntType(1), bits), ir.VectorType(ir.IntType(8), bits)
            low = args[0] if bits == 64 else builder.trunc(args[0], ir.IntType(bits))
            place = _place(context, builder, signature.args[1], args[1], row, column)
            spread = builder.zext(builder.bitcast(low, flags), bytes_)
            builder.store(spread, builder.bitcast(place, bytes_.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.uint64, out, i, at), generate

    return call


def portable_spread(word: np.uint64, out: Any, i: int, at: int) -> None:
    """`spread`, eight bytes or one at a time."""
    if out.itemsize == 8:
        for k in range(8):
            out[i, at + k] = deposit((word >> U(8 * k)) & U(255), _BYTES)
    else:
        for k in range(64):
            out[i, at + k] = (word >> U(k)) & _ONE


@intrinsic
def _gather_wide(typing: Any, word: Any, offsets: Any, first: Any, base: Any, out: Any, i: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start, plus, row, column = _numbers(context, builder, signature, args, 2, 3, 5, 6)
        byte, short, number = ir.IntType(8), ir.IntType(16), ir.IntType(32)
        bytes64, bits64 = ir.VectorType(byte, 64), ir.VectorType(ir.IntType(1), 64)
        name = "llvm.x86.avx512.mask.compress.v64i8"
        compress = builder.module.globals.get(name) or ir.Function(
            builder.module, ir.FunctionType(bytes64, [bytes64, bytes64, bits64]), name
        )
        data = context.make_array(signature.args[1])(context, builder, args[1]).data
        source = builder.bitcast(builder.gep(data, [start]), bytes64.as_pointer())
        there = builder.load(source, align=1)
        packed = builder.call(compress, [there, ir.Constant(bytes64, None), builder.bitcast(args[0], bits64)])
        count = builder.ctpop(args[0])

        def write(begin: int, n: int) -> None:
            shorts = ir.VectorType(short, n)
            lanes = ir.Constant(ir.VectorType(number, n), [begin + k for k in range(n)])
            part = builder.zext(builder.shuffle_vector(packed, packed, lanes), shorts)
            one = builder.insert_element(ir.Constant(shorts, ir.Undefined), builder.trunc(plus, short), number(0))
            all_of_it = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(number, n), [0] * n))
            place = _place(context, builder, signature.args[4], args[4], row, builder.add(column, column.type(begin)))
            builder.store(builder.add(part, all_of_it), builder.bitcast(place, shorts.as_pointer()), align=2)

        write(0, 16)
        with builder.if_then(builder.icmp_unsigned(">", count, count.type(16)), likely=False):
            write(16, 16)
            write(32, 32)
        return builder.add(column, count)

    return types.int64(types.uint64, offsets, first, base, out, i, at), generate


def portable_spread_few(word: np.uint64, out: Any, i: int, at: int) -> None:
    """`spread_few`, one byte at a time."""
    for k in range(16):
        out[i, at + k] = (word >> U(k)) & _ONE


def portable_gather(word: np.uint64, offsets: Any, first: int, base: int, out: Any, i: int, at: int) -> int:
    """`gather`, bit by bit."""
    while word != _ZERO:
        out[i, at] = base + np.int64(offsets[first + np.int64(trailing_zeros(word))])
        word &= word - _ONE
        at += 1
    return at


spread: Any = _spread_wide(64) if HAS_BYTE_VECTORS else inlined(portable_spread)
spread_few: Any = _spread_wide(16) if HAS_BYTE_VECTORS else inlined(portable_spread_few)
gather: Any = _gather_wide if HAS_COMPRESS else inlined(portable_gather)

"""Arguments of a kernel as one address, so that a call from Python does not unbox every array of every tuple.

A parcel is an array of words. An array takes the address of its data, its shape and its strides in bytes; a number takes one
word; the parts of a tuple follow each other. The types of the parts belong to the kernel's signature.

- Types: NumPy arrays, integers, booleans, and tuples of them, named or not. Numbers are copied when the parcel is made; arrays
  are not, so kernel and caller see what the other writes into them.
- Lifetime: compiled code holds no references. The `Bound` that is called keeps the arrays alive, during the call too.
- Replaced arrays: a parcel never changes. Where an array or a number is replaced, bind the kernel again.
- Threads: several may call with one parcel at a time. They share its arrays; what each may write is the kernel's concern.
- Processes: a forked child has the same arrays at the same addresses, as a copy. A `Bound` refuses to be pickled or copied,
  because its address means nothing elsewhere: its owner binds the kernel anew, as `VectorEnv` and `dasan.envs.openspiel.desk` do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.datamodel import models
from numba.core.registry import CPUDispatcher
from numba.extending import NativeValue, intrinsic, register_model, unbox
from numba.np.arrayobj import populate_array

from dasan.arrays import Words
from dasan.kernels.runtime.compiled import DISABLED

T = TypeVar("T")


class ParcelType(types.Type):
    """The type of a parcel's address. parts: the type of the tuple in it."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts
        super().__init__(name=f"Parcel({parts})")


@register_model(ParcelType)
class _Address(models.OpaqueModel):
    pass


@unbox(ParcelType)  # type: ignore[no-untyped-call, untyped-decorator]
def _unboxed(kind: ParcelType, number: Any, compiler: Any) -> NativeValue:
    return NativeValue(compiler.pyapi.long_as_voidptr(number))  # type: ignore[no-untyped-call]


class _Words:
    """Reads the words of a parcel in order, as values of their types."""

    def __init__(self, context: Any, builder: Any, address: Any) -> None:
        self.context, self.builder = context, builder
        self.words = builder.bitcast(address, ir.IntType(64).as_pointer())
        self.constant = builder.module.add_metadata([])
        self.at = 0

    def word(self) -> Any:
        place = self.builder.gep(self.words, [ir.IntType(64)(self.at)])
        self.at += 1
        loaded = self.builder.load(place)
        loaded.set_metadata("invariant.load", self.constant)
        return loaded

    def value(self, kind: Any) -> Any:
        builder = self.builder
        if isinstance(kind, types.BaseTuple):
            return self.context.make_tuple(builder, kind, [self.value(part) for part in cast("Any", kind)])
        if isinstance(kind, types.Boolean):
            return builder.trunc(self.word(), ir.IntType(1))
        if isinstance(kind, types.Integer):
            wanted = self.context.get_value_type(kind)
            return self.word() if wanted.width == 64 else builder.trunc(self.word(), wanted)
        array = self.context.make_array(kind)(self.context, builder)
        populate_array(  # type: ignore[no-untyped-call]
            array,
            data=builder.inttoptr(self.word(), array.data.type),
            shape=[self.word() for _ in range(kind.ndim)],
            strides=[self.word() for _ in range(kind.ndim)],
            itemsize=self.context.get_abi_sizeof(self.context.get_data_type(kind.dtype)),
            meminfo=None,
        )
        return array._getvalue()


@intrinsic
def _opened(typing: Any, parcel: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")
        return _Words(context, builder, args[0]).value(parcel.parts)

    return parcel.parts(parcel), generate


def _as_it_is(parcel: T) -> T:
    return parcel


opened: Callable[[T], T] = cast("Any", _as_it_is if DISABLED else _opened)
"""The contents of the parcel that is a kernel's first argument. The function that calls it is never inlined: its loops get more
registers when they are compiled by themselves."""


class Bound(partial[int]):
    """A kernel with its parcel: a call takes the other arguments, which are integers. It keeps the arrays alive, because
    compiled code holds only the address. words: the parcel's words, at that address.
    """

    __slots__ = ("parcel", "words")
    parcel: tuple[Any, ...]
    words: Words

    def __reduce__(self) -> Any:
        raise TypeError("a bound kernel has an address, which means nothing in another process: bind the kernel there")


def bound(kernel: Callable[..., int], parcel: tuple[Any, ...], more: int) -> Bound:
    """A kernel, compiled or not, with `parcel` as its first argument; `more` integers follow.

    TypeError: the parcel holds something other than arrays, integers and booleans.
    """
    if isinstance(kernel, CPUDispatcher):
        words = np.array([word % (1 << 64) for word in _words_of(parcel)], np.uint64)
        kind = numba.typeof(parcel)  # type: ignore[no-untyped-call]
        signature = (ParcelType(kind), *[types.int64] * more)
        out = Bound(_entry(kernel, signature), words.ctypes.data)
    else:
        words = np.zeros(0, np.uint64)
        out = Bound(kernel, parcel)
    out.parcel, out.words = parcel, words
    return out


def _entry(kernel: CPUDispatcher, signature: tuple[Any, ...]) -> Callable[..., int]:
    """The kernel compiled for a signature. Compiled code is taken without the compiler's lock, which an interrupt (Ctrl-C)
    can leave held, so that all other threads would wait for it.
    """
    ready = kernel.overloads.get(signature)
    return kernel.compile(signature) if ready is None else ready.entry_point  # type: ignore[attr-defined]


def _words_of(value: Any) -> Iterator[int]:
    """The words of a part, some of them negative."""
    if isinstance(value, tuple):
        for part in value:
            yield from _words_of(part)
    elif isinstance(value, np.ndarray):
        yield from (value.ctypes.data, *value.shape, *value.strides)
    elif isinstance(value, int | np.integer | np.bool_):
        yield int(value)
    else:
        raise TypeError(f"a parcel holds arrays, integers and booleans, not {type(value).__name__}")

"""Parcels: a kernel reads what was put in, of every type, and works on the caller's arrays."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from dasan.kernels.runtime.compiled import lean
from dasan.kernels.runtime.parcels import bound, opened

pytestmark = pytest.mark.full


class Inner(NamedTuple):
    small: np.int8
    flag: bool
    nothing: tuple[()]
    wide: np.uint64


Parcel = tuple[npt.NDArray[np.int64], Inner, npt.NDArray[np.uint16], np.bool_, int]


@lean
def told(parcel: Parcel, add: int, row: int) -> int:
    """Write all numbers of the parcel into its first array; return the sum of a row of its second."""
    out, inner, table, other, number = opened(parcel)
    out[0], out[1], out[2], out[3], out[4] = inner.small, inner.flag, inner.wide >> np.uint64(60), other, number
    out[5], out[6] = table.shape[0], table.shape[1]
    total = add
    for k in range(table.shape[1]):
        total += table[row, k]
    return total


def parcel_of(number: int = -7) -> Parcel:
    table = np.arange(40, dtype=np.uint16).reshape(5, 8)[::-2, 1::3]  # not contiguous, and backwards
    table.setflags(write=False)
    return np.zeros(7, np.int64), Inner(np.int8(-3), True, (), np.uint64((1 << 64) - 1)), table, np.bool_(False), number


def test_a_kernel_finds_what_was_put_in() -> None:
    parcel = parcel_of()
    kernel = bound(told, parcel, 2)
    table = parcel[2].astype(np.int64)
    for row in range(len(table)):
        assert kernel(100, row) == 100 + table[row].sum()
    assert parcel[0].tolist() == [-3, 1, 15, 0, -7, 3, 3]


def test_each_parcel_has_arrays_of_its_own_which_live_as_long_as_it() -> None:
    kernels = [bound(told, parcel_of(n), 2) for n in range(50)]
    gc.collect()
    with ThreadPoolExecutor(4) as pool:
        sums = list(pool.map(lambda kernel: kernel(0, 1), kernels * 20))
    assert len(set(sums)) == 1
    assert [int(kernel.parcel[0][4]) for kernel in kernels] == list(range(50))


@pytest.mark.parametrize("wrong", [1.5, None, "text", [1], np.float64(2)])
def test_other_values_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"^a parcel holds arrays, integers and booleans, not "):
        bound(told, (np.zeros(1), (wrong,)), 2)


@pytest.mark.long
def test_a_kernel_keeps_its_arrays_when_nothing_else_does() -> None:
    parcel = parcel_of()
    kernel = bound(told, parcel, 2)
    references = [weakref.ref(array) for array in (parcel[0], parcel[2], kernel.words)]
    del parcel
    gc.collect()
    assert all(array() is not None for array in references)
    call = kernel.__call__
    del kernel
    gc.collect()
    assert call(0, 1) == 60
    assert all(array() is not None for array in references)
    del call
    gc.collect()
    assert not any(array() is not None for array in references)


@pytest.mark.parametrize("again", [pickle.dumps, copy.copy])
def test_an_address_is_not_pickled_or_copied(again: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="address"):
        again(bound(told, parcel_of(), 2))

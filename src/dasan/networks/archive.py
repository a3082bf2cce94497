"""The arrays of an `.npz` that anybody may have written: none is read before its header is known to be true.

NumPy makes room for as many numbers as a header claims, and then reads them. A header of a few bytes can claim terabytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import inf, prod
from typing import IO, Any, NamedTuple
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class Claim(NamedTuple):
    """What the header of an array says."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def claims_of(file: Any, otherwise: str) -> dict[str, Claim]:
    """By name, what the headers of an `.npz` say of its arrays. Errors as for `arrays_of`."""
    with _opened(file, otherwise) as held:
        return {name: _claim(held, part) for name, part in _parts(held).items()}


def arrays_of(file: Any, otherwise: str, names: Iterable[str] | None = None, most: float = inf) -> dict[str, Any]:
    """The arrays of an `.npz` by name. names: those to read; None: all. most: the bytes that they may take together.

    ValueError, with the message `otherwise`: the file is no `.npz`, is damaged, lacks one of these arrays, or they take more.
    OSError, MemoryError: it cannot be read.
    """
    with _opened(file, otherwise) as held:
        parts = _parts(held)
        wanted = {name: parts[name] for name in (parts if names is None else names)}
        if sum(part.file_size for part in wanted.values()) > most:
            raise ValueError("its arrays take more")  # zeros are compressed to a thousandth
        return {name: _array(held, part) for name, part in wanted.items()}


@contextmanager
def _opened(file: Any, otherwise: str) -> Iterator[ZipFile]:
    try:
        with ZipFile(file) as held:
            yield held
    except MemoryError:
        raise
    except Exception as error:
        # NumPy, zipfile and its decompressors raise a dozen kinds of errors for damaged files, even OSErrors without number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(otherwise) from error


def _parts(held: ZipFile) -> dict[str, ZipInfo]:
    return {part.filename.removesuffix(".npy"): part for part in held.infolist()}


def _array(held: ZipFile, part: ZipInfo) -> Any:
    _claim(held, part)
    with held.open(part) as stream:
        return npy.read_array(stream, allow_pickle=False)


def _claim(held: ZipFile, part: ZipInfo) -> Claim:
    """ValueError: the part does not contain an array, or one of another size than its header says."""
    with held.open(part) as stream:
        shape, _, dtype = _header(stream)
        count = prod(shape)
        if stream.tell() + count * dtype.itemsize != part.file_size or (count > 1 and not dtype.itemsize):
            raise ValueError("the header claims another size")  # numbers of no bytes, such as |S0, grow when converted
    return Claim(shape, dtype)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    return _HEADERS[npy.read_magic(stream)](stream)

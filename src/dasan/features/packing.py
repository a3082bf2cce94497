"""Packed rows: flags as bits of 64-bit words, and numbers as bytes.

The features that are flags come first and take ceil(flags / 64) words, flag k at bit k % 64 of word k // 64; the other
features follow as bytes, eight to a word. A mask is a row of flags alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dasan.arguments import WrongType, shown, whole
from dasan.arrays import Bytes, Words

if TYPE_CHECKING:
    from torch import Tensor


def packed_size(size: int, flags: int | None = None) -> int:
    """The number of words of a row of `size` features, of which the first `flags` are flags (None: all of them).

    >>> packed_size(175), packed_size(368, 360)
    (3, 7)
    """
    size, flags = _sizes(size, flags)
    return -(-flags // 64) - (-(size - flags) // 8)


def pack(rows: npt.NDArray[Any], flags: int | None = None) -> Words:
    """uint64 [n, words] from rows [n, size], as `unpack` takes it."""
    n, size = rows.shape
    flags = size if flags is None else flags
    out = np.zeros((n, packed_size(size, flags)), np.uint64)
    bits = np.packbits(rows[:, :flags].astype(np.bool_), axis=1, bitorder="little")
    first = -(-flags // 64)
    # Byte 0 of a word is its lowest eight bits.
    held = np.zeros((n, 8 * out.shape[1]), np.uint8)
    held[:, : bits.shape[1]] = bits
    held[:, 8 * first : 8 * first + size - flags] = rows[:, flags:]
    out[:] = held.view("<u8")
    return out


def unpack(words: Words, size: int, flags: int | None = None) -> Bytes:
    """uint8 [n, size], a new array: the features of packed rows, uint64 [n, words].

    `unpack(env.packed_mask, env.num_actions)` is a mask, `unpack(env.packed_obs, env.num_features, env.num_flags)` are
    observations. ValueError: the number of words or their type is wrong.

    >>> unpack(np.array([[5]], np.uint64), 4).tolist()
    [[1, 0, 1, 0]]
    """
    if not isinstance(words, np.ndarray):
        raise WrongType(f"packed rows are an array of uint64, not {shown(words)}")
    size, flags = _check(words.shape, str(words.dtype), size, flags, "uint64")
    held = np.ascontiguousarray(words, "<u8").view(np.uint8)
    first = -(-flags // 64)
    out = np.unpackbits(held[:, : 8 * first], axis=1, count=flags, bitorder="little")
    return out if flags == size else np.concatenate([out, held[:, 8 * first : 8 * first + size - flags]], axis=1)


def unpack_torch(words: Tensor, size: int, flags: int | None = None) -> Tensor:
    """`unpack` for PyTorch: uint8 [n, size], on the device of `words`. Errors as for `unpack`.

    words: uint64 or int64 [n, words], such as `torch.from_numpy(env.packed_obs).to(device)`.
    """
    import torch

    if not isinstance(words, torch.Tensor):
        raise WrongType(f"packed rows are a tensor of uint64 or int64, not {shown(words)}")
    kind = str(words.dtype).removeprefix("torch.")
    checked = "uint64" if kind == "int64" else kind
    size, flags = _check(tuple(words.shape), checked, size, flags, "uint64 or int64")
    held = words.contiguous().view(torch.uint8)
    first = 8 * -(-flags // 64)
    places = torch.arange(8, dtype=torch.uint8, device=words.device)
    bits = (held[:, :first, None] >> places) & 1
    out = bits.reshape(len(words), 8 * first)[:, :flags]
    return out if flags == size else torch.cat([out, held[:, first : first + size - flags]], dim=1)


def _sizes(size: int, flags: int | None) -> tuple[int, int]:
    """The number of features, and how many of them are flags."""
    size = whole(size, "the number of features", 0)
    return size, size if flags is None else whole(flags, "the number of flags", 0, size)


def _check(shape: tuple[int, ...], kind: str, size: int, flags: int | None, wanted: str) -> tuple[int, int]:
    """The numbers of features and of flags in a row. ValueError: the shape or type of the words is wrong."""
    size, flags = _sizes(size, flags)
    columns = packed_size(size, flags)
    if kind != "uint64" or len(shape) != 2 or shape[1] != columns:
        raise ValueError(f"{size} features take {wanted} words of shape [n, {columns}], not {kind} {list(shape)}")
    return size, flags

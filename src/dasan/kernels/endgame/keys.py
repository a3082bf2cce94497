"""Hashing of endgame positions: a key and a check word, hand by hand and then the rest of the position."""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from dasan.arrays import U
from dasan.kernels.runtime.compiled import woven

_A, _B, _C = U(0x9E3779B97F4A7C15), U(0xD6E8FEB86659FD93), U(0xA0761D6478BD642F)
_D, _32 = U(0x8EBC6AF09C88C6E3), U(32)
FACTOR = _C
"""The factor of the first hand."""


@woven
def hash_of(cards: np.uint64, factor: np.uint64) -> np.uint64:
    """A hand's hash. factor: another for each seat."""
    word = (cards + _A) * factor
    return word ^ (word >> _32)


@woven
def with_second_deck(hashed: np.uint64, twice: np.uint64) -> np.uint64:
    """The hash of a hand that also holds the cards `twice` a second time."""
    word = hashed + twice * _C
    return word ^ (word >> U(31))


@woven
def add_hand(
    key: np.uint64, check: np.uint64, factor: np.uint64, hashed: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The key and the check word with another hand, and the factor of the next one."""
    return key + hashed * _D, (check + hashed) * _B, factor * _B


@woven
def finish_key(key: np.uint64, check: np.uint64, rest: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The key, never 0, and the check word. rest: all but the hands."""
    key += (rest + U(1)) * _A
    check += rest * _C
    key ^= key >> _32
    key *= _B
    key ^= key >> U(29)
    check ^= check >> _32
    return key | U(1), check * _D

"""Cache of move lists for revisited positions; four visits in five are to a position seen before.

One array with `ROW` words an entry: the position (hands and context, because positions with equal keys have different
children), the number of children, their proof numbers, and the children. A position maps to one entry and overwrites it.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return,return-value"

from __future__ import annotations

import numpy as np

from dasan.arrays import U, Words
from dasan.kernels.ranks.solver.position import SEATS
from dasan.kernels.runtime.compiled import woven

MOST_PLACES = 1 << 13
MOST = 19
"""Positions with more children are not cached."""
_NUMBERS = 1 + SEATS
_CHILDREN = _NUMBERS + MOST
ROW = _CHILDREN + 2 * MOST + 2
"""Words of an entry: eight cache lines."""
_16 = U(16)
_SHIFT = U(65 - MOST_PLACES.bit_length())
_CONTEXT = U(0xFFFF)
_SEED = U(0x9E3779B97F4A7C15)


def new_cache(memory: int) -> Words:
    """Allocate empty entries in at most `memory` bytes: a power of two of them, at most `MOST_PLACES`, or none."""
    places = min(memory // (8 * ROW), MOST_PLACES)
    return np.zeros(ROW << (places.bit_length() - 1) if places else 0, np.uint64)


@woven
def place_of(cache: Words, hands: Words, at: int, players: int, context: np.uint64) -> int:
    """The index in `cache` of the entry for a position: `context` and the hands from `hands[at]` on."""
    out = context * _SEED
    for seat in range(players):
        out = ((out ^ (out >> U(29))) + hands[at + seat]) * _SEED
    places = cache.shape[0] // ROW
    return (np.int64(((out ^ (out >> U(29))) * _SEED) >> _SHIFT) & (places - 1)) * ROW


@woven
def is_cached(cache: Words, place: int, hands: Words, at: int, players: int, context: np.uint64) -> bool:
    """Whether the entry at `place` belongs to this position."""
    same = cache[place] & _CONTEXT == context
    for seat in range(players):
        same &= cache[place + 1 + seat] == hands[at + seat]
    return same


@woven
def recall(cache: Words, place: int, numbers: Words, children: Words, first: int) -> int:
    """Copy an entry's children and proof numbers to `children[first:]`; return how many there are."""
    count = np.int64(cache[place] >> _16)
    for i in range(count):
        numbers[first + i] = cache[place + _NUMBERS + i]
        children[first + i, 0] = cache[place + _CHILDREN + 2 * i]
        children[first + i, 1] = cache[place + _CHILDREN + 2 * i + 1]
    return count


@woven
def keep(
    cache: Words,
    place: int,
    hands: Words,
    at: int,
    players: int,
    context: np.uint64,
    numbers: Words,
    children: Words,
    first: int,
    count: int,
) -> None:
    """Store `count` children, at most `MOST`, overwriting the entry."""
    cache[place] = context | (U(count) << _16)
    for seat in range(players):
        cache[place + 1 + seat] = hands[at + seat]
    for i in range(count):
        cache[place + _NUMBERS + i] = numbers[first + i]
        cache[place + _CHILDREN + 2 * i] = children[first + i, 0]
        cache[place + _CHILDREN + 2 * i + 1] = children[first + i, 1]


@woven
def keep_numbers(cache: Words, place: int, numbers: Words, first: int, count: int) -> None:
    """Update the proof numbers of an entry's children."""
    for i in range(count):
        cache[place + _NUMBERS + i] = numbers[first + i]

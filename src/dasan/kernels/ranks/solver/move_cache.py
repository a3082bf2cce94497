"""Children of positions that the solver has left, kept for the next visit: four visits of five are to a position seen
before.

All is in one array, a row of `ROW` words a place: of which position (its hands and context, for equal keys mean positions
alike, whose children differ), how many children, their numbers, and they. Each position has one place; what was there before
is given up.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return,return-value"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.kernels.ranks.solver.position import SEATS
from dasan.kernels.runtime.compiled import woven

U = np.uint64
Words = npt.NDArray[np.uint64]

MOST_PLACES = 1 << 13
MOST = 19
"""Most children of a position whose children are kept."""
_NUMBERS = 1 + SEATS
_CHILDREN = _NUMBERS + MOST
ROW = _CHILDREN + 2 * MOST + 2
"""Words a place: eight cache lines."""
_16 = U(16)
_CONTEXT = U(0xFFFF)
_SEED = U(0x9E3779B97F4A7C15)


def new_kept(memory: int) -> Words:
    """Empty places in at most `memory` bytes: a power of two of them, at most `MOST_PLACES`, or none."""
    places = min(memory // (8 * ROW), MOST_PLACES)
    return np.zeros(ROW << (places.bit_length() - 1) if places else 0, np.uint64)


@woven
def place_of(kept: Words, hands: Words, at: int, players: int, context: np.uint64) -> int:
    """Where in `kept` the row of the position of `context` with the hands from `hands[at]` on begins."""
    out = context * _SEED
    for seat in range(players):
        out = ((out ^ (out >> U(29))) + hands[at + seat]) * _SEED
    places = kept.shape[0] // ROW
    return (np.int64(((out ^ (out >> U(29))) * _SEED) >> U(51)) & (places - 1)) * ROW


@woven
def kept_in(kept: Words, place: int, hands: Words, at: int, players: int, context: np.uint64) -> bool:
    """Whether it is this position's children that are kept in its place."""
    same = kept[place] & _CONTEXT == context
    for seat in range(players):
        same &= kept[place + 1 + seat] == hands[at + seat]
    return same


@woven
def recall(kept: Words, place: int, numbers: Words, children: Words, first: int) -> int:
    """Copy the children kept in a place to `children[first:]`, and their numbers; how many."""
    count = np.int64(kept[place] >> _16)
    for i in range(count):
        numbers[first + i] = kept[place + _NUMBERS + i]
        children[first + i, 0] = kept[place + _CHILDREN + 2 * i]
        children[first + i, 1] = kept[place + _CHILDREN + 2 * i + 1]
    return count


@woven
def keep(
    kept: Words,
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
    """Keep `count` children, at most `MOST`, in place of those of another position."""
    kept[place] = context | (U(count) << _16)
    for seat in range(players):
        kept[place + 1 + seat] = hands[at + seat]
    for i in range(count):
        kept[place + _NUMBERS + i] = numbers[first + i]
        kept[place + _CHILDREN + 2 * i] = children[first + i, 0]
        kept[place + _CHILDREN + 2 * i + 1] = children[first + i, 1]


@woven
def keep_numbers(kept: Words, place: int, numbers: Words, first: int, count: int) -> None:
    """Bring the numbers of the children kept in a place up to date."""
    for i in range(count):
        kept[place + _NUMBERS + i] = numbers[first + i]

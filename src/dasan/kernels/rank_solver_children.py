"""Children of positions that the solver has left, kept for the next visit: four visits of five are to a position seen
before.

Each position has one place, which its hands and context name; what was there before is given up.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return,return-value"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.compiled import woven
from dasan.kernels.rank_solver_position import SEATS

U = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

_BITS = 13
PLACES = 1 << _BITS
"""Most places."""
MOST = 20
"""Most children of a position whose children are kept."""
PARTS = 4
"""Words of a child: see `Search.children`."""
_ROW = 1 + PARTS * MOST
_SEED = U(0x9E3779B97F4A7C15)


class Kept(NamedTuple):
    """Places for children. contexts, hands (four words): of which position, for its key would not do: equal keys mean
    positions alike, whose children differ. children: a row a place, how many there are, and they. numbers: their two
    numbers.
    """

    contexts: Words
    hands: Words
    children: Words
    numbers: Numbers


def new_kept(places: int) -> Kept:
    """So many places, a power of two up to `PLACES`, without children."""
    return Kept(
        contexts=np.zeros(places, np.uint64),
        hands=np.empty(places * SEATS, np.uint64),
        children=np.empty((places, _ROW), np.uint64),
        numbers=np.empty((places * MOST, 2), np.int64),
    )


@woven
def place_of(kept: Kept, hands: Words, at: int, players: int, context: np.uint64) -> int:
    """The place of the position of `context` with the hands from `hands[at]` on."""
    out = context * _SEED
    for seat in range(players):
        out = ((out ^ (out >> U(29))) + hands[at + seat]) * _SEED
    return np.int64(((out ^ (out >> U(29))) * _SEED) >> U(64 - _BITS)) & (kept.contexts.shape[0] - 1)


@woven
def kept_in(kept: Kept, place: int, hands: Words, at: int, players: int, context: np.uint64) -> bool:
    """Whether it is this position's children that are kept in its place."""
    same = kept.contexts[place] == context
    for seat in range(players):
        same &= kept.hands[SEATS * place + seat] == hands[at + seat]
    return same


@woven
def recall(kept: Kept, place: int, children: Words, numbers: Numbers, first: int) -> int:
    """Copy the children kept in a place to `children[first:]`; how many."""
    count = np.int64(kept.children[place, 0])
    for i in range(count):
        for part in range(PARTS):
            children[first + i, part] = kept.children[place, 1 + PARTS * i + part]
        for side in range(2):
            numbers[first + i, side] = kept.numbers[place * MOST + i, side]
    return count


@woven
def keep(
    kept: Kept,
    place: int,
    hands: Words,
    at: int,
    players: int,
    context: np.uint64,
    children: Words,
    numbers: Numbers,
    first: int,
    count: int,
) -> None:
    """Keep `count` children, in place of those of another position, unless they are too many."""
    if count > MOST:
        return
    kept.contexts[place] = context
    for seat in range(players):
        kept.hands[SEATS * place + seat] = hands[at + seat]
    kept.children[place, 0] = U(count)
    for i in range(count):
        for part in range(PARTS):
            kept.children[place, 1 + PARTS * i + part] = children[first + i, part]
    keep_numbers(kept, place, numbers, first, count)


@woven
def keep_numbers(kept: Kept, place: int, numbers: Numbers, first: int, count: int) -> None:
    """Bring the numbers of the children kept in a place up to date."""
    if np.int64(kept.children[place, 0]) == count:
        for i in range(count):
            for side in range(2):
                kept.numbers[place * MOST + i, side] = numbers[first + i, side]

"""Find, carry out and choose plays in games without suits (Big Three)."""

from __future__ import annotations

import numpy as np

from dasan.arrays import U
from dasan.kernels.ranks.tables import PASS, RankCatalogue
from dasan.kernels.runtime.bits import extract, nth_set_bit, popcount
from dasan.kernels.runtime.compiled import inlined
from dasan.kernels.runtime.random64 import below

_1, _2, _3 = U(1), U(2), U(3)
_16, _32, _48, _64, _128 = U(16), U(32), U(48), U(64), U(128)
_RUN = U(1023)
_PASS_BIT = U(1 << (PASS - 128))


@inlined
def legal_words(hand: np.uint64, last: np.uint64, catalogue: RankCatalogue) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The actions that `hand` may take on `last`, as three words."""
    at = last * _3
    sets = extract(hand, catalogue.sets) & catalogue.beats[at]
    ones = catalogue.runs[hand & _RUN] | catalogue.runs[U(2048) + ((hand >> _32) & _RUN)]
    twos = catalogue.runs[U(1024) + ((hand >> _16) & _RUN)] | catalogue.runs[U(3072) + ((hand >> _48) & _RUN)]
    return sets, ones & catalogue.beats[at + _1], (twos | _PASS_BIT) & catalogue.beats[at + _2]


@inlined
def taken(hand: np.uint64, action: np.uint64, catalogue: RankCatalogue) -> np.uint64:
    """`hand` without the cards of `action`; the pass takes none."""
    ranks = catalogue.ranks[action]
    shift = catalogue.shift[action]
    left: np.uint64 = (hand & ~ranks) | (((hand & ranks) >> shift) >> shift)
    return left


@inlined
def pick(sets: np.uint64, ones: np.uint64, twos: np.uint64, word: np.uint64) -> np.uint64:
    """A uniformly random action of three words."""
    n0 = popcount(sets)
    n01 = n0 + popcount(ones)
    i = below(word, n01 + popcount(twos))
    if i < n0:
        return nth_set_bit(sets, i)  # type: ignore[no-any-return]
    if i < n01:
        return _64 + nth_set_bit(ones, i - n0)  # type: ignore[no-any-return]
    return _128 + nth_set_bit(twos, i - n01)  # type: ignore[no-any-return]

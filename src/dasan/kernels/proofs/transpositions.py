"""The solver's transposition table: proof and disproof numbers by position, in buckets of four that grow in place.

An entry is two words. The second packs the codes of the two numbers (24 bits each), the logarithm of the work behind them (5) and
11 bits of a second hash, so that a search of 10**9 probes mistakes one position for another with a probability of about
10**-6. The first is the key xor the second, so that threads can share a table without locks: half of one entry and half
of another have no valid key. A full bucket replaces its cheapest entry. The array is allocated once; untouched memory costs
nothing. Only a part of it is in use: `spread` doubles that part, the last time by as much as remains.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return,return-value"

from __future__ import annotations

import numpy as np

from dasan.arrays import U, Words
from dasan.kernels.runtime.bits import leading_zeros
from dasan.kernels.runtime.compiled import inlined, lean, woven_callable

INFINITE = 1 << 50
"""The proof number of a disproved position, larger than all others."""
LARGEST = 1 << 49
"""The largest number of a position that is not decided."""
CODES = (1 << 24) - 1
"""The code of INFINITE; see `coded`."""
_PRECISION = U(19)
BUCKET_WORDS = 8
_0, _1, _3 = U(0), U(1), U(3)
_ALL = U((1 << 64) - 1)
WON = U(CODES) << U(24)
LOST = U(CODES)
"""The packed numbers of a proved and of a disproved position."""
_NUMBER = U(CODES)
_NUMBERS = U((1 << 48) - 1)
_WORK = U(31)


@inlined
def bucket_of(key: np.uint64, buckets: np.uint64) -> int:
    """The index of `key`'s bucket when `buckets` are in use; it changes only when `spread` moves it."""
    mask = _ALL >> leading_zeros((buckets - _1) | _1)
    bucket = (key >> _1) & mask
    if bucket >= buckets:
        bucket &= mask >> _1
    return np.int64(bucket << _3)


@inlined
def find(transpositions: Words, buckets: np.uint64, key: np.uint64, check: np.uint64) -> np.uint64:
    """An entry's packed word, or 0. buckets: those in use."""
    at = bucket_of(key, buckets)
    for i in range(4):
        entry = transpositions[at + 2 * i + 1]
        if transpositions[at + 2 * i] ^ entry == key and entry >> U(53) == check >> U(53):
            return entry
    return _0


@woven_callable
def store(
    transpositions: Words, buckets: np.uint64, key: np.uint64, check: np.uint64, numbers: np.uint64, work: int
) -> int:
    """Write an entry; return 1 if it used a free place, else 0."""
    at = bucket_of(key, buckets)
    place = at
    cheapest = U(99)
    fresh = 0
    for i in range(4):
        there = transpositions[at + 2 * i + 1]
        if transpositions[at + 2 * i] ^ there == key:
            place = at + 2 * i
            fresh = 0
            break
        cost = _0 if there == _0 else _1 + ((there >> U(48)) & _WORK)
        if cost < cheapest:
            cheapest = cost
            place = at + 2 * i
            fresh = 1 if there == _0 else 0
    logarithm = U(64) - leading_zeros(U(work))
    if logarithm > _WORK:
        logarithm = _WORK
    entry = numbers | (logarithm << U(48)) | ((check >> U(53)) << U(53))
    transpositions[place] = key ^ entry
    transpositions[place + 1] = entry
    return fresh


@inlined
def coded(number: int) -> np.uint64:
    """A number, at most `LARGEST` or `INFINITE`, in 24 bits, rounded up: exact below 2 ** 20, then with 20 significant bits.

    Codes order as numbers do.
    """
    if number >= INFINITE:
        return _NUMBER
    word = U(number)
    if word >> U(20) == _0:
        return word
    shift = U(44) - leading_zeros(word)
    return (shift << _PRECISION) + ((word + (_1 << shift) - _1) >> shift)


@inlined
def decoded(code: np.uint64) -> int:
    """The number of a code."""
    if code >> U(20) == _0:
        return np.int64(code)
    if code == _NUMBER:
        return INFINITE
    shift = (code >> _PRECISION) - _1
    return np.int64((code - (shift << _PRECISION)) << shift)


@inlined
def packed(proof: int, disproof: int) -> np.uint64:
    return coded(proof) | (coded(disproof) << U(24))


@inlined
def numbers_in(entry: np.uint64) -> np.uint64:
    """The packed numbers of an entry's second word."""
    return entry & _NUMBERS


@inlined
def proof_in(word: np.uint64) -> int:
    return decoded(word & _NUMBER)


@inlined
def disproof_in(word: np.uint64) -> int:
    return decoded((word >> U(24)) & _NUMBER)


@lean
def spread(transpositions: Words, buckets: int) -> int:
    """Grow the table: move entries from the `buckets` in use, a power of two, into as many new buckets, or as many as
    remain; return how many are in use then.
    """
    more = min(buckets, transpositions.shape[0] // BUCKET_WORDS - buckets)
    bit = U(buckets) << _1
    for bucket in range(more):
        at = bucket * BUCKET_WORDS
        to = (bucket + buckets) * BUCKET_WORDS
        for i in range(at, at + BUCKET_WORDS, 2):
            if (transpositions[i] ^ transpositions[i + 1]) & bit != _0:
                transpositions[to] = transpositions[i]
                transpositions[to + 1] = transpositions[i + 1]
                transpositions[i] = _0
                transpositions[i + 1] = _0
                to += 2
    return buckets + more

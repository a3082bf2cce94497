"""Find, carry out and choose plays in games with kickers (Dou Dizhu).

Scratch of a search:

| words | |
|---|---|
| FIELDS + k | bit 4 × rank is set if the hand has at least k cards of the rank, k from 1 to 4 |
| FOUND, FOUND + 1, … | pairs: a word of plays, of which the hand can make those whose bits are set, and its number |
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.backends.kickers import MOST_PLAYS
from dasan.kernels.env.buffers import signed
from dasan.kernels.kickers.tables import KickerCatalogue
from dasan.kernels.runtime.bits import deposit, nth_set_bit, popcount, trailing_zeros
from dasan.kernels.runtime.compiled import woven, woven_callable

U = np.uint64
Words = npt.NDArray[np.uint64]
_0, _1, _2, _3, _4, _16 = U(0), U(1), U(2), U(3), U(4), U(16)
_ONES = U(0x0111_1111_1111_1111)
_OVER = U(0x0888_8888_8888_8888)
_LOW = U(0x0F0F_0F0F_0F0F_0F0F)
_BYTES = U(0x0101_0101_0101_0101)
_LANE = U(0x7FFF)
_ALL = U(0xFFFF_FFFF_FFFF_FFFF)
LEAD = -1
"""In place of the code of the play to beat: a free lead."""
FIELDS, FOUND = 0, 5
FOUND_WORDS = FOUND + 2 * MOST_PLAYS


@woven_callable
def fields(hand: np.uint64, k: int) -> np.uint64:
    """The ranks of which `hand` has at least `k` cards, k from 1 to 4."""
    two = (hand >> _1) | (hand >> _2)
    if k == 1:
        return (hand | two) & _ONES
    if k == 2:
        return two & _ONES
    if k == 3:
        return ((hand & (hand >> _1)) | (hand >> _2)) & _ONES
    return (hand >> _2) & _ONES


@woven_callable
def size(hand: np.uint64) -> int:
    """The number of cards."""
    return signed((((hand & _LOW) + ((hand >> _4) & _LOW)) * _BYTES) >> U(56))


@woven_callable
def counts_of(cards: np.uint64) -> np.uint64:
    """A hand from suit words: bit 16 × suit + rank for each card, the jokers among the first suit."""
    total: np.uint64 = deposit(cards & _LANE, _ONES) + deposit((cards >> _16) & _LANE, _ONES)
    total += deposit((cards >> U(32)) & _LANE, _ONES) + deposit((cards >> U(48)) & _LANE, _ONES)
    return total


@woven
def _list(form: int, starts: np.uint64, hand: np.uint64, end: int, scratch: Words, catalogue: KickerCatalogue) -> int:
    """Append the plays of a form with these lowest ranks; return the new end."""
    side = signed(catalogue.side[U(catalogue.shapes[U(form)])])
    begin = catalogue.begin
    if side == 0:
        at = begin[U(16 * form)]
        word = starts & catalogue.valid[U(at)]
        if word != _0:
            scratch[U(end)] = word
            scratch[U(end + 1)] = U(at)
            end += 2
        return end
    while starts != _0:
        code = U(16 * form) + (trailing_zeros(starts) >> _2)
        starts &= starts - _1
        for at in range(begin[code], begin[code + _1]):
            left = (hand | _OVER) - catalogue.need[U(at)]
            if left & _OVER == _OVER:
                word = fields(left ^ _OVER, side) & catalogue.valid[U(at)]
                if word != _0:
                    scratch[U(end)] = word
                    scratch[U(end + 1)] = U(at)
                    end += 2
    return end


@woven
def _list_shape(shape: int, hand: np.uint64, end: int, scratch: Words, catalogue: KickerCatalogue) -> int:
    """Append all plays of a shape; return the new end."""
    each = scratch[U(FIELDS + catalogue.copies[U(shape)])] & catalogue.sequence[U(shape)]
    if each == _0:
        return end
    shortest = catalogue.shortest[U(shape)]
    starts = _chains(each, shortest)
    form = signed(catalogue.forms[U(shape)])
    length = signed(shortest)
    while starts != _0 and length <= catalogue.longest[U(shape)]:
        end = _list(form, starts, hand, end, scratch, catalogue)
        starts &= each >> U(4 * length)
        length += 1
        form += 1
    return end


@woven
def _chains(each: np.uint64, length: int) -> np.uint64:
    """The lowest ranks of `length` ranks of `each` that follow one another."""
    starts = each
    for n in range(1, length):
        starts &= each >> U(4 * n)
    return starts


@woven_callable
def find(hand: np.uint64, code: int, scratch: Words, catalogue: KickerCatalogue) -> int:
    """Write the plays of `hand` over the play of this code, or LEAD, to `scratch`, in the order of their rows where
    `catalogue.in_order`; return the end.
    """
    scratch[FIELDS + 1] = fields(hand, 1)
    scratch[FIELDS + 2] = fields(hand, 2)
    scratch[FIELDS + 3] = fields(hand, 3)
    scratch[FIELDS + 4] = fields(hand, 4)
    end = signed(FOUND)
    if code < 0:
        depth = 4
        while depth > 1 and scratch[U(FIELDS + depth)] == _0:
            depth -= 1
        for k in range(catalogue.depths[U(depth - 1)], catalogue.depths[U(depth)]):
            end = _list_shape(catalogue.by_depth[U(k)], hand, end, scratch, catalogue)
        return end
    form = code >> 4
    shape = signed(catalogue.shapes[U(form)])
    each = scratch[U(FIELDS + catalogue.copies[U(shape)])] & catalogue.sequence[U(shape)]
    each &= _ALL << (U(4 * (code & 15)) + _4)
    starts = _chains(each, catalogue.shortest[U(shape)] + form - catalogue.forms[U(shape)])
    end = _list(form, starts, hand, end, scratch, catalogue)
    power = catalogue.powers[U(shape)]
    k = 0
    while catalogue.strong[U(k)] >= 0:
        stronger = catalogue.strong[U(k)]
        if catalogue.powers[U(stronger)] > power:
            end = _list_shape(stronger, hand, end, scratch, catalogue)
        k += 1
    return end


@woven_callable
def choices(end: int, scratch: Words) -> int:
    """The number of plays found."""
    n = 0
    for at in range(FOUND, end, 2):
        n += signed(popcount(scratch[U(at)]))
    return n


@woven
def chosen(i: int, scratch: Words) -> tuple[np.uint64, np.uint64]:
    """The `i`-th play found: its bit, and the number of its word."""
    at = FOUND
    n = signed(popcount(scratch[U(at)]))
    while i >= n:
        i -= n
        at += 2
        n = signed(popcount(scratch[U(at)]))
    return nth_set_bit(scratch[U(at)], U(i)), scratch[U(at + 1)]


@woven
def row_of(bit: np.uint64, word: np.uint64, catalogue: KickerCatalogue) -> int:
    """The row of a bit of a word."""
    return signed(catalogue.first[word]) + signed(popcount(catalogue.valid[word] & ((_1 << bit) - _1)))


@woven_callable
def choice(i: int, scratch: Words, catalogue: KickerCatalogue) -> int:
    """The row of the `i`-th play found."""
    bit, word = chosen(i, scratch)
    return row_of(bit, word, catalogue)

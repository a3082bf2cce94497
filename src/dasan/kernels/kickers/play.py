"""Find, carry out and choose plays in games with kickers (Dou Dizhu).

Scratch of a search:

| words | |
|---|---|
| FIELDS + k | bit 4 × rank is set if the hand has at least k cards of the rank, k from 1 to 4 |
| PLAYS_AT, PLAYS_AT + 1, … | pairs: the plays of a word that the hand can make, as bits, and the word's number; perhaps none |
"""

from __future__ import annotations

import numpy as np

from dasan.arrays import U, Words
from dasan.backends.kickers import MOST_PLAYS
from dasan.kernels.env.buffers import signed
from dasan.kernels.kickers.tables import SET, WITH_KICKERS, KickerCatalogue
from dasan.kernels.runtime.bits import deposit, nth_set_bit, popcount, trailing_zeros
from dasan.kernels.runtime.compiled import woven, woven_callable

_0, _1, _2, _3, _4, _16 = U(0), U(1), U(2), U(3), U(4), U(16)
_ONES = U(0x0111_1111_1111_1111)
_OVER = U(0x0888_8888_8888_8888)
_LOW = U(0x0F0F_0F0F_0F0F_0F0F)
_BYTES = U(0x0101_0101_0101_0101)
_LANE = U(0x7FFF)
_ALL = U(0xFFFF_FFFF_FFFF_FFFF)
LEAD = -1
"""In place of the code of the play to beat: a free lead."""
FIELDS, PLAYS_AT = 0, 5
PLAY_WORDS = PLAYS_AT + 2 * MOST_PLAYS


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
def _add(word: np.uint64, at: np.uint64, end: int, n: int, scratch: Words) -> tuple[int, int]:
    """Append a word, which may be empty, and its number; return the new end and the number of plays."""
    scratch[U(end)] = word
    scratch[U(end) + _1] = at
    return end + 2, n + signed(popcount(word))


@woven
def _list(
    form: np.uint64, starts: np.uint64, hand: np.uint64, end: int, n: int, scratch: Words, catalogue: KickerCatalogue
) -> tuple[int, int]:
    """Append the plays of a form with kickers with these lowest ranks; return the new end and the number of plays."""
    side = signed(catalogue.side[U(catalogue.shapes[form])])
    begin = catalogue.begin
    while starts != _0:
        code = (form << _4) + (trailing_zeros(starts) >> _2)
        starts &= starts - _1
        for at in range(U(begin[code]), U(begin[code + _1])):
            left = (hand | _OVER) - catalogue.need[at]
            if left & _OVER == _OVER:
                word = fields(left ^ _OVER, side) & catalogue.valid[at]
                if word != _0:
                    end, n = _add(word, U(at), end, n, scratch)
    return end, n


@woven
def _list_shape(
    shape: np.uint64, hand: np.uint64, end: int, n: int, scratch: Words, catalogue: KickerCatalogue
) -> tuple[int, int]:
    """Append all plays of a shape; return the new end and the number of plays."""
    plan = catalogue.plans[shape]
    each = scratch[U(FIELDS) + (plan & U(7))] & catalogue.sequence[shape]
    if plan & U(SET) != _0:
        return _add(each, plan >> U(24), end, n, scratch)
    length, most = (plan >> _3) & U(15), (plan >> U(7)) & U(15)
    if popcount(each) < length:
        return end, n
    form = (plan >> U(13)) & U(2047)
    starts = each
    for k in range(_1, length):
        starts &= each >> (k << _2)
    while starts != _0 and length <= most:
        if plan & U(WITH_KICKERS) != _0:
            end, n = _list(form, starts, hand, end, n, scratch, catalogue)
        else:
            at = U(catalogue.begin[form << _4])
            end, n = _add(starts & catalogue.valid[at], at, end, n, scratch)
        starts &= each >> (length << _2)
        length += _1
        form += _1
    return end, n


@woven_callable
def find(hand: np.uint64, code: int, scratch: Words, catalogue: KickerCatalogue) -> tuple[int, int]:
    """Write the plays of `hand` over the play of this code, or LEAD, to `scratch`, in the order of their rows where
    `catalogue.in_order`; return the end, and how many plays there are.
    """
    two, three, four = fields(hand, 2), fields(hand, 3), fields(hand, 4)
    scratch[FIELDS + 1] = fields(hand, 1)
    scratch[FIELDS + 2] = two
    scratch[FIELDS + 3] = three
    scratch[FIELDS + 4] = four
    end, n = signed(PLAYS_AT), signed(0)
    if code < 0:
        depth = U(two != _0) + U(three != _0) + U(four != _0)
        for k in range(U(catalogue.depths[depth]), U(catalogue.depths[depth + _1])):
            end, n = _list_shape(U(catalogue.by_depth[k]), hand, end, n, scratch, catalogue)
        return end, n
    plan = U(catalogue.answer[U(code)])
    each = scratch[U(FIELDS) + (plan & U(7))]
    starts = each & catalogue.above[U(code)]
    for k in range(_1, (plan >> _3) & U(15)):
        starts &= each >> (k << _2)
    form = U(code) >> _4
    if plan & U(128) == _0:
        end, n = _add(starts, plan >> U(8), end, n, scratch)
    else:
        end, n = _list(form, starts, hand, end, n, scratch, catalogue)
    power = catalogue.powers[U(catalogue.shapes[form])]
    at = _0
    while catalogue.strong[at] >= 0:
        stronger = U(catalogue.strong[at])
        if catalogue.powers[stronger] > power:
            end, n = _list_shape(stronger, hand, end, n, scratch, catalogue)
        at += _1
    return end, n


@woven
def answers(hand: np.uint64, code: int, catalogue: KickerCatalogue) -> tuple[bool, np.uint64, np.uint64]:
    """Whether the plays of `hand` over the play of this code are known to be bits of one word; then the word and its number. Most
    often they are: the play has no kickers, or the hand no higher main groups, and the hand has no bombs.
    """
    plan = U(catalogue.answer[U(code)])
    four = fields(hand, 4)
    copies = plan & U(7)
    each = fields(hand, 2)
    each = fields(hand, 1) if copies == _1 else each
    each = fields(hand, 3) if copies == _3 else each
    each = four if copies == _4 else each
    starts = each & catalogue.above[U(code)]
    for n in range(_1, (plan >> _3) & U(15)):
        starts &= each >> (n << _2)
    none = (four & catalogue.bombs == _0) & (hand & catalogue.rocket != catalogue.rocket) & catalogue.simple
    return none & ((plan & U(128) == _0) | (starts == _0)), starts, plan >> U(8)


@woven
def chosen(i: int, scratch: Words) -> tuple[np.uint64, np.uint64]:
    """The `i`-th play found: its bit, and the number of its word."""
    at = PLAYS_AT
    n = signed(popcount(scratch[U(at)]))
    while i >= n:
        i -= n
        at += 2
        n = signed(popcount(scratch[U(at)]))
    return nth_set_bit(scratch[U(at)], U(i)), scratch[U(at + 1)]


@woven
def code_of(shown: np.uint64) -> int:
    """The code of a play, from `catalogue.shown`."""
    return signed((shown >> U(32)) & U(0xFFFF))


@woven
def row_of(bit: np.uint64, word: np.uint64, catalogue: KickerCatalogue) -> int:
    """The row of a bit of a word."""
    return signed(catalogue.first[word]) + signed(popcount(catalogue.valid[word] & ((_1 << bit) - _1)))


@woven_callable
def choice(i: int, scratch: Words, catalogue: KickerCatalogue) -> int:
    """The row of the `i`-th play found."""
    bit, word = chosen(i, scratch)
    return row_of(bit, word, catalogue)

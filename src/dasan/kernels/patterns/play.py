"""Find what a hand of Winner can play, and the cards that a play takes, by shifting and intersecting words.

Everything is read from the sets `held[n]`: the cards of a hand that have at least n more cards of their rank below them or equal
to them. A pair decided by a card is a bit of `held[1]`; the ranks held three times are the nibbles of `held[2]`; a run
of n ranks starts where n shifted words all have a bit.
"""

from __future__ import annotations

import numpy as np

from dasan.arrays import U, Words
from dasan.kernels.env.buffers import signed
from dasan.kernels.patterns.tables import FIRST, FLUSH, GROUPS, MOST_BLOCKS, MOST_COPIES, NO_SUIT, SAME, PatternCatalogue
from dasan.kernels.runtime.bits import nth_set_bit, popcount, trailing_zeros, used_fields
from dasan.kernels.runtime.compiled import lean, linked, woven, woven_callable

_0, _1, _15 = U(0), U(1), U(15)
_RANKS = U(0x1111_1111_1111_1111)
_ALL = U(0xFFFF_FFFF_FFFF_FFFF)

HELD, PLAYS_AT = 0, MOST_COPIES
PLAY_WORDS = PLAYS_AT + 2 * MOST_BLOCKS
"""Words of scratch: from PLAYS_AT on, pairs of a word and the place of its bit 0 in `PatternCatalogue.rows`."""


@woven
def lowest(cards: np.uint64) -> np.uint64:
    """The lowest card of each rank."""
    higher = ((cards & U(0x7777_7777_7777_7777)) << _1) | ((cards & U(0x3333_3333_3333_3333)) << U(2))
    higher |= (cards & _RANKS) << U(3)
    out: np.uint64 = cards & ~higher
    return out


@woven
def in_sequence(cards: np.uint64, catalogue: PatternCatalogue) -> np.uint64:
    """The cards by their places in the sequence of runs, 4 × place + suit; jokers have none."""
    cards &= catalogue.plain
    turned: np.uint64 = ((cards >> catalogue.turn) | (cards << catalogue.back)) & catalogue.places
    return turned


@woven
def remaining(one: np.uint64, two: np.uint64, first: np.uint64, second: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The hand (one, two) after the cards (first, second) have left it."""
    return one & ~second & ~(first & ~two), two & ~first


@woven
def _hold(one: np.uint64, two: np.uint64, depth: int, scratch: Words) -> None:
    """Set held[0] to held[depth - 1]."""
    scratch[HELD] = one
    for n in range(1, depth):
        if one != _0:
            low = lowest(one)
            one, two = one & ~(low & ~two), two & ~low
        scratch[HELD + n] = one


@woven
def _find(kind: int, length: int, above: np.uint64, end: int, scratch: Words, catalogue: PatternCatalogue) -> int:
    """Append the plays of a kind, only those of `length` if it is not 0, among the bits `above`; return the new end."""
    held = scratch[U(HELD + catalogue.copies[U(kind)] - 1)]
    if held == _0:
        return end
    form, block = catalogue.form[U(kind)], catalogue.block[U(kind)]
    if form == SAME:
        word = (used_fields(held) if catalogue.decider[U(kind)] == NO_SUIT else held) & above
        if word != _0:
            scratch[U(end)] = word
            scratch[U(end + 1)] = U(64 * block)
            end += 2
    elif form == GROUPS:
        mains = used_fields(held & catalogue.plain) & above
        sides = used_fields(scratch[U(HELD + catalogue.side[U(kind)] - 1)])
        more = used_fields(scratch[U(HELD + catalogue.depth[U(kind)] - 1)])
        while mains != _0:
            main = mains & (~mains + _1)
            mains ^= main
            at = block + signed(trailing_zeros(main) >> U(2))
            word = ((sides & ~main) | (more & main)) & catalogue.valid[U(at)]
            if word != _0:
                scratch[U(end)] = word
                scratch[U(end + 1)] = U(64 * at)
                end += 2
    else:
        end = _find_runs(kind, length, above, end, in_sequence(held, catalogue), scratch, catalogue)
    return end


@woven
def _find_runs(
    kind: int, length: int, above: np.uint64, end: int, held: np.uint64, scratch: Words, catalogue: PatternCatalogue
) -> int:
    """As `_find`, for runs; `held` by places in the sequence."""
    form, decider, mixed = catalogue.form[U(kind)], catalogue.decider[U(kind)], catalogue.mixed[U(kind)]
    shortest, longest = catalogue.shortest[U(kind)], catalogue.longest[U(kind)]
    at = catalogue.block[U(kind)]
    if length > 0:
        at += length - shortest
        shortest = longest = length
    each = held if form == FLUSH else used_fields(held)
    starts = each
    for n in range(1, shortest):
        starts &= each >> U(4 * n)
    # Runs of one suit: starts after which no rank is held in another suit.
    alone = single = _0
    if mixed and starts != _0:
        single = lowest(held)
        others = used_fields(held ^ single)
        single &= ~(others | (others << _1) | (others << U(2)) | (others << U(3)))
        alone = _ALL
        for n in range(1, shortest):
            alone &= single >> U(4 * n)
    last = shortest
    while starts != _0:
        if form == FLUSH:
            word = starts
        elif decider == NO_SUIT:
            word = starts
            if mixed:
                word &= ~used_fields(alone & single)
        else:
            of = held if decider == FIRST else held >> U(4 * (last - 1))
            word = (starts | (starts << _1) | (starts << U(2)) | (starts << U(3))) & of & ~alone
        word &= above & catalogue.valid[U(at)]
        if word != _0:
            scratch[U(end)] = word
            scratch[U(end + 1)] = U(64 * at)
            end += 2
        if last == longest:
            break
        starts &= each >> U(4 * last)
        if mixed:
            alone &= single >> U(4 * last)
        last += 1
        at += 1
    return end


@woven_callable
def find(
    one: np.uint64, two: np.uint64, table: int, stronger: bool, scratch: Words, catalogue: PatternCatalogue
) -> tuple[int, int]:
    """Write the plays of a hand over the row `table` (negative: leads) to `scratch`.

    stronger: whether to look for bombs and straight flushes too. Returns the end of plays of the same kind, and the end.
    """
    kind, length, above, power, depth = 0, 0, _ALL, 0, catalogue.deepest
    if table >= 0:
        kind, length, above, power = (
            catalogue.kind[table],
            catalogue.length[table],
            catalogue.above[table],
            catalogue.power[table],
        )
        depth = catalogue.deepest if stronger else catalogue.depth[kind]
    _hold(one, two, depth, scratch)
    end = ordinary = signed(PLAYS_AT)
    k = 0
    while True:
        end = _find(kind, length, above, end, scratch, catalogue)
        if table < 0:
            kind += 1
            if kind == catalogue.form.shape[0]:
                return end, end
            continue
        if k == 0:
            ordinary = end
        kind = catalogue.strong[k]
        if not stronger or kind < 0 or catalogue.powers[U(kind)] <= power:
            return ordinary, end
        length, above = 0, _ALL
        k += 1


@woven_callable
def choices(end: int, scratch: Words) -> int:
    """The number of plays found."""
    n = 0
    for at in range(PLAYS_AT, end, 2):
        n += signed(popcount(scratch[at]))
    return n


@woven_callable
def choice(i: int, scratch: Words, catalogue: PatternCatalogue) -> int:
    """The row of the `i`-th play found."""
    at = PLAYS_AT
    n = signed(popcount(scratch[at]))
    while i >= n:
        i -= n
        at += 2
        n = signed(popcount(scratch[at]))
    return signed(catalogue.rows[scratch[at + 1] + nth_set_bit(scratch[at], U(i))])


@woven_callable
def cards_of(row: int, one: np.uint64, two: np.uint64, catalogue: PatternCatalogue) -> tuple[np.uint64, np.uint64]:
    """The cards `row` takes, as (once, twice): the lowest suits that do not change what it is."""
    first, second = catalogue.exact[row], _0
    left, left_two = remaining(one, two, first, _0)
    for n in range(catalogue.rest.shape[1]):
        ranks = catalogue.rest[row, n]
        if ranks == _0:
            break
        low = lowest(left & ranks)
        second |= first & low
        first |= low
        left, left_two = left & ~(low & ~left_two), left_two & ~low
    if catalogue.row_mixed[row] and _only_one_suit(first):
        first = _mixed_suits(row, first, one, catalogue)
    return first, second


@woven
def _only_one_suit(cards: np.uint64) -> bool:
    suit = trailing_zeros(cards) & U(3)
    return cards & ~(_RANKS << suit) == _0  # type: ignore[no-any-return]


@linked
def _mixed_suits(row: int, cards: np.uint64, one: np.uint64, catalogue: PatternCatalogue) -> np.uint64:
    """A one-suited straight with one card exchanged for the next higher suit, at the first place where one is held."""
    suit = trailing_zeros(cards) & U(3)
    for place in range(catalogue.start[row], catalogue.start[row] + catalogue.length[row]):
        rank = catalogue.sequence[place]
        base = U(4 * rank)
        held = (one >> base) & _15 & ~(_1 << suit)
        if rank == catalogue.row_decider[row] or held == _0:
            continue
        higher = held & ~((_1 << (suit + _1)) - _1)
        chosen = lowest(higher if higher != _0 else held)
        exchanged: np.uint64 = (cards & ~(_15 << base)) | (chosen << base)
        return exchanged
    return cards


@lean
def any_beats(
    one: np.uint64, two: np.uint64, target: int, limit: int, scratch: Words, catalogue: PatternCatalogue
) -> bool:
    """Whether a row of at most `limit` cards out of these beats the row `target`."""
    _, end = find(one, two, target, limit > 0, scratch, catalogue)
    for at in range(PLAYS_AT, end, 2):
        row = catalogue.rows[scratch[at + 1] + trailing_zeros(scratch[at])]
        if catalogue.size[row] <= limit:
            return True
    return False

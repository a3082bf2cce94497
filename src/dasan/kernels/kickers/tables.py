"""The catalogue of a game with kickers (Dou Dizhu) as words of plays.

A hand is one 64-bit word: the number of cards of rank r is the four bits from 4 × r on, the jokers are the ranks 13 and 14. A
*word* of plays has a bit, at 4 × rank, for every play of a group of rows that follow one another in the catalogue and differ in
one rank: the rank of a set, the lowest rank of a run of one length, or the highest kicker of plays whose other cards are equal.

| shape | a word for each | bit | cards beside those of the bit |
|---|---|---|---|
| set, run | length | lowest rank | none |
| main groups with kickers | length, lowest rank, kickers but the last | last kicker | main groups and the other kickers |
| rocket | | red joker | the black joker |
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from dasan.arrays import Ints, Words
from dasan.backends import KICKERS
from dasan.backends.kickers import COPIES
from dasan.kernels.env.settlement import Settlement, settlement
from dasan.ruleset.catalogue import Row
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AllJokers, AnyShape, Kickers, Run, Same

PLACES = 16
"""Places of a lowest rank in a code."""
WITH_KICKERS, SET = 1 << 11, 1 << 12
"""Bits of a plan: the plays of the shape have kickers; they are sets of equal cards."""


class KickerCatalogue(NamedTuple):
    """The catalogue as arrays. A *form* is a shape and a number of main groups; the *code* of a play is PLACES × form + the
    rank of its lowest main group, and of two plays of one form the one with the higher code is higher.

    | array | by | |
    |---|---|---|
    | side, powers | shape | cards of a kicker, 0 without kickers; its power |
    | sequence | shape | the ranks that main groups can have |
    | plans | shape | bits 0 to 2: cards of a main group; 3 to 6, 7 to 10: shortest, longest; WITH_KICKERS, SET |
    | | | 13 to 23: its first form; from bit 24 on: the first word of that |
    | strong | | shapes with power, as listed, then -1 |
    | by_depth | depths | from depths[k - 1] to depths[k] - 1: the shapes whose main groups have up to k cards |
    | shapes | form | its shape |
    | begin | code | to begin[code + 1] - 1: its words; for forms without kickers those of place 0 alone |
    | above | code | the lowest ranks of higher plays of the form |
    | answer | code | bits 0 to 2: cards of a main group; 3 to 6: groups; 7: whether there are kickers |
    | | | from bit 8 on: the first word of its form |
    | need, unit | word | the cards beside those of the bit; the cards of bit 0 |
    | valid, first | word | its bits; the row of the lowest |
    | codes, slope | word | the code of bit 0, and by how much it grows with the rank of the bit |
    | counts | row | the cards; one entry more, 0, for a pass |
    | shown | row | the row in bits 0 to 31, the code in bits 32 to 47, in bit 63 whether it has power; one entry more, 0 |
    | kinds | row | one bit |

    bombs: the ranks of four equal cards with power. rocket: the counts of jokers that have power together, or all bits. simple:
    whether no other plays have power. in_order: whether plays of power are the last rows.
    """

    side: Ints
    powers: Ints
    sequence: Words
    plans: Words
    strong: Ints
    by_depth: Ints
    depths: Ints
    begin: Ints
    need: Words
    unit: Words
    valid: Words
    first: Ints
    codes: Ints
    slope: Ints
    above: Words
    answer: Ints
    bombs: np.uint64
    rocket: np.uint64
    simple: bool
    counts: Words
    shown: Words
    kinds: Words
    shapes: Ints
    in_order: bool


class KickerPolicy(NamedTuple):
    """Policies of the rules as numbers."""

    players: int
    hand_size: int
    top: int
    settlement: Settlement


def kicker_policy(rules: Rules) -> KickerPolicy:
    if rules.auction is None or rules.hand_size is None:
        raise ValueError(f"{rules.name} has no auction")
    return KickerPolicy(
        players=rules.players,
        hand_size=rules.hand_size,
        top=rules.auction.top,
        settlement=settlement(rules),
    )


class _Word:
    """A word of plays under construction."""

    def __init__(self, row: Row, need: int, unit: int, code: int, slope: int) -> None:
        self.first, self.need, self.unit, self.code, self.slope = row.id, need, unit, code, slope
        self.bits: list[int] = []


def packed(counts: dict[int, int] | tuple[tuple[int, int], ...]) -> int:
    """A hand from the number of cards of each rank.

    >>> hex(packed({0: 3, 2: 1}))
    '0x103'
    """
    return sum(n << (4 * rank) for rank, n in dict(counts).items())


@lru_cache(maxsize=16)
def kicker_catalogue(rules: Rules) -> KickerCatalogue:
    """The catalogue of `rules` as words. ValueError: the backend `kickers` does not honour the rules."""
    KICKERS.require(rules)
    rows, shapes = rules.catalogue.rows, rules.shapes
    lengths = [_lengths(shape) for shape in shapes]
    forms = [sum(map(len, lengths[:i])) for i in range(len(shapes))]
    words: dict[tuple[int, int, tuple[tuple[int, int], ...]], _Word] = {}
    codes = np.zeros(len(rows), np.int32)
    number = {shape.kind: i for i, shape in enumerate(shapes)}
    for row in rows:
        shape = number[row.kind]
        length, low, bit, others = _parts(row, shapes[shape])
        form = forms[shape] + length - lengths[shape][0]
        codes[row.id] = PLACES * form + low
        key = (form, 0 if others is None else low, others or ())
        unit = (packed(row.pattern.counts) - packed(others or ())) >> (4 * bit)
        if key not in words:
            at = PLACES * form if others is None else codes[row.id]
            words[key] = _Word(row, packed(others or ()), unit, int(at), int(others is None))
        words[key].bits.append(bit)
        if row.id != words[key].first + len(words[key].bits) - 1 or sorted(words[key].bits) != words[key].bits:
            raise ValueError(f"{rules.name} lists its {row.kind} in an order that has no words")
    listed = sorted(words.values(), key=lambda word: word.code)
    if [word.first for word in listed if word.slope == 0] != sorted(w.first for w in listed if w.slope == 0):
        raise ValueError(f"{rules.name} lists its kickers in an order that has no words")
    starts = np.array([word.code for word in listed])
    kinds = list(dict.fromkeys(shape.kind for shape in shapes))
    powers = [shape.power for shape in shapes]
    strong = [i for i, power in enumerate(powers) if power > 0]
    begin = np.searchsorted(starts, np.arange(PLACES * sum(map(len, lengths)) + 1)).astype(np.int32)
    of_form = [(shape, n) for shape, own in zip(shapes, lengths, strict=True) for n in own]
    valid = [sum(1 << (4 * bit) for bit in word.bits) for word in listed]
    above, answer = [], []
    for form, (of, n) in enumerate(of_form):
        first = int(begin[PLACES * form])
        answer += [_copies(of) | n << 3 | (_side(of) > 0) << 7 | first << 8] * PLACES
        ranks = _sequence(of, rules) if _side(of) else valid[first]
        above += [ranks & -(16 << (4 * low)) for low in range(PLACES)]
    plans = [
        _copies(shape)
        | own[0] << 3
        | own[-1] << 7
        | form << 13
        | int(begin[PLACES * form]) << 24
        | (WITH_KICKERS if _side(shape) else SET if isinstance(shape, Same) else 0)
        for shape, own, form in zip(shapes, lengths, forms, strict=True)
    ]
    by_depth = [[i for i, shape in enumerate(shapes) if _copies(shape) <= depth] for depth in range(1, COPIES + 1)]
    return KickerCatalogue(
        side=_small(_side(shape) for shape in shapes),
        powers=_small(powers),
        sequence=np.array([_sequence(shape, rules) for shape in shapes], np.uint64),
        plans=np.array(plans, np.uint64),
        strong=_small([*strong, -1]),
        by_depth=_small(i for group in by_depth for i in group),
        depths=_small(accumulate(map(len, by_depth), initial=0)),
        begin=begin,
        need=np.array([word.need for word in listed], np.uint64),
        unit=np.array([word.unit for word in listed], np.uint64),
        valid=np.array(valid, np.uint64),
        first=_small(word.first for word in listed),
        codes=_small(word.code for word in listed),
        slope=_small(word.slope for word in listed),
        above=np.array(above, np.uint64),
        answer=_small(answer),
        bombs=np.uint64(sum(_sequence(shapes[i], rules) for i in strong if _is_four(shapes[i]))),
        rocket=np.uint64(
            sum(17 << (4 * len(rules.ranks)) for i in strong if isinstance(shapes[i], AllJokers)) or (1 << 64) - 1
        ),
        simple=all(_is_four(shapes[i]) or isinstance(shapes[i], AllJokers) for i in strong),
        counts=np.array([*(packed(row.pattern.counts) for row in rows), 0], np.uint64),
        shown=np.array([*(row.id | int(codes[row.id]) << 32 | (row.power > 0) << 63 for row in rows), 0], np.uint64),
        kinds=np.array([1 << kinds.index(row.kind) for row in rows], np.uint64),
        shapes=_small(i for i, own in enumerate(lengths) for _ in own),
        in_order=all(power > 0 for power in powers[min(strong, default=0) :]),
    )


def _small(numbers: Iterable[int]) -> Ints:
    return np.array(list(numbers), np.int32)


def _lengths(shape: AnyShape) -> range:
    """How many main groups a play of the shape has."""
    return range(shape.shortest, shape.longest + 1) if isinstance(shape, Run | Kickers) else range(1, 2)


def _copies(shape: AnyShape) -> int:
    return shape.count if isinstance(shape, Same) else 1 if isinstance(shape, AllJokers) else shape.copies  # type: ignore[union-attr]


def _is_four(shape: AnyShape) -> bool:
    return isinstance(shape, Same) and shape.count == COPIES


def _side(shape: AnyShape) -> int:
    return shape.side if isinstance(shape, Kickers) else int(isinstance(shape, AllJokers))


def _sequence(shape: AnyShape, rules: Rules) -> int:
    """The bits of the ranks that main groups can have."""
    ranks = [*range(len(rules.ranks)), len(rules.ranks), len(rules.ranks) + 1]
    if isinstance(shape, Run | Kickers):
        ranks = [rules.ranks.index(rank) for rank in shape.sequence]
    if isinstance(shape, AllJokers):
        ranks = [len(rules.ranks)]
    return sum(1 << (4 * rank) for rank in ranks)


def _parts(row: Row, shape: AnyShape) -> tuple[int, int, int, tuple[tuple[int, int], ...] | None]:
    """The number of main groups, the rank of the lowest, the rank of the row's bit, and the cards beside it; None: there are none
    of other kinds.
    """
    counts = row.pattern.counts
    if isinstance(shape, Same | Run):
        return len(counts), counts[0][0], counts[0][0], None
    if isinstance(shape, AllJokers):
        return 1, counts[0][0], counts[1][0], counts[:1]
    assert isinstance(shape, Kickers)
    length = shape.groups(row.size)
    *others, (last, n) = counts[length:]
    again = ((last, n - shape.side),) if n > shape.side else ()
    return length, counts[0][0], last, (*counts[:length], *others, *again)

"""The catalogue of a game with canonical rows (Winner), as arrays.

A hand is two 64-bit words with bit 4 × rank + suit for every card: `one` has the cards held at least once, `two` those
held twice (two decks). The plays of a hand are further words, one for each kind of one length, in which a row has the bit
4 × rank (or first place in the sequence) + deciding suit. `play.find` finds these words by shifting and and-ing hands.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Flags, Longs, Words
from dasan.backends import PATTERNS
from dasan.kernels.cards import card_bits
from dasan.kernels.env.settlement import Settlement, settlement
from dasan.ruleset.catalogue import Row
from dasan.ruleset.policies import Restart
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import TIER, AnyShape, Groups, Run, Same

SAME, RUN, FLUSH, GROUPS = 0, 1, 2, 3
NO_SUIT, FIRST, LAST = 0, 1, 2
MOST_BLOCKS, MOST_COPIES = 96, 8
"""Capacity; Winner needs 76 blocks and 5 copies at most."""


class PatternCatalogue(NamedTuple):
    """Arrays by kind, by block, by row, and the pack.

    By kind: form (SAME, RUN, FLUSH, GROUPS); copies: cards of each rank, in GROUPS of the main one; side: cards of the
    other rank; decider: the suit of the FIRST rank decides, of the LAST, or none; mixed: a run must not be of one suit;
    shortest, longest: the ranks of a run; depth: the most cards of one rank; powers; block: its first block.
    strong: kinds by descending power, down to power 1, then -1.

    A block is a word of 64 rows by their bits: a run has one for each length from the shortest on, GROUPS one for each
    main rank, with bit 4 × other rank. rows: by 64 × block + bit, the row; valid: by block, the bits that are rows.

    By row: kind, length (of runs, else 0), power, size. above: the rows of its kind that beat it, as bits of its own word
    (GROUPS: 4 × main rank). exact: cards that must all be held (flushes, the deciding card). rest: [row, n], every card of the
    ranks of which it takes more than n cards in addition to those. mixed, decider: as above, but decider is a rank or -1.
    start: its first place in `sequence`.

    deepest: the greatest depth. turn: 4 × the rank that the sequence of runs begins with, back: 4 × the ranks from there
    on (then it goes on with the lowest). sequence: its ranks. places: all its cards. plain: all cards but jokers. pack:
    every card as one bit.
    """

    form: Longs
    copies: Longs
    side: Longs
    decider: Longs
    mixed: Flags
    shortest: Longs
    longest: Longs
    depth: Longs
    powers: Longs
    block: Longs
    strong: Longs
    rows: npt.NDArray[np.int16]
    valid: Words
    kind: Longs
    length: Longs
    above: Words
    power: Longs
    size: Longs
    exact: Words
    rest: Words
    row_mixed: Flags
    row_decider: Longs
    start: Longs
    deepest: int
    turn: np.uint64
    back: np.uint64
    sequence: Longs
    places: np.uint64
    plain: np.uint64
    pack: Words


class PatternPolicy(NamedTuple):
    """Policies of the rules as numbers.

    restart: 0 off, 1 when unbeatable, 2 always. top: the bit of the highest two. opening: the bit of the card whose
    holder leads.
    """

    players: int
    restart: int
    top: int
    opening: int
    settlement: Settlement


@lru_cache(maxsize=32)
def pattern_policy(rules: Rules) -> PatternPolicy:
    opening = -1
    if rules.opening is not None:
        rank, suit = rules.order.place[next(card for card in rules.pack if str(card) == rules.opening.card)]
        opening = 4 * rank + suit
    return PatternPolicy(
        players=rules.players,
        restart=[Restart.OFF, Restart.WHEN_UNBEATABLE, Restart.ALWAYS].index(rules.restart),
        top=4 * (len(rules.ranks) - 1) + len(rules.suits) - 1,
        opening=opening,
        settlement=settlement(rules),
    )


@lru_cache(maxsize=32)
def pattern_catalogue(rules: Rules) -> PatternCatalogue:
    """The catalogue of `rules` as arrays. ValueError: the backend `patterns` does not honour the rules."""
    PATTERNS.require(rules)
    catalogue = rules.catalogue
    rows = catalogue.rows
    # Equal rules share one catalogue; its rows have the shapes of the rules that were compiled first.
    shapes = [shape for shape in catalogue.rules.shapes if any(row.shape is shape for row in rows)]
    for shape in shapes:
        _check(shape)
    if len({row.family for row in rows}) != len({(row.kind, row.size) for row in rows}):
        raise ValueError("the kernels compare no different kinds of one power")
    sequence = _sequence(rules, shapes)
    turn = sequence[0]
    if any(rank != (turn + i) % len(rules.ranks) for i, rank in enumerate(sequence)):
        raise ValueError("the kernels know runs that go round the ranks only")

    def numbers(of: list[int]) -> Longs:
        return np.array(of, np.int64)

    block = np.cumsum([0] + [_blocks(shape, rules) for shape in shapes])
    kind = [next(k for k, shape in enumerate(shapes) if shape is row.shape) for row in rows]
    depths = [_depth([row for row in rows if row.shape is shape]) for shape in shapes]
    if block[-1] > MOST_BLOCKS or max(depths) > MOST_COPIES:
        raise ValueError("the kernels have no room for so many kinds")
    ids = np.full(64 * block[-1], -1, np.int16)
    for row, k in zip(rows, kind, strict=True):
        ids[64 * block[k] + _spot(row)] = row.id
    strong = sorted((k for k, shape in enumerate(shapes) if shape.power > 0), key=lambda k: -shapes[k].power)
    return PatternCatalogue(
        form=numbers([_form(shape) for shape in shapes]),
        copies=numbers([_copies(shape) for shape in shapes]),
        side=numbers([shape.side if isinstance(shape, Groups) else 0 for shape in shapes]),
        decider=numbers([_decider(shape) for shape in shapes]),
        mixed=np.array([isinstance(shape, Run) and shape.plain for shape in shapes]),
        shortest=numbers([shape.shortest if isinstance(shape, Run) else 0 for shape in shapes]),
        longest=numbers([max(_length(row) for row in rows if row.shape is shape) for shape in shapes]),
        depth=numbers(depths),
        powers=numbers([shape.power for shape in shapes]),
        block=block,
        strong=numbers([*strong, -1]),
        rows=ids,
        valid=np.array(
            [sum(1 << i for i in range(64) if ids[64 * number + i] >= 0) for number in range(block[-1])], np.uint64
        ),
        kind=numbers(kind),
        length=numbers([_length(row) for row in rows]),
        above=_above(rows),
        power=numbers([row.power for row in rows]),
        size=numbers([row.size for row in rows]),
        exact=np.array([_exact(row) for row in rows], np.uint64),
        rest=np.array([[_rest(row, n) for n in range(max(depths))] for row in rows], np.uint64),
        row_mixed=np.array([row.pattern.mixed for row in rows]),
        row_decider=numbers([row.pattern.decider for row in rows]),
        start=numbers([sequence.index(row.pattern.counts[0][0]) if _length(row) else 0 for row in rows]),
        deepest=max(depths),
        turn=np.uint64(4 * turn),
        back=np.uint64(4 * (len(rules.ranks) - turn)),
        sequence=numbers(sequence),
        places=np.uint64((1 << (4 * len(sequence))) - 1),
        plain=np.uint64((1 << (4 * len(rules.ranks))) - 1),
        pack=np.array([card_bits(rules)[card] for card in rules.pack], np.uint64),
    )


def _check(shape: AnyShape) -> None:
    match shape:
        case Same():
            return
        case Groups(by_suit=False):
            return
        case Run(crown="", copies=copies, tie=tie, flush=flush, plain=plain):
            if not (flush or plain) or (copies == 1 and tie != "last"):
                return
    raise ValueError(f"the kernels know no {shape.kind} of this sort")


def _sequence(rules: Rules, shapes: list[AnyShape]) -> list[int]:
    """The ranks in the order of runs."""
    sequences = {shape.sequence for shape in shapes if isinstance(shape, Run)} or {rules.ranks}
    if len(sequences) > 1:
        raise ValueError("the kernels know one sequence only")
    return [rules.ranks.index(rank) for rank in sequences.pop()]


def _form(shape: AnyShape) -> int:
    if isinstance(shape, Run):
        return FLUSH if shape.flush else RUN
    return SAME if isinstance(shape, Same) else GROUPS


def _copies(shape: AnyShape) -> int:
    match shape:
        case Same(count=n) | Run(copies=n) | Groups(main=n):
            return n
    return 0


def _decider(shape: AnyShape) -> int:
    match shape:
        case Same(by_suit=True) | Run(tie="first"):
            return FIRST
        case Run(tie="last"):
            return LAST
    return NO_SUIT


def _blocks(shape: AnyShape, rules: Rules) -> int:
    match shape:
        case Run(shortest=shortest, longest=longest):
            return longest - shortest + 1
        case Groups():
            return len(rules.ranks)
    return 1


def _length(row: Row) -> int:
    return len(row.pattern.counts) if isinstance(row.shape, Run) else 0


def _spot(row: Row) -> int:
    """The block, from the kind's first, and the bit of a row, as one number."""
    strength = row.strength % TIER
    match row.shape:
        case Run(shortest=shortest, flush=flush):
            bit = 4 * (strength // 4) + row.pattern.suit if flush else strength
            return 64 * (_length(row) - shortest) + bit
        case Groups():
            return 64 * row.pattern.counts[0][0] + 4 * row.pattern.counts[-1][0]
    return strength


def _above(rows: tuple[Row, ...]) -> Words:
    families: dict[str, list[Row]] = {}
    for row in rows:
        families.setdefault(row.family, []).append(row)
    out = []
    for row in rows:
        higher = [other for other in families[row.family] if other.strength > row.strength]
        spots = {4 * (_spot(other) // 64) if isinstance(other.shape, Groups) else _spot(other) % 64 for other in higher}
        out.append(sum(1 << spot for spot in spots))
    return np.array(out, np.uint64)


def _depth(rows: list[Row]) -> int:
    return max(n for row in rows for _, n in row.pattern.counts)


def _bits(rank: int, suits: int) -> int:
    return suits << (4 * rank)


def _exact(row: Row) -> int:
    pattern = row.pattern
    if pattern.flush:
        return sum(_bits(rank, 1 << pattern.suit) for rank, _ in pattern.counts)
    return _bits(pattern.decider, 1 << pattern.suit) if pattern.decider >= 0 else 0


def _rest(row: Row, n: int) -> int:
    """Ranks of which more than `n` cards are taken beside the exact ones."""
    pattern = row.pattern
    return sum(
        _bits(rank, 15) for rank, count in pattern.counts if not pattern.flush and count - (rank == pattern.decider) > n
    )

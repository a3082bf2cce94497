"""The action table of a game whose rows are exact sets of cards (Big Two), as arrays for kernels.

A hand is one 64-bit word with bit 4 × rank + suit for every card, so that a higher bit is a higher card. Single cards
and pairs are bits of four words: bit *b* of word 0 is the card *b*, bit *b* of word *d* the pair of it and the card *d*
suits below. Larger rows are listed from a hand when they are asked for.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.ruleset import CardScoring, FixedScoring, Guard, Rules
from dasan.table import Row, compile

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Counts = tuple[tuple[int, int], ...]

LEAD, OPENING, LARGE = 0, 1, 2
"""What is to be answered: nothing; nothing, but the opening card must be part of it; a row of more than two cards. Each
card and each pair has a higher number of its own."""
RANKS, SUITS = 13, 4
MOST_CARDS = 13
GROUPS = 5


class Patterns(NamedTuple):
    """Patterns of ranks of the larger rows that are not of one suit.

    heads: their first groups, as bits of count lanes (see `rank_table`); those of head *h* are begin[h] to begin[h + 1] -
    1. needs: a pattern as count lanes. size: its cards. best: its greatest strength. shift, count: [pattern, group], what
    brings the group's suits to the lowest bits, and its cards, 0 after the last. first, stride: a row is
    rows[first[pattern] + the sum of choice × stride[pattern, group]], or -1. choices[suits, count, j]: the j-th choice of
    `count` of these suits as a number; how_many[suits, count].
    """

    heads: np.uint64
    begin: Small
    needs: Words
    size: Small
    best: Small
    shift: Words
    count: Small
    first: Small
    stride: Small
    rows: Small
    choices: Small
    how_many: Small


class Flushes(NamedTuple):
    """Rows of one suit. size: how many cards, 0 for no such rows. rows[suit, ranks]: the row of these cards, or -1.
    picks[begin[n]] to picks[begin[n + 1] - 1]: every choice of `size` of n things, as bits.
    """

    size: int
    rows: Small
    picks: Words
    begin: Small


class SetTable(NamedTuple):
    """Arrays for kernels.

    words, size, strength: by row. answer: by row, what it is to those who must beat it, see `LEAD`. above[answer, d]: the
    cards (d = 0) and pairs that may be played to it. small[bit, d]: the row of a card or a pair. least: cards in the
    smallest of the larger rows, more than a hand has if there are none.
    """

    words: Words
    size: Small
    strength: Small
    answer: Small
    above: Words
    small: Small
    least: int
    patterns: Patterns
    flushes: Flushes


class SetPolicy(NamedTuple):
    """What else the rules decide, as numbers.

    opening: bit of the card the first lead must include, -1 for none. guard: 0 off, 1 foul, 2 enforced. stake: what a
    loser pays at fixed stakes; if 0, a loser who holds n cards pays times[n].
    """

    players: int
    hand_size: int
    opening: int
    pass_is_final: bool
    guard: int
    stake: int
    times: Numbers


def set_policy(rules: Rules) -> SetPolicy:
    scoring = rules.scoring
    stake = scoring.stake if isinstance(scoring, FixedScoring) else 0
    times = np.zeros(rules.most_cards + 1, np.int64)
    if isinstance(scoring, CardScoring):
        if scoring.unplayed:
            raise ValueError("kernels of sets know no price for unplayed hands")
        times[:] = [scoring.cost(n, True) for n in range(rules.most_cards + 1)]
    guard = {Guard.OFF: 0, Guard.FOUL: 1, Guard.ENFORCED: 2}[rules.guard]
    return SetPolicy(rules.players, rules.hand_size or 0, _opening(rules), rules.pass_is_final, guard, stake, times)


def _opening(rules: Rules) -> int:
    if rules.opening is None or not rules.opening.in_the_lead:
        return -1
    rank, suit = rules.order.place[next(c for c in rules.pack if str(c) == rules.opening.card)]
    return SUITS * rank + suit


@lru_cache(maxsize=16)
def set_table(rules: Rules) -> SetTable:
    """The arrays of `rules`' action table, whose rows must be exact sets of at most five cards, pairs those of two."""
    rows = compile(rules).rows
    if any(row.cards is None or row.size > GROUPS for row in rows) or rules.most_cards > MOST_CARDS:
        raise ValueError(f"{rules.name} has rows that are not sets of up to five cards, or hands of more than thirteen")
    place = rules.order.place
    words = np.zeros(len(rows), np.uint64)
    answer = np.full(len(rows), LARGE, np.int32)
    small = np.full((4 * RANKS, SUITS), -1, np.int32)
    singles_and_pairs: list[tuple[Row, int, int]] = []
    for row in rows:
        bits = sorted(SUITS * rank + suit for rank, suit in (place[c] for c in row.cards or ()))
        words[row.id] = sum(1 << bit for bit in bits)
        if row.size > 2:
            continue
        if bits[0] // SUITS != bits[-1] // SUITS:
            raise ValueError(f"{rules.name} has rows of two cards that are no pairs")
        answer[row.id] = LARGE + 1 + len(singles_and_pairs)
        singles_and_pairs.append((row, bits[-1], bits[-1] - bits[0]))
        small[bits[-1], bits[-1] - bits[0]] = row.id
    above = np.zeros((LARGE + 1 + len(singles_and_pairs), SUITS), np.uint64)
    opening = _opening(rules)
    for row, bit, d in singles_and_pairs:
        one = np.uint64(1 << bit)
        above[LEAD, d] |= one
        if opening in (bit, bit - d):
            above[OPENING, d] |= one
        for other, _, _ in singles_and_pairs:
            if other.size == row.size and row.strength > other.strength:
                above[answer[other.id], d] |= one
    large = [row for row in rows if row.size > 2]
    return SetTable(
        words=words,
        size=np.array([row.size for row in rows], np.int32),
        strength=np.array([row.strength for row in rows], np.int32),
        answer=answer,
        above=above,
        small=small,
        least=min((row.size for row in large), default=MOST_CARDS + 1),
        patterns=_patterns(rules, [row for row in large if not row.pattern.flush]),
        flushes=_flushes(rules, [row for row in large if row.pattern.flush]),
    )


def _patterns(rules: Rules, rows: list[Row]) -> Patterns:
    place = rules.order.place
    chosen_of = {sum(1 << s for s in c): j for n in range(5) for j, c in enumerate(combinations(range(SUITS), n))}
    found: dict[Counts, list[Row]] = {}
    for row in rows:
        found.setdefault(row.pattern.counts, []).append(row)
    order = sorted(found, key=_head)
    n = len(order)
    begin = np.zeros(65, np.int32)
    needs, first = np.zeros(n, np.uint64), np.zeros(n, np.int32)
    shift, count = np.zeros((n, GROUPS), np.uint64), np.zeros((n, GROUPS + 1), np.int32)
    stride = np.zeros((n, GROUPS), np.int32)
    ids: list[int] = []
    for p, counts in enumerate(order):
        begin[_head(counts) + 1 :] = p + 1
        needs[p] = sum(1 << (16 * lane + rank) for rank, held in counts for lane in range(held))
        first[p] = len(ids)
        size = 1
        for g, (rank, held) in enumerate(counts):
            shift[p, g], count[p, g], stride[p, g] = SUITS * rank, held, size
            size *= comb(SUITS, held)
        of_pattern = [-1] * size
        for row in found[counts]:
            suits = [sum(1 << place[c][1] for c in row.cards or () if place[c][0] == rank) for rank, _ in counts]
            of_pattern[sum(chosen_of[s] * int(stride[p, g]) for g, s in enumerate(suits))] = row.id
        ids += of_pattern
    choices = np.zeros((1 << SUITS, 5, 6), np.int32)
    how_many = np.zeros((1 << SUITS, 5), np.int32)
    for suits in range(1 << SUITS):
        for part, j in chosen_of.items():
            if part & ~suits == 0:
                held = part.bit_count()
                choices[suits, held, how_many[suits, held]] = j
                how_many[suits, held] += 1
    return Patterns(
        heads=np.uint64(sum({1 << _head(counts) for counts in order})),
        begin=begin,
        needs=needs,
        size=np.array([sum(held for _, held in counts) for counts in order], np.int32),
        best=np.array([max(row.strength for row in found[counts]) for counts in order], np.int32),
        shift=shift,
        count=count,
        first=first,
        stride=stride,
        rows=np.array(ids, np.int32),
        choices=choices,
        how_many=how_many,
    )


def _head(counts: Counts) -> int:
    """The place of a pattern's first group in count lanes."""
    rank, held = counts[0]
    return 16 * (held - 1) + rank


def _flushes(rules: Rules, rows: list[Row]) -> Flushes:
    sizes = {row.size for row in rows}
    if len(sizes) > 1:
        raise ValueError(f"{rules.name} has flushes of several sizes")
    size = max(sizes, default=0)
    place = rules.order.place
    out = np.full((SUITS, 1 << RANKS), -1, np.int32)
    for row in rows:
        out[row.pattern.suit, sum(1 << place[c][0] for c in row.cards or ())] = row.id
    picks: list[int] = []
    begin = np.zeros(RANKS + 2, np.int32)
    for n in range(RANKS + 1):
        picks += [sum(1 << k for k in chosen) for chosen in combinations(range(n), size)]
        begin[n + 1] = len(picks)
    return Flushes(size, out, np.array(picks, np.uint64), begin)

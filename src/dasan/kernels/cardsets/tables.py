"""The catalogue of a game whose rows are exact sets of cards (Big Two), as arrays.

A hand is one 64-bit word with bit 4 × rank + suit for every card, so that a higher bit is a higher card. Single cards
and pairs are bits of four words: bit *b* of word 0 is the card *b*, bit *b* of word *d* the pair of it and the card *d*
suits below. Larger rows are listed from a hand when they are legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dasan.arrays import Ints, Words
from dasan.backends import CARDSETS
from dasan.kernels.env.settlement import Settlement, settlement
from dasan.ruleset.catalogue import Row
from dasan.ruleset.policies import Guard
from dasan.ruleset.rules import Rules

LEAD, OPENING, LARGE = 0, 1, 2
"""The play to beat, as an answer code: none (free lead), none (lead must contain the opening card), or a row of more than two
cards. Each single card and each pair has a code of its own above these."""
RANKS, SUITS = 13, 4
MOST_CARDS, MOST_PLAYED = 13, 5
LANES = 64
ALONE = 63
"""The place in count lanes that stands for "no second group"."""


class Runs(NamedTuple):
    """Rows of one card of each of several ranks, not all of one suit. A set of such ranks is called a window.

    windows[ranks]: the windows among these ranks, as bits. cards, size, best: by window, all its cards, the cards of a row, and
    the greatest strength. A row is rows[window, sum of suit << 2 × place], -1 for none, the lowest rank at place 0. pad: by
    window, what fills up a hand's suits of these ranks, four bits each, to five places. suits[begin[held]] to
    suits[begin[held + 1] - 1]: every such sum for the suits held at three places, four bits each.
    """

    windows: Words
    cards: Words
    pad: Words
    size: Ints
    best: Ints
    rows: Ints
    begin: Ints
    suits: Ints


class GroupTables(NamedTuple):
    """Rows of one or two groups of cards of a rank, other than pairs. A group is its place in count lanes (see
    `rank_catalogue`).

    heads: the first groups. best: the greatest strength of their rows. sides: the groups that may be second. held: the
    cards of a group. choices[suits, held, j]: the j-th choice of `held` of these suits as a number; how_many[suits, held]. A
    row, or -1 for none, is rows[first[head, side] + choice × how_many[15, held of the second] + choice of the second].
    """

    heads: np.uint64
    best: Ints
    sides: Words
    held: Ints
    first: Ints
    rows: Ints
    choices: Ints
    how_many: Ints


class Flushes(NamedTuple):
    """Rows of one suit. size: how many cards, 0 for no such rows. rows[suit, ranks]: the row of these cards, or -1.
    picks[begin[n]] to picks[begin[n + 1] - 1]: every choice of `size` out of n, as bits.
    """

    size: int
    rows: Ints
    picks: Words
    begin: Ints


class CardsetCatalogue(NamedTuple):
    """Arrays for kernels.

    words, size, strength: by row. answer: by row, its answer code, see `LEAD`. above[answer, d]: the cards (d = 0) and pairs
    that may be played on it. small[bit, d]: the answer code of a card or pair; rows: by answer code, the row. least: cards in
    the smallest of the larger rows, more than a hand has if there are none.
    """

    words: Words
    size: Ints
    strength: Ints
    answer: Ints
    above: Words
    small: Ints
    rows: Ints
    least: int
    runs: Runs
    groups: GroupTables
    flushes: Flushes


class CardsetPolicy(NamedTuple):
    """Policies of the rules as numbers.

    opening: bit of the card the first lead must include, -1 for none. guard: 0 off, 1 foul, 2 enforced.
    """

    players: int
    hand_size: int
    opening: int
    pass_is_final: bool
    guard: int
    settlement: Settlement


def cardset_policy(rules: Rules) -> CardsetPolicy:
    guard = {Guard.OFF: 0, Guard.FOUL: 1, Guard.ENFORCED: 2}[rules.guard]
    return CardsetPolicy(
        rules.players, rules.hand_size or 0, opening_bit(rules), rules.pass_is_final, guard, settlement(rules)
    )


def opening_bit(rules: Rules) -> int:
    """The bit of the card that the first lead must contain, -1 for none."""
    if rules.opening is None or not rules.opening.in_the_lead:
        return -1
    return bit_of_card(rules, rules.opening.card)


def bit_of_card(rules: Rules, text: str) -> int:
    """The bit of a card."""
    rank, suit = rules.order.place[next(card for card in rules.pack if str(card) == text)]
    return SUITS * rank + suit


@lru_cache(maxsize=16)
def cardset_catalogue(rules: Rules) -> CardsetCatalogue:
    """The catalogue of `rules` as arrays. ValueError: the backend `cardsets` does not honour the rules."""
    CARDSETS.require(rules)
    return arrays_of(rules, rules.catalogue.rows)


def arrays_of(rules: Rules, rows: Sequence[Row]) -> CardsetCatalogue:
    """The rows of `rules` as arrays; their strengths may be other numbers than those of the catalogue."""
    place = rules.order.place
    words = np.zeros(len(rows), np.uint64)
    answer = np.full(len(rows), LARGE, np.int32)
    small = np.zeros((65, SUITS), np.int32)
    singles_and_pairs: list[tuple[Row, int, int]] = []
    for row in rows:
        bits = sorted(SUITS * rank + suit for rank, suit in (place[card] for card in row.cards or ()))
        words[row.id] = sum(1 << bit for bit in bits)
        if row.size > 2:
            continue
        if bits[0] // SUITS != bits[-1] // SUITS:
            raise ValueError(f"{rules.name} has rows of two cards that are no pairs")
        answer[row.id] = LARGE + 1 + len(singles_and_pairs)
        singles_and_pairs.append((row, bits[-1], bits[-1] - bits[0]))
        small[bits[-1], bits[-1] - bits[0]] = answer[row.id]
    above = np.zeros((LARGE + 1 + len(singles_and_pairs), SUITS), np.uint64)
    opening = opening_bit(rules)
    for row, bit, distance in singles_and_pairs:
        one = np.uint64(1 << bit)
        above[LEAD, distance] |= one
        if opening in (bit, bit - distance):
            above[OPENING, distance] |= one
        for other, _, _ in singles_and_pairs:
            if other.size == row.size and row.strength > other.strength:
                above[answer[other.id], distance] |= one
    large = [row for row in rows if row.size > 2]
    return CardsetCatalogue(
        words=words,
        size=np.array([row.size for row in rows], np.int32),
        strength=np.array([row.strength for row in rows], np.int32),
        answer=answer,
        above=above,
        small=small,
        rows=np.array([-1] * (LARGE + 1) + [row.id for row, _, _ in singles_and_pairs], np.int32),
        least=min((row.size for row in large), default=MOST_CARDS + 1),
        runs=_runs(rules, [row for row in large if _is_run(row) and not row.pattern.flush]),
        groups=_groups(rules, [row for row in large if not _is_run(row)]),
        flushes=_flushes(rules, [row for row in large if row.pattern.flush]),
    )


def _is_run(row: Row) -> bool:
    return all(held == 1 for _, held in row.pattern.counts)


def _runs(rules: Rules, rows: list[Row]) -> Runs:
    windows: dict[int, list[Row]] = {}
    for row in rows:
        windows.setdefault(sum(1 << rank for rank, _ in row.pattern.counts), []).append(row)
    if len(windows) > LANES:
        raise ValueError(f"{rules.name} has more than {LANES} runs")
    ids = np.full((len(windows), SUITS**MOST_PLAYED), -1, np.int32)
    for k, of_window in enumerate(windows.values()):
        for row in of_window:
            suits = [suit for _, suit in sorted(rules.order.place[card] for card in row.cards or ())]
            ids[k, sum(suit << 2 * at for at, suit in enumerate(suits))] = row.id
    sums: list[int] = []
    begin = np.zeros((1 << 3 * SUITS) + 1, np.int32)
    for three in range(1 << 3 * SUITS):
        held = [[suit for suit in range(SUITS) if three >> (SUITS * at + suit) & 1] for at in range(3)]
        sums += [low + 4 * middle + 16 * high for high in held[2] for middle in held[1] for low in held[0]]
        begin[three + 1] = len(sums)
    sizes = [window.bit_count() for window in windows]
    return Runs(
        windows=np.array(
            [sum(1 << k for k, window in enumerate(windows) if window & ~held == 0) for held in range(1 << RANKS)],
            np.uint64,
        ),
        cards=np.array(
            [sum(15 << SUITS * rank for rank in range(RANKS) if window >> rank & 1) for window in windows], np.uint64
        ),
        pad=np.array([sum(1 << SUITS * at for at in range(size, MOST_PLAYED)) for size in sizes], np.uint64),
        size=np.array(sizes, np.int32),
        best=np.array([max(row.strength for row in of_window) for of_window in windows.values()], np.int32),
        rows=ids,
        begin=begin,
        suits=np.array(sums, np.int32),
    )


def _groups(rules: Rules, rows: list[Row]) -> GroupTables:
    number = {
        sum(1 << suit for suit in chosen): j for n in range(5) for j, chosen in enumerate(combinations(range(SUITS), n))
    }
    choices, how_many = np.zeros((1 << SUITS, 5, 6), np.int32), np.zeros((1 << SUITS, 5), np.int32)
    for suits in range(1 << SUITS):
        for part, j in number.items():
            if part & ~suits == 0:
                n = part.bit_count()
                choices[suits, n, how_many[suits, n]] = j
                how_many[suits, n] += 1
    held = np.array([place // 16 + 1 for place in range(LANES)], np.int32)
    held[ALONE] = 0
    best = np.zeros(LANES, np.int32)
    heads, sides = 0, [0] * LANES
    first = np.full((LANES, LANES), -1, np.int32)
    ids: list[int] = []
    for row in rows:
        places = [16 * (n - 1) + rank for rank, n in row.pattern.counts]
        head, side = (*places, ALONE)[:2]
        if len(places) > 2:
            raise ValueError(f"{rules.name} has rows of more than two groups")
        heads |= 1 << head
        sides[head] |= 1 << side
        best[head] = max(best[head], row.strength)
        if first[head, side] < 0:
            first[head, side] = len(ids)
            ids += [-1] * int(how_many[15, held[head]] * how_many[15, held[side]])
        held_suits = [0, 0]
        for rank, suit in (rules.order.place[card] for card in row.cards or ()):
            held_suits[rank != row.pattern.counts[0][0]] |= 1 << suit
        ids[first[head, side] + how_many[15, held[side]] * number[held_suits[0]] + number[held_suits[1]]] = row.id
    return GroupTables(
        heads=np.uint64(heads),
        best=best,
        sides=np.array(sides, np.uint64),
        held=held,
        first=first,
        rows=np.array(ids, np.int32),
        choices=choices,
        how_many=how_many,
    )


def _flushes(rules: Rules, rows: list[Row]) -> Flushes:
    sizes = {row.size for row in rows}
    if len(sizes) > 1:
        raise ValueError(f"{rules.name} has flushes of several sizes")
    size = max(sizes, default=0)
    place = rules.order.place
    out = np.full((SUITS, 1 << RANKS), -1, np.int32)
    for row in rows:
        out[row.pattern.suit, sum(1 << place[card][0] for card in row.cards or ())] = row.id
    picks: list[int] = []
    begin = np.zeros(RANKS + 2, np.int32)
    for n in range(RANKS + 1):
        picks += [sum(1 << k for k in chosen) for chosen in combinations(range(n), size)]
        begin[n + 1] = len(picks)
    return Flushes(size, out, np.array(picks, np.uint64), begin)

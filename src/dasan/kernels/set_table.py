"""The action table of a game whose rows are exact sets of cards (Big Two), as arrays for kernels.

A hand is one 64-bit word with bit 4 × rank + suit for every card, so that a higher bit is a higher card. All plays that
a hand contains are listed once, at the deal: its patterns of ranks are tried one by one, and the sets of each that it
holds are looked up in a hash table of rows. From then on a play is there as long as its cards are.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.ruleset import CardScoring, FixedScoring, Guard, Rules
from dasan.table import compile

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

HASH_BITS = 16
HASH_FACTOR = 0x9E3779B97F4A7C15


class SetTable(NamedTuple):
    """Arrays for kernels.

    keys, rows: open hash of card words to row ids. strength, size: by row. patterns[i]: up to five ranks and how many
    cards of each (-1 ends it). needs[i]: the pattern as count lanes. flush_size: cards in a flush, 0 for none; flush: by
    row, whether it is of one suit.
    subsets[(suits * 5 + n) * 6 + j]: the n-card subsets of a set of suits, 255 ends them. single[bit]: the strength of a
    card alone.
    """

    keys: Words
    rows: Numbers
    strength: Numbers
    size: Numbers
    patterns: Numbers
    needs: Words
    flush_size: int
    flush: npt.NDArray[np.bool_]
    subsets: Numbers
    single: Numbers
    words: Words


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
    opening = -1
    if rules.opening is not None and rules.opening.in_the_lead:
        rank, suit = rules.order.place[next(c for c in rules.pack if str(c) == rules.opening.card)]
        opening = 4 * rank + suit
    guard = {Guard.OFF: 0, Guard.FOUL: 1, Guard.ENFORCED: 2}[rules.guard]
    return SetPolicy(rules.players, rules.hand_size or 0, opening, rules.pass_is_final, guard, stake, times)


@lru_cache(maxsize=16)
def set_table(rules: Rules) -> SetTable:
    """The arrays of `rules`' action table, whose rows must be exact sets of at most five cards."""
    table = compile(rules)
    place = rules.order.place
    rows = table.rows
    keys = np.zeros(1 << HASH_BITS, np.uint64)
    ids = np.full(1 << HASH_BITS, -1, np.int64)
    words = np.zeros(len(rows), np.uint64)
    patterns: dict[tuple[tuple[int, int], ...], None] = {}
    flush_size = 0
    for row in rows:
        if row.cards is None or row.size > 5:
            raise ValueError(f"{rules.name} has rows that are not sets of up to five cards")
        word = sum(1 << (4 * rank + suit) for rank, suit in (place[c] for c in row.cards))
        words[row.id] = word
        spot = (word * HASH_FACTOR & (1 << 64) - 1) >> (64 - HASH_BITS)
        while keys[spot]:
            spot = (spot + 1) & ((1 << HASH_BITS) - 1)
        keys[spot] = word
        ids[spot] = row.id
        if row.pattern.flush:
            flush_size = row.size
        else:
            patterns[row.pattern.counts] = None
    listed = np.full((len(patterns), 10), -1, np.int64)
    needs = np.zeros(len(patterns), np.uint64)
    for i, counts in enumerate(patterns):
        listed[i, : 2 * len(counts)] = [number for pair in counts for number in pair]
        needs[i] = sum(1 << (16 * lane + rank) for rank, n in counts for lane in range(n))
    subsets = np.full((16, 5, 6), 255, np.int64)
    for suits in range(16):
        held = [s for s in range(4) if suits >> s & 1]
        for n in range(5):
            for j, chosen in enumerate(combinations(held, n)):
                subsets[suits, n, j] = sum(1 << s for s in chosen)
    single = np.zeros(52, np.int64)
    for row in rows:
        if row.size == 1:
            single[int(words[row.id]).bit_length() - 1] = row.strength
    return SetTable(
        keys=keys,
        rows=ids,
        strength=np.array([row.strength for row in rows], np.int64),
        size=np.array([row.size for row in rows], np.int64),
        patterns=listed,
        needs=needs,
        flush_size=flush_size,
        flush=np.array([row.pattern.flush for row in rows]),
        subsets=subsets.reshape(-1),
        single=single,
        words=words,
    )

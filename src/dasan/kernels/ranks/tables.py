"""The catalogue of a game without suits as bit words.

A hand is one 64-bit word of four 16-bit lanes: lane j has a bit for every rank of which at least j + 1 cards are held.
Rows of the catalogue are bits of three words, ordered so that two cheap steps find everything that a hand can
play: one bit extract gives all sets of equal cards (word 0), and one look-up a lane gives all runs (word 1: runs of
singles and triplets; word 2: runs of pairs and quads). `beats[last]` are the bits that may be played on action `last`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dasan.arrays import Longs, Words
from dasan.backends import RANKS
from dasan.ruleset.catalogue import Row
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination

LANES = 4
RUN_RANKS = 10
"""Runs use only the lowest ten ranks (B3.14), so a lane's look-up has 1,024 entries."""
PASS = 191
LEAD = 190
"""Action numbers that are not plays: the pass, and the last action when a player leads."""
ACTIONS = 192
_SPREAD = 0x0001_0001_0001_0001


class RankCatalogue(NamedTuple):
    """The catalogue as arrays. Actions are places 0 to 191 in three words of 64 bits.

    sets: the word mask of sets under bit extract. runs[lane * 1024 + lane bits]: the run bits. beats[action * 3 + word].
    ranks[action]: the ranks a play takes, in every lane. shift[action]: 8 × copies; taking cards moves the lanes above
    down by twice that. rows[action]: the row's id in the catalogue, -1 for none. sizes[action]: cards.
    using[rank * 3 + word]: the bits of plays with cards of a rank. bombs[action]: 1 for a play with power (H.14), else 0.
    """

    sets: np.uint64
    runs: Words
    beats: Words
    ranks: Words
    shift: Words
    rows: Longs
    sizes: Longs
    using: Words
    bombs: Words


def action_of(row: Row, ranks: int, lengths: dict[tuple[int, int], int]) -> int:
    """The bit of a row: sets by copies, then rank; runs by length, then rank, in the block of their lane."""
    copies = row.pattern.counts[0][1]
    first = row.pattern.counts[0][0]
    length = len(row.pattern.counts)
    if length == 1:
        return (copies - 1) * ranks + first
    block = {1: 64, 3: 100, 2: 128, 4: 164}[copies]
    return block + lengths[length, first]


@lru_cache(maxsize=16)
def rank_catalogue(rules: Rules) -> RankCatalogue:
    """The catalogue of `rules` as words. ValueError: the backend `ranks` does not honour the rules.

    Rows that differ only in the called card (B4.07) share an action.
    """
    RANKS.require(rules)
    ranks = len(rules.ranks)
    lengths = {
        key: i for i, key in enumerate((n, start) for n in range(3, RUN_RANKS + 1) for start in range(RUN_RANKS - n + 1))
    }
    rows = [row for row in rules.catalogue.rows if row.called is not True]
    place = {row.id: action_of(row, ranks, lengths) for row in rows}
    if len(set(place.values())) < len(rows) or max(place.values()) >= LEAD:
        raise ValueError("not every row has a bit of its own")
    taken = np.zeros(ACTIONS, np.uint64)
    shift = np.zeros(ACTIONS, np.uint64)
    ids = np.full(ACTIONS, -1, np.int64)
    sizes = np.zeros(ACTIONS, np.int64)
    bombs = np.zeros(ACTIONS, np.uint64)
    beats = np.zeros((ACTIONS, 3), np.uint64)
    runs = np.zeros((LANES, 1 << RUN_RANKS), np.uint64)
    using = np.zeros((ranks, 3), np.uint64)
    for row in rows:
        action = place[row.id]
        for rank, _ in row.pattern.counts:
            _set(using, rank, action)
        mask = sum(1 << rank for rank, _ in row.pattern.counts)
        copies = row.pattern.counts[0][1]
        taken[action] = mask * _SPREAD
        shift[action] = 8 * copies
        ids[action] = row.id
        sizes[action] = row.size
        bombs[action] = row.power > 0
        mine = Combination(row.kind, (), row.family, row.power, row.strength)
        for other in rows:
            if other.beats(mine):
                _set(beats, action, place[other.id])
        _set(beats, action, PASS)
        _set(beats, LEAD, action)
        if len(row.pattern.counts) > 1:
            held = np.arange(1 << RUN_RANKS)
            runs[copies - 1, held & mask == mask] |= np.uint64(1 << action % 64)
    sets = np.uint64(((1 << ranks) - 1) * _SPREAD)
    return RankCatalogue(sets, runs.reshape(-1), beats.reshape(-1), taken, shift, ids, sizes, using.reshape(-1), bombs)


def _set(words: Words, row: int, action: int) -> None:
    words[row, action // 64] |= np.uint64(1 << action % 64)


def pack_counts(counts: Longs | list[int]) -> int:
    """A hand word from the number of cards of each rank.

    >>> hex(pack_counts([2, 1]))
    '0x10003'
    """
    return sum(1 << (16 * lane + rank) for rank, n in enumerate(counts) for lane in range(int(n)))

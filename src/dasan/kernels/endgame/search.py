"""Whether a seat gets at least so much, against all others together: depth-first proof-number search for any game.

The proof number of a position is how much there is still to do to prove that the seat does, the disproof number that it
does not. The search can be stopped anywhere and taken up again; the transposition table keeps what was found out.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,no-any-return,return-value"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.endgame.games import carry_out, key_of, list_moves, mover, rivals, skip, turns, verdict
from dasan.kernels.ranks.solver.transpositions import (
    BUCKET_WORDS,
    INFINITE,
    LOST,
    WON,
    disproof_in,
    find,
    numbers_in,
    packed,
    proof_in,
    spread,
    store,
)
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.random64 import mixed

U = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
_0, _1, _15, _24, _SALT = U(0), U(1), U(15), U(24), U(0x8EBC6AF09C88C6E3)
KEY, CHECK = 0, 1
FIRST, COUNT, BEST, PROOF_LIMIT, DISPROOF_LIMIT, SINCE = 0, 1, 2, 3, 4, 5
NODES, FILLED, BUCKETS, AT, MOVE = 0, 1, 2, 3, 4
NO_MOVE = -1


class Search(NamedTuple):
    """One search, and the table it shares with others for the same seat.

    rows: a position a ply, and one to work on. paid: payments of a ply, where a game keeps them. keys: two words a ply.
    plies: FIRST … SINCE, a row a ply. children: KEY and CHECK, a row a child; moves, numbers: the move that leads to it,
    and its packed numbers. counters: NODES, FILLED places and BUCKETS in use of `table`, the ply the search is AT, and the
    MOVE that proves the root. plays, scratch: room for the game.
    """

    rows: Words
    paid: Small
    keys: Words
    plies: Numbers
    children: Words
    moves: Small
    numbers: Words
    counters: Numbers
    table: Words
    plays: Small
    scratch: Words


def new_search(
    memory: int, columns: int, players: int, cards: int, most: int, scratch: int, buckets: int = 1 << 8
) -> Search:
    """A search whose table takes at most `memory` bytes, for positions of `columns` words and `cards` cards at most, in
    which no seat has more than `most` moves.
    """
    depth = cards * players + 2
    buckets_ = max(1, memory // (8 * BUCKET_WORDS))
    counters = np.zeros(8, np.int64)
    counters[BUCKETS] = min(buckets, 1 << (buckets_.bit_length() - 1))
    return Search(
        rows=np.zeros((depth + 1, columns), np.uint64),
        paid=np.zeros((depth + 1, players), np.int32),
        keys=np.zeros((depth, 2), np.uint64),
        plies=np.zeros((depth, 6), np.int64),
        children=np.empty((depth * most, 2), np.uint64),
        moves=np.empty(depth * most, np.int32),
        numbers=np.empty(depth * most, np.uint64),
        counters=counters,
        table=np.zeros(buckets_ * BUCKET_WORDS, np.uint64),
        plays=np.zeros(most, np.int32),
        scratch=np.zeros(scratch, np.uint64),
    )


@lean
def begin(s: Search, me: int, least: int, g: Any) -> int:
    """Set out from the position in `rows[0]`: 1 if `me` gets `least` or more, -1 if not, 0 if that is to be searched."""
    s.counters[MOVE] = NO_MOVE
    clear = verdict(s.rows, 0, False, me, least, g)
    if clear != 0:
        return clear
    skip(s.rows, s.paid, 0, s.plays, g, s.scratch)
    key, check = key_of(s.rows, 0, _salt(me, least), g)
    s.keys[0, KEY] = key
    s.keys[0, CHECK] = check
    s.plies[0, FIRST] = 0
    s.plies[0, COUNT] = -1
    s.plies[0, PROOF_LIMIT] = INFINITE
    s.plies[0, DISPROOF_LIMIT] = INFINITE
    s.counters[AT] = 0
    place = find(s.table, U(s.counters[BUCKETS]), key, check)
    if place >= 0:
        if proof_in(s.table[place]) == 0:
            return 1
        if disproof_in(s.table[place]) == 0:
            return -1
    return 0


@woven
def _salt(me: int, least: int) -> np.uint64:
    """What sets apart the keys of one question."""
    return mixed(U(me + 1) * _SALT + U(least + (1 << 40)))


@lean
def proceed(s: Search, me: int, least: int, until: int, g: Any) -> int:
    """Search on: 1 or -1 as `begin`; 0 if the counter of nodes has come to `until` or the table is crowded before."""
    ply = s.counters[AT]
    nodes = s.counters[NODES]
    filled = s.counters[FILLED]
    buckets = s.counters[BUCKETS]
    grows = buckets * BUCKET_WORDS < s.table.shape[0]
    crowded = 2 * buckets
    salt = _salt(me, least)
    out = 0
    while True:
        ours = mover(s.rows, ply, g) == me
        if s.plies[ply, COUNT] < 0:
            if nodes >= until or (grows and filled >= crowded):
                break
            nodes += 1
            s.plies[ply, SINCE] = nodes
            _expand(s, ply, me, least, ours, salt, U(buckets), g)
        first = s.plies[ply, FIRST]
        count = s.plies[ply, COUNT]
        # For the side to move the smallest number counts, for the other the sum.
        mine = _0 if ours else _24
        other = _24 if ours else _0
        smallest = second = INFINITE
        lightest = INFINITE
        best = first
        total = 0
        for child in range(first, first + count):
            x = np.int64((s.numbers[child] >> mine) & U(INFINITE))
            y = np.int64((s.numbers[child] >> other) & U(INFINITE))
            if x < smallest or (x == smallest and y < lightest):
                second = smallest
                smallest = x
                lightest = y
                best = child
            elif x < second:
                second = x
            total += y
        if smallest == 0:
            total = INFINITE
        elif total == 0:
            smallest = INFINITE
        elif total >= INFINITE:
            total = INFINITE - 1
        my_limit = s.plies[ply, PROOF_LIMIT if ours else DISPROOF_LIMIT]
        other_limit = s.plies[ply, DISPROOF_LIMIT if ours else PROOF_LIMIT]
        if smallest >= my_limit or total >= other_limit or smallest == 0 or total == 0:
            proof = smallest if ours else total
            disproof = total if ours else smallest
            numbers = packed(proof, disproof)
            work = nodes - s.plies[ply, SINCE] + 1
            filled += store(s.table, U(buckets), s.keys[ply, KEY], s.keys[ply, CHECK], numbers, work)
            if ply == 0:
                out = 1 if proof == 0 else -1
                if smallest == 0:
                    s.counters[MOVE] = s.moves[best]
                break
            ply -= 1
            s.numbers[s.plies[ply, BEST]] = numbers
            continue
        # It may have been settled by another way since its numbers were kept.
        place = find(s.table, U(buckets), s.children[best, KEY], s.children[best, CHECK])
        if place >= 0 and numbers_in(s.table[place]) != s.numbers[best]:
            s.numbers[best] = numbers_in(s.table[place])
            continue
        limit = min(my_limit, second + 1 + (second >> 2))
        rest = other_limit - total + np.int64((s.numbers[best] >> other) & U(INFINITE))
        s.plies[ply, BEST] = best
        ply += 1
        _copy(s, ply - 1, ply)
        carry_out(s.rows, s.paid, ply, s.moves[best], g, s.scratch)
        skip(s.rows, s.paid, ply, s.plays, g, s.scratch)
        s.keys[ply, KEY] = s.children[best, KEY]
        s.keys[ply, CHECK] = s.children[best, CHECK]
        s.plies[ply, FIRST] = first + count
        s.plies[ply, COUNT] = -1
        s.plies[ply, PROOF_LIMIT] = limit if ours else rest
        s.plies[ply, DISPROOF_LIMIT] = rest if ours else limit
    s.counters[AT] = ply
    s.counters[NODES] = nodes
    s.counters[FILLED] = filled
    return out


@woven
def _copy(s: Search, source: int, target: int) -> None:
    for column in range(s.rows.shape[1]):
        s.rows[target, column] = s.rows[source, column]


@woven
def _expand(s: Search, ply: int, me: int, least: int, ours: bool, salt: np.uint64, buckets: np.uint64, g: Any) -> None:
    """List the children of a ply with their numbers, but for those that are lost for the mover; only the one that settles
    the ply if there is one.
    """
    first = s.plies[ply, FIRST]
    n = list_moves(s.rows, ply, s.moves[first:], g, s.scratch)
    won = WON if ours else LOST
    lost = LOST if ours else WON
    left = first
    for k in range(first, first + n):
        move = s.moves[k]
        _copy(s, ply, ply + 1)
        over = carry_out(s.rows, s.paid, ply + 1, move, g, s.scratch)
        clear = verdict(s.rows, ply + 1, over, me, least, g)
        key, check = _0, _0
        if clear != 0:
            numbers = WON if clear > 0 else LOST
        else:
            skip(s.rows, s.paid, ply + 1, s.plays, g, s.scratch)
            key, check = key_of(s.rows, ply + 1, salt, g)
            place = find(s.table, buckets, key, check)
            numbers = numbers_in(s.table[place]) if place >= 0 else _estimated(s, ply + 1, me, least, g)
        if numbers == won:
            s.numbers[first] = won
            s.moves[first] = move
            s.plies[ply, COUNT] = 1
            return
        if numbers != lost:
            s.numbers[left] = numbers
            s.moves[left] = move
            s.children[left, KEY] = key
            s.children[left, CHECK] = check
            left += 1
    s.plies[ply, COUNT] = left - first


@woven
def _estimated(s: Search, at: int, me: int, least: int, g: Any) -> np.uint64:
    """The numbers a new position begins with: the turns that the seat still needs, and those that its rivals need, each
    cubed, and less for whoever is to act.
    """
    mine = turns(s.rows, at, me, g)
    # How many of the others need how many turns, four bits each; there are not more than 15 ranks.
    counted = _0
    for seat in range(s.paid.shape[1]):
        if seat != me:
            counted += _1 << U(4 * turns(s.rows, at, seat, g))
    needed = rivals(s.rows, at, least, g)
    theirs = 0
    while needed > 0 and theirs < 15:
        theirs += 1
        needed -= np.int64((counted >> U(4 * theirs)) & _15)
    ours = mover(s.rows, at, g) == me
    return packed(1 + mine * mine * mine // (4 if ours else 2), 1 + theirs * theirs * theirs // (2 if ours else 4))


def search_on(s: Search, me: int, least: int, nodes: int, g: Any) -> tuple[int, int]:
    """Go on for so many nodes: (value, nodes used). The table grows as it fills."""
    first = int(s.counters[NODES])
    value = 0
    while value == 0 and s.counters[NODES] < first + nodes:
        value = int(proceed(s, me, least, first + nodes, g))
        buckets = int(s.counters[BUCKETS])
        if value == 0 and s.counters[NODES] < first + nodes:
            s.counters[BUCKETS] = spread(s.table, buckets)
    return value, int(s.counters[NODES]) - first

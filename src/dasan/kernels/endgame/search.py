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
def begin(search: Search, me: int, least: int, game: Any) -> int:
    """Set out from the position in `rows[0]`: 1 if `me` gets `least` or more, -1 if not, 0 if that is to be searched."""
    search.counters[MOVE] = NO_MOVE
    clear = verdict(search.rows, 0, False, me, least, game)
    if clear != 0:
        return clear
    skip(search.rows, search.paid, 0, search.plays, game, search.scratch)
    key, check = key_of(search.rows, 0, _salt(me, least), game)
    search.keys[0, KEY] = key
    search.keys[0, CHECK] = check
    search.plies[0, FIRST] = 0
    search.plies[0, COUNT] = -1
    search.plies[0, PROOF_LIMIT] = INFINITE
    search.plies[0, DISPROOF_LIMIT] = INFINITE
    search.counters[AT] = 0
    place = find(search.table, U(search.counters[BUCKETS]), key, check)
    if place >= 0:
        if proof_in(search.table[place]) == 0:
            return 1
        if disproof_in(search.table[place]) == 0:
            return -1
    return 0


@woven
def _salt(me: int, least: int) -> np.uint64:
    """What sets apart the keys of one question."""
    return mixed(U(me + 1) * _SALT + U(least + (1 << 40)))


@lean
def proceed(search: Search, me: int, least: int, until: int, game: Any) -> int:
    """Search on: 1 or -1 as `begin`; 0 if the counter of nodes has come to `until` or the table is crowded before."""
    ply = search.counters[AT]
    nodes = search.counters[NODES]
    filled = search.counters[FILLED]
    buckets = search.counters[BUCKETS]
    grows = buckets * BUCKET_WORDS < search.table.shape[0]
    crowded = 2 * buckets
    salt = _salt(me, least)
    out = 0
    while True:
        ours = mover(search.rows, ply, game) == me
        if search.plies[ply, COUNT] < 0:
            if nodes >= until or (grows and filled >= crowded):
                break
            nodes += 1
            search.plies[ply, SINCE] = nodes
            _expand(search, ply, me, least, ours, salt, U(buckets), game)
        first = search.plies[ply, FIRST]
        count = search.plies[ply, COUNT]
        # For the side to move the smallest number counts, for the other the sum.
        mine = _0 if ours else _24
        other = _24 if ours else _0
        smallest = second = INFINITE
        lightest = INFINITE
        best = first
        total = 0
        for child in range(first, first + count):
            x = np.int64((search.numbers[child] >> mine) & U(INFINITE))
            y = np.int64((search.numbers[child] >> other) & U(INFINITE))
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
        my_limit = search.plies[ply, PROOF_LIMIT if ours else DISPROOF_LIMIT]
        other_limit = search.plies[ply, DISPROOF_LIMIT if ours else PROOF_LIMIT]
        if smallest >= my_limit or total >= other_limit or smallest == 0 or total == 0:
            proof = smallest if ours else total
            disproof = total if ours else smallest
            numbers = packed(proof, disproof)
            work = nodes - search.plies[ply, SINCE] + 1
            filled += store(search.table, U(buckets), search.keys[ply, KEY], search.keys[ply, CHECK], numbers, work)
            if ply == 0:
                out = 1 if proof == 0 else -1
                if smallest == 0:
                    search.counters[MOVE] = search.moves[best]
                break
            ply -= 1
            search.numbers[search.plies[ply, BEST]] = numbers
            continue
        # It may have been settled by another way since its numbers were kept.
        place = find(search.table, U(buckets), search.children[best, KEY], search.children[best, CHECK])
        if place >= 0 and numbers_in(search.table[place]) != search.numbers[best]:
            search.numbers[best] = numbers_in(search.table[place])
            continue
        limit = min(my_limit, second + 1 + (second >> 2))
        rest = other_limit - total + np.int64((search.numbers[best] >> other) & U(INFINITE))
        search.plies[ply, BEST] = best
        ply += 1
        _copy(search, ply - 1, ply)
        carry_out(search.rows, search.paid, ply, search.moves[best], game, search.scratch)
        skip(search.rows, search.paid, ply, search.plays, game, search.scratch)
        search.keys[ply, KEY] = search.children[best, KEY]
        search.keys[ply, CHECK] = search.children[best, CHECK]
        search.plies[ply, FIRST] = first + count
        search.plies[ply, COUNT] = -1
        search.plies[ply, PROOF_LIMIT] = limit if ours else rest
        search.plies[ply, DISPROOF_LIMIT] = rest if ours else limit
    search.counters[AT] = ply
    search.counters[NODES] = nodes
    search.counters[FILLED] = filled
    return out


@woven
def _copy(search: Search, source: int, target: int) -> None:
    for column in range(search.rows.shape[1]):
        search.rows[target, column] = search.rows[source, column]


@woven
def _expand(
    search: Search, ply: int, me: int, least: int, ours: bool, salt: np.uint64, buckets: np.uint64, game: Any
) -> None:
    """List the children of a ply with their numbers, but for those that are lost for the mover; only the one that settles
    the ply if there is one.
    """
    first = search.plies[ply, FIRST]
    n = list_moves(search.rows, ply, search.moves[first:], game, search.scratch)
    won = WON if ours else LOST
    lost = LOST if ours else WON
    left = first
    for k in range(first, first + n):
        move = search.moves[k]
        _copy(search, ply, ply + 1)
        over = carry_out(search.rows, search.paid, ply + 1, move, game, search.scratch)
        clear = verdict(search.rows, ply + 1, over, me, least, game)
        key, check = _0, _0
        if clear != 0:
            numbers = WON if clear > 0 else LOST
        else:
            skip(search.rows, search.paid, ply + 1, search.plays, game, search.scratch)
            key, check = key_of(search.rows, ply + 1, salt, game)
            place = find(search.table, buckets, key, check)
            numbers = numbers_in(search.table[place]) if place >= 0 else _estimated(search, ply + 1, me, least, game)
        if numbers == won:
            search.numbers[first] = won
            search.moves[first] = move
            search.plies[ply, COUNT] = 1
            return
        if numbers != lost:
            search.numbers[left] = numbers
            search.moves[left] = move
            search.children[left, KEY] = key
            search.children[left, CHECK] = check
            left += 1
    search.plies[ply, COUNT] = left - first


@woven
def _estimated(search: Search, at: int, me: int, least: int, game: Any) -> np.uint64:
    """The numbers a new position begins with: the turns that the seat still needs, and those that its rivals need, each
    cubed, and less for whoever is to act.
    """
    mine = turns(search.rows, at, me, game)
    # How many of the others need how many turns, four bits each; there are not more than 15 ranks.
    counted = _0
    for seat in range(search.paid.shape[1]):
        if seat != me:
            counted += _1 << U(4 * turns(search.rows, at, seat, game))
    needed = rivals(search.rows, at, least, game)
    theirs = 0
    while needed > 0 and theirs < 15:
        theirs += 1
        needed -= np.int64((counted >> U(4 * theirs)) & _15)
    ours = mover(search.rows, at, game) == me
    return packed(1 + mine * mine * mine // (4 if ours else 2), 1 + theirs * theirs * theirs // (2 if ours else 4))


def search_on(search: Search, me: int, least: int, nodes: int, game: Any) -> tuple[int, int]:
    """Go on for so many nodes: (value, nodes used). The table grows as it fills."""
    first = int(search.counters[NODES])
    value = 0
    while value == 0 and search.counters[NODES] < first + nodes:
        value = int(proceed(search, me, least, first + nodes, game))
        buckets = int(search.counters[BUCKETS])
        if value == 0 and search.counters[NODES] < first + nodes:
            search.counters[BUCKETS] = spread(search.table, buckets)
    return value, int(search.counters[NODES]) - first

"""Max-n search: what every seat gets if all play for themselves. Depth-first, with a transposition table of outcomes.

The seat to act chooses the outcome that pays it most; among equal outcomes, the one that pays the next seat least, then the
seat after it, and so on. An entry is two words: the key, and the outcome (32 bits) with 5 bits of the logarithm
of the work behind it and 27 bits of a second hash. A full bucket of four replaces its cheapest entry.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,no-any-return,return-value"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dasan.arrays import Ints, Longs, U, Words
from dasan.kernels.endgame.games import (
    cards_in,
    carry_out,
    ideal,
    key_of,
    list_moves,
    mover,
    outcome,
    past,
    payoff,
    skip,
)
from dasan.kernels.runtime.bits import leading_zeros
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.random64 import mixed

_0, _1, _31, _32, _37 = U(0), U(1), U(31), U(32), U(37)
_OUTCOME, _SALT = U(0xFFFFFFFF), U(0xD1B54A32D192ED03)
BUCKET_WORDS = 8
KEY, CHECK, OUTCOME = 0, 1, 2
FIRST, END, NEXT, BEST, SINCE = 0, 1, 2, 3, 4
NODES, AT, MOVE = 0, 1, 2
NO_MOVE = -1
UNKNOWN = U(0)


class Everybody(NamedTuple):
    """The state of one search, and the transposition table that it shares with other searches.

    rows: a position a ply, and one to work on. paid: payments of a ply, where a game keeps them. words: KEY, CHECK and
    OUTCOME, the best outcome so far, a row a ply. plies: FIRST … SINCE, a row a ply; NEXT is the next move to search.
    moves: of all plies. counters: NODES, the ply the search is AT, and the MOVE that is best at the root. plays, scratch:
    working memory of the game's functions.
    """

    rows: Words
    paid: Ints
    words: Words
    plies: Longs
    moves: Ints
    counters: Longs
    transpositions: Words
    plays: Ints
    scratch: Words


def new_everybody(memory: int, columns: int, players: int, cards: int, most: int, scratch: int) -> Everybody:
    """As `search.new_search`."""
    depth = cards * players + 2
    return Everybody(
        rows=np.zeros((depth + 1, columns), np.uint64),
        paid=np.zeros((depth + 1, players), np.int32),
        words=np.zeros((depth, 3), np.uint64),
        plies=np.zeros((depth, 5), np.int64),
        moves=np.empty(depth * most, np.int32),
        counters=np.zeros(4, np.int64),
        transpositions=np.zeros(max(1, memory // (8 * BUCKET_WORDS)) * BUCKET_WORDS, np.uint64),
        plays=np.zeros(most, np.int32),
        scratch=np.zeros(scratch, np.uint64),
    )


@lean
def begin(search: Everybody, game: Any) -> np.uint64:
    """Start at the position in `rows[0]`; return its outcome if the transposition table has it, else `UNKNOWN`."""
    search.counters[MOVE] = NO_MOVE
    search.counters[AT] = 0
    skip(search.rows, search.paid, 0, search.plays, game, search.scratch)
    return _enter(search, 0, 0, game)


@woven
def _enter(search: Everybody, ply: int, first: int, game: Any) -> np.uint64:
    """Prepare the search of a ply; return its outcome if the transposition table has it, else `UNKNOWN`."""
    key, check = key_of(search.rows, ply, mixed(past(search.rows, ply, game) + _SALT), game)
    search.words[ply, KEY] = key
    search.words[ply, CHECK] = check
    search.plies[ply, FIRST] = first
    search.plies[ply, END] = -1
    at = _bucket_of(search.transpositions, key)
    for i in range(at, at + BUCKET_WORDS, 2):
        if search.transpositions[i] == key and search.transpositions[i + 1] >> _37 == check >> _37:
            return search.transpositions[i + 1] & _OUTCOME
    return UNKNOWN


@woven
def _bucket_of(transpositions: Words, key: np.uint64) -> int:
    buckets = U(transpositions.shape[0] // BUCKET_WORDS)
    return np.int64((((key >> _32) * buckets) >> _32) * U(BUCKET_WORDS))


@woven
def _keep(search: Everybody, ply: int, work: int) -> None:
    """Write the outcome of a ply to the transposition table."""
    key = search.words[ply, KEY]
    at = _bucket_of(search.transpositions, key)
    place = at
    cheapest = U(99)
    for i in range(at, at + BUCKET_WORDS, 2):
        cost = (
            _0
            if search.transpositions[i] == _0 or search.transpositions[i] == key
            else _1 + ((search.transpositions[i + 1] >> _32) & _31)
        )
        if cost < cheapest:
            cheapest = cost
            place = i
    logarithm = U(64) - leading_zeros(U(work))
    if logarithm > _31:
        logarithm = _31
    search.transpositions[place] = key
    search.transpositions[place + 1] = (
        search.words[ply, OUTCOME] | (logarithm << _32) | ((search.words[ply, CHECK] >> _37) << _37)
    )


@lean
def proceed(search: Everybody, until: int, game: Any) -> np.uint64:
    """Continue the search: the outcome of the root, or `UNKNOWN` if the node counter reached `until` first."""
    ply = search.counters[AT]
    nodes = search.counters[NODES]
    out = UNKNOWN
    while True:
        if search.plies[ply, END] < 0:
            if nodes >= until:
                break
            nodes += 1
            search.plies[ply, SINCE] = nodes
            _list(search, ply, game)
        seat = mover(search.rows, ply, game)
        if search.plies[ply, NEXT] == search.plies[ply, END]:
            _keep(search, ply, nodes - search.plies[ply, SINCE] + 1)
            result = search.words[ply, OUTCOME]
            if ply == 0:
                search.counters[MOVE] = search.plies[0, BEST]
                out = result
                break
            ply -= 1
            seat = mover(search.rows, ply, game)
        else:
            for column in range(search.rows.shape[1]):
                search.rows[ply + 1, column] = search.rows[ply, column]
            if carry_out(search.rows, search.paid, ply + 1, search.moves[search.plies[ply, NEXT]], game, search.scratch):
                result = outcome(search.rows, ply + 1, game)
            else:
                skip(search.rows, search.paid, ply + 1, search.plays, game, search.scratch)
                result = _enter(search, ply + 1, search.plies[ply, END], game)
                if result == UNKNOWN:
                    ply += 1
                    continue
        move = search.moves[search.plies[ply, NEXT]]
        search.plies[ply, NEXT] += 1
        if search.words[ply, OUTCOME] == UNKNOWN or _prefers(
            result, search.words[ply, OUTCOME], seat, search.paid.shape[1], game
        ):
            search.words[ply, OUTCOME] = result
            search.plies[ply, BEST] = move
            if result == ideal(search.rows, ply, seat, game):
                search.plies[ply, NEXT] = search.plies[ply, END]
    search.counters[AT] = ply
    search.counters[NODES] = nodes
    return out


@woven
def _list(search: Everybody, ply: int, game: Any) -> None:
    """List the moves of a ply, the longest first."""
    n = list_moves(search.rows, ply, search.plays, game, search.scratch)
    end = search.plies[ply, FIRST]
    search.plies[ply, NEXT] = end
    search.words[ply, OUTCOME] = UNKNOWN
    largest = 0
    for k in range(n):
        largest = max(largest, cards_in(search.plays[k], game))
    for size in range(largest, -1, -1):
        for k in range(n):
            if cards_in(search.plays[k], game) == size:
                search.moves[end] = search.plays[k]
                end += 1
    search.plies[ply, END] = end


@woven
def _prefers(one: np.uint64, other: np.uint64, seat: int, players: int, game: Any) -> bool:
    """Whether `seat` prefers outcome `one` to `other`."""
    for k in range(players):
        judged = seat + k if seat + k < players else seat + k - players
        value, other_value = payoff(one, judged, game), payoff(other, judged, game)
        if value != other_value:
            return value > other_value if k == 0 else value < other_value
    return False


def search_on(search: Everybody, nodes: int, game: Any) -> tuple[int, int]:
    """Continue for `nodes` nodes; return (outcome, nodes used)."""
    first = int(search.counters[NODES])
    result = int(proceed(search, first + nodes, game))
    return result, int(search.counters[NODES]) - first


def payoffs(result: int, players: int, game: Any) -> tuple[int, ...]:
    """The payments, or places negated, of all seats in an outcome."""
    return tuple(int(_payoff(U(result), seat, game)) for seat in range(players))


@lean
def _payoff(result: np.uint64, seat: int, game: Any) -> int:
    return payoff(result, seat, game)

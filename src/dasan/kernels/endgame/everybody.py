"""What every seat gets if all play for themselves ("max-n"): depth-first search for any game, outcomes kept in a table.

The seat to act takes the outcome that pays it most; of equal ones that which pays the next seat least, then the one
after it, and so on. An entry of the table is two words: the key, and the outcome (32 bits) with 5 bits of the logarithm of
the work behind it and 27 of a second hash. A full bucket of four gives up its cheapest entry.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,no-any-return,return-value"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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

U = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
_0, _1, _31, _32, _37 = U(0), U(1), U(31), U(32), U(37)
_OUTCOME, _SALT = U(0xFFFFFFFF), U(0xD1B54A32D192ED03)
BUCKET_WORDS = 8
KEY, CHECK, FOUND = 0, 1, 2
FIRST, END, NEXT, BEST, SINCE = 0, 1, 2, 3, 4
NODES, AT, MOVE = 0, 1, 2
NO_MOVE = -1
UNKNOWN = U(0)


class Everybody(NamedTuple):
    """One search, and the table it shares with others.

    rows: a position a ply, and one to work on. paid: payments of a ply, where a game keeps them. words: KEY, CHECK and
    FOUND, the best outcome so far, a row a ply. plies: FIRST … SINCE, a row a ply; NEXT is the next move to look at.
    moves: of all plies. counters: NODES, the ply the search is AT, and the MOVE that is best at the root. plays, scratch:
    room for the game.
    """

    rows: Words
    paid: Small
    words: Words
    plies: Numbers
    moves: Small
    counters: Numbers
    table: Words
    plays: Small
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
        table=np.zeros(max(1, memory // (8 * BUCKET_WORDS)) * BUCKET_WORDS, np.uint64),
        plays=np.zeros(most, np.int32),
        scratch=np.zeros(scratch, np.uint64),
    )


@lean
def begin(s: Everybody, g: Any) -> np.uint64:
    """Set out from the position in `rows[0]`: its outcome if the table knows it, else `UNKNOWN`."""
    s.counters[MOVE] = NO_MOVE
    s.counters[AT] = 0
    skip(s.rows, s.paid, 0, s.plays, g, s.scratch)
    return _enter(s, 0, 0, g)


@woven
def _enter(s: Everybody, ply: int, first: int, g: Any) -> np.uint64:
    """Make ready for the position of a ply; its outcome, or `UNKNOWN`."""
    key, check = key_of(s.rows, ply, mixed(past(s.rows, ply, g) + _SALT), g)
    s.words[ply, KEY] = key
    s.words[ply, CHECK] = check
    s.plies[ply, FIRST] = first
    s.plies[ply, END] = -1
    at = _bucket_of(s.table, key)
    for i in range(at, at + BUCKET_WORDS, 2):
        if s.table[i] == key and s.table[i + 1] >> _37 == check >> _37:
            return s.table[i + 1] & _OUTCOME
    return UNKNOWN


@woven
def _bucket_of(table: Words, key: np.uint64) -> int:
    buckets = U(table.shape[0] // BUCKET_WORDS)
    return np.int64((((key >> _32) * buckets) >> _32) * U(BUCKET_WORDS))


@woven
def _keep(s: Everybody, ply: int, work: int) -> None:
    """Write the outcome of a ply to the table."""
    key = s.words[ply, KEY]
    at = _bucket_of(s.table, key)
    place = at
    cheapest = U(99)
    for i in range(at, at + BUCKET_WORDS, 2):
        cost = _0 if s.table[i] == _0 or s.table[i] == key else _1 + ((s.table[i + 1] >> _32) & _31)
        if cost < cheapest:
            cheapest = cost
            place = i
    logarithm = U(64) - leading_zeros(U(work))
    if logarithm > _31:
        logarithm = _31
    s.table[place] = key
    s.table[place + 1] = s.words[ply, FOUND] | (logarithm << _32) | ((s.words[ply, CHECK] >> _37) << _37)


@lean
def proceed(s: Everybody, until: int, g: Any) -> np.uint64:
    """Search on: the outcome of the root, or `UNKNOWN` if the counter of nodes has come to `until` before."""
    ply = s.counters[AT]
    nodes = s.counters[NODES]
    out = UNKNOWN
    while True:
        if s.plies[ply, END] < 0:
            if nodes >= until:
                break
            nodes += 1
            s.plies[ply, SINCE] = nodes
            _list(s, ply, g)
        seat = mover(s.rows, ply, g)
        if s.plies[ply, NEXT] == s.plies[ply, END]:
            _keep(s, ply, nodes - s.plies[ply, SINCE] + 1)
            found = s.words[ply, FOUND]
            if ply == 0:
                s.counters[MOVE] = s.plies[0, BEST]
                out = found
                break
            ply -= 1
            seat = mover(s.rows, ply, g)
        else:
            for column in range(s.rows.shape[1]):
                s.rows[ply + 1, column] = s.rows[ply, column]
            if carry_out(s.rows, s.paid, ply + 1, s.moves[s.plies[ply, NEXT]], g, s.scratch):
                found = outcome(s.rows, ply + 1, g)
            else:
                skip(s.rows, s.paid, ply + 1, s.plays, g, s.scratch)
                found = _enter(s, ply + 1, s.plies[ply, END], g)
                if found == UNKNOWN:
                    ply += 1
                    continue
        move = s.moves[s.plies[ply, NEXT]]
        s.plies[ply, NEXT] += 1
        if s.words[ply, FOUND] == UNKNOWN or _prefers(found, s.words[ply, FOUND], seat, s.paid.shape[1], g):
            s.words[ply, FOUND] = found
            s.plies[ply, BEST] = move
            if found == ideal(s.rows, ply, seat, g):
                s.plies[ply, NEXT] = s.plies[ply, END]
    s.counters[AT] = ply
    s.counters[NODES] = nodes
    return out


@woven
def _list(s: Everybody, ply: int, g: Any) -> None:
    """List the moves of a ply, those that take the most cards first."""
    n = list_moves(s.rows, ply, s.plays, g, s.scratch)
    end = s.plies[ply, FIRST]
    s.plies[ply, NEXT] = end
    s.words[ply, FOUND] = UNKNOWN
    largest = 0
    for k in range(n):
        largest = max(largest, cards_in(s.plays[k], g))
    for size in range(largest, -1, -1):
        for k in range(n):
            if cards_in(s.plays[k], g) == size:
                s.moves[end] = s.plays[k]
                end += 1
    s.plies[ply, END] = end


@woven
def _prefers(a: np.uint64, b: np.uint64, seat: int, players: int, g: Any) -> bool:
    """Whether `seat` would rather have outcome `a` than `b`."""
    for k in range(players):
        s = seat + k if seat + k < players else seat + k - players
        x, y = payoff(a, s, g), payoff(b, s, g)
        if x != y:
            return x > y if k == 0 else x < y
    return False


def search_on(s: Everybody, nodes: int, g: Any) -> tuple[int, int]:
    """Go on for so many nodes: (outcome, nodes used)."""
    first = int(s.counters[NODES])
    found = int(proceed(s, first + nodes, g))
    return found, int(s.counters[NODES]) - first


def payoffs(found: int, players: int, g: Any) -> tuple[int, ...]:
    """What every seat gets by an outcome."""
    return tuple(int(_payoff(U(found), seat, g)) for seat in range(players))


@lean
def _payoff(found: np.uint64, seat: int, g: Any) -> int:
    return payoff(found, seat, g)

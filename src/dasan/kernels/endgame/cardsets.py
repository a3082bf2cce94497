"""Endgames of games whose rows are exact sets of cards (Big Two), for the search: moves, what they lead to, keys.

A position is a row of `cardsets.env`; moves are 1 + the row of a play, 0 for the pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.cardsets.env import HAND, MUST, NONE, PASSED, SEAT, TABLE, TABLE_SEAT, SetBatch, list_legal, to_answer
from dasan.kernels.cardsets.env import move as move_row
from dasan.kernels.cardsets.hands import MOST_PLAYS, list_larger, singles_and_pairs
from dasan.kernels.cardsets.tables import LARGE, OPENING
from dasan.kernels.env.buffers import signed
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import woven

U = np.uint64
Words = npt.NDArray[np.uint64]
Small = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
_0, _1 = U(0), U(1)
_A, _B, _C = U(0x9E3779B97F4A7C15), U(0xD6E8FEB86659FD93), U(0xA0761D6478BD642F)
_D, _32 = U(0x8EBC6AF09C88C6E3), U(32)


class SetEndgame(NamedTuple):
    """What the functions here read. most[n]: the most that a loser who holds n cards now can pay in the end."""

    w: SetBatch
    most: Numbers


@woven
def list_moves(rows: Words, at: int, moves: Small, g: SetEndgame, scratch: Words) -> int:
    """Write the moves of position `at` to `moves`, which has room for all; returns how many."""
    return list_legal(rows[at], moves, 1, g.w)


@woven
def _can_play(row: Words, plays: Small, g: SetEndgame) -> bool:
    """Whether the seat to act has anything to play."""
    t = g.w.t
    answer = to_answer(row, g.w)
    if answer <= OPENING:
        return True
    hand = row[HAND + signed(row[SEAT])]
    if answer == LARGE:
        table = row[TABLE]
        size = t.size[table]
        return signed(popcount(hand)) >= size and list_larger(hand, size, t.strength[table], plays, 0, 0, t) > 0
    singles, next_to, two_apart, far_apart = singles_and_pairs(hand, t.above[answer])
    return bool(singles | next_to | two_apart | far_apart != _0)


@woven
def advance(
    rows: Words, paid: Small, at: int, move: int, me: int, least: int, plays: Small, g: SetEndgame, scratch: Words
) -> int:
    """Carry out `move` in position `at`, and the passes of seats that can do nothing else; a negative `move` is none.

    1 if `me` gets `least` or more now, whatever happens; -1 if less; 0 if that is open.
    """
    row = rows[at]
    if move >= 0 and move_row(row, move - 1, g.w):
        return _settled(row, me, least, g)
    while True:
        clear = _bounded(row, me, least, g)
        if clear != 0 or _can_play(row, plays, g):
            return clear
        move_row(row, -1, g.w)


@woven
def _settled(row: Words, me: int, least: int, g: SetEndgame) -> int:
    """As `advance`, where the seat to act has gone out."""
    p = g.w.p
    out = signed(row[SEAT])
    total = 0
    for seat in range(p.players):
        if seat != out:
            cost = p.stake if p.stake > 0 else p.times[popcount(row[HAND + seat])]
            if seat == me:
                return 1 if -cost >= least else -1
            total += cost
    return 1 if total >= least else -1


@woven
def _bounded(row: Words, me: int, least: int, g: SetEndgame) -> int:
    """As `advance`, by how much can still be paid."""
    p = g.w.p
    if p.stake > 0:
        return 0
    if least <= 0:
        return 1 if -g.most[popcount(row[HAND + me])] >= least else 0
    total = 0
    for seat in range(p.players):
        if seat != me:
            total += g.most[popcount(row[HAND + seat])]
    return -1 if total < least else 0


@woven
def mover(rows: Words, at: int, g: SetEndgame) -> int:
    """The seat to act."""
    return signed(rows[at, SEAT])


@woven
def key_of(rows: Words, at: int, salt: np.uint64, g: SetEndgame) -> tuple[np.uint64, np.uint64]:
    """A key, never 0, and a check word: equal for positions that differ in nothing that can be played."""
    row, t, players = rows[at], g.w.t, g.w.p.players
    everything = _0
    key, check, factor = salt, salt, _C
    for seat in range(players):
        hand = row[HAND + seat]
        everything |= hand
        x = (hand + _A) * factor
        x ^= x >> _32
        key += x * _D
        check = (check + x) * _B
        factor *= _B
    word = row[SEAT]
    answer = to_answer(row, g.w)
    if answer > OPENING:
        table = row[TABLE]
        rank = U(64 * t.size[table])
        if answer == LARGE:
            rank += U(t.strength[table]) << U(12)
        elif t.size[table] == 1:
            rank += trailing_zeros(t.above[answer, 0] & everything)
        else:
            rank += U(answer) << U(12)
        word |= (row[TABLE_SEAT] << U(3)) | (rank << U(16))
        if g.w.p.pass_is_final:
            word |= row[PASSED] << U(8)
    elif row[MUST] != _0:
        word |= U(1 << 15)
    key += (word + _1) * _A
    check += word * _C
    key ^= key >> _32
    key *= _B
    key ^= key >> U(29)
    check ^= check >> _32
    return key | _1, check * _D


@woven
def loads(rows: Words, at: int, seat: int, g: SetEndgame) -> int:
    """How many cards `seat` holds; 0 if it is out."""
    return signed(popcount(rows[at, HAND + seat]))


__all__ = ["MOST_PLAYS", "NONE", "SetEndgame", "advance", "key_of", "list_moves", "loads", "mover"]

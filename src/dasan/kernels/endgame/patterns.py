"""Endgames of games with canonical rows (Winner), for the search: moves, what they lead to, keys.

A position is a row of `patterns.env`; moves are 1 + the row of a play, 0 for the pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.env.buffers import signed
from dasan.kernels.patterns.env import (
    INSIDE,
    NONE,
    ONE,
    OUT,
    PLAYS,
    SEAT,
    TABLE,
    TABLE_SEAT,
    TWO,
    CanonBatch,
    CanonMemory,
    find_plays,
    list_legal,
)
from dasan.kernels.patterns.env import move as move_row
from dasan.kernels.patterns.play import FOUND, ROOM
from dasan.kernels.runtime.bits import popcount
from dasan.kernels.runtime.compiled import woven

U = np.uint64
Words = npt.NDArray[np.uint64]
Small = npt.NDArray[np.int32]
_0, _1 = U(0), U(1)
_A, _B, _C = U(0x9E3779B97F4A7C15), U(0xD6E8FEB86659FD93), U(0xA0761D6478BD642F)
_D, _32 = U(0x8EBC6AF09C88C6E3), U(32)


class PatternEndgame(NamedTuple):
    """What the functions here read."""

    w: CanonBatch


@woven
def list_moves(rows: Words, at: int, moves: Small, g: PatternEndgame, scratch: Words) -> int:
    """Write the moves of position `at` to `moves`, which has room for all; returns how many."""
    return list_legal(rows[at], moves, 1, scratch, g.w)


@woven
def advance(
    rows: Words, paid: Small, at: int, move: int, me: int, least: int, plays: Small, g: PatternEndgame, scratch: Words
) -> int:
    """Carry out `move` in position `at`, and the passes of seats that can do nothing else; a negative `move` is none.

    least: a place, negated. 1 if `me` finishes in that place or a better one, whatever happens; -1 if not; 0 if that is
    open. paid: [positions, players], for what is of no interest here.
    """
    row = rows[at]
    memory = CanonMemory(rows, paid)
    if move >= 0:
        move_row(at, memory, move - 1, scratch, g.w)
    found = scratch[PLAYS : PLAYS + ROOM]
    while True:
        if (row[INSIDE] >> U(me)) & _1 == _0:
            return 1
        if signed(row[OUT]) >= -least:
            return -1
        if row[TABLE] == U(NONE) or find_plays(row, found, g.w) > FOUND:
            return 0
        move_row(at, memory, -1, scratch, g.w)


@woven
def mover(rows: Words, at: int, g: PatternEndgame) -> int:
    """The seat to act."""
    return signed(rows[at, SEAT])


@woven
def key_of(rows: Words, at: int, salt: np.uint64, g: PatternEndgame) -> tuple[np.uint64, np.uint64]:
    """A key, never 0, and a check word: equal for positions from which the same can happen."""
    row, players = rows[at], g.w.p.players
    key, check, factor = salt, salt, _C
    for seat in range(players):
        x = (row[ONE + seat] + _A) * factor
        x ^= x >> _32
        if g.w.decks == 2:
            x += row[TWO + seat] * _C
            x ^= x >> U(31)
        key += x * _D
        check = (check + x) * _B
        factor *= _B
    word = row[SEAT]
    if row[TABLE] != U(NONE):
        word |= (row[TABLE_SEAT] << U(4)) | ((row[TABLE] + _1) << U(16))
    key += (word + _1) * _A
    check += word * _C
    key ^= key >> _32
    key *= _B
    key ^= key >> U(29)
    check ^= check >> _32
    return key | _1, check * _D


@woven
def loads(rows: Words, at: int, seat: int, g: PatternEndgame) -> int:
    """How many cards `seat` holds; 0 if it is out."""
    return signed(popcount(rows[at, ONE + seat]) + popcount(rows[at, TWO + seat]))


__all__ = ["PatternEndgame", "advance", "key_of", "list_moves", "loads", "mover"]

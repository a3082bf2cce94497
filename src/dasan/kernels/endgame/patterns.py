"""Endgames of games with canonical rows (Winner), for the searches: moves, successors, keys.

A position is a row of `patterns.env`; moves are 1 + the row of a play, 0 for the pass.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Ints, U, Words
from dasan.kernels.endgame.keys import FACTOR, add_hand, finish_key, hash_of, with_second_deck
from dasan.kernels.env.buffers import signed
from dasan.kernels.patterns.env import (
    INSIDE,
    NONE,
    ONE,
    ORDER,
    OUT,
    PLAYS,
    SEAT,
    TABLE,
    TABLE_SEAT,
    TWO,
    PatternStates,
    PatternTables,
    find_plays,
    make_lister,
)
from dasan.kernels.patterns.env import move as move_row
from dasan.kernels.patterns.play import PLAY_WORDS, PLAYS_AT
from dasan.kernels.runtime.bits import popcount, trailing_zeros, used_fields
from dasan.kernels.runtime.compiled import woven

_0, _1 = U(0), U(1)


class PatternEndgame(NamedTuple):
    """The tables that these functions read."""

    tables: PatternTables


@woven
def _append(i: int, n: int, move: int, moves: Ints) -> int:
    moves[n] = move
    return n + 1


_list_plays = make_lister(__name__, _append)


@woven
def list_moves(rows: Words, at: int, moves: Ints, game: PatternEndgame, scratch: Words) -> int:
    """Write the moves of position `at` to `moves`, which has room for all; return how many."""
    n = _list_plays(at, 0, rows[at], 1, moves, scratch, game.tables)
    return _append(at, n, 0, moves) if rows[at, TABLE] != U(NONE) else n


@woven
def carry_out(rows: Words, paid: Ints, at: int, move: int, game: PatternEndgame, scratch: Words) -> bool:
    """Carry out `move` in position `at`; return whether the hand is over. paid: [positions, players], payments so far."""
    return move_row(at, PatternStates(rows, paid), move - 1, scratch, game.tables)


@woven
def skip(rows: Words, paid: Ints, at: int, plays: Ints, game: PatternEndgame, scratch: Words) -> None:
    """Pass for every seat that has no legal play."""
    row = rows[at]
    listed = scratch[PLAYS : PLAYS + PLAY_WORDS]
    while row[TABLE] != U(NONE) and find_plays(row, listed, game.tables) == PLAYS_AT:
        move_row(at, PatternStates(rows, paid), -1, scratch, game.tables)


@woven
def verdict(rows: Words, at: int, over: bool, me: int, least: int, game: PatternEndgame) -> int:
    """1 if `me` gets place -`least` or a better one whatever is played, -1 if a worse one, 0 if that is open."""
    row = rows[at]
    if (row[INSIDE] >> U(me)) & _1 == _0:
        return 1
    return -1 if signed(row[OUT]) >= -least else 0


@woven
def outcome(rows: Words, at: int, game: PatternEndgame) -> np.uint64:
    """The outcome of a finished hand, from 1 to 2 ** 32 - 1: the seats in finishing order, four bits each."""
    row = rows[at]
    return row[ORDER] | trailing_zeros(row[INSIDE]) << (U(4) * row[OUT])


@woven
def payoff(ended: np.uint64, seat: int, game: PatternEndgame) -> int:
    """The place of `seat` in an outcome, negated."""
    place = 0
    while (ended >> U(4 * place)) & U(15) != U(seat):
        place += 1
    return -1 - place


@woven
def ideal(rows: Words, at: int, seat: int, game: PatternEndgame) -> np.uint64:
    """The best outcome for `seat` that is still possible: it goes out next, and after it the others in reverse order of play."""
    row, players = rows[at], game.tables.policy.players
    ended = row[ORDER]
    place = row[OUT]
    for k in range(players):
        other = seat if k == 0 else (seat + players - k) % players
        if (row[INSIDE] >> U(other)) & _1 != _0:
            ended |= U(other) << (U(4) * place)
            place += _1
    return ended


@woven
def past(rows: Words, at: int, game: PatternEndgame) -> np.uint64:
    """The part of the past that outcomes depend on and that `key_of` leaves out."""
    return rows[at, ORDER]


@woven
def cards_in(move: int, game: PatternEndgame) -> int:
    """The number of cards that a move takes."""
    return 0 if move == 0 else int(game.tables.catalogue.size[move - 1])


@woven
def allied(rows: Words, at: int, seat: int, me: int, game: PatternEndgame) -> bool:
    """Whether `seat` wins and loses with `me`: it is the same seat."""
    return seat == me


@woven
def mover(rows: Words, at: int, game: PatternEndgame) -> int:
    """The seat to act."""
    return signed(rows[at, SEAT])


@woven
def key_of(rows: Words, at: int, salt: np.uint64, game: PatternEndgame) -> tuple[np.uint64, np.uint64]:
    """A key, never 0, and a check word; equal for positions in which the same can be played."""
    row, players = rows[at], game.tables.policy.players
    key, check, factor = salt, salt, FACTOR
    everything = _0
    for seat in range(players):
        everything |= row[ONE + seat]
        hashed = hash_of(row[ONE + seat], factor)
        if game.tables.decks == 2:
            hashed = with_second_deck(hashed, row[TWO + seat])
        key, check, factor = add_hand(key, check, factor, hashed)
    word = row[SEAT]
    if row[TABLE] != U(NONE):
        table = row[TABLE]
        rank = table + U(65)  # 64 is that of a single card with none above it
        if game.tables.catalogue.size[table] == 1:
            # A single card counts only by the cards left above it.
            rank = trailing_zeros(game.tables.catalogue.above[table] & (everything | used_fields(everything)))
        word |= (row[TABLE_SEAT] << U(4)) | ((rank + _1) << U(16))
    return finish_key(key, check, word)


@woven
def turns(rows: Words, at: int, seat: int, game: PatternEndgame) -> int:
    """An estimate of the turns that `seat` needs to go out: the number of ranks it holds; 0 if it is out."""
    return signed(popcount(used_fields(rows[at, ONE + seat])))


@woven
def rivals(rows: Words, at: int, least: int, game: PatternEndgame) -> int:
    """How many other seats must go out first, from here on, so that the seat gets less than `least`."""
    return -least - signed(rows[at, OUT])

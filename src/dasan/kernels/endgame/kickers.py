"""Endgames of games with kickers (Dou Dizhu), for the search: moves, successors, keys, and the doublings of payments.

A position is a row of `kickers.env`; moves are 1 + the row of a play, 0 for the pass.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Ints, U, Words
from dasan.kernels.endgame.keys import FACTOR, add_hand, finish_key, hash_of
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.settlement import BOMBS_DOUBLE, EACH_WINNER, SPRING_DOUBLES, doublings
from dasan.kernels.kickers.env import (
    BID,
    BIDDER,
    BOMBS,
    FINDING,
    HAND,
    HAS_PLAYED,
    NONE,
    SEAT,
    SIDE_PLAYS,
    TABLE,
    TABLE_SEAT,
    KickerTables,
)
from dasan.kernels.kickers.env import move as move_row
from dasan.kernels.kickers.play import LEAD, PLAYS_AT, answers, code_of, fields, find, row_of, size
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import woven

_0, _1, _2, _3 = U(0), U(1), U(2), U(3)
_IN_STRAIGHTS = U(0x1111_1111_1111)
"""The ranks below the highest, bit 4 × rank: those that `turns` takes for ranks of straights."""


class KickerEndgame(NamedTuple):
    """The tables that these functions read."""

    tables: KickerTables


@woven
def list_moves(rows: Words, at: int, moves: Ints, game: KickerEndgame, scratch: Words) -> int:
    """Write the moves of position `at` to `moves`, which has room for all; return how many."""
    row, catalogue = rows[at], game.tables.catalogue
    listed = scratch[FINDING:]
    leads = row[TABLE] == U(NONE)
    end, _ = find(row[HAND + signed(row[SEAT])], signed(LEAD) if leads else code_of(row[TABLE]), listed, catalogue)
    n = 0
    for k in range(PLAYS_AT, end, 2):
        plays, word = listed[U(k)], listed[U(k + 1)]
        while plays != _0:
            moves[n] = 1 + row_of(trailing_zeros(plays), word, catalogue)
            n += 1
            plays &= plays - _1
    if not leads:
        moves[n] = 0
        n += 1
    return n


@woven
def carry_out(rows: Words, paid: Ints, at: int, move: int, game: KickerEndgame, scratch: Words) -> bool:
    """Carry out `move` in position `at`; return whether the hand is over."""
    return move_row(rows[at], 0 if move == 0 else move - 1 + game.tables.first_row, game.tables)


@woven
def skip(rows: Words, paid: Ints, at: int, plays: Ints, game: KickerEndgame, scratch: Words) -> None:
    """Pass for every seat that has no legal play."""
    row, catalogue = rows[at], game.tables.catalogue
    while row[TABLE] != U(NONE):
        hand, code = row[HAND + signed(row[SEAT])], code_of(row[TABLE])
        known, can, _ = answers(hand, code, catalogue)
        if not known:
            _, n = find(hand, code, scratch[FINDING:], catalogue)
            can = U(n)
        if can != _0:
            return
        move_row(row, 0, game.tables)


@woven
def allied(rows: Words, at: int, seat: int, me: int, game: KickerEndgame) -> bool:
    """Whether `seat` wins and loses with `me`."""
    bidder = signed(rows[at, BIDDER])
    return (seat == bidder) == (me == bidder)


@woven
def _bombs_left(row: Words, game: KickerEndgame) -> int:
    """An upper bound on the plays of power that are still possible."""
    catalogue = game.tables.catalogue
    left = 0
    for seat in range(3):
        hand = row[HAND + seat]
        if catalogue.simple:
            left += signed(popcount(fields(hand, 4) & catalogue.bombs))
            left += 1 if hand & catalogue.rocket == catalogue.rocket else 0
        else:
            left += size(hand)
    return left


@woven
def _alone(row: Words) -> bool:
    """Whether no opponent of the bidder has played a card."""
    return row[HAS_PLAYED] & ~(_1 << row[BIDDER]) == _0


@woven
def verdict(rows: Words, at: int, over: bool, me: int, least: int, game: KickerEndgame) -> int:
    """1 if `me` gets `least` or more whatever is played, -1 if less, 0 if that is open. over: whether the hand is over."""
    row, policy = rows[at], game.tables.policy
    table = policy.settlement
    bidder = signed(row[BIDDER])
    amount = signed(row[BID]) * (2 if table[EACH_WINNER] == 1 and me == bidder else 1)
    if over:
        out = signed(row[SEAT])
        spring = _alone(row) if out == bidder else row[SIDE_PLAYS] <= _1
        amount <<= doublings(signed(row[BOMBS]), spring, table)
        return 1 if (amount if (out == bidder) == (me == bidder) else -amount) >= least else -1
    # Of a claim above 0 the wins decide, of another one the losses.
    spring = _alone(row) if (me == bidder) == (least > 0) else row[SIDE_PLAYS] <= _1
    most = amount << doublings(signed(row[BOMBS]) + _bombs_left(row, game), spring, table)
    if least > 0:
        return -1 if most < least else 0
    return 1 if -most >= least else 0


@woven
def mover(rows: Words, at: int, game: KickerEndgame) -> int:
    """The seat to act."""
    return signed(rows[at, SEAT])


@woven
def _rank_of_table(row: Words, game: KickerEndgame) -> np.uint64:
    """What matters of the play on the table: its form and the lowest main group with which somebody beats it, or its power alone
    where only plays of more power do.
    """
    catalogue = game.tables.catalogue
    code = U(code_of(row[TABLE]))
    plan = U(catalogue.answer[code])
    starts = _0
    for seat in range(3):
        each = fields(row[HAND + seat], signed(plan & U(7)))
        higher = each & catalogue.above[code]
        for k in range(_1, (plan >> _3) & U(15)):
            higher &= each >> (k << _2)
        starts |= higher
    if starts == _0:
        return U(catalogue.powers[U(catalogue.shapes[code >> U(4)])])
    return U(256) + (code & ~U(15)) + (trailing_zeros(starts) >> _2)


@woven
def key_of(rows: Words, at: int, salt: np.uint64, game: KickerEndgame) -> tuple[np.uint64, np.uint64]:
    """A key, never 0, and a check word; equal for positions in which the same can be played for the same payments."""
    row, table = rows[at], game.tables.policy.settlement
    key, check, factor = salt, salt, FACTOR
    for seat in range(3):
        key, check, factor = add_hand(key, check, factor, hash_of(row[HAND + seat], factor))
    word = row[SEAT] | (row[BIDDER] << U(4)) | (row[BID] << U(24))
    if row[TABLE] != U(NONE):
        word |= ((row[TABLE_SEAT] + _1) << _2) | (_rank_of_table(row, game) << U(32))
    if table[BOMBS_DOUBLE] == 1:
        word |= row[BOMBS] << U(8)
    if table[SPRING_DOUBLES] == 1:
        word |= (min(row[SIDE_PLAYS], _2) << U(16)) | (U(_alone(row)) << U(18))
    return finish_key(key, check, word)


@woven
def turns(rows: Words, at: int, seat: int, game: KickerEndgame) -> int:
    """An estimate of the turns that `seat` needs to go out: the ranks that it holds, less those that triplets take along, or
    those that a straight saves.
    """
    hand = rows[at, HAND + seat]
    held, threes = fields(hand, 1), fields(hand, 3)
    in_row = held & _IN_STRAIGHTS
    five = in_row & (in_row >> U(4)) & (in_row >> U(8)) & (in_row >> U(12)) & (in_row >> U(16))
    saved = signed(popcount(five)) + 3 if five != _0 else 0
    many, carriers = signed(popcount(held)), signed(popcount(threes))
    return max(1, many - max(saved, min(carriers, many - carriers)))


@woven
def rivals(rows: Words, at: int, least: int, game: KickerEndgame) -> int:
    """How many other seats must go out first, from here on, so that the seat gets less than `least`."""
    return 1

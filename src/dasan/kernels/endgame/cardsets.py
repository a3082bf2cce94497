"""Endgames of games whose rows are exact sets of cards (Big Two), for the searches: moves, successors, keys.

A position is a row of `cardsets.env`; moves are 1 + the row of a play, 0 for the pass.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Ints, Longs, U, Words
from dasan.kernels.cardsets.env import HAND, MUST, PASSED, SEAT, TABLE, TABLE_SEAT, CardsetTables, list_legal, to_answer
from dasan.kernels.cardsets.env import move as move_row
from dasan.kernels.cardsets.hands import list_larger, singles_and_pairs
from dasan.kernels.cardsets.tables import LARGE, OPENING
from dasan.kernels.endgame.keys import FACTOR, add_hand, finish_key, hash_of
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.settlement import BASE, BY_CARDS, FIXED, price
from dasan.kernels.runtime.bits import popcount, trailing_zeros, used_fields
from dasan.kernels.runtime.compiled import woven

_0, _1 = U(0), U(1)


class CardsetEndgame(NamedTuple):
    """The tables that these functions read. most[n]: the most that a loser who holds n cards now can pay in the end."""

    tables: CardsetTables
    most: Longs


@woven
def list_moves(rows: Words, at: int, moves: Ints, game: CardsetEndgame, scratch: Words) -> int:
    """Write the moves of position `at` to `moves`, which has room for all; return how many."""
    return list_legal(rows[at], moves, 1, game.tables)


@woven
def _can_play(row: Words, plays: Ints, game: CardsetEndgame) -> bool:
    """Whether the seat to act has a legal play."""
    catalogue = game.tables.catalogue
    answer = to_answer(row, game.tables)
    if answer <= OPENING:
        return True
    hand = row[HAND + signed(row[SEAT])]
    if answer == LARGE:
        table = row[TABLE]
        size, strength = signed(catalogue.size[table]), signed(catalogue.strength[table])
        return signed(popcount(hand)) >= size and list_larger(hand, size, strength, plays, 0, 0, catalogue) > 0
    singles, next_to, two_apart, far_apart = singles_and_pairs(hand, catalogue.above[answer])
    return bool(singles | next_to | two_apart | far_apart != _0)


@woven
def carry_out(rows: Words, paid: Ints, at: int, move: int, game: CardsetEndgame, scratch: Words) -> bool:
    """Carry out `move` in position `at`; return whether the hand is over."""
    return move_row(rows[at], move - 1, game.tables)


@woven
def skip(rows: Words, paid: Ints, at: int, plays: Ints, game: CardsetEndgame, scratch: Words) -> None:
    """Pass for every seat that has no legal play. plays: room for the moves of a seat."""
    row = rows[at]
    while not _can_play(row, plays, game):
        move_row(row, -1, game.tables)


@woven
def verdict(rows: Words, at: int, over: bool, me: int, least: int, game: CardsetEndgame) -> int:
    """1 if `me` gets `least` or more whatever is played, -1 if less, 0 if that is open. over: whether the hand is over."""
    row = rows[at]
    return _settled(row, me, least, game) if over else _bounded(row, me, least, game)


@woven
def _cost(row: Words, seat: int, game: CardsetEndgame) -> int:
    """The payment of `seat` if another seat goes out now."""
    return price(signed(popcount(row[HAND + seat])), True, game.tables.policy.settlement)


@woven
def _settled(row: Words, me: int, least: int, game: CardsetEndgame) -> int:
    """As `verdict`, when the hand is over: the seat to act has gone out."""
    out = signed(row[SEAT])
    if me != out:
        return 1 if -_cost(row, me, game) >= least else -1
    total = 0
    for seat in range(game.tables.policy.players):
        if seat != out:
            total += _cost(row, seat, game)
    return 1 if total >= least else -1


@woven
def _bounded(row: Words, me: int, least: int, game: CardsetEndgame) -> int:
    """As `verdict`, from bounds on the payments that are still possible."""
    policy = game.tables.policy
    if policy.settlement[BASE] == FIXED:
        return 0
    if least <= 0:
        return 1 if -game.most[popcount(row[HAND + me])] >= least else 0
    total = 0
    for seat in range(policy.players):
        if seat != me:
            total += game.most[popcount(row[HAND + seat])]
    return -1 if total < least else 0


@woven
def outcome(rows: Words, at: int, game: CardsetEndgame) -> np.uint64:
    """The outcome of a finished hand, from 1 to 2 ** 32 - 1: who is out and, where cards are paid for, how many cards each
    other seat holds.
    """
    row = rows[at]
    out = _1 << U(24) | row[SEAT]
    if game.tables.policy.settlement[BASE] == BY_CARDS:
        for seat in range(game.tables.policy.players):
            if U(seat) != row[SEAT]:
                out |= popcount(row[HAND + seat]) << U(4 + 4 * seat)
    return out


@woven
def payoff(ended: np.uint64, seat: int, game: CardsetEndgame) -> int:
    """The payment of `seat` in an outcome."""
    policy = game.tables.policy
    out = signed(ended & U(15))
    total = 0
    for other in range(policy.players):
        if other != out:
            cost = price(signed((ended >> U(4 + 4 * other)) & U(15)), True, policy.settlement)
            if other == seat:
                return -cost
            total += cost
    return total


@woven
def ideal(rows: Words, at: int, seat: int, game: CardsetEndgame) -> np.uint64:
    """The best outcome for `seat` that is still possible; 0 if it is not known."""
    return _1 << U(24) | U(seat) if game.tables.policy.settlement[BASE] == FIXED else _0


@woven
def past(rows: Words, at: int, game: CardsetEndgame) -> np.uint64:
    """The part of the past that outcomes depend on and that `key_of` leaves out."""
    return _0


@woven
def cards_in(move: int, game: CardsetEndgame) -> int:
    """The number of cards that a move takes."""
    return 0 if move == 0 else int(game.tables.catalogue.size[move - 1])


@woven
def allied(rows: Words, at: int, seat: int, me: int, game: CardsetEndgame) -> bool:
    """Whether `seat` wins and loses with `me`: it is the same seat."""
    return seat == me


@woven
def mover(rows: Words, at: int, game: CardsetEndgame) -> int:
    """The seat to act."""
    return signed(rows[at, SEAT])


@woven
def key_of(rows: Words, at: int, salt: np.uint64, game: CardsetEndgame) -> tuple[np.uint64, np.uint64]:
    """A key, never 0, and a check word; equal for positions in which the same can be played."""
    row, catalogue, players = rows[at], game.tables.catalogue, game.tables.policy.players
    everything = _0
    key, check, factor = salt, salt, FACTOR
    for seat in range(players):
        hand = row[HAND + seat]
        everything |= hand
        key, check, factor = add_hand(key, check, factor, hash_of(hand, factor))
    word = row[SEAT]
    answer = to_answer(row, game.tables)
    if answer > OPENING:
        table = row[TABLE]
        rank = U(64 * catalogue.size[table])
        if answer == LARGE:
            rank += U(catalogue.strength[table]) << U(12)
        elif catalogue.size[table] == 1:
            rank += trailing_zeros(catalogue.above[answer, 0] & everything)
        else:
            rank += U(answer) << U(12)
        word |= (row[TABLE_SEAT] << U(3)) | (rank << U(16))
        if game.tables.policy.pass_is_final:
            word |= row[PASSED] << U(8)
    elif row[MUST] != _0:
        word |= U(1 << 15)
    return finish_key(key, check, word)


@woven
def turns(rows: Words, at: int, seat: int, game: CardsetEndgame) -> int:
    """An estimate of the turns that `seat` needs to go out: the number of ranks it holds."""
    return signed(popcount(used_fields(rows[at, HAND + seat])))


@woven
def rivals(rows: Words, at: int, least: int, game: CardsetEndgame) -> int:
    """How many other seats must go out first, from here on, so that the seat gets less than `least`."""
    return 1

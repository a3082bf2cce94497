"""Positions with open hands in a game without suits, for the solver: mover, successors, canonical key.

A position is a hand word a seat (seat 0 is the bidder) and a *context*: one word with the mover (2 bits), the owner of the
trick (2), the seats that may still beat it (4, one a seat) and the action to beat (8). Contexts are normalised: they name only
seats that hold something higher, the mover is the next of them, and the action is the highest that is below the lowest play of
any of them. Where nobody can beat the owner, the owner leads; forced passes take no ply.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,arg-type,no-any-return,return-value"

from __future__ import annotations

import numpy as np

from dasan.arrays import U, Words
from dasan.kernels.ranks.tables import LEAD, RUN_RANKS, RankCatalogue
from dasan.kernels.runtime.bits import extract, popcount, trailing_zeros
from dasan.kernels.runtime.compiled import inlined, lean, woven

SEATS = 4
_0, _1, _2, _3, _4, _8, _16, _32, _48 = U(0), U(1), U(2), U(3), U(4), U(8), U(16), U(32), U(48)
_LANE = U(0x1FFF)
_RUN = U((1 << RUN_RANKS) - 1)
_SPREAD = U(0x0001_0001_0001_0001)
_LEAD = U(LEAD)
_A, _B, _C, _D = U(0x9E3779B97F4A7C15), U(0xFF51AFD7ED558CCD), U(0xC4CEB9FE1A85EC53), U(0xD6E8FEB86659FD93)


@inlined
def mover_of(context: np.uint64) -> int:
    return np.int64(context & _3)


@inlined
def owner_of(context: np.uint64) -> int:
    return np.int64((context >> _2) & _3)


@inlined
def action_of(context: np.uint64) -> np.uint64:
    return (context >> _8) & U(255)


@inlined
def on_lead(context: np.uint64) -> bool:
    return (context >> _8) == _LEAD


@inlined
def lead_by(seat: int) -> np.uint64:
    """The context in which `seat` leads."""
    return U(seat) | (U(seat) << _2) | (_LEAD << _8)


@inlined
def beating(hand: np.uint64, action: np.uint64, catalogue: RankCatalogue) -> np.uint64:
    """The plays of `hand` that beat a play: bits of the word of `legal_words` that contains the play and all that beat it."""
    row = action * _3
    if action < U(64):
        return extract(hand, catalogue.sets) & catalogue.beats[row]
    if action < U(128):
        return (catalogue.runs[hand & _RUN] | catalogue.runs[U(2048) + ((hand >> _32) & _RUN)]) & catalogue.beats[
            row + _1
        ]
    runs = catalogue.runs[U(1024) + ((hand >> _16) & _RUN)] | catalogue.runs[U(3072) + ((hand >> _48) & _RUN)]
    return runs & catalogue.beats[row + _2]


@lean
def faced(
    hands: Words,
    at: int,
    players: int,
    actor: int,
    owner: int,
    waiting: np.uint64,
    action: np.uint64,
    catalogue: RankCatalogue,
) -> np.uint64:
    """The normalised context after `actor` has acted: `owner`'s `action` is on the table, and `waiting` may still beat it.

    hands[at + seat]: the hands.
    """
    able = words = _0
    for seat in range(players):
        if (waiting >> U(seat)) & _1 != _0:
            word = beating(hands[at + seat], action, catalogue)
            if word != _0:
                able |= _1 << U(seat)
                words |= word
    if able == _0:
        return lead_by(owner)
    low = (action & ~U(63)) + trailing_zeros(words)
    mover = actor + 1 + np.int64(trailing_zeros((able | (able << U(players))) >> U(actor + 1)))
    if mover >= players:
        mover -= players
    return U(mover) | (U(owner) << _2) | (able << _4) | ((low - _1) << _8)


@woven
def after_play(hands: Words, at: int, players: int, seat: int, action: np.uint64, catalogue: RankCatalogue) -> np.uint64:
    """The context after `seat` has played `action`; hands are those after the play."""
    others = ((_1 << U(players)) - _1) & ~(_1 << U(seat))
    return faced(hands, at, players, seat, seat, others, action, catalogue)


@woven
def after_pass(hands: Words, at: int, players: int, context: np.uint64, catalogue: RankCatalogue) -> np.uint64:
    """The context after the mover has passed."""
    seat = mover_of(context)
    waiting = (context >> _4) & U(15) & ~(_1 << U(seat))
    return faced(hands, at, players, seat, owner_of(context), waiting, action_of(context), catalogue)


@inlined
def _mixed(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _32)) * _D
    word = (word ^ (word >> U(29))) * _A
    return word ^ (word >> _32)


@woven
def key_of(
    hands: Words, at: int, players: int, context: np.uint64, catalogue: RankCatalogue
) -> tuple[np.uint64, np.uint64]:
    """A key, never 0, and a check word; equal for positions that differ only in ranks that no longer matter.

    Ranks that nobody holds are removed. For remaining neighbours the key contains whether some hand has a run across them.
    The action to beat is represented by the lowest play that beats it.
    """
    held = linked = _0
    for seat in range(players):
        ranks = hands[at + seat] & _LANE
        held |= ranks
        ranks &= _RUN
        starts = ranks & (ranks >> _1) & (ranks >> _2)
        linked |= starts | (starts << _1)
    mask = held * _SPREAD
    word = context & U(255)
    if not on_lead(context):
        lowest = action_of(context) + _1
        ranks = catalogue.ranks[lowest] & _LANE
        first = ranks & (~ranks + _1)
        word |= (popcount(held & (first - _1)) << _8) | (popcount(ranks) << U(12)) | (catalogue.shift[lowest] << U(16))
    word |= (extract(linked, held) << U(24)) | (popcount(held) << U(40)) | (_1 << U(44))
    key = word * _A
    check = word * _B
    factor = _C
    for seat in range(players):
        hand = (extract(hands[at + seat], mask) + _A) * factor
        hand ^= hand >> _32
        key += hand * _D
        check = (check + hand) * _B
        factor *= _B
    return _mixed(key) | _1, check

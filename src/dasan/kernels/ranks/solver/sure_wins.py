"""Positions decided without search: a seat goes out at once, or has or surely gets the lead with a hand whose unbeatable plays
cover its beatable ones.

The tests are sufficient, not necessary, and read only the hands, so they hold for either side.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,arg-type,no-any-return,operator,return-value"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Longs, U, Words
from dasan.kernels.ranks.play import taken
from dasan.kernels.ranks.solver.position import SEATS, action_of, beating, mover_of, on_lead, owner_of
from dasan.kernels.ranks.tables import PASS, RUN_RANKS, RankCatalogue
from dasan.kernels.runtime.bits import leading_zeros, popcount, trailing_zeros
from dasan.kernels.runtime.compiled import inlined, woven, woven_callable

_0, _1, _2, _3, _4, _8, _16 = U(0), U(1), U(2), U(3), U(4), U(8), U(16)
_32, _48, _63 = U(32), U(48), U(63)
_LANE = U(0x1FFF)
_RUN = U((1 << RUN_RANKS) - 1)
_SPREAD = U(0x0001_0001_0001_0001)
_NOT_PASS = U(((1 << 64) - 1) ^ (1 << (PASS - 128)))
_BELOW = U(0x0FFF_0FFF_0FFF_0FFF)
EFFORT = 48
"""The most ways to take runs out of a hand that the covering test tries."""
DEEPEST = 6
"""The most runs that the covering test takes out."""


class Cover(NamedTuple):
    """Scratch of the covering test: one level for each run taken out.

    hands: three words a level: the hand, and the runs still to try on it (words 1 and 2 of `legal_words`). losers: three
    numbers a level, of the runs taken out so far: how many can be beaten (at most 1), their cards, and the same again
    for the largest of them. words: what each seat has that beats the play on the table.
    """

    hands: Words
    losers: Longs
    words: Words


def new_cover() -> Cover:
    return Cover(
        np.zeros(3 * (DEEPEST + 1), np.uint64), np.zeros(3 * (DEEPEST + 1), np.int64), np.zeros(SEATS, np.uint64)
    )


@inlined
def starts(hand: np.uint64, lane: np.uint64, length: np.uint64) -> np.uint64:
    """The lowest ranks of the plays of lane + 1 copies of `length` ranks that `hand` holds."""
    ranks = hand >> (_16 * lane)
    if length == _1:
        return ranks & _LANE
    ranks &= _RUN
    out = ranks & (ranks >> _1) & (ranks >> _2)
    step = _3
    while step < length:
        out &= ranks >> step
        step += _1
    return out


@inlined
def without(hand: np.uint64, ranks: np.uint64, lane: np.uint64) -> np.uint64:
    """`hand` less lane + 1 cards of each of `ranks`."""
    everywhere = ranks * _SPREAD
    shift = (lane + _1) * _8
    return (hand & ~everywhere) | (((hand & everywhere) >> shift) >> shift)


@woven
def one_play(hand: np.uint64, runs: Words) -> bool:
    """Whether all of `hand` is one combination. runs: of the catalogue."""
    ranks = hand & _LANE
    n = popcount(ranks)
    cards = popcount(hand)
    same = (
        cards == n
        or (cards == n + n and ((hand >> _16) & _LANE) == ranks)
        or (cards == _3 * n and ((hand >> U(32)) & _LANE) == ranks)
        or cards == _4 * n
    )
    if not same:
        return False
    if n == _1:
        return True
    if n == _2 or ranks > _RUN:
        return False
    low = ranks >> trailing_zeros(ranks)
    return (low & (low + _1)) == _0 and runs[(cards // n - _1) * U(1 << RUN_RANKS) + ranks] != _0


@inlined
def filled(hands: np.uint64) -> np.uint64:
    """In every lane, the ranks up to the highest that the hands, or-ed, hold there."""
    hands |= (hands & U(0xFFFE_FFFE_FFFE_FFFE)) >> _1
    hands |= (hands & U(0xFFFC_FFFC_FFFC_FFFC)) >> _2
    hands |= (hands & U(0xFFF0_FFF0_FFF0_FFF0)) >> _4
    hands |= (hands & U(0xFF00_FF00_FF00_FF00)) >> _8
    return hands


@inlined
def _in_lane(word: np.uint64, lane: np.uint64) -> int:
    return np.int64(popcount((word >> (_16 * lane)) & _LANE))


@woven_callable
def sets_cover(hand: np.uint64, reach: np.uint64, losers: int, cards: int, largest: int, smallest: int) -> bool:
    """Whether, among the sets of equal cards left when all runs are taken out, winners make up for all losers but one.

    A winner is a play that no enemy can beat, a loser one that an enemy can.

    reach: `filled` of the enemies. losers, cards, largest: of the runs taken out. smallest: as for `covered`. If losers are
    left over, larger winners are split into smaller ones, and losers into smaller losers for which there are winners.
    """
    exact = hand & ~(hand >> _16)
    losing = exact & (reach >> _1) & _BELOW
    winning = exact & ~reach
    singles, pairs, triplets, quads = (
        _in_lane(losing, _0),
        _in_lane(losing, _1),
        _in_lane(losing, _2),
        _in_lane(losing, _3),
    )
    d1 = singles - _in_lane(winning, _0)
    d2 = pairs - _in_lane(winning, _1)
    d3 = triplets - _in_lane(winning, _2)
    d4 = quads - _in_lane(winning, _3)
    sure = ~reach & _LANE
    # Sets whose cards win one by one, and quads that win as two pairs: count those still whole.
    threes = np.int64(popcount((exact >> _32) & sure))
    fours = np.int64(popcount((exact >> _48) & sure))
    doubles = np.int64(popcount((exact >> _48) & _LANE & ~(reach >> _16)))
    if d1 > 0:
        n = np.int64(popcount((exact >> _16) & sure))
        while n > 0 and (d1 > 1 or (d1 > 0 and d2 < 0)):
            d1 -= 2
            d2 += 1
            n -= 1
        while threes > 0 and (d1 > 1 or (d1 > 0 and d3 < 0)):
            d1 -= 3
            d3 += 1
            threes -= 1
        while fours > 0 and (d1 > 1 or (d1 > 0 and d4 < 0)):
            d1 -= 4
            d4 += 1
            fours -= 1
            doubles -= 1
    if d2 > 0:
        while threes > 0 and d2 > 0 and d3 < 0:
            d2 -= 1
            d1 -= 1
            d3 += 1
            threes -= 1
        while doubles > 0 and d2 > 0 and d4 < 0:
            d2 -= 2
            d4 += 1
            doubles -= 1
        n = pairs
        while n > 0 and d2 > 0 and d1 <= -2:
            d2 -= 1
            d1 += 2
            n -= 1
    if d3 > 0 and triplets > 0 and d2 < 0 and d1 < 0:
        d3 -= 1
        d2 += 1
        d1 += 1
    left = losers + max(d1, 0) + max(d2, 0) + max(d3, 0) + max(d4, 0)
    if left > 1:
        return False
    followed = cards + singles + 2 * pairs + 3 * triplets + 4 * quads
    if left == 1:
        followed -= 4 if d4 > 0 else 3 if d3 > 0 else 2 if d2 > 0 else 1 if d1 > 0 else largest
    elif followed > 0:
        followed -= 1
    return followed < smallest


@inlined
def _ones(hand: np.uint64, runs: Words) -> np.uint64:
    return runs[hand & _RUN] | runs[U(2048) + ((hand >> _32) & _RUN)]


@inlined
def _twos(hand: np.uint64, runs: Words) -> np.uint64:
    return runs[U(1024) + ((hand >> _16) & _RUN)] | runs[U(3072) + ((hand >> _48) & _RUN)]


@woven
def covered(
    hand: np.uint64, enemy: np.uint64, other: np.uint64, smallest: int, catalogue: RankCatalogue, cover: Cover
) -> bool:
    """Whether a hand on lead surely goes out first against `enemy` and `other`, because it splits into plays in which, kind
    by kind, sure winners make up for all losers but one.

    other: 0 for none, and two hands or-ed if there are three enemies. smallest: the cards of the shortest hand among them.

    A loser is led; a winner of the same kind, strictly above all that the enemies hold, beats the enemy that beats the loser;
    so each enemy follows once with as many cards, and goes out only if all losers led are as many cards
    as they hold. The last loser is led last. Ties, which nobody can beat either, count for nothing, and runs that win
    are led without covering any.
    """
    reach = filled(enemy | other)
    ranks = hand & _RUN
    in_runs = ranks & (ranks >> _1) & (ranks >> _2)
    # Losers outside runs, and how many winning cards could make up for them.
    losing = hand & ~(hand >> _16) & (reach >> _1) & _BELOW & ~((in_runs | (in_runs << _1) | (in_runs << _2)) * _SPREAD)
    if popcount(losing & _LANE) > popcount(hand & ((~reach & _LANE) * _SPREAD)) + _1:
        return False
    if popcount(losing) > popcount(hand & ~reach) + _1:
        return False
    if sets_cover(hand, reach, 0, 0, 0, smallest):
        return True
    if in_runs == _0:
        return False
    runs, beats, sizes = catalogue.runs, catalogue.beats, catalogue.sizes
    hands, losers = cover.hands, cover.losers
    their_ones = _ones(enemy, runs) | _ones(other, runs)
    their_twos = _twos(enemy, runs) | _twos(other, runs)
    hands[0] = hand
    hands[1] = _ones(hand, runs)
    hands[2] = _twos(hand, runs)
    losers[0] = losers[1] = losers[2] = 0
    at = 0
    effort = EFFORT
    while at >= 0:
        if hands[at + 1] != _0:
            bit = _63 - leading_zeros(hands[at + 1])
            hands[at + 1] ^= _1 << bit
            action = U(64) + bit
        elif hands[at + 2] != _0:
            bit = _63 - leading_zeros(hands[at + 2])
            hands[at + 2] ^= _1 << bit
            action = U(128) + bit
        else:
            at -= 3
            continue
        n, cards, largest = losers[at], losers[at + 1], losers[at + 2]
        row = action * _3
        if (their_ones & beats[row + _1]) | (their_twos & beats[row + _2] & _NOT_PASS) != _0:
            if n > 0:
                continue
            n = 1
            cards = largest = sizes[action]
        effort -= 1
        if effort < 0:
            return False
        left = taken(hands[at], action, catalogue)
        if sets_cover(left, reach, n, cards, largest, smallest):
            return True
        ranks = left & _RUN
        if at < 3 * DEEPEST and ranks & (ranks >> _1) & (ranks >> _2) != _0:
            # Start at this run, so that each set of runs is tried once.
            ones = _0
            twos = _twos(left, runs)
            if action < U(128):
                ones = _ones(left, runs) & ((_2 << bit) - _1)
            else:
                twos &= (_2 << bit) - _1
            if ones | twos != _0:
                at += 3
                hands[at], hands[at + 1], hands[at + 2] = left, ones, twos
                losers[at], losers[at + 1], losers[at + 2] = n, cards, largest
    return False


@woven_callable
def surely(
    hands: Words, at: int, players: int, side: np.uint64, context: np.uint64, catalogue: RankCatalogue, cover: Cover
) -> int:
    """1 if the bidder's `side` surely wins, -1 if the others do, 0 if that takes a search.

    A seat surely wins if it leads with a hand that `covered` accepts; or if its turn comes before the trick is over, it has a
    play that no enemy can beat, and it wins with the rest on lead. The owner of the trick leads if nobody beats its play.
    """
    mover = mover_of(context)
    owner = owner_of(context)
    lead = on_lead(context)
    action = action_of(context)
    words = cover.words
    size = 0
    if not lead:
        size = catalogue.sizes[action]
        if np.int64(popcount(hands[at + mover])) == size:
            return 1 if (side >> U(mover)) & _1 != _0 else -1
        for seat in range(players):
            words[seat] = beating(hands[at + seat], action, catalogue)
    asked = ((context >> _4) & U(15)) | (_1 << U(owner))
    for i in range(1 if lead else players):
        seat = mover + i if mover + i < players else mover + i - players
        if (asked >> U(seat)) & _1 == _0:
            continue
        ours = (side >> U(seat)) & _1
        hand = hands[at + seat]
        theirs = enemy = other = _0
        smallest = 99
        for k in range(players):
            if (side >> U(k)) & _1 != ours:
                theirs |= words[k]
                other |= enemy
                enemy = hands[at + k]
                smallest = min(smallest, np.int64(popcount(enemy)))
        left = hand
        if not lead:
            # Enemies whose turn comes first may each follow once; then even a tie is not enough.
            if i > 0:
                smallest -= size
            unbeaten = words[seat]
            if theirs != _0:
                unbeaten &= ~_0 << (_63 - leading_zeros(theirs))
                if i > 0:
                    unbeaten &= ~theirs
            if smallest <= 0 or unbeaten == _0:
                continue
            left = taken(hand, (action & ~_63) + _63 - leading_zeros(unbeaten), catalogue)
        if left == _0 or one_play(left, catalogue.runs) or covered(left, enemy, other, smallest, catalogue, cover):
            return 1 if ours != _0 else -1
    return 0

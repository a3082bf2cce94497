"""Positions that need no search: the mover's side goes out at once, or leads a hand whose winners cover its losers.

Both tests are sufficient, never necessary, and look only at the hands, so they hold for either side.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,arg-type,no-any-return"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.kernels.bits import leading_zeros, popcount, trailing_zeros
from dasan.kernels.compiled import compiled, inlined
from dasan.kernels.rank_play import legal_words, taken
from dasan.kernels.rank_solver_position import action_of, mover_of, on_lead
from dasan.kernels.rank_table import PASS, RUN_RANKS, RankTable

U = np.uint64
Words = npt.NDArray[np.uint64]
_0, _1, _2, _3, _4, _8, _16 = U(0), U(1), U(2), U(3), U(4), U(8), U(16)
_LANE = U(0x1FFF)
_RUN = U((1 << RUN_RANKS) - 1)
_SPREAD = U(0x0001_0001_0001_0001)
_NOT_PASS = U(((1 << 64) - 1) ^ (1 << (PASS - 128)))
_ABOVE, _FROM = U(0xFFFE), U(0xFFFF)
EFFORT = 200
"""How many ways to split a hand the covering test tries before it gives up."""


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


@compiled
def one_play(hand: np.uint64) -> bool:
    """Whether all of `hand` is one combination."""
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
    return (low & (low + _1)) == _0


@compiled
def covered(hand: np.uint64, enemy: np.uint64, other: np.uint64, smallest: int) -> bool:
    """Whether a hand on lead surely goes out first against `enemy` and `other` (0 for none; `smallest`: cards of the
    shorter), because it splits into plays in which, kind by kind, sure winners make up for all losers but one.

    A loser is led; whoever of the enemies beats it is beaten by a winner of the same kind, one that is strictly above
    all they hold; so each enemy follows once with as many cards, and goes out only if all losers led are as many cards
    as they hold. The last loser is led last. Ties, which nobody can beat either, count for nothing.
    """
    hands = np.empty(24, np.uint64)
    options = np.empty(24, np.int64)
    chosen = np.empty(24, np.int64)
    balance = np.zeros(64, np.int64)  # losers less winners of each kind: 16 × lane + length
    enemies = enemy | other
    winning = _0
    for lane in range(4):
        below = (enemies >> U(16 * lane)) & _LANE
        below |= below >> _1
        below |= below >> _2
        below |= below >> _4
        below |= below >> _8
        winning |= (_LANE & ~below) << U(16 * lane)
    depth = 0
    hands[0] = hand
    options[0] = 0
    effort = losers = winners = losing_cards = 0
    while depth >= 0:
        held = hands[depth]
        option = options[depth]
        rank = trailing_zeros(held & _LANE)
        deeper = False
        while option < 64:
            step = option & 15  # lengths 10 down to 3, then 1
            if step > 8:
                option = ((option >> 4) + 1) << 4
                continue
            lane = U(option >> 4)
            option += 1
            ranks = held >> (_16 * lane)
            if (ranks >> rank) & _1 == _0:
                option = 64
                break
            length = _1 if step == 8 else U(10 - step)
            mask = ((_1 << length) - _1) << rank
            if length > _1 and (mask > _RUN or (ranks & mask) != mask):
                continue
            theirs = starts(enemy, lane, length) | starts(other, lane, length)
            kind = np.int64(lane) * 16 + np.int64(length)
            loses = 1 if (theirs & (_ABOVE << rank)) != _0 else 0
            wins = 1 if (theirs & (_FROM << rank)) == _0 else 0
            left = without(held, mask, lane)
            hopes = np.int64(popcount(left & winning)) + np.int64(popcount(left & _RUN)) // 3
            if losers + loses - 1 > winners + wins + hopes:
                continue
            effort += 1
            if effort > EFFORT:
                return False
            size = np.int64((lane + _1) * length)
            if left == _0:
                balance[kind] += loses - wins
                net = largest = 0
                for i in range(64):
                    if balance[i] > 0:
                        net += balance[i]
                        largest = ((i >> 4) + 1) * (i & 15)
                balance[kind] -= loses - wins
                if net <= 1:
                    followed = losing_cards + size * loses
                    if net == 1:
                        followed -= largest
                    elif losers + loses > 0:
                        followed -= 1
                    if followed < smallest:
                        return True
                continue
            balance[kind] += loses - wins
            losers += loses
            winners += wins
            losing_cards += size * loses
            options[depth] = option
            chosen[depth] = kind * 4 + 2 * loses + wins
            depth += 1
            hands[depth] = left
            options[depth] = 0
            deeper = True
            break
        if not deeper:
            depth -= 1
            if depth >= 0:
                kind = chosen[depth] >> 2
                loses = (chosen[depth] >> 1) & 1
                wins = chosen[depth] & 1
                balance[kind] -= loses - wins
                losers -= loses
                winners -= wins
                losing_cards -= ((kind >> 4) + 1) * (kind & 15) * loses
    return False


@compiled
def leads_to_win(hand: np.uint64, hands: Words, at: int, players: int, side: np.uint64, ours: np.uint64) -> bool:
    """Whether `hand`, on lead for the side of which `ours` tells, is one play or covered against the other side."""
    if one_play(hand):
        return True
    enemy = other = _0
    smallest = 99
    for seat in range(players):
        if (side >> U(seat)) & _1 != ours:
            other = enemy
            enemy = hands[at + seat]
            smallest = min(smallest, np.int64(popcount(enemy)))
    return covered(hand, enemy, other, smallest)


@compiled
def surely(hands: Words, at: int, players: int, side: np.uint64, context: np.uint64, t: RankTable) -> int:
    """1 if the bidder's `side` surely wins, -1 if the others do, 0 if that takes a search.

    A mover who follows wins, too, with the highest play if no enemy can beat it and the rest wins on lead.
    """
    mover = mover_of(context)
    ours = (side >> U(mover)) & _1
    hand = hands[at + mover]
    won = False
    if on_lead(context):
        won = leads_to_win(hand, hands, at, players, side, ours)
    elif np.int64(popcount(hand)) == t.sizes[action_of(context)]:
        won = True
    else:
        sets, ones, twos = legal_words(hand, action_of(context), t)
        twos &= _NOT_PASS
        if sets != _0:
            top = U(63) - leading_zeros(sets)
        elif ones != _0:
            top = U(127) - leading_zeros(ones)
        else:
            top = U(191) - leading_zeros(twos)
        beaten = False
        for seat in range(players):
            if (side >> U(seat)) & _1 != ours:
                a, b, c = legal_words(hands[at + seat], top, t)
                if a | b | (c & _NOT_PASS) != _0:
                    beaten = True
        if not beaten:
            won = leads_to_win(taken(hand, top, t), hands, at, players, side, ours)
    if not won:
        return 0
    return 1 if ours != _0 else -1

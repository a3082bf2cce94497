"""How hard a position looks: the first proof and disproof numbers, from a fast split of each hand into turns.

Logarithms of both numbers and of the odds are linear in the features that `estimate` lists; the weights were fitted to
positions whose value and effort were known.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,arg-type,no-any-return"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.kernels.bits import popcount, trailing_zeros
from dasan.kernels.compiled import compiled
from dasan.kernels.rank_play import legal_words
from dasan.kernels.rank_solver_position import action_of, mover_of, on_lead, owner_of
from dasan.kernels.rank_solver_tests import starts, without
from dasan.kernels.rank_table import RUN_RANKS, RankTable

U = np.uint64
Words = npt.NDArray[np.uint64]
Weights = npt.NDArray[np.float64]
_0, _1, _2, _3, _4, _8, _16 = U(0), U(1), U(2), U(3), U(4), U(8), U(16)
_LANE = U(0x1FFF)
_RUN = U((1 << RUN_RANKS) - 1)
_ABOVE = U(0xFFFE)

LARGEST = 20.0
"""Largest logarithm of a first number."""

# fmt: off
_FITTED = (  # constant; turns, net losers of our best hand; turns fewer, more; losers fewer, more of theirs;
    #          we own, seat 1 owns, we move, our choices, their choices, they face our play; our cards, their cards
    (0.288, -0.268, -0.868, -0.396, -0.244, 0.964, 0.573, 0.475, 0.044, 0.640, 0.006, -0.028, -0.356, 0.218, -0.092),
    (-3.689, 0.760, 1.254, 1.218, 1.518, -0.828, -0.992, 0.420, 0.106, -0.448, 0.017, 0.276, -0.230, -0.246, -0.035),
    (-2.856, 1.122, -0.828, 0.230, 0.255, 1.472, 0.243, 0.497, -0.084, 0.825, 0.141, 0.027, -0.581, 0.119, -0.081),
)
# fmt: on


def weights() -> Weights:
    """Rows: the odds that the bidder's side wins; the logarithm of the effort to prove that, and to disprove it."""
    return np.array(_FITTED, np.float64)


@compiled
def turns_and_losers(hand: np.uint64, enemies: np.uint64, enemy: np.uint64, other: np.uint64) -> tuple[int, int]:
    """A greedy split of `hand`: in how many turns it goes out, and how many plays that can be beaten are left over when
    every set that cannot makes up for one of its kind. enemies: `enemy | other`.
    """
    turns = losers = 0
    while True:
        ranks = hand & _RUN
        found = ranks & (ranks >> _1) & (ranks >> _2)
        if found == _0:
            break
        length = _3
        longer = found & (ranks >> length)
        while longer != _0:
            found = longer
            length += _1
            longer = found & (ranks >> length)
        rank = trailing_zeros(found)
        mask = ((_1 << length) - _1) << rank
        lane = _1 if (hand >> _16) & mask == mask else _0
        left = without(hand, mask, lane)
        if popcount(hand & _LANE) <= popcount(left & _LANE) + _1:
            break
        turns += 1
        hand = left
        if (starts(enemy, lane, length) | starts(other, lane, length)) & (_ABOVE << rank) != _0:
            losers += 1
    for lane in range(4):
        shift = U(16 * lane)
        held = (hand >> shift) & _LANE
        if held == _0:
            break
        more = (hand >> (shift + _16)) & _LANE if lane < 3 else _0
        sets = held & ~more
        if sets != _0:
            count = np.int64(popcount(sets))
            beatable = (enemies >> shift) & _LANE
            beatable |= beatable >> _1
            beatable |= beatable >> _2
            beatable |= beatable >> _4
            beatable |= beatable >> _8
            beaten = np.int64(popcount(sets & (beatable >> _1)))
            turns += count
            if 2 * beaten > count:
                losers += 2 * beaten - count
    return turns, losers


@compiled
def estimate(
    hands: Words, at: int, players: int, side: np.uint64, context: np.uint64, t: RankTable, w: Weights
) -> tuple[int, int]:
    """First (proof number, disproof number) of "the bidder's side goes out first"."""
    ours = theirs = _0  # hands of each side, or-ed
    one = two = three = four = _0
    for seat in range(players):
        hand = hands[at + seat]
        if (side >> U(seat)) & _1 != _0:
            two = one
            one = hand
        else:
            four = three
            three = hand
    ours = one | two
    theirs = three | four
    our_turns = their_turns = 99
    our_losers = their_losers = 99
    most_turns = most_losers = 0
    our_cards = np.int64(popcount(one))
    their_cards = 0
    for seat in range(players):
        hand = hands[at + seat]
        if (side >> U(seat)) & _1 != _0:
            n, b = turns_and_losers(hand, theirs, three, four)
            our_turns = min(our_turns, n)
            our_losers = min(our_losers, b)
        else:
            n, b = turns_and_losers(hand, ours, one, two)
            their_turns = min(their_turns, n)
            their_losers = min(their_losers, b)
            most_turns = max(most_turns, n)
            most_losers = max(most_losers, b)
            their_cards += np.int64(popcount(hand))
    mover = mover_of(context)
    owner = owner_of(context)
    a, b2, c = legal_words(hands[at + mover], action_of(context), t)
    choices = float(np.int64(popcount(a) + popcount(b2) + popcount(c)))
    if on_lead(context):
        choices -= 1.0
    we_move = (side >> U(mover)) & _1 != _0
    we_own = (side >> U(owner)) & _1 != _0
    numbers = np.empty(3)
    for i in range(3):
        x = w[i, 0] + w[i, 1] * our_turns + w[i, 2] * our_losers
        x += w[i, 3] * their_turns + w[i, 4] * most_turns + w[i, 5] * their_losers + w[i, 6] * most_losers
        x += w[i, 13] * our_cards + w[i, 14] * their_cards
        if we_own:
            x += w[i, 7]
            if not on_lead(context):
                x += w[i, 12]
        elif owner == 1:
            x += w[i, 8]
        if we_move:
            x += w[i, 9] + w[i, 10] * choices
        else:
            x += w[i, 11] * choices
        numbers[i] = x
    proof = 1.25 * numbers[1]
    disproof = 1.25 * numbers[2]
    if numbers[0] > 0.0:
        disproof += 2.5 * numbers[0]
    else:
        proof -= 2.5 * numbers[0]
    return _power(proof), _power(disproof)


@compiled
def _power(logarithm: float) -> int:
    if logarithm <= 0.0:
        return 1
    return int(2.0 ** min(logarithm, LARGEST) + 0.5)

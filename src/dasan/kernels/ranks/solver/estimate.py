"""Initial proof and disproof numbers, from a heuristic that splits each hand into turns.

The logarithms of both numbers and of the odds come from a network (`learned`). A bidder against three has no network; there they
are linear in the features of `forecast`. The networks and the linear weights were fitted to solved positions.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,arg-type,no-any-return,operator,return-value"

from __future__ import annotations

import numpy as np

from dasan.arrays import Doubles, U, Words
from dasan.kernels.ranks.play import legal_words
from dasan.kernels.ranks.solver.learned import NONE, Network, form_of, judge
from dasan.kernels.ranks.solver.position import action_of, beating, mover_of, on_lead, owner_of
from dasan.kernels.ranks.solver.sure_wins import filled, starts, without
from dasan.kernels.ranks.tables import RUN_RANKS, RankCatalogue
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import inlined, lean, woven, woven_callable

_0, _1, _2, _3, _4, _8, _16 = U(0), U(1), U(2), U(3), U(4), U(8), U(16)
_LANE = U(0x1FFF)
_RUN = U((1 << RUN_RANKS) - 1)
_ABOVE = U(0xFFFE)
_BELOW = U(0x0FFF_0FFF_0FFF_0FFF)

LARGEST = 20.0
"""The largest logarithm of an initial number."""
SPLIT_WORDS = 8
"""Words of a split hand: its turns; its sets (bit r of lane n - 1: n cards of rank r); the number of runs; the runs (lowest
rank, lane << 8, length << 16)."""
MOST_RUNS = SPLIT_WORDS - 3

# fmt: off
_FITTED = (  # constant; turns, net losers of our best hand; turns fewer, more; losers fewer, more of theirs;
    #          we own, seat 1 owns, we move, our choices, their choices, they face our play; our cards, their cards
    (0.288, -0.268, -0.868, -0.396, -0.244, 0.964, 0.573, 0.475, 0.044, 0.640, 0.006, -0.028, -0.356, 0.218, -0.092),
    (-3.689, 0.760, 1.254, 1.218, 1.518, -0.828, -0.992, 0.420, 0.106, -0.448, 0.017, 0.276, -0.230, -0.246, -0.035),
    (-2.856, 1.122, -0.828, 0.230, 0.255, 1.472, 0.243, 0.497, -0.084, 0.825, 0.141, 0.027, -0.581, 0.119, -0.081),
)
# fmt: on


def weights() -> Doubles:
    """Rows: the odds that the bidder's side wins; the logarithm of the effort to prove that, and to disprove it."""
    return np.array(_FITTED, np.float64)


@lean
def split(hand: np.uint64, splits: Words, at: int) -> None:
    """Split `hand` greedily, long runs first unless they save no turn, into splits[at:]."""
    runs = 0
    while runs < MOST_RUNS:
        ranks = hand & _RUN
        starts = ranks & (ranks >> _1) & (ranks >> _2)
        if starts == _0:
            break
        length = _3
        longer = starts & (ranks >> length)
        while longer != _0:
            starts = longer
            length += _1
            longer = starts & (ranks >> length)
        rank = trailing_zeros(starts)
        mask = ((_1 << length) - _1) << rank
        lane = _1 if (hand >> _16) & mask == mask else _0
        left = without(hand, mask, lane)
        if popcount(hand & _LANE) <= popcount(left & _LANE) + _1:
            break
        splits[at + 3 + runs] = rank | (lane << _8) | (length << _16)
        runs += 1
        hand = left
    splits[at] = U(runs) + popcount(hand & _LANE)
    splits[at + 1] = hand & ~(hand >> _16)
    splits[at + 2] = U(runs)


@woven_callable
def split_all(hands: Words, at: int, players: int, splits: Words) -> None:
    """Split the hands of a position."""
    for seat in range(players):
        split(hands[at + seat], splits, SPLIT_WORDS * seat)


@lean
def losers_of(splits: Words, at: int, enemy: np.uint64, other: np.uint64, below: np.uint64) -> int:
    """How many beatable plays of a split hand remain when each unbeatable set makes up for one beatable play of its
    kind. below: in every lane, the ranks below the highest of the enemies.
    """
    out = 0
    for i in range(np.int64(splits[at + 2])):
        run = splits[at + 3 + i]
        lane = (run >> _8) & _1
        length = run >> _16
        beaten = starts(enemy, lane, length)
        if other != _0:
            beaten |= starts(other, lane, length)
        if beaten & (_ABOVE << (run & U(255))) != _0:
            out += 1
    sets = splits[at + 1]
    beaten = sets & below
    while beaten != _0:
        shift = trailing_zeros(beaten) & U(48)
        lost = np.int64(popcount((beaten >> shift) & _LANE))
        out += max(0, 2 * lost - np.int64(popcount((sets >> shift) & _LANE)))
        beaten &= ~(_LANE << shift)
    return out


@woven
def estimate(
    hands: Words,
    at: int,
    players: int,
    side: np.uint64,
    moved: int,
    context: np.uint64,
    catalogue: RankCatalogue,
    weights: Doubles,
    splits: Words,
    played: np.uint64,
    network: Network,
) -> tuple[int, int]:
    """Initial (proof number, disproof number) of "the bidder's side goes out first".

    splits: the hands split, but for that of the seat that `moved`, which is split here. played: the cards of that seat's hand
    that are no longer in it. network: with the hands before gathered, if there is one for this side.
    """
    split(hands[at + moved], splits, SPLIT_WORDS * moved)
    if form_of(players, side) != NONE:
        odds, proof, disproof = judged(hands, at, players, side, moved, played, context, catalogue, splits, network)
    else:
        odds, proof, disproof = forecast(hands, at, players, side, context, catalogue, weights, splits)
    if odds > 0.0:
        disproof += 2.5 * odds
    else:
        proof -= 2.5 * odds
    return _power(proof), _power(disproof)


@inlined
def _by_side(hands: Words, at: int, players: int, side: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The hands of the bidder's side and of the other, each as two words: its last hand, and the union of its other hands."""
    ours = allies = theirs = others = _0
    for seat in range(players):
        if (side >> U(seat)) & _1 != _0:
            allies |= ours
            ours = hands[at + seat]
        else:
            others |= theirs
            theirs = hands[at + seat]
    return ours, allies, theirs, others


@woven_callable
def judged(
    hands: Words,
    at: int,
    players: int,
    side: np.uint64,
    moved: int,
    played: np.uint64,
    context: np.uint64,
    catalogue: RankCatalogue,
    splits: Words,
    network: Network,
) -> tuple[float, float, float]:
    """As `forecast`, by the network for the side. moved, played: see `estimate`."""
    one, two, three, four = _by_side(hands, at, players, side)
    below_ours = (filled(one | two) >> _1) & _BELOW
    below_theirs = (filled(three | four) >> _1) & _BELOW
    for seat in range(players):
        if (side >> U(seat)) & _1 != _0:
            losers = losers_of(splits, SPLIT_WORDS * seat, three, four, below_theirs)
        else:
            losers = losers_of(splits, SPLIT_WORDS * seat, one, two, below_ours)
        turns = np.int64(splits[SPLIT_WORDS * seat])
        network.tallies[seat] = 16 * min(turns, 15) + min(losers, 15)
    choices = choices_of(hands[at + mover_of(context)], context, catalogue)
    return judge(network, players, side, moved, played, context, choices)


@inlined
def choices_of(hand: np.uint64, context: np.uint64, catalogue: RankCatalogue) -> int:
    """How many moves the mover has, without the pass on lead."""
    if on_lead(context):
        sets, ones, twos = legal_words(hand, action_of(context), catalogue)
        return np.int64(popcount(sets) + popcount(ones) + popcount(twos)) - 1
    return np.int64(popcount(beating(hand, action_of(context), catalogue))) + 1


@woven_callable
def forecast(
    hands: Words,
    at: int,
    players: int,
    side: np.uint64,
    context: np.uint64,
    catalogue: RankCatalogue,
    weights: Doubles,
    splits: Words,
) -> tuple[float, float, float]:
    """Evaluate the weights at a position whose hands are split: the natural logarithm of the odds that the bidder's side
    wins, and the logarithms to base 2 of the effort to prove and to disprove it.
    """
    one, two, three, four = _by_side(hands, at, players, side)
    our_cards = np.int64(popcount(one))
    their_cards = 0
    below_ours = (filled(one | two) >> _1) & _BELOW
    below_theirs = (filled(three | four) >> _1) & _BELOW
    our_turns = their_turns = 99
    our_losers = their_losers = 99
    most_turns = most_losers = 0
    for seat in range(players):
        turns = np.int64(splits[SPLIT_WORDS * seat])
        if (side >> U(seat)) & _1 != _0:
            losers = losers_of(splits, SPLIT_WORDS * seat, three, four, below_theirs)
            our_turns = min(our_turns, turns)
            our_losers = min(our_losers, losers)
        else:
            losers = losers_of(splits, SPLIT_WORDS * seat, one, two, below_ours)
            their_turns = min(their_turns, turns)
            their_losers = min(their_losers, losers)
            most_turns = max(most_turns, turns)
            most_losers = max(most_losers, losers)
            their_cards += np.int64(popcount(hands[at + seat]))
    mover = mover_of(context)
    owner = owner_of(context)
    lead = on_lead(context)
    choices = float(choices_of(hands[at + mover], context, catalogue))
    we_move = (side >> U(mover)) & _1 != _0
    we_own = (side >> U(owner)) & _1 != _0
    odds = proof = disproof = 0.0
    for i in range(3):
        total = weights[i, 0] + weights[i, 1] * our_turns + weights[i, 2] * our_losers
        total += (
            weights[i, 3] * their_turns
            + weights[i, 4] * most_turns
            + weights[i, 5] * their_losers
            + weights[i, 6] * most_losers
        )
        total += weights[i, 13] * our_cards + weights[i, 14] * their_cards
        if we_own:
            total += weights[i, 7]
            if not lead:
                total += weights[i, 12]
        elif owner == 1:
            total += weights[i, 8]
        total += weights[i, 9] + weights[i, 10] * choices if we_move else weights[i, 11] * choices
        if i == 0:
            odds = total
        elif i == 1:
            proof = total
        else:
            disproof = total
    return odds, proof, disproof


@inlined
def _power(logarithm: float) -> int:
    """About 2 ** logarithm, at least 1."""
    exponent = min(max(logarithm, 0.0), LARGEST)
    whole = np.int64(exponent)
    return np.int64((1.0 + (exponent - whole)) * (1 << whole) + 0.5)

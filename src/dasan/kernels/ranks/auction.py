"""The auction of Big Three for kernels: the compiled counterpart of `dasan.play.auction`, compared with it by a test.

Suit words: a hand as four 16-bit lanes, one a suit in the game's order, a bit for every rank held.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Longs, U, Words
from dasan.kernels.cards import card_bits
from dasan.kernels.env.settlement import Settlement, settlement
from dasan.kernels.runtime.bits import trailing_zeros
from dasan.kernels.runtime.compiled import inlined, woven
from dasan.ruleset.rules import Rules

_LANE = U(0x1FFF)
_16 = U(16)


class AuctionPolicy(NamedTuple):
    """The auction's policy as numbers. digs: count lanes of each holding that must bid the top (H.01)."""

    players: int
    hand_size: int
    top: int
    suit: int
    passing_is_final: bool
    opener_may_pass: bool
    one_round: bool
    """Whether every player speaks once (H.11)."""
    all_pass_is_void: bool
    """Whether a hand without a bid is over, without a winner (H.12)."""
    passes_to_end: int
    """Passes in a row that end the auction after a bid (H.43). More than there are players: the passes of all others
    end it or, where every player speaks once, none do."""
    bidder_leads: bool
    """Whether the bidder leads, not the opener (H.13)."""
    doubles: bool
    """Whether bombs or a spring double the payment (H.15, H.16)."""
    digs: Longs
    call_ranks: np.uint64
    """Ranks that may be called, as bits; 0 where no card is called."""
    pack: Words
    """Every card as a suit word, by suit and rank."""
    settlement: Settlement


def auction_policy(rules: Rules) -> AuctionPolicy:
    policy = rules.auction
    if policy is None or rules.hand_size is None:
        raise ValueError(f"{rules.name} has no auction")
    digs = np.zeros((len(policy.must_dig), len(rules.ranks)), np.int64)
    for i, holding in enumerate(policy.must_dig):
        for rank in holding:
            digs[i, rules.ranks.index(rank)] += 1
    called = sum(1 << rules.ranks.index(rank) for rank in rules.call.ranks) if rules.call is not None else 0
    return AuctionPolicy(
        players=rules.players,
        hand_size=rules.hand_size,
        top=policy.top,
        suit=rules.suits.index(policy.suit),
        passing_is_final=policy.passing_is_final,
        opener_may_pass=policy.opener_may_pass,
        one_round=policy.one_round,
        all_pass_is_void=policy.all_pass_is_void,
        passes_to_end=(0 if policy.one_round else policy.passes_to_end) or rules.players + 1,
        bidder_leads=policy.bidder_leads,
        doubles=rules.doubles,
        digs=digs,
        call_ranks=U(called),
        pack=np.array(sorted(card_bits(rules)[card] for card in rules.pack), np.uint64),
        settlement=settlement(rules),
    )


@inlined
def lowest_of_suit(cards: np.uint64, suit: int) -> np.uint64:
    """The lowest rank of `suit` in a suit word; 64 if there is none."""
    lane = (cards >> (_16 * U(suit))) & _LANE
    rank: np.uint64 = trailing_zeros(lane)
    return rank


@inlined
def counts_of(cards: np.uint64) -> np.uint64:
    """Convert a suit word to count lanes (at least one, two, three, four of a rank)."""
    suit0 = cards & _LANE
    suit1 = (cards >> _16) & _LANE
    suit2 = (cards >> U(32)) & _LANE
    suit3 = (cards >> U(48)) & _LANE
    any01, both01 = suit0 | suit1, suit0 & suit1
    any23, both23 = suit2 | suit3, suit2 & suit3
    return (
        (any01 | any23)
        | ((both01 | both23 | (any01 & any23)) << _16)
        | (((both01 & any23) | (both23 & any01)) << U(32))
        | ((both01 & both23) << U(48))
    )


@inlined
def must_dig(counts: np.uint64, digs: Longs) -> bool:
    """Whether a hand (count lanes) contains one of the holdings that must bid the top."""
    for i in range(digs.shape[0]):
        held = True
        for rank in range(digs.shape[1]):
            n = digs[i, rank]
            if n > 0 and (counts >> (_16 * U(n - 1) + U(rank))) & U(1) == U(0):
                held = False
        if held:
            return True
    return False


@inlined
def next_bidder(seat: int, passed: int, players: int) -> int:
    """The next seat that has not passed."""
    for _ in range(players):
        seat = seat + 1 if seat + 1 < players else 0
        if (passed >> seat) & 1 == 0:
            return seat
    return seat


@woven
def is_spring(out: int, side: np.uint64, plays: np.uint64, players: int) -> bool:
    """Whether one side has hardly played when seat `out` goes out (H.16). side: the bidder's, as bits; plays: of each seat, eight
    bits a seat.
    """
    ours = theirs = U(0)
    for seat in range(players):
        made = (plays >> U(8 * seat)) & U(255)
        mine = (side >> U(seat)) & U(1) != U(0)
        ours += made if mine else U(0)
        theirs += U(0) if mine else made
    return bool(theirs == U(0)) if (side >> U(out)) & U(1) != U(0) else bool(ours <= U(1))

"""Play whole random hands of Big Three, from the shuffle to the payments, for three and four players.

A hand's random numbers depend only on the seed and its number, not on the thread that plays it.
"""

from __future__ import annotations

import numpy as np

from dasan.arrays import Longs, U, Words
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.results import NOBODY, HandResults, write_result
from dasan.kernels.env.settlement import doublings, pay
from dasan.kernels.env.trace import write_ply
from dasan.kernels.ranks.auction import (
    AuctionPolicy,
    auction_policy,
    counts_of,
    is_spring,
    lowest_of_suit,
    must_dig,
    next_bidder,
)
from dasan.kernels.ranks.play import legal_words, pick, taken
from dasan.kernels.ranks.tables import LEAD, PASS, RankCatalogue, rank_catalogue
from dasan.kernels.runtime.bits import nth_set_bit, popcount
from dasan.kernels.runtime.compiled import compiled, woven
from dasan.kernels.runtime.random64 import below, draw, hand_state, mixed, stepped
from dasan.ruleset.rules import Rules

_0, _1, _3, _16, _32 = U(0), U(1), U(3), U(16), U(32)
_PASS, _LEAD = U(PASS), U(LEAD)

BID, CALL = 256, 512
"""Codes in a trace: BID + bid, CALL + 16 × suit + rank; a play is its action, + 1024 if it contains the called card."""
WITH_CALLED = 1024


@compiled
def shuffle_deal(state: np.uint64, cards: Words, pack: Words, hands: Words, each: int, players: int) -> np.uint64:
    """Deal `each` of `cards` to each of `players` and the rest to hands[players], as suit words; returns the random state.

    cards: words of one bit each. pack: room for them. A random word draws two cards. If no kitty remains, the last seat takes
    the remaining cards.
    """
    word = _0
    at = 0
    n = cards.shape[0]
    for i in range(n):
        pack[i] = cards[i]
    drawing = players - 1 if each * players == n else players
    hands[players] = _0
    for seat in range(drawing):
        held = _0
        for _ in range(each):
            state, word, j = draw(state, word, at, n)
            chosen = pack[j]
            pack[j] = pack[at]
            pack[at] = chosen
            held |= chosen
            at += 1
        hands[seat] = held
    rest = _0
    for i in range(at, n):
        rest |= pack[i]
    hands[drawing] = rest
    return state


@woven
def _random_auction(
    state: np.uint64, hands: Words, auction: AuctionPolicy, opener: int, trace: Longs
) -> tuple[np.uint64, int, int, int]:
    """Bid at random (B3.07–B3.10, H.01–H.02, H.11, H.12, H.43). Returns the random state, the bid, the bidder, -1 if the hand is
    void, and the number of plies.
    """
    players = auction.players
    seat, bid, bidder, passed, plies, tally = opener, 0, -1, 0, 0, 0
    while True:
        digs = auction.digs.shape[0] > 0 and must_dig(counts_of(hands[seat]), auction.digs)
        lowest_bid = auction.top if digs else bid + 1
        may_pass = not digs and (bid > 0 or seat != opener or auction.opener_may_pass)
        choices = auction.top + 1 - lowest_bid
        legal = choices + (1 if may_pass else 0)
        state = stepped(state)
        chosen = int(below(mixed(state), U(legal)))
        write_ply(trace, plies, seat, BID + lowest_bid + chosen if chosen < choices else PASS, legal)
        plies += 1
        if chosen < choices:
            bid = lowest_bid + chosen
            bidder = seat
            tally = 0
            if not auction.passing_is_final:
                passed = 0
        else:
            passed |= 1 << seat
            tally += 1
        waiting = ((1 << players) - 1) & ~passed
        heard = tally >= auction.passes_to_end or (auction.one_round and (seat + 1) % players == opener)
        if bidder >= 0:
            waiting &= ~(1 << bidder)
        if bid == auction.top or (bidder >= 0 and (waiting == 0 or heard)):
            return state, bid, bidder, plies
        if waiting == 0:
            return state, 1, -1 if auction.all_pass_is_void else opener, plies
        seat = next_bidder(seat, passed, players)


@woven
def _random_call(
    state: np.uint64, hands: Words, auction: AuctionPolicy, bidder: int, plies: int, trace: Longs
) -> tuple[np.uint64, np.uint64, int]:
    """Call a random card (B4.03). Returns the random state, the card's rank and the partner."""
    ranks = auction.call_ranks
    open_ = ((ranks << U(48)) | (ranks << _32) | (ranks << _16) | ranks) & ~hands[bidder]
    state = stepped(state)
    spot = nth_set_bit(open_, below(mixed(state), popcount(open_)))
    partner = -1
    for seat in range(auction.players):
        if (hands[seat] >> spot) & _1 != _0:
            partner = seat
    write_ply(trace, plies, bidder, CALL + signed(spot), signed(popcount(open_)))
    return state, spot & U(15), partner


@compiled
def random_hand(
    state: np.uint64, hands: Words, catalogue: RankCatalogue, auction: AuctionPolicy, payments: Longs, trace: Longs
) -> tuple[np.uint64, int, int]:
    """Play one dealt hand at random: every legal move of the engine's list is equally likely.

    hands: suit words by seat, then the kitty. payments: filled by seat. trace: if longer than 0, filled with three
    numbers a ply: seat, code, and how many moves were legal. Returns the random state, the number of plies and the seat that
    went out, or NOBODY.
    """
    players = auction.players
    opener, low = 0, U(64)
    for seat in range(players):
        lowest = lowest_of_suit(hands[seat], auction.suit)
        if lowest < low:
            low = lowest
            opener = seat
    state, bid, bidder, plies = _random_auction(state, hands, auction, opener, trace)
    called_rank, partner = _0, -1
    if bidder < 0:
        for other in range(players):
            payments[other] = 0
        return state, plies, NOBODY
    if auction.call_ranks != _0:
        state, called_rank, partner = _random_call(state, hands, auction, bidder, plies, trace)
        plies += 1
    else:
        hands[bidder] |= hands[players]
    seat = bidder if auction.bidder_leads else opener
    h0 = counts_of(hands[seat])
    h1 = counts_of(hands[seat + 1 if seat + 1 < players else seat + 1 - players])
    h2 = counts_of(hands[seat + 2 if seat + 2 < players else seat + 2 - players])
    h3 = counts_of(hands[seat + 3 if seat + 3 < players else seat + 3 - players]) if players == 4 else _0
    holder, last, passes = partner, _LEAD, 0
    bombs = tally = _0
    while True:
        state = stepped(state)
        with_called = False
        if seat == holder:
            state, action, with_called, legal = _choose_with_called(h0, last, called_rank, state, catalogue)
        else:
            sets, ones, twos = legal_words(h0, last, catalogue)
            action = pick(sets, ones, twos, mixed(state))
            legal = popcount(sets) + popcount(ones) + popcount(twos)
        write_ply(trace, plies, seat, signed(action) + (WITH_CALLED if with_called else 0), signed(legal))
        if with_called:
            holder = -1
        hand = taken(h0, action, catalogue)
        plies += 1
        if auction.doubles and action != _PASS:
            bombs += catalogue.bombs[action]
            tally += _1 << U(8 * seat)
        if hand == _0:
            break
        if players == 3:
            h0, h1, h2 = h1, h2, hand
        else:
            h0, h1, h2, h3 = h1, h2, h3, hand
        seat = seat + 1 if seat + 1 < players else 0
        if action == _PASS:
            passes += 1
            if passes == players - 1:
                last = _LEAD
                passes = 0
        else:
            last = action
            passes = 0
    side = 1 << bidder | (1 << partner if partner >= 0 else 0)
    doubled = 0
    if auction.doubles:
        doubled = doublings(signed(bombs), is_spring(seat, U(side), tally, players), auction.settlement)
    pay(seat, side, bid, 0, doubled, auction.settlement, payments)
    return state, plies, seat


@compiled
def _choose_with_called(
    hand: np.uint64, last: np.uint64, rank: np.uint64, state: np.uint64, catalogue: RankCatalogue
) -> tuple[np.uint64, np.uint64, bool, np.uint64]:
    """A random move of a hand that holds the called card of `rank`; plays with and without it are different moves (B4.07)."""
    lanes = (hand >> rank) & U(0x0001_0001_0001_0001)
    top = lanes & ~(lanes >> _16)
    sets, ones, twos = legal_words(hand & ~(top << rank), last, catalogue)
    with0, with1, with2 = legal_words(hand, last, catalogue)
    at = rank * _3
    with0 &= catalogue.using[at]
    with1 &= catalogue.using[at + _1]
    with2 &= catalogue.using[at + U(2)]
    plain = popcount(sets) + popcount(ones) + popcount(twos)
    extra = popcount(with0) + popcount(with1) + popcount(with2)
    i = below(mixed(state), plain + extra)
    state = stepped(state)
    if i < plain:
        return state, pick(sets, ones, twos, mixed(state)), False, plain + extra
    return state, pick(with0, with1, with2, mixed(state)), True, plain + extra


def hand_tables(rules: Rules) -> tuple[RankCatalogue, AuctionPolicy]:
    """The tables that `random_hands` reads."""
    return rank_catalogue(rules), auction_policy(rules)


@compiled
def random_hands(
    first: int, seed: np.uint64, catalogue: RankCatalogue, auction: AuctionPolicy, results: HandResults
) -> None:
    """Deal and randomly play hands of `seed` from number `first`, one for each row of results."""
    pack = np.empty(auction.pack.shape[0], np.uint64)
    hands = np.empty(auction.players + 1, np.uint64)
    payments = np.empty(auction.players, np.int64)
    trace = np.empty(0, np.int64)
    for k in range(results.plies.shape[0]):
        state = hand_state(seed, first + k)
        state = shuffle_deal(state, auction.pack, pack, hands, auction.hand_size, auction.players)
        _, plies, out = random_hand(state, hands, catalogue, auction, payments, trace)
        write_result(k, payments, out, plies, results)

"""Batched Big Three: many hands side by side; a step carries out one action in each, and deals the next hand after the last.

An environment is one row of words, see the columns below. The actions are those of `rank_catalogue`; `RankIds` turns them
into action ids and back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import U, Words
from dasan.kernels.cards import hand_of
from dasan.kernels.env.buffers import (
    Buffers,
    clear_result,
    deal_state,
    finish_observation,
    look_ahead,
    put,
    put_seat,
    rows_of_words,
    signed,
    turned,
)
from dasan.kernels.env.optional_outputs import OptionalOutputs, check_layout, finish_hidden, write_moves
from dasan.kernels.env.serving import Parcel, make_serve, make_show
from dasan.kernels.env.settlement import doublings, pay
from dasan.kernels.ranks.auction import (
    AuctionPolicy,
    auction_policy,
    counts_of,
    is_spring,
    lowest_of_suit,
    must_dig,
    next_bidder,
)
from dasan.kernels.ranks.hands import shuffle_deal
from dasan.kernels.ranks.ids import RankIds, rank_ids, write_legal, write_plain
from dasan.kernels.ranks.play import legal_words, taken
from dasan.kernels.ranks.tables import LEAD, PASS, RankCatalogue, rank_catalogue
from dasan.kernels.runtime.bits import extract, popcount
from dasan.kernels.runtime.compiled import lean, linked, woven
from dasan.kernels.runtime.parcels import opened
from dasan.kernels.runtime.random64 import below, mixed, stepped
from dasan.play.action_ids import action_ids
from dasan.play.dealing import Deal
from dasan.ruleset.rules import Rules

_0, _1, _2, _3, _16 = U(0), U(1), U(2), U(3), U(16)
_PASS, _LEAD = U(PASS), U(LEAD)
_PASS_BIT = U(1 << (PASS - 128))
_LANES = U(0x0001_0001_0001_0001)
_HELD = U(0x1FFF_1FFF_1FFF_1FFF)
_ALL = U(0xFFFF_FFFF_FFFF_FFFF)

HAND, PLAYED = 0, 4
PHASE, SEAT, PASSED, LAST, TABLE_SEAT, HOLDER, CALLED, PARTNER = 8, 9, 10, 11, 12, 13, 14, 15
BID, BIDDER, BIDS, OPENER, OPENING, DEALER, KITTY, NUMBER = 16, 17, 18, 19, 20, 21, 22, 23
DEALT, BASE, BOMBS, TALLY = 24, 29, 30, 31
COLUMNS = 32
"""Columns of a row. A play reads the first two cache lines; bids and observations read the third. Hands, played cards and KITTY
are count lanes by seat; dealt cards are suit words by seat, then the kitty. BOMBS: how many have been played. TALLY: in the
auction the passes since the last bid; in the play, where payments are doubled, the plays of each seat, eight bits a seat. NONE:
no such seat or card."""
NONE = 63
AUCTION, CALLING, PLAYING = 0, 1, 2
SCRATCH = 52 + 5
"""Scratch words of a thread: a pack and a deal."""


class RankTables(NamedTuple):
    """The tables that these kernels read."""

    catalogue: RankCatalogue
    auction: AuctionPolicy
    ids: RankIds


PLANES = "phase hand kitty? played table kind table_seat passed dealer opener opening_card bidder bid partner? called?"
NUMBERS = "hand_sizes said doublings? bidder_plays?"
HIDDEN = "hands hidden_kitty? hidden_partner?"
"""The features that the functions here write, in order; those with ? only where there is a kitty, or a card is called."""


def tables(rules: Rules, session: bool) -> RankTables:
    left_out = {"partner", "called", "hidden_partner"} if rules.call is None else {"kitty", "hidden_kitty"}
    left_out |= set() if rules.doubles else {"doublings", "bidder_plays"}
    check_layout(rules, session, f"{PLANES} {NUMBERS}", HIDDEN, left_out)
    return RankTables(rank_catalogue(rules), auction_policy(rules), rank_ids(rules, session))


@lean
def deal(row: Words, pack: Words, hands: Words, tables: RankTables) -> None:
    """Deal hand NUMBER up to the first bid (B3.05–B3.07). The dealer is drawn at random, except in later hands of a session."""
    auction = tables.auction
    players = auction.players
    state = deal_state(row[BASE], signed(row[NUMBER]))
    if not tables.ids.session or row[NUMBER] == _0:
        state = stepped(state)
        row[DEALER] = below(mixed(state), U(players))
    shuffle_deal(state, auction.pack, pack, hands, auction.hand_size, players)
    opener, low = 0, U(64)
    for seat in range(players):
        row[DEALT + seat] = hands[seat]
        row[HAND + seat] = counts_of(hands[seat])
        row[PLAYED + seat] = _0
        lowest = lowest_of_suit(hands[seat], auction.suit)
        if lowest < low:
            low = lowest
            opener = seat
    row[DEALT + 4] = hands[players]
    row[KITTY] = counts_of(hands[players])
    row[PHASE] = AUCTION
    row[SEAT] = row[OPENER] = opener
    row[OPENING] = low
    row[BID] = row[PASSED] = row[BIDS] = row[BOMBS] = row[TALLY] = 0
    row[BIDDER] = row[PARTNER] = row[CALLED] = row[HOLDER] = row[TABLE_SEAT] = NONE
    row[LAST] = LEAD


@linked
def _move_all(parcel: Parcel, me: int, first: int, end: int, last: int, starting: bool) -> None:
    """Start the first hand of each environment, or carry out one action in each; settle and redeal hands that are over."""
    _, workspace, states, buffers, tables = opened(parcel)
    scratch = workspace.scratch[me]
    pack, hands = scratch[:52], scratch[52:57]
    for i in range(U(first), U(end)):
        look_ahead(i, last, states, 3 if workspace.observing else 2, buffers)
        row = states[i]
        if starting:
            row[NUMBER] = _0
            deal(row, pack, hands, tables)
        else:
            advance(i, workspace.chosen[i], row, buffers, tables, pack, hands)


@woven
def _publish(i: int, scratch: Words, states: Words, buffers: Buffers, tables: RankTables) -> None:
    publish(i, states[i], buffers, tables)


@woven
def _publish_plain(i: int, scratch: Words, states: Words, buffers: Buffers, tables: RankTables) -> None:
    """As `_publish`, for plain ids and rules in which no card is called."""
    row = states[i]
    seat = row[SEAT]
    buffers.to_act[i] = signed(seat)
    if row[PHASE] == PLAYING:
        sets, ones, twos = legal_words(row[U(HAND) + seat], row[LAST], tables.catalogue)
        write_plain(i, _0, sets, ones, twos, tables.ids, buffers)
    else:
        bids, twos = bids_of(row, tables)
        write_plain(i, bids, _0, _0, twos, tables.ids, buffers)


@woven
def _plain(tables: RankTables) -> bool:
    return tables.ids.plain


@woven
def advance(i: int, action: int, row: Words, buffers: Buffers, tables: RankTables, pack: Words, hands: Words) -> None:
    """Carry out one legal action (an id) in environment `i`, whose words are `row`; write the result if the hand is over."""
    clear_result(i, buffers, tables.auction.players)
    if move(row, action, tables):
        settle(i, row, buffers, tables.auction)
        row[DEALER] = row[SEAT]
        row[NUMBER] += _1
        deal(row, pack, hands, tables)


@woven
def move(row: Words, action: int, tables: RankTables) -> bool:
    """Carry out one legal action id. True if the hand is over; row[SEAT] then went out."""
    if row[PHASE] == PLAYING:
        return _play(row, tables.ids.codes[U(action)], tables)
    if row[PHASE] == AUCTION:
        return _bid(row, signed(action), tables.auction)
    _call(row, tables.ids.call_cards[action - tables.ids.first_call], tables.auction)
    return False


@woven
def _bid(row: Words, bid: int, auction: AuctionPolicy) -> bool:
    """Carry out a bid; 0 is a pass (B3.08–B3.11, B4.02, H.02, H.11–H.13, H.43). True if the hand is void; row[SEAT] then deals
    again.
    """
    players = auction.players
    seat = signed(row[SEAT])
    passed = signed(row[PASSED])
    if bid > 0:
        row[BID] = bid
        row[BIDDER] = seat
        row[BIDS] = (row[BIDS] & ~(U(255) << U(8 * seat))) | (U(bid) << U(8 * seat))
        row[TALLY] = _0
        if not auction.passing_is_final:
            passed = 0
    else:
        passed |= 1 << seat
        row[TALLY] += _1
    waiting = ((1 << players) - 1) & ~passed
    heard = False
    if row[BIDDER] != NONE:
        waiting &= ~(1 << signed(row[BIDDER]))
        following = U(seat + 1 if seat + 1 < players else 0)
        heard = (auction.one_round and following == row[OPENER]) or signed(row[TALLY]) >= auction.passes_to_end
    if waiting == 0 or row[BID] == auction.top or heard:
        row[TALLY] = _0
        if row[BIDDER] == NONE and auction.all_pass_is_void:
            row[SEAT] = row[DEALER]
            return True
        if row[BIDDER] == NONE:
            row[BID] = 1
            row[BIDDER] = row[OPENER]
        row[PASSED] = 0
        if auction.call_ranks != _0:
            row[PHASE] = CALLING
            row[SEAT] = row[BIDDER]
            return False
        bidder = signed(row[BIDDER])
        row[HAND + bidder] = counts_of(row[DEALT + bidder] | row[DEALT + 4])
        row[PHASE] = PLAYING
        row[SEAT] = row[BIDDER] if auction.bidder_leads else row[OPENER]
        return False
    row[PASSED] = passed
    row[SEAT] = next_bidder(seat, passed, players)
    return False


@lean
def _call(row: Words, card: int, auction: AuctionPolicy) -> None:
    """Call the partner's card (B4.03)."""
    row[CALLED] = card
    for seat in range(auction.players):
        if (row[DEALT + seat] >> U(card)) & _1 != _0:
            row[PARTNER] = row[HOLDER] = seat
    row[PHASE] = PLAYING
    row[SEAT] = row[BIDDER] if auction.bidder_leads else row[OPENER]


@woven
def _play(row: Words, code: int, tables: RankTables) -> bool:
    """Carry out a play or a pass (B3.15–B3.18). True if the hand is over; row[SEAT] then went out."""
    catalogue, players = tables.catalogue, U(tables.auction.players)
    seat, passed, last, table_seat = row[SEAT], row[PASSED], row[LAST], row[TABLE_SEAT]
    action = U(code & 255)
    ranks, shift = catalogue.ranks[action], catalogue.shift[action]
    played = row[U(PLAYED) + seat]
    row[U(PLAYED) + seat] = (
        (played & ~ranks) | ((((played & ranks) << shift) << shift) & ranks) | (ranks & ~((_ALL << shift) << shift))
    )
    left = taken(row[U(HAND) + seat], action, catalogue)
    row[U(HAND) + seat] = left
    if code >= 256:
        row[HOLDER] = NONE
    if tables.auction.doubles and action != _PASS:
        row[BOMBS] += catalogue.bombs[action]
        row[TALLY] += _1 << (seat << _3)
    if left == _0:
        return True
    # A pass takes no cards. A branch on it would be mispredicted often, so there is none: all words are read above.
    passing = action == _PASS
    passed |= _1 << seat
    cleared = passing & (popcount(passed) == players - _1)
    row[PASSED] = passed if passing & (not cleared) else _0
    row[LAST] = _LEAD if cleared else (last if passing else action)
    row[TABLE_SEAT] = U(NONE) if cleared else (table_seat if passing else seat)
    row[SEAT] = seat + _1 if seat + _1 < players else _0
    return False


@lean
def settle(i: int, row: Words, buffers: Buffers, auction: AuctionPolicy) -> None:
    """Write the payments (B3.19, B4.06, H.15, H.16); all are 0 where nobody has bid (H.12)."""
    partner, out = row[PARTNER], signed(row[SEAT])
    buffers.done[i] = 1
    if row[BIDDER] == NONE:
        for seat in range(auction.players):
            buffers.rewards[i, seat] = 0
        return
    side = _1 << row[BIDDER] | (_1 << partner if partner != NONE else _0)
    doubled = 0
    if auction.doubles:
        doubled = doublings(signed(row[BOMBS]), is_spring(out, side, row[TALLY], auction.players), auction.settlement)
    pay(out, signed(side), signed(row[BID]), 0, doubled, auction.settlement, buffers.rewards[i])
    buffers.places[i, out] = 1


@woven
def legal_of(row: Words, tables: RankTables) -> tuple[np.uint64, ...]:
    """All legal actions as seven words: pass, bids and calls (id 1 at bit 0), then three words of plays with the called card
    and three without.
    """
    catalogue = tables.catalogue
    seat = row[SEAT]
    bids, with0, with1, with2 = _0, _0, _0, _0
    if row[PHASE] == PLAYING:
        hand, last = row[U(HAND) + seat], row[LAST]
        sets, ones, twos = legal_words(hand, last, catalogue)
        if row[HOLDER] == seat:
            rank = row[CALLED] & U(15)
            at = rank * _3
            with0, with1, with2 = (
                sets & catalogue.using[at],
                ones & catalogue.using[at + _1],
                twos & catalogue.using[at + _2],
            )
            lanes = (hand >> rank) & _LANES
            top = lanes & ~(lanes >> _16)
            sets, ones, twos = legal_words(hand & ~(top << rank), last, catalogue)
        return bids, with0, with1, with2, sets, ones, twos
    if row[PHASE] == AUCTION:
        bids, twos = bids_of(row, tables)
        return bids, with0, with1, with2, _0, _0, twos
    ids = tables.ids
    for k in range(ids.call_cards.shape[0] - 1):
        if (row[U(DEALT) + seat] >> U(ids.call_cards[k])) & _1 == _0:
            bids |= _1 << U(ids.first_call - 1 + k)
    return bids, with0, with1, with2, _0, _0, _0


@woven
def bids_of(row: Words, tables: RankTables) -> tuple[np.uint64, np.uint64]:
    """The legal bids, id 1 at bit 0, and the bit of the pass."""
    auction = tables.auction
    seat = row[SEAT]
    bound = auction.digs.shape[0] > 0 and must_dig(row[U(HAND) + seat], auction.digs)
    lowest = auction.top if bound else signed(row[BID]) + 1
    passes = not bound and (row[BID] > _0 or row[OPENER] != seat or auction.opener_may_pass)
    return (_1 << U(auction.top)) - (_1 << U(lowest - 1)), _PASS_BIT if passes else _0


@woven
def publish(i: int, row: Words, buffers: Buffers, tables: RankTables) -> None:
    """Write the seat to act and its legal actions."""
    buffers.to_act[i] = signed(row[SEAT])
    write_legal(i, legal_of(row, tables), tables.ids, buffers)


@woven
def _observe(i: int, states: Words, buffers: Buffers, tables: RankTables) -> None:
    """Write the observation of the seat to act."""
    row = states[i]
    kinds = tables.ids.number_of_kinds
    # With constant sizes the compiler knows every offset, which halves the time.
    if tables.auction.players == 3 and kinds == 8 and tables.auction.top == 3 and tables.auction.call_ranks == _0:
        _write_observation(i, row, buffers, tables, 3, 8, 3, False)
    else:
        _write_observation(
            i, row, buffers, tables, tables.auction.players, kinds, tables.auction.top, tables.auction.call_ranks != _0
        )


@woven
def _write_observation(
    i: int, row: Words, buffers: Buffers, tables: RankTables, players: int, kinds: int, top: int, four: bool
) -> None:
    """Write the features of `dasan.features.layout`, in order.

    kinds, top: how many kinds and bids there are. four: whether a card is called.
    """
    ids = tables.ids
    me = signed(row[SEAT])
    obs, acc = buffers.packed, _0
    phase = signed(row[PHASE])
    acc, at = put(acc, 0, _1 << U(phase if four or phase == AUCTION else phase - 1), 3 if four else 2, obs, i)
    acc, at = put(acc, at, extract(row[U(HAND) + row[SEAT]], _HELD), 52, obs, i)
    if not four:
        kitty = extract(row[KITTY], _HELD)
        known = (phase == PLAYING) & (ids.reveal | (row[BIDDER] == U(me)))
        acc, at = put(acc, at, kitty if known else _0, 52, obs, i)
    sizes = _0
    for seat in range(players):
        sizes |= popcount(row[HAND + seat]) << U(8 * seat)
    at_seat = row[SEAT]
    for _ in range(players):
        acc, at = put(acc, at, extract(row[U(PLAYED) + at_seat], _HELD), 52, obs, i)
        at_seat = at_seat + _1 if at_seat + _1 < U(players) else _0
    last = row[LAST]
    acc, at = put(acc, at, ids.shown[last], 52, obs, i)
    acc, at = put(acc, at, ids.kinds[last], kinds, obs, i)
    lanes = (_LANES << U(players)) - _LANES
    seats = (
        (_1 << row[TABLE_SEAT]) | (row[PASSED] << _16) | (_1 << (U(32) + row[DEALER])) | (_1 << (U(48) + row[OPENER]))
    )
    seats = extract(turned(seats & lanes, U(me), U(players), lanes), lanes)
    acc, at = put(acc, at, seats, 4 * players, obs, i)
    acc, at = put(acc, at, _1 << row[OPENING], 13, obs, i)
    ahead = (_1 << row[BIDDER]) | (((_1 << row[BID]) >> _1) << _16)
    ahead = turned(ahead & lanes, U(me), U(players), lanes & U(0xFFFF)) | ((ahead >> _16) & U(0x7FFF_FFFF)) << U(players)
    acc, at = put(acc, at, ahead, players + top, obs, i)
    if four:
        shown = (row[PHASE] == PLAYING) & ((row[HOLDER] == NONE) | (row[PARTNER] == U(me)))
        acc, at = put_seat(acc, at, row[PARTNER] if shown else U(NONE), me, players, obs, i)
        n = ids.call_cards.shape[0] - 1
        acc, at = put(acc, at, _1 << U(ids.calls[row[CALLED]]) if row[CALLED] != NONE else _0, n, obs, i)
    every = (_1 << U(8 * players)) - _1
    sizes = turned(sizes, U(8 * me), U(8 * players), every)
    bids = turned(row[BIDS], U(8 * me), U(8 * players), every)
    numbers = sizes | (bids << U(8 * players))
    more = _0
    if tables.auction.doubles:
        more = _doubled(row, me, tables.auction)
        numbers |= more << U(48) if players == 3 else _0
    finish_observation(acc, at, numbers, i, buffers)
    if tables.auction.doubles and players > 3:
        obs[i, obs.shape[1] - 1] = more
        if buffers.written.obs:
            buffers.obs[i, buffers.obs.shape[1] - 1] = more


@woven
def _doubled(row: Words, me: int, auction: AuctionPolicy) -> np.uint64:
    """How often bombs have doubled the payment, then the plays of the bidder's side, 2 for several, as two bytes. The plays of a
    partner whom the seat to act does not know are left out.
    """
    plays = _0
    if row[PHASE] == PLAYING:
        plays = (row[TALLY] >> (row[BIDDER] << _3)) & U(255)
        if row[PARTNER] != NONE and (row[HOLDER] == NONE or row[PARTNER] == U(me)):
            plays += (row[TALLY] >> (row[PARTNER] << _3)) & U(255)
    return U(doublings(signed(row[BOMBS]), False, auction.settlement)) | (min(plays, _2) << U(8))


@woven
def _write_optional(i: int, optional: OptionalOutputs, states: Words, buffers: Buffers, tables: RankTables) -> None:
    """Write the optional outputs."""
    row, players = states[i], tables.auction.players
    me = signed(row[SEAT])
    if optional.showing:
        acc, at = _0, 0
        for k in range(1, players):
            acc, at = put(acc, at, extract(row[HAND + (me + k) % players], _HELD), 52, optional.hidden_bits, i)
        if optional.kitty:
            acc, at = put(acc, at, extract(row[KITTY], _HELD), 52, optional.hidden_bits, i)
        if tables.auction.call_ranks != _0:
            acc, at = put_seat(acc, at, row[PARTNER], me, players, optional.hidden_bits, i)
        finish_hidden(acc, at, i, optional)
    if optional.listing:
        write_moves(i, signed(popcount(row[HAND + me])), buffers, optional)


serve = make_serve(__name__, _move_all, _publish, _observe, _write_optional, _publish_plain, _plain)
show = make_show(__name__, _publish, _observe)


def make_state(rules: Rules, num_envs: int) -> tuple[Words, Words, Words]:
    """Allocate the rows of `num_envs` environments; return them, the column of deal seeds and that of hand numbers."""
    words = rows_of_words(num_envs, COLUMNS)
    return words, words[:, BASE], words[:, NUMBER]


def samples_bits(tables: RankTables) -> bool:
    """Whether a packed mask is enough to sample from; else the list is always written."""
    return tables.ids.in_order


def most_legal(rules: Rules) -> int:
    """An upper bound on legal actions at once, plus 64 places that `gather` may overwrite."""
    return max(len(rules.catalogue.rows), action_ids(rules).rows) + 64


def dealt(rules: Rules, states: Words, i: int, session: bool) -> Deal:
    """The deal of environment `i`."""
    hands = tuple(hand_of(rules, states[i, DEALT + seat]) for seat in range(rules.players))
    number = int(states[i, NUMBER]) + 1 if session else 1
    return Deal(number, int(states[i, DEALER]), hands, hand_of(rules, states[i, DEALT + 4]))

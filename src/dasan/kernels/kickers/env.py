"""Batched Dou Dizhu: many hands side by side; a step carries out one action in each, and deals the next hand after the last.

An environment is one row of words, see the columns below. Legal plays are recomputed at every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Bytes, U, Words
from dasan.backends.kickers import most_plays
from dasan.features import kinds
from dasan.kernels.cards import hand_of
from dasan.kernels.env.buffers import (
    Buffers,
    clear_mask,
    clear_result,
    deal_state,
    enter_legal,
    finish_observation,
    look_ahead,
    put,
    rows_of_words,
    signed,
    sort_legal,
    turned,
)
from dasan.kernels.env.optional_outputs import OptionalOutputs, check_layout, finish_hidden, write_moves
from dasan.kernels.env.serving import Parcel, make_serve, make_show
from dasan.kernels.env.settlement import doublings, pay
from dasan.kernels.kickers.hands import CARDS, deal_cards, fill_pack
from dasan.kernels.kickers.play import LEAD, PLAY_WORDS, PLAYS_AT, answers, code_of, counts_of, fields, find, size
from dasan.kernels.kickers.tables import PLACES, KickerCatalogue, KickerPolicy, kicker_catalogue, kicker_policy
from dasan.kernels.runtime.bits import HAS_BYTE_VECTORS, extract, gather, spread, spread_few, trailing_zeros
from dasan.kernels.runtime.compiled import apart, woven
from dasan.kernels.runtime.parcels import opened
from dasan.kernels.runtime.random64 import below, mixed, stepped
from dasan.play.action_ids import action_ids
from dasan.play.dealing import Deal
from dasan.ruleset.rules import Rules

_0, _1, _2, _3 = U(0), U(1), U(2), U(3)
_ONES = U(0x0111_1111_1111_1111)
_SEATS = U(0x0007_0007_0007_0007)

HAND, TABLE, SEAT, PASSED, PHASE, TABLE_SEAT = 0, 3, 4, 5, 6, 7
PLAYED, BOMBS, SIDE_PLAYS, HAS_PLAYED, BID, BIDDER = 8, 11, 12, 13, 14, 15
KITTY, BIDS, OPENER, DEALER, NUMBER, BASE, DEALT = 16, 17, 18, 19, 20, 21, 24
COLUMNS = 32
"""Columns of a row. A play reads the first two cache lines. Hands, played cards and KITTY are counts; dealt cards are suit words
by seat, then the kitty. TABLE: `catalogue.shown` of the play on the table, or NONE. PASSED, HAS_PLAYED: seats as bits. BOMBS:
plays of power. SIDE_PLAYS: plays of the bidder. BIDS: highest bids, eight bits a seat."""
NONE = 1 << 20
"""In place of a play in TABLE: none."""
NO_SEAT = 15
"""In place of a seat in TABLE_SEAT and BIDDER: none. It is no bit of `_SEATS`."""
AUCTION, PLAYING = 0, 1
PACK, FINDING = 0, CARDS + 2
SCRATCH = FINDING + PLAY_WORDS
"""Scratch words of a thread: a pack, and a search."""


class KickerTables(NamedTuple):
    """The tables that these kernels read. first_row: the id of row 0. actions: how many ids there are. places: 0 to 63. reveal:
    whether all see the kitty. doubles: whether doublings are observed.
    """

    catalogue: KickerCatalogue
    policy: KickerPolicy
    first_row: int
    actions: int
    places: Bytes
    number_of_kinds: int
    reveal: bool
    doubles: bool
    session: bool


PLANES = "phase hand kitty played table kind table_seat passed dealer opener bidder bid"
NUMBERS = "hand_sizes said doublings? bidder_plays?"
HIDDEN = "hands hidden_kitty"
"""The features that the functions here write, in order; those with ? only where something doubles."""


def tables(rules: Rules, session: bool) -> KickerTables:
    left_out = set() if rules.doubles else {"doublings", "bidder_plays"}
    check_layout(rules, session, f"{PLANES} {NUMBERS}", HIDDEN, left_out)
    return KickerTables(
        catalogue=kicker_catalogue(rules),
        policy=kicker_policy(rules),
        first_row=action_ids(rules, session).rows,
        actions=action_ids(rules, session).count,
        places=np.arange(64, dtype=np.uint8),
        number_of_kinds=len(kinds(rules)),
        reveal=rules.reveal_kitty,
        doubles=rules.doubles,
        session=session,
    )


def make_state(rules: Rules, num_envs: int) -> tuple[Words, Words, Words]:
    """Allocate the rows of `num_envs` environments; return them, the column of deal seeds and that of hand numbers."""
    words = rows_of_words(num_envs, COLUMNS)
    return words, words[:, BASE], words[:, NUMBER]


def samples_bits(tables: KickerTables) -> bool:
    """Whether a packed mask is enough to sample from. It is not: the list is always written."""
    return False


def most_legal(rules: Rules) -> int:
    """An upper bound on legal actions at once, plus 64 places that `gather` may overwrite."""
    return max(most_plays(rules), action_ids(rules).rows) + 1 + 64


def dealt(rules: Rules, states: Words, i: int, session: bool) -> Deal:
    """The deal of environment `i`."""
    hands = tuple(hand_of(rules, states[i, DEALT + seat]) for seat in range(rules.players))
    number = int(states[i, NUMBER]) + 1 if session else 1
    kitty = hand_of(rules, states[i, DEALT + rules.players])
    return Deal(number, int(states[i, DEALER]), hands, kitty, opener=int(states[i, OPENER]))


@apart
def deal(row: Words, scratch: Words, tables: KickerTables) -> None:
    """Deal hand NUMBER up to the first bid (DD.01, DD.02). The dealer is drawn at random, except in later hands of a session."""
    state = deal_state(row[BASE], signed(row[NUMBER]))
    if not tables.session or row[NUMBER] == _0:
        state = stepped(state)
        row[DEALER] = below(mixed(state), U(3))
    state = stepped(state)
    row[SEAT] = row[OPENER] = below(mixed(state), U(3))
    pack = scratch[PACK : PACK + CARDS]
    fill_pack(pack, True)
    deal_cards(state, pack, row[DEALT : DEALT + 4], tables.policy.hand_size, 3)
    for seat in range(3):
        row[HAND + seat] = counts_of(row[DEALT + seat])
        row[PLAYED + seat] = _0
    row[KITTY] = counts_of(row[DEALT + 3])
    row[PHASE] = AUCTION
    row[PASSED] = row[BOMBS] = row[SIDE_PLAYS] = row[HAS_PLAYED] = row[BID] = row[BIDS] = _0
    row[TABLE] = NONE
    row[TABLE_SEAT] = row[BIDDER] = NO_SEAT


@apart
def _move_all(parcel: Parcel, me: int, first: int, end: int, last: int, starting: bool) -> None:
    """Start the first hand of each environment, or carry out one action in each; settle and redeal hands that are over."""
    _, workspace, states, buffers, tables = opened(parcel)
    scratch = workspace.scratch[me]
    for i in range(U(first), U(end)):
        look_ahead(i, last, states, 3 if workspace.observing else 2, buffers)
        row = states[i]
        clear_result(i, buffers, 3)
        _clear(i, buffers, tables)
        if starting:
            row[NUMBER] = _0
            deal(row, scratch, tables)
        elif move(row, workspace.chosen[i], tables):
            settle(i, row, buffers, tables)
            row[NUMBER] += _1
            deal(row, scratch, tables)


@woven
def move(row: Words, action: int, tables: KickerTables) -> bool:
    """Carry out one legal action id. True if the hand is over: row[SEAT] then went out, or nobody has bid."""
    if row[PHASE] == AUCTION:
        return _bid(row, signed(action), tables.policy)
    # Nothing here branches on whether it is a pass, which cannot be predicted.
    catalogue = tables.catalogue
    seat, leader = row[SEAT], row[TABLE_SEAT]
    after = seat + _1 if seat < _2 else _0
    passing = action == 0
    played = U(catalogue.shown.shape[0] - 1) if passing else U(action - tables.first_row)
    cards = catalogue.counts[played]
    shown = catalogue.shown[played]
    hand = row[seat] - cards
    row[seat] = hand
    row[U(PLAYED) + seat] += cards
    one = _0 if passing else _1
    row[HAS_PLAYED] |= one << seat
    row[SIDE_PLAYS] += one if seat == row[BIDDER] else _0
    row[BOMBS] += shown >> U(63)
    # After passes by both others the last player to play leads (DD.07).
    ends = passing & (row[PASSED] != _0)
    row[PASSED] = _1 << seat if passing & (not ends) else _0
    row[TABLE] = U(NONE) if ends else row[TABLE] if passing else shown
    row[TABLE_SEAT] = U(NO_SEAT) if ends else leader if passing else seat
    row[SEAT] = leader if ends else after
    if hand == _0:
        row[SEAT] = seat
        return True
    return False


@woven
def row_of_table(row: Words) -> np.uint64:
    """The row of the play on the table, where there is one."""
    played: np.uint64 = row[TABLE] & U(0xFFFF_FFFF)
    return played


@woven
def _bid(row: Words, bid: int, policy: KickerPolicy) -> bool:
    """Carry out a bid; 0 is a pass (DD.02). True: all have passed."""
    seat = row[SEAT]
    after = seat + _1 if seat < _2 else _0
    if bid > 0:
        row[BID] = bid
        row[BIDDER] = seat
        row[BIDS] |= U(bid) << (U(8) * seat)
        row[PASSED] = _0
    else:
        row[PASSED] |= _1 << seat
    if bid < policy.top and after != row[OPENER]:
        row[SEAT] = after
        return False
    row[SEAT] = row[BIDDER]
    if row[BIDDER] == NO_SEAT:
        return True
    row[row[BIDDER]] += row[KITTY]
    row[PASSED] = _0
    row[PHASE] = PLAYING
    return False


@apart
def settle(i: int, row: Words, buffers: Buffers, tables: KickerTables) -> None:
    """Write the payments (DD.08), and who deals next in a session."""
    policy = tables.policy
    buffers.done[i] = 1
    if row[BIDDER] == NO_SEAT:
        return
    out, bidder = row[SEAT], row[BIDDER]
    spring = row[HAS_PLAYED] == _1 << bidder if out == bidder else row[SIDE_PLAYS] <= _1
    times = doublings(signed(row[BOMBS]), spring, policy.settlement)
    pay(signed(out), signed(_1 << bidder), signed(row[BID]), 0, times, policy.settlement, buffers.rewards[i])
    buffers.places[i, signed(out)] = 1
    row[DEALER] = out


@woven
def publish(i: int, scratch: Words, states: Words, buffers: Buffers, tables: KickerTables) -> None:
    """Write the seat to act and its legal actions; the mask is clear."""
    row, catalogue = states[i], tables.catalogue
    buffers.to_act[i] = signed(row[SEAT])
    if row[PHASE] == AUCTION:
        n = enter_legal(i, 0, 0, buffers)
        for bid in range(signed(row[BID]) + 1, tables.policy.top + 1):
            n = enter_legal(i, n, bid, buffers)
        buffers.num_legal[i] = n
        return
    hand, listed = row[row[SEAT]], scratch[FINDING:]
    n, code = signed(0), signed(LEAD)
    if row[TABLE] != NONE:
        n = enter_legal(i, n, 0, buffers)
        code = code_of(row[TABLE])
        known, plays, number = answers(hand, code, catalogue)
        if known:
            buffers.num_legal[i] = _enter_plays(i, n, plays, number, buffers, tables)
            return
    end, _ = find(hand, code, listed, catalogue)
    for at in range(PLAYS_AT, end, 2):
        n = _enter_plays(i, n, listed[U(at)], listed[U(at + 1)], buffers, tables)
    buffers.num_legal[i] = n
    if not catalogue.in_order:
        sort_legal(i, buffers)


@woven
def _enter_plays(i: int, n: int, plays: np.uint64, number: np.uint64, buffers: Buffers, tables: KickerTables) -> int:
    """Write plays, bits of a word, from the n-th legal action on; return how many there are then."""
    catalogue, mask, bits = tables.catalogue, buffers.mask, buffers.bits
    rows = extract(plays, catalogue.valid[number])
    first = tables.first_row + signed(catalogue.first[number])
    n = gather(rows, tables.places, 0, first, buffers.legal, i, n)
    if buffers.written.mask:
        if HAS_BYTE_VECTORS and catalogue.in_order and first + PLACES <= mask.shape[1]:
            # It clears what follows, where words to come write.
            spread_few(rows, mask, i, first)
        else:
            left = rows
            while left != _0:
                mask[i, U(first) + trailing_zeros(left)] = 1
                left &= left - _1
    if buffers.written.bits:
        at, shift = U(first) >> U(6), U(first) & U(63)
        bits[i, at] |= rows << shift
        high = (rows >> _1) >> (U(63) - shift)
        if high != _0:
            bits[i, at + _1] |= high
    return n


@woven
def _clear(i: int, buffers: Buffers, tables: KickerTables) -> None:
    """As `clear_mask`, at once where all legal actions are near each other."""
    mask, bits, legal = buffers.mask, buffers.bits, buffers.legal
    n = min(signed(buffers.num_legal[i]), legal.shape[1])
    first, last = (signed(legal[i, U(0)]), signed(legal[i, U(n - 1)])) if n > 0 else (0, -1)
    if HAS_BYTE_VECTORS and 0 <= first <= last < first + 64 <= tables.actions:
        if buffers.written.mask:
            spread(_0, mask, i, first)
        if buffers.written.bits:
            bits[i, U(first) >> U(6)] = _0
            bits[i, U(last) >> U(6)] = _0
    else:
        clear_mask(i, buffers)


@woven
def _flags(hand: np.uint64) -> np.uint64:
    """Counts as flags: flag 15 × n + rank is set if there are more than n cards of the rank."""
    low: np.uint64 = extract(fields(hand, 1), _ONES) | (extract(fields(hand, 2), _ONES) << U(15))
    high: np.uint64 = (extract(fields(hand, 3), _ONES) << U(30)) | (extract(fields(hand, 4), _ONES) << U(45))
    return low | high


@woven
def _observe(i: int, states: Words, buffers: Buffers, tables: KickerTables) -> None:
    """Write the observation of the seat to act."""
    # With constant sizes the compiler knows every offset.
    if tables.number_of_kinds == 14 and tables.policy.top == 3:
        _write_observation(i, states[i], buffers, tables, 14, 3)
    else:
        _write_observation(i, states[i], buffers, tables, tables.number_of_kinds, tables.policy.top)


@woven
def _write_observation(i: int, row: Words, buffers: Buffers, tables: KickerTables, kinds: int, top: int) -> None:
    """Write the features of `dasan.features.layout`, in order. kinds, top: how many kinds and bids there are."""
    catalogue, policy = tables.catalogue, tables.policy
    me, obs = row[SEAT], buffers.packed
    playing = row[PHASE] == PLAYING
    acc, at = put(_0, 0, _1 << row[PHASE], 2, obs, i)
    acc, at = put(acc, at, _flags(row[me]), 60, obs, i)
    known = playing & (tables.reveal | (row[BIDDER] == me))
    acc, at = put(acc, at, _flags(row[KITTY]) if known else _0, 60, obs, i)
    sizes = _0
    seat = me
    for k in range(3):
        acc, at = put(acc, at, _flags(row[U(PLAYED) + seat]), 60, obs, i)
        sizes |= U(size(row[seat])) << U(8 * k)
        seat = seat + _1 if seat < _2 else _0
    lies = row[TABLE] != NONE
    table = row_of_table(row)
    acc, at = put(acc, at, _flags(catalogue.counts[table]) if lies else _0, 60, obs, i)
    acc, at = put(acc, at, catalogue.kinds[table] if lies else _0, kinds, obs, i)
    seats = (_1 << row[TABLE_SEAT]) | (row[PASSED] << U(16)) | (_1 << (U(32) + row[DEALER]))
    seats = turned((seats | (_1 << (U(48) + row[OPENER]))) & _SEATS, me, _3, _SEATS)
    acc, at = put(acc, at, extract(seats, _SEATS), 12, obs, i)
    bidder = turned((_1 << row[BIDDER]) & U(7), me, _3, U(7))
    acc, at = put(acc, at, bidder | (((_1 << row[BID]) >> _1) << _3), 3 + top, obs, i)
    bids = turned(row[BIDS], U(8) * me, U(24), (_1 << U(24)) - _1)
    numbers = sizes | (bids << U(24))
    if tables.doubles:
        times = doublings(signed(row[BOMBS]), False, policy.settlement)
        numbers |= (U(times) << U(48)) | (min(row[SIDE_PLAYS], _2) << U(56))
    finish_observation(acc, at, numbers, i, buffers)


@woven
def _write_optional(i: int, optional: OptionalOutputs, states: Words, buffers: Buffers, tables: KickerTables) -> None:
    """Write the optional outputs."""
    row = states[i]
    me = row[SEAT]
    if optional.showing:
        acc, at = _0, 0
        seat = me
        for _ in range(2):
            seat = seat + _1 if seat < _2 else _0
            acc, at = put(acc, at, _flags(row[seat]), 60, optional.hidden_bits, i)
        acc, at = put(acc, at, _flags(row[KITTY]), 60, optional.hidden_bits, i)
        finish_hidden(acc, at, i, optional)
    if optional.listing:
        write_moves(i, size(row[me]), buffers, optional)


serve = make_serve(__name__, _move_all, publish, _observe, _write_optional)
show = make_show(__name__, publish, _observe)

"""Batched Big Two. A hand is one word; legal plays are found from it at every step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import U, Words
from dasan.features import kinds
from dasan.kernels.cards import hand_of
from dasan.kernels.cardsets.hands import MOST_PLAYS, deal_sets, highest, list_larger, next_seat, singles_and_pairs
from dasan.kernels.cardsets.tables import (
    LARGE,
    LEAD,
    OPENING,
    CardsetCatalogue,
    CardsetPolicy,
    cardset_catalogue,
    cardset_policy,
)
from dasan.kernels.env.buffers import (
    Buffers,
    clear_mask,
    clear_result,
    deal_state,
    finish_observation,
    look_ahead,
    put,
    put_seat,
    put_seats,
    set_mask,
    signed,
    sort_legal,
)
from dasan.kernels.env.optional_outputs import OptionalOutputs, check_layout, finish_hidden, write_moves
from dasan.kernels.env.serving import Parcel, make_serve, make_show
from dasan.kernels.env.settlement import NO_SIDES, pay
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import linked, woven
from dasan.kernels.runtime.parcels import opened
from dasan.kernels.runtime.random64 import below, mixed, stepped
from dasan.play.action_ids import action_ids
from dasan.play.dealing import Deal
from dasan.ruleset.policies import LaterLead
from dasan.ruleset.rules import Rules

_0, _1 = U(0), U(1)

HAND, PLAYED, DEALT, BASE, NUMBER = 0, 4, 8, 12, 13
SEAT, OPENER, PASSED, TABLE, TABLE_SEAT, WATCHING, DEALER, MUST, LEADER = 14, 15, 16, 17, 18, 19, 20, 21, 22
COLUMNS = 24
"""Columns of a row. Hands, played cards and dealt cards are card words by seat. TABLE: the row on the table. MUST: a card word;
the lead must contain a card of it. LEADER: who leads a session's hand. NONE: no such row or seat."""
NONE = 1 << 20
SCRATCH = 52 + 4


class CardsetTables(NamedTuple):
    """The tables that these kernels read. first_row: the id of row 0. winner_leads: whether the last winner, not the holder
    of the opening card, leads a session's later hands.
    """

    catalogue: CardsetCatalogue
    policy: CardsetPolicy
    first_row: int
    kinds: Words
    number_of_kinds: int
    session: bool
    winner_leads: bool


PLANES = "phase hand played table kind table_seat passed dealer opener must_include? hand_sizes"
HIDDEN = "hands"
"""The features that the functions here write, in order; the one with ? only where there is an opening card."""


def tables(rules: Rules, session: bool) -> CardsetTables:
    check_layout(rules, session, PLANES, HIDDEN, {"must_include"} if rules.opening is None else set())
    return tables_of(rules, cardset_catalogue(rules), session)


def tables_of(rules: Rules, catalogue: CardsetCatalogue, session: bool) -> CardsetTables:
    """The tables of `rules` with the plays of `catalogue`."""
    names = kinds(rules)
    return CardsetTables(
        catalogue=catalogue,
        policy=cardset_policy(rules),
        first_row=action_ids(rules).rows,
        kinds=np.array([1 << names.index(row.kind) for row in rules.catalogue.rows], np.uint64),
        number_of_kinds=len(names),
        session=session,
        winner_leads=rules.later_lead is LaterLead.WINNER,
    )


def make_state(rules: Rules, num_envs: int) -> tuple[Words, Words, Words]:
    """Allocate the rows of `num_envs` environments; return them, the column of deal seeds and that of hand numbers."""
    words = np.zeros((num_envs, COLUMNS), np.uint64)
    return words, words[:, BASE], words[:, NUMBER]


def samples_bits(tables: CardsetTables) -> bool:
    """Whether a packed mask is enough to sample from. It is not: the list is always written."""
    return False


def most_legal(rules: Rules) -> int:
    """An upper bound on legal actions at once."""
    return MOST_PLAYS


def dealt(rules: Rules, states: Words, i: int, session: bool) -> Deal:
    """The deal of environment `i`."""
    hands = tuple(hand_of(rules, states[i, DEALT + seat]) for seat in range(rules.players))
    leader = int(states[i, LEADER])
    number = int(states[i, NUMBER]) + 1 if session else 1
    return Deal(number, int(states[i, DEALER]), hands, leader=None if leader == NONE else leader)


@linked
def _deal(i: int, states: Words, scratch: Words, tables: CardsetTables) -> None:
    """Deal hand NUMBER up to the first lead (D2.11, D2.18). The dealer is drawn at random, except in later hands of a session."""
    row = states[i]
    policy = tables.policy
    pack, hands = scratch[:52], scratch[52:56]
    state = deal_state(row[BASE], signed(row[NUMBER]))
    later = tables.session and row[NUMBER] != _0
    if not later:
        state = stepped(state)
        row[DEALER] = below(mixed(state), U(policy.players))
        row[LEADER] = NONE
    for k in range(52):
        pack[k] = _1 << U(k)
    deal_sets(state, pack, hands, policy.hand_size, policy.players)
    opener = signed(row[DEALER])
    for seat in range(policy.players):
        hand = hands[seat]
        row[HAND + seat] = row[DEALT + seat] = hand
        row[PLAYED + seat] = _0
        if policy.opening >= 0 and (hand >> U(policy.opening)) & _1 != _0:
            opener = seat
    row[MUST] = _1 << U(policy.opening) if policy.opening >= 0 else _0
    if row[LEADER] != NONE:
        opener = signed(row[LEADER])
        row[MUST] = _0
    row[SEAT] = row[OPENER] = opener
    row[PASSED] = _0
    row[TABLE] = row[TABLE_SEAT] = row[WATCHING] = NONE


@linked
def _move_all(parcel: Parcel, me: int, first: int, end: int, last: int, starting: bool) -> None:
    """Start the first hand of each environment, or carry out one action in each; settle and redeal hands that are over."""
    _, workspace, states, buffers, tables = opened(parcel)
    scratch = workspace.scratch[me]
    for i in range(U(first), U(end)):
        look_ahead(i, last, states, 3, buffers)
        row = states[i]
        clear_result(i, buffers, tables.policy.players)
        clear_mask(i, buffers)
        if starting:
            row[NUMBER] = _0
            _deal(i, states, scratch, tables)
        elif move(row, workspace.chosen[i] - tables.first_row, tables):
            settle(i, row, buffers, tables)
            row[NUMBER] += _1
            _deal(i, states, scratch, tables)


@woven
def _publish(i: int, scratch: Words, states: Words, buffers: Buffers, tables: CardsetTables) -> None:
    publish(i, states[i], buffers, tables)


@woven
def to_answer(row: Words, tables: CardsetTables) -> int:
    """The answer code of the play to beat, see `tables.LEAD`."""
    if row[TABLE] != NONE:
        return signed(tables.catalogue.answer[row[TABLE]])
    return LEAD if row[MUST] == _0 else OPENING


@woven
def _on_duty(row: Words, seat: int, tables: CardsetTables) -> bool:
    """Whether `seat` must play its highest card in a round of single cards (D2.16)."""
    guarded = seat + 1 if seat + 1 < tables.policy.players else 0
    if tables.policy.guard == 0 or popcount(row[HAND + guarded]) != _1 or (row[PASSED] >> U(guarded)) & _1 != _0:
        return False
    return bool(row[HAND + seat] & tables.catalogue.above[to_answer(row, tables), 0] != _0)


@woven
def move(row: Words, play: int, tables: CardsetTables) -> bool:
    """Carry out a play (its row) or a pass (negative) (D2.12–D2.17). True if the hand is over; row[SEAT] then went out."""
    policy, players = tables.policy, tables.policy.players
    seat = signed(row[SEAT])
    duty = _on_duty(row, seat, tables)
    passed = signed(row[PASSED])
    if play < 0:
        passed |= 1 << seat
    else:
        hand = row[HAND + seat]
        word = tables.catalogue.words[play]
        duty = duty and word & (word - _1) == _0 and word != highest(hand)
        row[HAND + seat] = hand & ~word
        row[PLAYED + seat] |= word
        row[MUST] = _0
        if hand == word:
            return True
        row[TABLE] = play
        row[TABLE_SEAT] = seat
        if not policy.pass_is_final:
            passed = 0
    row[WATCHING] = seat if duty else NONE
    table_seat = signed(row[TABLE_SEAT])
    if ((1 << players) - 1) & ~passed & ~(1 << table_seat) == 0:
        row[TABLE] = row[TABLE_SEAT] = NONE
        row[PASSED] = _0
        row[SEAT] = table_seat
        return False
    row[PASSED] = passed
    row[SEAT] = next_seat(seat, passed, players)
    return False


@linked
def settle(i: int, row: Words, buffers: Buffers, tables: CardsetTables) -> None:
    """Write payments, the foul, and what a session's next hand inherits (D2.17–D2.19)."""
    policy = tables.policy
    out = signed(row[SEAT])
    for seat in range(policy.players):
        buffers.rewards[i, seat] = popcount(row[HAND + seat])
    pay(out, NO_SIDES, 0, 0, 0, policy.settlement, buffers.rewards[i])
    buffers.places[i, out] = 1
    buffers.done[i] = 1
    fouled = row[WATCHING] != NONE and (signed(row[WATCHING]) + 1) % policy.players == out
    row[DEALER] = row[WATCHING] if fouled else U(out)
    row[LEADER] = out if tables.winner_leads else NONE


@woven
def publish(i: int, row: Words, buffers: Buffers, tables: CardsetTables) -> None:
    """Write the seat to act and its legal actions."""
    buffers.to_act[i] = signed(row[SEAT])
    buffers.num_legal[i] = list_legal(row, buffers.legal[i], tables.first_row, tables)
    sort_legal(i, buffers)
    set_mask(i, buffers)


@woven
def list_legal(row: Words, legal: npt.NDArray[np.integer], base: int, tables: CardsetTables) -> int:
    """Write the legal actions, in no order: `base` + the row of every play, and 0 for the pass; returns how many there are."""
    catalogue = tables.catalogue
    seat = signed(row[SEAT])
    hand = row[HAND + seat]
    answer = to_answer(row, tables)
    bound = tables.policy.guard == 2 and _on_duty(row, seat, tables)
    n = 0
    if answer > OPENING and not bound:
        legal[0] = 0
        n = 1
    singles, next_to, two_apart, far_apart = singles_and_pairs(hand, catalogue.above[answer])
    if bound:
        singles = highest(hand)
    for distance, left in enumerate((singles, next_to, two_apart, far_apart)):
        while left != _0:
            legal[n] = base + catalogue.rows[catalogue.small[trailing_zeros(left), distance]]
            left &= left - _1
            n += 1
    if answer <= LARGE:
        table = row[TABLE] if answer == LARGE else _0
        size, strength = (catalogue.size[table], catalogue.strength[table]) if answer == LARGE else (0, -1)
        if signed(popcount(hand)) >= max(size, catalogue.least):
            first = n
            n = list_larger(hand, size, strength, legal, n, base, catalogue)
            if answer == OPENING:
                end = first
                for k in range(first, n):
                    if catalogue.words[legal[k] - base] & row[MUST] != _0:
                        legal[end] = legal[k]
                        end += 1
                n = end
    return n


@woven
def _observe(i: int, states: Words, buffers: Buffers, tables: CardsetTables) -> None:
    """Write the features of `dasan.features.layout`, in order."""
    row, players = states[i], tables.policy.players
    me = signed(row[SEAT])
    obs, acc = buffers.packed, _0
    acc, at = put(acc, 0, _1, 1, obs, i)
    acc, at = put(acc, at, row[HAND + me], 52, obs, i)
    seat = me
    for _ in range(players):
        acc, at = put(acc, at, row[PLAYED + seat], 52, obs, i)
        seat = seat + 1 if seat + 1 < players else 0
    table = row[TABLE]
    cards = kind = _0
    if table != NONE:
        cards, kind = tables.catalogue.words[table], tables.kinds[table]
    acc, at = put(acc, at, cards, 52, obs, i)
    acc, at = put(acc, at, kind, tables.number_of_kinds, obs, i)
    acc, at = put_seat(acc, at, row[TABLE_SEAT], me, players, obs, i)
    acc, at = put_seats(acc, at, signed(row[PASSED]), me, players, obs, i)
    acc, at = put_seat(acc, at, row[DEALER], me, players, obs, i)
    acc, at = put_seat(acc, at, row[OPENER], me, players, obs, i)
    if tables.policy.opening >= 0:
        acc, at = put(acc, at, _1 if row[MUST] != _0 else _0, 1, obs, i)
    sizes = _0
    seat = me
    for k in range(players):
        sizes |= popcount(row[HAND + seat]) << U(8 * k)
        seat = seat + 1 if seat + 1 < players else 0
    finish_observation(acc, at, sizes, i, buffers)


@woven
def write_optional(i: int, optional: OptionalOutputs, states: Words, buffers: Buffers, tables: CardsetTables) -> None:
    """Write the optional outputs."""
    row, players = states[i], tables.policy.players
    me = signed(row[SEAT])
    if optional.showing:
        acc, at = _0, 0
        for k in range(1, players):
            acc, at = put(acc, at, row[HAND + (me + k) % players], 52, optional.hidden_bits, i)
        finish_hidden(acc, at, i, optional)
    if optional.listing:
        write_moves(i, signed(popcount(row[HAND + me])), buffers, optional)


serve = make_serve(__name__, _move_all, _publish, _observe, write_optional)
show = make_show(__name__, _publish, _observe)

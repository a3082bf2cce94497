"""Batched Winner: one deck or two, jokers, the exchange between a session's hands.

Rows hold only hands and public information; legal plays are recomputed at every step.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np

from dasan.arrays import Ints, U, Words
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
    put_seat,
    put_seats,
    set_mask,
    signed,
    sort_legal,
)
from dasan.kernels.env.exchange import EX_LOSER, EX_WINNER, GIVEN, OFFER_1, OFFER_2, TAKEN, exchange, list_exchanges
from dasan.kernels.env.optional_outputs import OptionalOutputs, check_layout, finish_hidden, write_moves
from dasan.kernels.env.serving import Parcel, make_serve, make_show
from dasan.kernels.patterns.hands import beatable, deal_all, first_leader, next_seat, settle
from dasan.kernels.patterns.play import PLAY_WORDS, PLAYS_AT, cards_of, find, remaining
from dasan.kernels.patterns.tables import PatternCatalogue, PatternPolicy, pattern_catalogue, pattern_policy
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import belonging_to, linked, woven
from dasan.kernels.runtime.parcels import opened
from dasan.kernels.runtime.random64 import below, mixed, stepped
from dasan.play.action_ids import action_ids
from dasan.play.dealing import Deal
from dasan.ruleset.policies import LaterLead
from dasan.ruleset.rules import Rules

_0, _1 = U(0), U(1)

ONE, TWO, DEALT_1, DEALT_2 = 0, 8, 16, 24
BASE, NUMBER, PHASE, SEAT, OPENER, PASSED, TABLE, TABLE_1, TABLE_2, TABLE_SEAT = 32, 33, 34, 35, 36, 37, 38, 39, 40, 41
DEALER, LEADER, INSIDE, HAS_PLAYED, ORDER, OUT, PLAYED_1, PLAYED_2 = 42, 43, 44, 45, 46, 47, 48, 49
STRONG = 56
COLUMNS = 57
"""Columns of a row. Hands and dealt hands are two words a seat: cards held at least once, and twice. TABLE: the row on the table,
TABLE_1 and TABLE_2 its cards. INSIDE: seats that hold cards. ORDER: finishing order, four bits a seat. PLAYED: all cards
played. STRONG: seats that may hold a bomb or straight flush. NONE: no such row or seat."""
NONE = 1 << 20
GIVING, OFFERING, TAKING, PLAYING = 0, 1, 2, 3
PLAYS = 108
SCRATCH = PLAYS + PLAY_WORDS


class PatternStates(NamedTuple):
    """words: see the columns. payments: [n, players], fixed when the first is out."""

    words: Words
    payments: Ints


class PatternTables(NamedTuple):
    """The tables that these kernels read. card_flags: how many flags a set of cards has in each deck. later: who leads
    a session's later hands: 0 the holder of the opening card, 1 the Winner, 2 the Loser. gives, pairs, takes: first ids of
    the exchange; pair_ids: the id of offering two cards; pair_cards: the inverse.
    """

    catalogue: PatternCatalogue
    policy: PatternPolicy
    first_row: int
    kinds: Words
    number_of_kinds: int
    card_flags: int
    decks: int
    session: bool
    later: int
    exchanging: bool
    suits_ranked: bool
    gives: int
    pairs: int
    takes: int
    pair_ids: Ints
    pair_cards: Ints


LATER = {LaterLead.OPENING: 0, LaterLead.WINNER: 1, LaterLead.LOSER: 2}


PLANES = "phase hand played table kind table_seat passed dealer opener finished has_played"
EXCHANGED = "giving? offering? given? offered? taken?"
HIDDEN = "hands"
"""The features that the functions here write, in order, then `hand_sizes`; those with ? only where cards are exchanged."""


def tables(rules: Rules, session: bool) -> PatternTables:
    left_out = set() if session and rules.exchange else {name.rstrip("?") for name in EXCHANGED.split()}
    check_layout(rules, session, f"{PLANES} {EXCHANGED} hand_sizes", HIDDEN, left_out)
    catalogue = pattern_catalogue(rules)
    names = kinds(rules)
    ids = action_ids(rules, session)
    slot = {card: i for i, card in enumerate(ids.deck)}
    pair_ids = np.zeros(54 * 54, np.int32)
    for i, (low, high) in enumerate(ids.offers):
        pair_ids[54 * slot[low] + slot[high]] = ids.pairs + i
    return PatternTables(
        catalogue=catalogue,
        policy=pattern_policy(rules),
        first_row=ids.rows,
        kinds=np.array([1 << names.index(row.kind) for row in rules.catalogue.rows], np.uint64),
        number_of_kinds=len(names),
        card_flags=52 + 2 * rules.jokers,
        decks=rules.decks,
        session=session,
        later=LATER[rules.later_lead],
        exchanging=session and rules.exchange,
        suits_ranked=rules.suits_ranked,
        gives=ids.gives,
        pairs=ids.pairs,
        takes=ids.takes,
        pair_ids=pair_ids,
        pair_cards=np.array([54 * slot[low] + slot[high] for low, high in ids.offers] or [0], np.int32),
    )


def make_state(rules: Rules, num_envs: int) -> tuple[PatternStates, Words, Words]:
    """Allocate the rows of `num_envs` environments; return them, the column of deal seeds and that of hand numbers."""
    words = np.zeros((num_envs, COLUMNS), np.uint64)
    states = PatternStates(words, np.zeros((num_envs, rules.players), np.int32))
    return states, words[:, BASE], words[:, NUMBER]


def samples_bits(tables: PatternTables) -> bool:
    """Whether a packed mask is enough to sample from. It is not: the list is always written."""
    return False


def most_legal(rules: Rules) -> int:
    """An upper bound on legal actions at once."""
    return max(len(rules.catalogue.rows) + 1, comb(rules.most_cards, 2))


def dealt(rules: Rules, states: PatternStates, i: int, session: bool) -> Deal:
    """The deal of environment `i`."""
    row = [int(word) for word in states.words[i]]
    hands = tuple(hand_of(rules, row[DEALT_1 + seat], row[DEALT_2 + seat]) for seat in range(rules.players))
    leader = None if row[LEADER] == NONE else row[LEADER]
    exchanged = None if row[EX_WINNER] == NONE else (row[EX_WINNER], row[EX_LOSER])
    return Deal(row[NUMBER] + 1 if session else 1, row[DEALER], hands, leader=leader, exchange=exchanged)


@linked
def _deal(i: int, states: PatternStates, scratch: Words, tables: PatternTables) -> None:
    """Deal hand NUMBER up to the exchange or the first lead (W.04, W.05, W.20, W.21)."""
    row = states.words[i]
    players = tables.policy.players
    state = deal_state(row[BASE], signed(row[NUMBER]))
    if not tables.session or row[NUMBER] == _0:
        state = stepped(state)
        row[DEALER] = below(mixed(state), U(players))
        row[LEADER] = row[EX_WINNER] = row[EX_LOSER] = NONE
    pack = scratch[: tables.catalogue.pack.shape[0]]
    for k in range(tables.catalogue.pack.shape[0]):
        pack[k] = tables.catalogue.pack[k]
    deal_all(state, pack, row[ONE : ONE + 8], row[TWO : TWO + 8], signed(row[DEALER]), players)
    for seat in range(players):
        row[DEALT_1 + seat] = row[ONE + seat]
        row[DEALT_2 + seat] = row[TWO + seat]
        states.payments[i, seat] = 0
    row[GIVEN] = row[TAKEN] = row[OPENER] = NONE
    row[OFFER_1] = row[OFFER_2] = row[PLAYED_1] = row[PLAYED_2] = _0
    row[PASSED] = row[HAS_PLAYED] = row[ORDER] = row[OUT] = _0
    row[INSIDE] = row[STRONG] = (1 << players) - 1
    row[TABLE] = row[TABLE_SEAT] = NONE
    row[TABLE_1] = row[TABLE_2] = _0
    if row[EX_WINNER] != NONE:
        row[PHASE] = GIVING
        row[SEAT] = row[EX_LOSER]
    else:
        lead(row, tables)


@linked
def lead(row: Words, tables: PatternTables) -> None:
    """Write the leader of the hand (W.05, W.21)."""
    leader = signed(row[LEADER])
    if row[LEADER] == NONE:
        leader = first_leader(row[ONE : ONE + 8], signed(row[DEALER]), tables.policy)
    row[PHASE] = PLAYING
    row[SEAT] = row[OPENER] = leader


@linked
def _move_all(parcel: Parcel, me: int, first: int, end: int, last: int, starting: bool) -> None:
    """Start the first hand of each environment, or carry out one action in each; settle and redeal hands that are over."""
    _, workspace, states, buffers, tables = opened(parcel)
    scratch = workspace.scratch[me]
    for i in range(U(first), U(end)):
        look_ahead(i, last, states.words, 7, buffers)
        row = states.words[i]
        action = workspace.chosen[i]
        clear_result(i, buffers, tables.policy.players)
        clear_mask(i, buffers)
        if starting:
            row[NUMBER] = _0
            _deal(i, states, scratch, tables)
        elif row[PHASE] == PLAYING:
            if move(i, states, action - tables.first_row, scratch, tables):
                finish(i, states, buffers, tables)
                row[NUMBER] += _1
                _deal(i, states, scratch, tables)
        else:
            exchange(row, action, tables.gives, tables.pairs, tables.takes, tables.pair_cards)
            if row[PHASE] == PLAYING:
                lead(row, tables)


@woven
def _publish(i: int, scratch: Words, states: PatternStates, buffers: Buffers, tables: PatternTables) -> None:
    publish(i, states.words[i], buffers, tables, scratch)


@woven
def move(i: int, states: PatternStates, play: int, scratch: Words, tables: PatternTables) -> bool:
    """Carry out a play (its row) or a pass (negative) (W.16–W.18). True if the hand is over."""
    row = states.words[i]
    players = tables.policy.players
    seat = signed(row[SEAT])
    if play < 0:
        row[PASSED] |= _1 << U(seat)
    else:
        one, two = U(ONE) + row[SEAT], U(TWO) + row[SEAT]
        first, second = cards_of(play, row[one], row[two], tables.catalogue)
        row[one], row[two] = remaining(row[one], row[two], first, second)
        row[PLAYED_2] |= second | (row[PLAYED_1] & first)
        row[PLAYED_1] |= first
        row[HAS_PLAYED] |= _1 << U(seat)
        row[TABLE], row[TABLE_1], row[TABLE_2], row[TABLE_SEAT] = U(play), first, second, U(seat)
        row[PASSED] = _0
        if row[one] == _0:
            row[INSIDE] &= ~(_1 << U(seat))
            row[ORDER] |= U(seat) << (U(4) * row[OUT])
            row[OUT] += _1
            if row[OUT] == _1:
                ones, twos = row[ONE : ONE + 8], row[TWO : TWO + 8]
                settle(ones, twos, signed(row[HAS_PLAYED]), seat, tables.policy, states.payments[i])
            if row[OUT] == players - 1:
                return True
        top = (
            tables.policy.restart > 0 and tables.catalogue.size[play] <= 2 and (first >> U(tables.policy.top)) & _1 != _0
        )
        if top and (tables.policy.restart == 2 or not _beatable(row, seat, play, scratch, tables)):
            _clear(row)
            return False
    inside = signed(row[INSIDE])
    waiting = inside & ~signed(row[PASSED])
    if waiting & ~(1 << signed(row[TABLE_SEAT])) == 0:
        _clear(row)
    else:
        row[SEAT] = next_seat(waiting, seat)
    return False


@woven
def _clear(row: Words) -> None:
    """End the trick: the last to play leads, or the next player still in (W.16)."""
    inside, seat = signed(row[INSIDE]), signed(row[TABLE_SEAT])
    row[SEAT] = seat if (inside >> seat) & 1 else next_seat(inside, seat)
    row[TABLE] = row[TABLE_SEAT] = NONE
    row[TABLE_1] = row[TABLE_2] = row[PASSED] = _0


@linked
def _beatable(row: Words, seat: int, play: int, scratch: Words, tables: PatternTables) -> bool:
    listed = scratch[PLAYS : PLAYS + PLAY_WORDS]
    return beatable(
        row[ONE : ONE + 8], row[TWO : TWO + 8], signed(row[INSIDE]), seat, play, listed, tables.catalogue, tables.policy
    )


@linked
def finish(i: int, states: PatternStates, buffers: Buffers, tables: PatternTables) -> None:
    """Write the result, and what a session's next hand inherits (W.18–W.21)."""
    row, players = states.words[i], tables.policy.players
    loser = 0
    for seat in range(players):
        buffers.rewards[i, seat] = states.payments[i, seat]
        if (row[INSIDE] >> U(seat)) & _1 != _0:
            loser = seat
    for k in range(players - 1):
        buffers.places[i, signed((row[ORDER] >> U(4 * k)) & U(15))] = k + 1
    buffers.places[i, loser] = players
    buffers.done[i] = 1
    winner = row[ORDER] & U(15)
    row[DEALER] = loser
    row[LEADER] = NONE if tables.later == 0 else (winner if tables.later == 1 else U(loser))
    if tables.exchanging:
        row[EX_WINNER] = winner
        row[EX_LOSER] = loser


@woven
def find_plays(row: Words, listed: Words, tables: PatternTables) -> int:
    """Write what the seat to act can play to `listed`, see `play.find`; returns the end."""
    seat = row[SEAT]
    table = signed(-1) if row[TABLE] == NONE else signed(row[TABLE])
    strong = (row[STRONG] >> seat) & _1 != _0
    ordinary, end = find(row[U(ONE) + seat], row[U(TWO) + seat], table, strong, listed, tables.catalogue)
    if strong and table >= 0 and ordinary == end and tables.catalogue.power[table] == 0:
        row[STRONG] &= ~(_1 << seat)
    return end


def make_lister(module: str, enter: Callable[..., int]) -> Callable[..., int]:
    """list_plays(i, n, row, base, target, scratch, tables) of a module, by its name: enter every legal play, as `base` + its row,
    into `target`, which has `n` actions; returns how many it has then.

    enter(i, n, action, target): enter action number `n`, and return n + 1.
    """

    @woven
    @belonging_to(module)
    def list_plays(i: int, n: int, row: Words, base: int, target: Any, scratch: Words, tables: PatternTables) -> int:
        listed = scratch[PLAYS : PLAYS + PLAY_WORDS]
        end = find_plays(row, listed, tables)
        for at in range(PLAYS_AT, end, 2):
            word, first = listed[at], listed[at + 1]
            while word != _0:
                n = enter(i, n, base + tables.catalogue.rows[first + trailing_zeros(word)], target)
                word &= word - _1
        return n

    return list_plays


_enter_plays = make_lister(__name__, enter_legal)
"""Into the list and the mask of environment `i`."""


@woven
def publish(i: int, row: Words, buffers: Buffers, tables: PatternTables, scratch: Words) -> None:
    """Write the seat to act and its legal actions."""
    buffers.to_act[i] = signed(row[SEAT])
    if row[PHASE] != PLAYING:
        list_exchanges(
            i, row, buffers.legal, buffers.num_legal, tables.suits_ranked, tables.gives, tables.takes, tables.pair_ids
        )
        sort_legal(i, buffers)
        set_mask(i, buffers)
        return
    n = enter_legal(i, 0, 0, buffers) if row[TABLE] != NONE else 0
    # List and mask in one loop: the end of a loop is mispredicted often.
    buffers.num_legal[i] = _enter_plays(i, n, row, tables.first_row, buffers, scratch, tables)
    sort_legal(i, buffers)


@woven
def _put_cards(
    acc: np.uint64, at: int, one: np.uint64, two: np.uint64, obs: Words, i: int, card_flags: int, decks: int
) -> tuple[np.uint64, int]:
    """Append the flags of a set of cards, once and with two decks twice; the jokers' bits 52 and 56 become neighbours."""
    low = (_1 << U(53)) - _1
    acc, at = put(acc, at, (one & low) | ((one >> U(56)) << U(53)), card_flags, obs, i)
    if decks == 2:
        acc, at = put(acc, at, (two & low) | ((two >> U(56)) << U(53)), card_flags, obs, i)
    return acc, at


@woven
def _observe(i: int, states: PatternStates, buffers: Buffers, tables: PatternTables) -> None:
    """Write the observation of the seat to act."""
    row = states.words[i]
    players, kinds, card_flags = tables.policy.players, tables.number_of_kinds, tables.card_flags
    # With constant sizes the compiler knows every offset.
    if players == 4 and kinds == 10 and card_flags == 52 and tables.decks == 1 and not tables.exchanging:
        _write_observation(i, row, buffers, tables, 4, 10, 52, 1, False)
    else:
        _write_observation(i, row, buffers, tables, players, kinds, card_flags, tables.decks, tables.exchanging)


@woven
def _write_observation(
    i: int,
    row: Words,
    buffers: Buffers,
    tables: PatternTables,
    players: int,
    kinds: int,
    card_flags: int,
    decks: int,
    exchanging: bool,
) -> None:
    """Write the features of `dasan.features.layout`, in order."""
    me = signed(row[SEAT])
    obs, acc = buffers.packed, _0
    if exchanging:
        acc, at = put(acc, 0, U(2) if row[PHASE] == PLAYING else _1, 2, obs, i)
    else:
        acc, at = put(acc, 0, _1, 1, obs, i)
    acc, at = _put_cards(acc, at, row[ONE + me], row[TWO + me], obs, i, card_flags, decks)
    acc, at = _put_cards(acc, at, row[PLAYED_1], row[PLAYED_2], obs, i, card_flags, decks)
    acc, at = _put_cards(acc, at, row[TABLE_1], row[TABLE_2], obs, i, card_flags, decks)
    acc, at = put(acc, at, tables.kinds[row[TABLE]] if row[TABLE] != NONE else _0, kinds, obs, i)
    acc, at = put_seat(acc, at, row[TABLE_SEAT], me, players, obs, i)
    acc, at = put_seats(acc, at, signed(row[PASSED]), me, players, obs, i)
    acc, at = put_seat(acc, at, row[DEALER], me, players, obs, i)
    acc, at = put_seat(acc, at, row[OPENER], me, players, obs, i)
    acc, at = put_seats(acc, at, ((1 << players) - 1) & ~signed(row[INSIDE]), me, players, obs, i)
    acc, at = put_seats(acc, at, signed(row[HAS_PLAYED]), me, players, obs, i)
    if exchanging:
        acc, at = put_seat(acc, at, row[EX_LOSER], me, players, obs, i)
        acc, at = put_seat(acc, at, row[EX_WINNER], me, players, obs, i)
        acc, at = put(acc, at, _1 << row[GIVEN] if row[GIVEN] != NONE else _0, card_flags, obs, i)
        knows = row[EX_LOSER] == U(me) or row[EX_WINNER] == U(me)
        acc, at = _put_cards(
            acc, at, row[OFFER_1] if knows else _0, row[OFFER_2] if knows else _0, obs, i, card_flags, decks
        )
        acc, at = put(acc, at, _1 << row[TAKEN] if row[TAKEN] != NONE else _0, card_flags, obs, i)
    sizes = _0
    seat = me
    for k in range(players):
        sizes |= (popcount(row[ONE + seat]) + popcount(row[TWO + seat])) << U(8 * k)
        seat = seat + 1 if seat + 1 < players else 0
    finish_observation(acc, at, sizes, i, buffers)


@woven
def _write_optional(
    i: int, optional: OptionalOutputs, states: PatternStates, buffers: Buffers, tables: PatternTables
) -> None:
    """Write the optional outputs."""
    row, players = states.words[i], tables.policy.players
    me = signed(row[SEAT])
    if optional.showing:
        acc, at = _0, 0
        for k in range(1, players):
            seat = (me + k) % players
            acc, at = _put_cards(
                acc, at, row[ONE + seat], row[TWO + seat], optional.hidden_bits, i, tables.card_flags, tables.decks
            )
        finish_hidden(acc, at, i, optional)
    if optional.listing:
        write_moves(i, signed(popcount(row[ONE + me]) + popcount(row[TWO + me])), buffers, optional)


serve = make_serve(__name__, _move_all, _publish, _observe, _write_optional)
show = make_show(__name__, _publish, _observe)

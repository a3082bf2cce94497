"""Batched Big Two by regional rules: bombs, kinds of their own, penalties, and play to the last player.

Hands and plays are those of `cardsets`, whose rows have more columns here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.arrays import Bytes, U, Words
from dasan.kernels.cardsets.env import (
    BASE,
    DEALER,
    DEALT,
    HAND,
    LEADER,
    MUST,
    NONE,
    NUMBER,
    OPENER,
    PASSED,
    PLAYED,
    SCRATCH,
    SEAT,
    TABLE,
    TABLE_SEAT,
    WATCHING,
    dealt,
    most_legal,
    samples_bits,
    to_answer,
    write_optional,
)
from dasan.kernels.cardsets.hands import deal_sets, highest, list_larger, singles_and_pairs
from dasan.kernels.cardsets.tables import LARGE, OPENING
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
from dasan.kernels.env.optional_outputs import OptionalOutputs, check_layout
from dasan.kernels.env.serving import Parcel, make_serve, make_show
from dasan.kernels.env.settlement import Numbers, pay_with_penalties
from dasan.kernels.regional.tables import FAMILY, LEVEL, RegionalTables, regional_tables
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import apart, woven
from dasan.kernels.runtime.parcels import opened
from dasan.kernels.runtime.random64 import below, mixed, stepped
from dasan.ruleset.policies import Ending
from dasan.ruleset.rules import Rules

_0, _1 = U(0), U(1)

PAID, ORDER, OUT, FOUL = 24, 28, 29, 30
COLUMNS = 32
ZERO = 1 << 40
"""Columns beside those of `cardsets`. PAID: by seat, the payment + ZERO, as soon as the first player is out. ORDER: the seats
that are out, four bits each, the first lowest; OUT: how many. FOUL: the guard who fouled, or NONE.
"""
PLANES = "phase hand played table kind table_seat passed dealer opener finished? has_played? must_include? hand_sizes"
HIDDEN = "hands"
"""The features that the functions here write, in order; those with ? only where play goes on to the last player, and where there
is an opening card.
"""


def tables(rules: Rules, session: bool) -> RegionalTables:
    left_out = set() if rules.ending is Ending.LAST_IN else {"finished", "has_played"}
    if rules.opening is None or not rules.opening.in_the_lead:
        left_out.add("must_include")
    check_layout(rules, session, PLANES, HIDDEN, left_out)
    return regional_tables(rules, session)


def make_state(rules: Rules, num_envs: int) -> tuple[Words, Words, Words]:
    """Allocate the rows of `num_envs` environments; return them, the column of deal seeds and that of hand numbers."""
    words = np.zeros((num_envs, COLUMNS), np.uint64)
    return words, words[:, BASE], words[:, NUMBER]


@woven
def lead(row: Words, tables: RegionalTables) -> None:
    """Set up the first lead of the hands in the row (D2.11, D2.18, H.26). LEADER, unless NONE, leads without a duty."""
    policy = tables.sets.policy
    opener = signed(row[DEALER])
    for seat in range(policy.players):
        row[DEALT + seat] = row[HAND + seat]
        row[PLAYED + seat] = _0
        row[PAID + seat] = ZERO
        if tables.opener >= 0 and (row[HAND + seat] >> U(tables.opener)) & _1 != _0:
            opener = seat
    row[MUST] = _1 << U(policy.opening) if policy.opening >= 0 else _0
    if row[LEADER] != NONE:
        opener = signed(row[LEADER])
        row[MUST] = _0
    row[SEAT] = row[OPENER] = opener
    row[PASSED] = row[ORDER] = row[OUT] = _0
    row[TABLE] = row[TABLE_SEAT] = row[WATCHING] = row[FOUL] = NONE


@apart
def _deal(i: int, states: Words, scratch: Words, tables: RegionalTables) -> None:
    """Deal hand NUMBER up to the first lead. The dealer is drawn at random, except in later hands of a session."""
    row = states[i]
    policy = tables.sets.policy
    pack, hands = scratch[:52], scratch[52:56]
    state = deal_state(row[BASE], signed(row[NUMBER]))
    if not tables.sets.session or row[NUMBER] == _0:
        state = stepped(state)
        row[DEALER] = below(mixed(state), U(policy.players))
        row[LEADER] = NONE
    for k in range(52):
        pack[k] = _1 << U(k)
    deal_sets(state, pack, hands, policy.hand_size, policy.players)
    for seat in range(policy.players):
        row[HAND + seat] = hands[seat]
    lead(row, tables)


@apart
def _move_all(parcel: Parcel, me: int, first: int, end: int, last: int, starting: bool) -> None:
    """Start the first hand of each environment, or carry out one action in each; settle and redeal hands that are over."""
    _, workspace, states, buffers, tables = opened(parcel)
    scratch = workspace.scratch[me]
    for i in range(U(first), U(end)):
        look_ahead(i, last, states, 4, buffers)
        row = states[i]
        clear_result(i, buffers, tables.sets.policy.players)
        clear_mask(i, buffers)
        if starting:
            row[NUMBER] = _0
            _deal(i, states, scratch, tables)
        elif move(row, workspace.chosen[i] - tables.sets.first_row, buffers.rewards[i], tables):
            finish(i, row, buffers, tables)
            row[NUMBER] += _1
            _deal(i, states, scratch, tables)


@woven
def _publish(i: int, scratch: Words, states: Words, buffers: Buffers, tables: RegionalTables) -> None:
    publish(i, states[i], buffers, tables)


@woven
def _inside(row: Words, players: int) -> int:
    """The seats that hold cards, as bits."""
    seats = 0
    for seat in range(players):
        if row[HAND + seat] != _0:
            seats |= 1 << seat
    return seats


@woven
def _next_of(seats: int, seat: int, players: int) -> int:
    """The next of `seats`, bits that are not 0, after `seat`; last of all itself."""
    seat = seat + 1 if seat + 1 < players else 0
    while (seats >> seat) & 1 == 0:
        seat = seat + 1 if seat + 1 < players else 0
    return seat


@woven
def _on_duty(row: Words, seat: int, tables: RegionalTables) -> bool:
    """Whether `seat` must play its highest card in a round of single cards (D2.16)."""
    policy = tables.sets.policy
    if policy.guard == 0:
        return False
    guarded = _next_of(_inside(row, policy.players), seat, policy.players)
    if guarded == seat or popcount(row[HAND + guarded]) != _1:
        return False
    if policy.pass_is_final and (row[PASSED] >> U(guarded)) & _1 != _0:
        return False
    return bool(row[HAND + seat] & tables.sets.catalogue.above[to_answer(row, tables.sets), 0] != _0)


@woven
def move(row: Words, play: int, payments: Numbers, tables: RegionalTables) -> bool:
    """Carry out a play (its row) or a pass (negative) (D2.12–D2.17, H.32). True if the hand is over.

    payments: by seat, overwritten when the first player is out.
    """
    policy, players = tables.sets.policy, tables.sets.policy.players
    seat = signed(row[SEAT])
    duty = _on_duty(row, seat, tables)
    passed = signed(row[PASSED])
    if play < 0:
        passed |= 1 << seat
    else:
        hand = row[HAND + seat]
        word = tables.sets.catalogue.words[play]
        duty = duty and word & (word - _1) == _0 and word != highest(hand)
        row[HAND + seat] = hand & ~word
        row[PLAYED + seat] |= word
        row[MUST] = _0
        if hand == word:
            if row[OUT] == _0:
                _settle(row, seat, payments, tables)
            row[ORDER] |= U(seat) << (U(4) * row[OUT])
            row[OUT] += _1
            if not tables.last_in or signed(row[OUT]) == players - 1:
                return True
        row[TABLE] = play
        row[TABLE_SEAT] = seat
        if not policy.pass_is_final:
            passed = 0
    row[WATCHING] = seat if duty else NONE
    table_seat = signed(row[TABLE_SEAT])
    inside = _inside(row, players)
    waiting = inside & ~passed & ~(1 << table_seat)
    if waiting == 0:
        row[TABLE] = row[TABLE_SEAT] = NONE
        row[PASSED] = _0
        row[SEAT] = table_seat if (inside >> table_seat) & 1 else _next_of(inside, table_seat, players)
    else:
        row[PASSED] = passed
        row[SEAT] = _next_of(waiting, seat, players)
    return False


@woven
def _settle(row: Words, out: int, payments: Numbers, tables: RegionalTables) -> None:
    """Write the payments and the foul when seat `out` is the first to go out (D2.17, D2.19, H.28, H.29)."""
    policy = tables.sets.policy
    fouled = row[WATCHING] != NONE and (signed(row[WATCHING]) + 1) % policy.players == out
    if fouled:
        row[FOUL] = row[WATCHING]
    twos = played = 0
    for seat in range(policy.players):
        payments[seat] = signed(popcount(row[HAND + seat]))
        twos |= signed(popcount(row[HAND + seat] & tables.twos)) << (4 * seat)
        played |= (1 if row[PLAYED + seat] != _0 else 0) << seat
    pay_with_penalties(out, signed(row[FOUL]) if fouled else -1, twos, played, policy.settlement, payments)
    for seat in range(policy.players):
        row[PAID + seat] = U(signed(payments[seat]) + ZERO)
        payments[seat] = 0


@apart
def finish(i: int, row: Words, buffers: Buffers, tables: RegionalTables) -> None:
    """Write the result, and what a session's next hand inherits (D2.17–D2.19, H.32)."""
    players = tables.sets.policy.players
    write_places(row, buffers.places[i], tables)
    for seat in range(players):
        buffers.rewards[i, seat] = signed(row[PAID + seat]) - ZERO
    buffers.done[i] = 1
    first = row[ORDER] & U(15)
    row[DEALER] = row[FOUL] if row[FOUL] != NONE else first
    row[LEADER] = first if tables.sets.winner_leads else U(NONE)


@woven
def write_places(row: Words, places: Bytes, tables: RegionalTables) -> None:
    """Write the places of a hand that is over; with play to the last player that player's too."""
    players = tables.sets.policy.players
    for k in range(signed(row[OUT])):
        places[signed((row[ORDER] >> U(4 * k)) & U(15))] = k + 1
    if tables.last_in:
        for seat in range(players):
            if row[HAND + seat] != _0:
                places[seat] = players


@woven
def publish(i: int, row: Words, buffers: Buffers, tables: RegionalTables) -> None:
    """Write the seat to act and its legal actions."""
    buffers.to_act[i] = signed(row[SEAT])
    buffers.num_legal[i] = list_legal(row, buffers.legal[i], tables.sets.first_row, tables)
    sort_legal(i, buffers)
    set_mask(i, buffers)


@woven
def list_legal(row: Words, legal: npt.NDArray[np.integer], base: int, tables: RegionalTables) -> int:
    """Write the legal actions, in no order: `base` + the row of every play, and 0 for the pass; returns how many there are."""
    catalogue = tables.sets.catalogue
    seat = signed(row[SEAT])
    hand = row[HAND + seat]
    answer = to_answer(row, tables.sets)
    bound = tables.sets.policy.guard == 2 and _on_duty(row, seat, tables)
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
    if answer <= OPENING:
        first = n
        n = list_larger(hand, signed(0), signed(-1), legal, n, base, catalogue)
        if answer == OPENING:
            end = first
            for k in range(first, n):
                if catalogue.words[legal[k] - base] & row[MUST] != _0:
                    legal[end] = legal[k]
                    end += 1
            n = end
        return n
    size, strength = signed(catalogue.size[row[TABLE]]), signed(catalogue.strength[row[TABLE]])
    if answer == LARGE:
        first = end = n
        n = list_larger(hand, size, strength, legal, n, base, catalogue)
        for k in range(first, n):
            if catalogue.strength[legal[k] - base] >> FAMILY == strength >> FAMILY:
                legal[end] = legal[k]
                end += 1
        n = end
    if answer == LARGE or tables.bombs:
        lower = (((strength >> LEVEL) + 1) << LEVEL) - 1
        n = list_larger(hand, 0 if tables.bombs else size, lower, legal, n, base, catalogue)
    return n


@woven
def _observe(i: int, states: Words, buffers: Buffers, tables: RegionalTables) -> None:
    """Write the features of `dasan.features.layout`, in order."""
    row, players = states[i], tables.sets.policy.players
    me = signed(row[SEAT])
    obs, acc = buffers.packed, _0
    acc, at = put(acc, 0, _1, 1, obs, i)
    acc, at = put(acc, at, row[HAND + me], 52, obs, i)
    played = 0
    together = _0
    for seat in range(players):
        played |= (1 if row[PLAYED + seat] != _0 else 0) << seat
        together |= row[PLAYED + seat]
    seat = me
    if tables.last_in:
        acc, at = put(acc, at, together, 52, obs, i)
    else:
        for _ in range(players):
            acc, at = put(acc, at, row[PLAYED + seat], 52, obs, i)
            seat = seat + 1 if seat + 1 < players else 0
    table = row[TABLE]
    cards = kind = _0
    if table != NONE:
        cards, kind = tables.sets.catalogue.words[table], tables.sets.kinds[table]
    acc, at = put(acc, at, cards, 52, obs, i)
    acc, at = put(acc, at, kind, tables.sets.number_of_kinds, obs, i)
    acc, at = put_seat(acc, at, row[TABLE_SEAT], me, players, obs, i)
    acc, at = put_seats(acc, at, signed(row[PASSED]), me, players, obs, i)
    acc, at = put_seat(acc, at, row[DEALER], me, players, obs, i)
    acc, at = put_seat(acc, at, row[OPENER], me, players, obs, i)
    if tables.last_in:
        acc, at = put_seats(acc, at, ((1 << players) - 1) & ~_inside(row, players), me, players, obs, i)
        acc, at = put_seats(acc, at, played, me, players, obs, i)
    if tables.sets.policy.opening >= 0:
        acc, at = put(acc, at, _1 if row[MUST] != _0 else _0, 1, obs, i)
    sizes = _0
    seat = me
    for k in range(players):
        sizes |= popcount(row[HAND + seat]) << U(8 * k)
        seat = seat + 1 if seat + 1 < players else 0
    finish_observation(acc, at, sizes, i, buffers)


@woven
def _write_optional(i: int, optional: OptionalOutputs, states: Words, buffers: Buffers, tables: RegionalTables) -> None:
    write_optional(i, optional, states, buffers, tables.sets)


serve = make_serve(__name__, _move_all, _publish, _observe, _write_optional)
show = make_show(__name__, _publish, _observe)

__all__ = [
    "COLUMNS",
    "HIDDEN",
    "PLANES",
    "SCRATCH",
    "ZERO",
    "dealt",
    "finish",
    "lead",
    "list_legal",
    "make_state",
    "most_legal",
    "move",
    "publish",
    "samples_bits",
    "serve",
    "show",
    "tables",
    "write_places",
]

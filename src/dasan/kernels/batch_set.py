"""Batched Big Two: the plays of every hand are listed once a deal, by size, and looked at in the size asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.actions import action_ids
from dasan.cards import Card
from dasan.features import kinds
from dasan.kernels.batch_io import (
    Buffers,
    clear_mask,
    deal_state,
    lean,
    put,
    put_seat,
    put_seats,
    signed,
    spread_flags,
    woven,
)
from dasan.kernels.bits import leading_zeros, popcount
from dasan.kernels.random64 import below, mixed, stepped
from dasan.kernels.set_hands import MAX_PLAYS, deal_sets, list_plays
from dasan.kernels.set_table import SetPolicy, SetTable, set_policy, set_table
from dasan.ruleset import LaterLead, Rules
from dasan.table import compile

U = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
_0, _1 = U(0), U(1)

HAND, PLAYED, DEALT, BASE, NUMBER = 0, 4, 8, 12, 13
SEAT, OPENER, PASSED, TABLE, TABLE_SEAT, WATCHING, DEALER, MUST, LEADER = 14, 15, 16, 17, 18, 19, 20, 21, 22
COLUMNS = 24
"""Hands, cards played and cards dealt by seat as card words. TABLE: the row on the table. MUST: the card word of which
the lead must have a part. LEADER: who leads a session's hand. NONE: no such row or seat."""
NONE = 1 << 20
SIZES = 5
LISTED = 1472
"""More than the plays of one hand: 1,287 sets of five cards at most, and 154 smaller ones."""
SCRATCH = 52 + 4 + 16 + 2 * MAX_PLAYS
_STRENGTHS = 1 << 20


class SetMemory(NamedTuple):
    """words: see the columns. lists: [4n, LISTED] rows that a seat of an environment could play, its singles first, then
    its pairs …; bounds: [4n, 10] where those of each size begin, and how many are left.
    """

    words: Words
    lists: npt.NDArray[np.int16]
    bounds: npt.NDArray[np.int16]


class SetBatch(NamedTuple):
    """What the kernels here read. key: by row, its size × 2**20 + its strength. first_row: the id of row 0. later: who
    leads a session's later hands, 0 the holder of the opening card, 1 the winner, 2 the last.
    """

    t: SetTable
    p: SetPolicy
    key: npt.NDArray[np.int32]
    words: Words
    first_row: int
    kinds: npt.NDArray[np.int16]
    number_of_kinds: int
    session: bool
    later: int


LATER = {LaterLead.OPENING: 0, LaterLead.WINNER: 1, LaterLead.LOSER: 2}


def tables(rules: Rules, session: bool) -> SetBatch:
    t = set_table(rules)
    # It makes arrays, so it must not be compiled as a part of kernels that make none.
    list_plays(_0, np.zeros(1, np.uint64), np.zeros(1, np.int64), t)
    names = kinds(rules)
    return SetBatch(
        t=t,
        p=set_policy(rules),
        key=(t.size * _STRENGTHS + t.strength).astype(np.int32),
        words=t.words,
        first_row=action_ids(rules).rows,
        kinds=np.array([names.index(row.kind) for row in compile(rules).rows], np.int16),
        number_of_kinds=len(names),
        session=session,
        later=LATER[rules.later_lead],
    )


def make_state(rules: Rules, num_envs: int) -> tuple[SetMemory, Words]:
    """The environments' memory, and the column in it that seeds them."""
    words = np.zeros((num_envs, COLUMNS), np.uint64)
    lists = np.zeros((4 * num_envs, LISTED), np.int16)
    return SetMemory(words, lists, np.zeros((4 * num_envs, 2 * SIZES), np.int16)), words[:, BASE]


def most_legal(rules: Rules) -> int:
    """More than the actions that can be legal at once."""
    return LISTED


def deals(
    rules: Rules, s: SetMemory, i: int
) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...], int, int | None, None]:
    """Hands by seat, (no) kitty, dealer and leader of environment `i`, as they were dealt."""
    place = rules.order.place
    pack = rules.order.hand(rules.pack)
    hands = tuple(
        tuple(c for c in pack if int(s.words[i, DEALT + seat]) >> (4 * place[c][0] + place[c][1]) & 1)
        for seat in range(rules.players)
    )
    leader = int(s.words[i, LEADER])
    return hands, (), int(s.words[i, DEALER]), None if leader == NONE else leader, None


@lean
def start(first: int, last: int, s: SetMemory, b: Buffers, w: SetBatch, scratch: Words, observing: bool) -> None:
    """The first hand of each environment whose column BASE is set."""
    flags = scratch[56:72]
    for i in range(first, last):
        s.words[i, NUMBER] = _0
        clear_mask(i, b)
        _deal(i, s, scratch, w)
        _publish(i, s, b, w, flags, observing)


@lean
def _deal(i: int, s: SetMemory, scratch: Words, w: SetBatch) -> None:
    """The hand numbered NUMBER, up to the first lead (D2.11, D2.18); the dealer is drawn but in later hands."""
    row = s.words[i]
    p = w.p
    pack, hands = scratch[:52], scratch[52:56]
    plays, rows = scratch[72 : 72 + MAX_PLAYS], scratch[72 + MAX_PLAYS :].view(np.int64)
    state = deal_state(row[BASE], signed(row[NUMBER]))
    later = w.session and row[NUMBER] != _0
    if not later:
        state = stepped(state)
        row[DEALER] = below(mixed(state), U(p.players))
        row[LEADER] = NONE
    for k in range(52):
        pack[k] = _1 << U(k)
    deal_sets(state, pack, hands, p.hand_size, p.players)
    opener = signed(row[DEALER])
    for seat in range(p.players):
        hand = hands[seat]
        row[HAND + seat] = row[DEALT + seat] = hand
        row[PLAYED + seat] = _0
        if p.opening >= 0 and (hand >> U(p.opening)) & _1 != _0:
            opener = seat
        n = list_plays(hand, plays, rows, w.t)
        at = 4 * i + seat
        size = 0
        for k in range(n):
            s.lists[at, k] = rows[k]
            while size < w.key[rows[k]] // _STRENGTHS:
                s.bounds[at, size] = k
                size += 1
        while size < SIZES:
            s.bounds[at, size] = n
            size += 1
        for k in range(SIZES):
            s.bounds[at, SIZES + k] = (s.bounds[at, k + 1] if k + 1 < SIZES else n) - s.bounds[at, k]
    row[MUST] = _1 << U(p.opening) if p.opening >= 0 else _0
    if row[LEADER] != NONE:
        opener = signed(row[LEADER])
        row[MUST] = _0
    row[SEAT] = row[OPENER] = opener
    row[PASSED] = _0
    row[TABLE] = row[TABLE_SEAT] = row[WATCHING] = NONE


@lean
def step(
    first: int,
    last: int,
    actions: npt.NDArray[np.int32],
    s: SetMemory,
    b: Buffers,
    w: SetBatch,
    scratch: Words,
    observing: bool,
) -> None:
    """Carry out one legal action in each environment; hands that are over are settled and dealt anew."""
    flags = scratch[56:72]
    for i in range(first, last):
        row = s.words[i]
        if b.done[i]:
            b.done[i] = 0
            for seat in range(w.p.players):
                b.rewards[i, seat] = 0
                b.places[i, seat] = 0
        clear_mask(i, b)
        if _move(row, actions[i] - w.first_row, w):
            _settle(i, row, b, w)
            row[NUMBER] += _1
            _deal(i, s, scratch, w)
        _publish(i, s, b, w, flags, observing)


@woven
def _on_duty(row: Words, seat: int, w: SetBatch) -> bool:
    """Whether `seat` must play its highest card in a round of single cards (D2.16)."""
    players = w.p.players
    if w.p.guard == 0 or popcount(row[HAND + (seat + 1 if seat + 1 < players else 0)]) != _1:
        return False
    if row[TABLE] == NONE:
        return True
    key = w.key[row[TABLE]]
    return bool(key < 2 * _STRENGTHS and w.t.single[63 - signed(leading_zeros(row[HAND + seat]))] > key - _STRENGTHS)


@woven
def _move(row: Words, play: int, w: SetBatch) -> bool:
    """A play (its row) or a pass (negative); whether the hand is over: then row[SEAT] is out (D2.12–D2.17)."""
    p, players = w.p, w.p.players
    seat = signed(row[SEAT])
    duty = _on_duty(row, seat, w)
    passed = signed(row[PASSED])
    if play < 0:
        passed |= 1 << seat
    else:
        hand = row[HAND + seat]
        if duty:
            key = w.key[play]
            highest = w.t.single[63 - signed(leading_zeros(hand))]
            duty = key < 2 * _STRENGTHS and key - _STRENGTHS < highest
        word = w.words[play]
        row[HAND + seat] = hand & ~word
        row[PLAYED + seat] |= word
        row[MUST] = _0
        if hand == word:
            return True
        row[TABLE] = play
        row[TABLE_SEAT] = seat
        if not p.pass_is_final:
            passed = 0
    row[WATCHING] = seat if duty else NONE
    table_seat = signed(row[TABLE_SEAT])
    if ((1 << players) - 1) & ~passed & ~(1 << table_seat) == 0:
        row[TABLE] = row[TABLE_SEAT] = NONE
        row[PASSED] = _0
        row[SEAT] = table_seat
        return False
    seat = seat + 1 if seat + 1 < players else 0
    while (passed >> seat) & 1:
        seat = seat + 1 if seat + 1 < players else 0
    row[PASSED] = passed
    row[SEAT] = seat
    return False


@lean
def _settle(i: int, row: Words, b: Buffers, w: SetBatch) -> None:
    """Payments, the foul, and what a session's next hand takes from this one (D2.17–D2.19)."""
    p = w.p
    out = signed(row[SEAT])
    total = 0
    for seat in range(p.players):
        if seat != out:
            cost = p.stake if p.stake > 0 else p.times[popcount(row[HAND + seat])]
            b.rewards[i, seat] = -cost
            total += cost
    b.rewards[i, out] = total
    b.places[i, out] = 1
    b.done[i] = 1
    fouled = row[WATCHING] != NONE and (signed(row[WATCHING]) + 1) % p.players == out
    row[DEALER] = row[WATCHING] if fouled else U(out)
    row[LEADER] = out if w.later == 1 else NONE


@woven
def _publish(i: int, s: SetMemory, b: Buffers, w: SetBatch, flags: Words, observing: bool) -> None:
    """Write who is to act, what is legal, and what that seat sees."""
    row = s.words[i]
    seat = signed(row[SEAT])
    at = 4 * i + seat
    b.to_act[i] = seat
    hand, must = row[HAND + seat], row[MUST]
    on_table = row[TABLE] != NONE
    least = w.key[row[TABLE]] if on_table else 0
    bound = w.p.guard == 2 and _on_duty(row, seat, w)
    highest = signed(w.t.single[63 - signed(leading_zeros(hand))]) + _STRENGTHS if bound else 0
    first_size = least // _STRENGTHS - 1 if on_table else 0
    last_size = first_size + 1 if on_table else SIZES
    n = 0
    for size in range(first_size, last_size):
        begin = signed(s.bounds[at, size])
        kept = begin
        for k in range(begin, begin + signed(s.bounds[at, SIZES + size])):
            play = s.lists[at, k]
            word = w.words[play]
            if word & ~hand != _0:
                continue
            s.lists[at, kept] = play
            kept += 1
            key = w.key[play]
            if key <= least or (must != _0 and word & must == _0) or (bound and size == 0 and key < highest):
                continue
            b.legal[i, n] = w.first_row + play
            b.mask[i, w.first_row + play] = 1
            n += 1
        s.bounds[at, SIZES + size] = kept - begin
    if on_table and not bound:
        b.legal[i, n] = 0
        b.mask[i, 0] = 1
        n += 1
    b.num_legal[i] = n
    if observing:
        _observe(i, row, b, w, flags)


@woven
def _observe(i: int, row: Words, b: Buffers, w: SetBatch, flags: Words) -> None:
    """The features of `dasan.features.layout`, in order."""
    players = w.p.players
    me = signed(row[SEAT])
    for k in range(flags.shape[0]):
        flags[k] = _0
    at = put(flags, 0, _1, 1)
    at = put(flags, at, row[HAND + me], 52)
    seat = me
    for _ in range(players):
        at = put(flags, at, row[PLAYED + seat], 52)
        seat = seat + 1 if seat + 1 < players else 0
    table = row[TABLE]
    table_seat = -1
    if table == NONE:
        at += 52 + w.number_of_kinds
    else:
        at = put(flags, at, w.words[table], 52)
        at = put(flags, at, _1 << U(w.kinds[table]), w.number_of_kinds)
        table_seat = signed(row[TABLE_SEAT])
    at = put_seat(flags, at, table_seat, me, players)
    at = put_seats(flags, at, signed(row[PASSED]), me, players)
    at = put_seat(flags, at, signed(row[DEALER]), me, players)
    at = put_seat(flags, at, signed(row[OPENER]), me, players)
    if w.p.opening >= 0:
        at = put(flags, at, _1 if row[MUST] != _0 else _0, 1)
    at = spread_flags(flags, at, i, b.obs)
    sizes = _0
    seat = me
    for k in range(players):
        sizes |= popcount(row[HAND + seat]) << U(8 * k)
        seat = seat + 1 if seat + 1 < players else 0
    b.obs[i, at] = sizes

"""Positions of Big Two as rows of `batch_set`, and playing them out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.cards import Card
from dasan.kernels.cardsets import env as sets
from dasan.kernels.cardsets.env import SetBatch
from dasan.kernels.env.buffers import Buffers, clear_mask, signed
from dasan.kernels.env.playout_policies import THRIFTY, PolicyTable, playout_state, random_of, rank_counts, thrifty_play
from dasan.kernels.runtime.bits import popcount
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.random64 import stepped
from dasan.play.action_ids import action_ids
from dasan.play.events import EventType
from dasan.play.moves import Move, MoveType
from dasan.play.state import State

U = np.uint64
Words = npt.NDArray[np.uint64]
_0, _1 = U(0), U(1)


def put(state: State, s: Words, i: int) -> None:
    """Write `state`, a hand that goes on, into row `i`."""
    rules, begun, place = state.rules, state.begun, state.rules.order.place

    def word(cards: tuple[Card | None, ...]) -> int:
        return sum(1 << (4 * place[c][0] + place[c][1]) for c in cards if c is not None)

    def some(value: int | None) -> int:
        return sets.NONE if value is None else value

    row = [0] * sets.COLUMNS
    for seat, hand in enumerate(state.hands):
        plays = [e for e in state.events if e.type is EventType.PLAY and e.seat == seat]
        row[sets.HAND + seat] = word(hand)
        row[sets.PLAYED + seat] = sum(word(e.cards) for e in plays)
        row[sets.DEALT + seat] = word(begun.hands[seat])
    row[sets.SEAT], row[sets.OPENER] = some(state.to_act), some(state.opener)
    row[sets.PASSED] = sum(1 << seat for seat in state.passed)
    row[sets.TABLE] = sets.NONE
    if state.table is not None:
        ids = action_ids(rules)
        row[sets.TABLE] = ids.of(Move(MoveType.PLAY, state.table.cards, None, state.table)) - ids.rows
    row[sets.TABLE_SEAT], row[sets.WATCHING] = some(state.table_seat), some(state.watching)
    row[sets.DEALER], row[sets.LEADER] = state.dealer, some(begun.leader)
    row[sets.MUST] = 0 if state.must_include is None else word((state.must_include,))
    s[i] = row


@lean
def fill(s: Words, first: int, one: Words, two: Words, w: SetBatch) -> None:
    """Rows `first` and on, copies of one position, get the hands of the worlds in `one`."""
    for k in range(one.shape[0]):
        for seat in range(w.p.players):
            s[first + k, sets.HAND + seat] = one[k, seat]


@lean
def publish(s: Words, b: Buffers, w: SetBatch, scratch: Words) -> None:
    """Write who is to act in row 0, and what is legal."""
    clear_mask(0, b)
    sets.publish(0, s, b, w, False)


@woven
def _choose(row: Words, b: Buffers, w: SetBatch, x: PolicyTable) -> int:
    """What thrifty does."""
    seat = signed(row[sets.SEAT])
    sizes = _0
    for other in range(w.p.players):
        if other != seat:
            sizes |= _1 << popcount(row[sets.HAND + other])
    leading = row[sets.TABLE] == U(sets.NONE)
    size = 0 if leading else signed(w.t.size[row[sets.TABLE]])
    held = rank_counts(row[sets.HAND + seat], _0)
    return thrifty_play(b.legal[0], signed(b.num_legal[0]), held, leading, size, False, sizes, x)


@lean
def choose(s: Words, b: Buffers, w: SetBatch, x: PolicyTable) -> int:
    """What thrifty does in row 0, whose legal actions are published."""
    return _choose(s[0], b, w, x)


@lean
def step(s: Words, action: int, b: Buffers, w: SetBatch, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0; whether the hand is over, and then its result is row 0 of `b`."""
    for seat in range(w.p.players):
        b.places[0, seat] = 0
    over = sets.move(s[0], action - w.first_row, w)
    if over:
        sets.settle(0, s[0], b, w)
        b.done[0] = 0
    return over


@lean
def play_out(
    rows: Words,
    first: int,
    last: int,
    times: int,
    opening: int,
    policy: int,
    seed: np.uint64,
    s: Words,
    b: Buffers,
    w: SetBatch,
    x: PolicyTable,
    scratch: Words,
    payments: npt.NDArray[np.int32],
    places: npt.NDArray[np.uint8],
) -> int:
    """Play rows `first` to `last - 1` of `rows` to the end, each `times` times, by `policy`; returns the plies.

    opening: the first action, -1 for the policy's own; if it is not legal in row i, -1 - i is returned. s, b: room for one
    environment. payments, places: [rows × times, seats], filled.
    """
    row = s[0]
    plies = 0
    for i in range(first, last):
        for k in range(times):
            for c in range(row.shape[0]):
                row[c] = rows[i, c]
            state = playout_state(seed, i, k)
            over = False
            if opening >= 0:
                publish(s, b, w, scratch)
                legal = b.mask[0, opening] != 0
                clear_mask(0, b)
                if not legal:
                    return -1 - i
                over = step(s, opening, b, w, scratch)
                plies += 1
            while not over:
                sets.publish(0, s, b, w, False)
                if policy == THRIFTY:
                    action = _choose(row, b, w, x)
                else:
                    state = stepped(state)
                    action = random_of(b.legal[0], signed(b.num_legal[0]), state)
                clear_mask(0, b)
                over = sets.move(row, action - w.first_row, w)
                plies += 1
            sets.settle(0, row, b, w)
            b.done[0] = 0
            for seat in range(w.p.players):
                payments[i * times + k, seat] = b.rewards[0, seat]
                places[i * times + k, seat] = b.places[0, seat]
                b.places[0, seat] = 0
    return plies

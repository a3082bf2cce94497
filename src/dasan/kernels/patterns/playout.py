"""Positions of Winner as rows of `batch_canon`, and playing them out."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dasan.cards import Card
from dasan.kernels.env.buffers import Buffers, clear_mask, signed
from dasan.kernels.env.exchange import EX_LOSER, EX_WINNER, GIVEN, OFFER_1, OFFER_2, TAKEN, exchange
from dasan.kernels.env.playout_policies import (
    THRIFTY,
    PolicyTable,
    extreme,
    playout_state,
    random_of,
    rank_counts,
    thrifty_play,
)
from dasan.kernels.patterns import env as canon
from dasan.kernels.patterns.env import CanonBatch, CanonMemory
from dasan.kernels.runtime.bits import popcount
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.random64 import stepped
from dasan.play.action_ids import action_ids
from dasan.play.events import EventType
from dasan.play.moves import Move, MoveType
from dasan.play.state import Phase, State

U = np.uint64
Words = npt.NDArray[np.uint64]
_0, _1 = U(0), U(1)


def put(state: State, s: CanonMemory, i: int) -> None:
    """Write `state`, a hand that goes on, into row `i`."""
    rules, begun, place = state.rules, state.begun, state.rules.order.place
    ids = action_ids(rules, True)

    def words(cards: tuple[Card | None, ...]) -> tuple[int, int]:
        one = two = 0
        for c in cards:
            if c is not None:
                bit = 1 << (4 * place[c][0] + place[c][1])
                two |= one & bit
                one |= bit
        return one, two

    def some(value: int | None) -> int:
        return canon.NONE if value is None else value

    row = [0] * canon.COLUMNS
    row[EX_WINNER] = row[EX_LOSER] = row[GIVEN] = row[TAKEN] = canon.NONE
    for seat, hand in enumerate(state.hands):
        row[canon.ONE + seat], row[canon.TWO + seat] = words(hand)
        row[canon.DEALT_1 + seat], row[canon.DEALT_2 + seat] = words(begun.hands[seat])
    row[canon.PHASE] = canon.PLAYING
    deal: Any = state.exchange
    if deal is not None:
        row[EX_WINNER], row[EX_LOSER] = deal.winner, deal.loser
        row[GIVEN] = canon.NONE if deal.given is None else ids.deck.index(deal.given)
        row[OFFER_1], row[OFFER_2] = words(deal.offered)
        taken = [c for e in state.events if e.type is EventType.TAKE for c in e.cards if c is not None]
        row[TAKEN] = ids.deck.index(taken[0]) if taken else canon.NONE
        if state.phase is Phase.EXCHANGE:
            row[canon.PHASE] = canon.TAKING if deal.offered else canon.GIVING if deal.given is None else canon.OFFERING
    row[canon.SEAT], row[canon.OPENER] = some(state.to_act), some(state.opener)
    row[canon.PASSED] = sum(1 << seat for seat in state.passed)
    row[canon.TABLE], row[canon.TABLE_SEAT] = canon.NONE, some(state.table_seat)
    if state.table is not None:
        row[canon.TABLE] = ids.of(Move(MoveType.PLAY, state.table.cards, None, state.table)) - ids.rows
        row[canon.TABLE_1], row[canon.TABLE_2] = words(state.table.cards)
    row[canon.DEALER], row[canon.LEADER] = state.dealer, some(begun.leader)
    row[canon.INSIDE] = sum(1 << seat for seat in state.active)
    row[canon.STRONG] = (1 << rules.players) - 1
    row[canon.HAS_PLAYED] = sum(1 << seat for seat in state.has_played)
    row[canon.ORDER] = sum(seat << (4 * k) for k, seat in enumerate(state.finished))
    row[canon.OUT] = len(state.finished)
    row[canon.PLAYED_1], row[canon.PLAYED_2] = words(state.played)
    s.words[i] = row
    s.payments[i] = state.payments or 0


@lean
def fill(s: CanonMemory, first: int, one: Words, two: Words, w: CanonBatch) -> None:
    """Rows `first` and on, copies of one position, get the hands of the worlds in `one` and `two`."""
    for k in range(one.shape[0]):
        for seat in range(w.p.players):
            s.words[first + k, canon.ONE + seat] = one[k, seat]
            s.words[first + k, canon.TWO + seat] = two[k, seat]


@lean
def publish(s: CanonMemory, b: Buffers, w: CanonBatch, scratch: Words) -> None:
    """Write who is to act in row 0, and what is legal."""
    clear_mask(0, b)
    canon.publish(0, s, b, w, scratch, False)


@woven
def _choose(row: Words, b: Buffers, w: CanonBatch, x: PolicyTable) -> int:
    """What thrifty does."""
    n = signed(b.num_legal[0])
    phase = row[canon.PHASE]
    if phase != U(canon.PLAYING):
        return extreme(b.legal[0], n, phase == U(canon.TAKING))
    seat = signed(row[canon.SEAT])
    sizes = _0
    for other in range(w.p.players):
        if other != seat and row[canon.ONE + other] != _0:
            sizes |= _1 << (popcount(row[canon.ONE + other]) + popcount(row[canon.TWO + other]))
    leading = row[canon.TABLE] == U(canon.NONE)
    size = 0 if leading else signed(w.t.size[row[canon.TABLE]])
    held = rank_counts(row[canon.ONE + seat], row[canon.TWO + seat])
    return thrifty_play(b.legal[0], n, held, leading, size, False, sizes, x)


@lean
def choose(s: CanonMemory, b: Buffers, w: CanonBatch, x: PolicyTable) -> int:
    """What thrifty does in row 0, whose legal actions are published."""
    return _choose(s.words[0], b, w, x)


@woven
def _step(s: CanonMemory, action: int, w: CanonBatch, scratch: Words) -> bool:
    """Carry out an action; whether the hand is over."""
    row = s.words[0]
    if row[canon.PHASE] == U(canon.PLAYING):
        return canon.move(0, s, action - w.first_row, scratch, w)
    exchange(row, action, w.gives, w.pairs, w.takes, w.pair_cards)
    if row[canon.PHASE] == U(canon.PLAYING):
        canon.lead(row, w)
    return False


@lean
def step(s: CanonMemory, action: int, b: Buffers, w: CanonBatch, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0; whether the hand is over, and then its result is row 0 of `b`."""
    over = _step(s, action, w, scratch)
    if over:
        canon.finish(0, s, b, w)
        b.done[0] = 0
    return over


@lean
def play_out(
    rows: CanonMemory,
    first: int,
    last: int,
    times: int,
    opening: int,
    policy: int,
    seed: np.uint64,
    s: CanonMemory,
    b: Buffers,
    w: CanonBatch,
    x: PolicyTable,
    scratch: Words,
    payments: npt.NDArray[np.int32],
    places: npt.NDArray[np.uint8],
) -> int:
    """Play rows `first` to `last - 1` of `rows` to the end, each `times` times, by `policy`; returns the plies.

    opening: the first action, -1 for the policy's own; if it is not legal in row i, -1 - i is returned. s, b: room for one
    environment. payments, places: [rows × times, seats], filled.
    """
    row = s.words[0]
    plies = 0
    for i in range(first, last):
        for k in range(times):
            for c in range(row.shape[0]):
                row[c] = rows.words[i, c]
            for seat in range(w.p.players):
                s.payments[0, seat] = rows.payments[i, seat]
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
                canon.publish(0, s, b, w, scratch, False)
                if policy == THRIFTY:
                    action = _choose(row, b, w, x)
                else:
                    state = stepped(state)
                    action = random_of(b.legal[0], signed(b.num_legal[0]), state)
                clear_mask(0, b)
                plies += 1
                over = _step(s, action, w, scratch)
            canon.finish(0, s, b, w)
            b.done[0] = 0
            for seat in range(w.p.players):
                payments[i * times + k, seat] = b.rewards[0, seat]
                places[i * times + k, seat] = b.places[0, seat]
    return plies

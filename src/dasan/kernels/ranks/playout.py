"""Positions of Big Three as rows of `batch_rank`, and playing them out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.cards import Card
from dasan.kernels.env.buffers import Buffers, signed
from dasan.kernels.env.playout_policies import (
    THRIFTY,
    PolicyTable,
    extreme,
    playout_state,
    random_of,
    thrifty_bid,
    thrifty_play,
)
from dasan.kernels.ranks import env as rank
from dasan.kernels.ranks.auction import counts_of
from dasan.kernels.ranks.env import RankTables
from dasan.kernels.ranks.tables import LEAD, pack_counts
from dasan.kernels.runtime.bits import deposit, popcount
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.random64 import stepped
from dasan.play.action_ids import action_ids
from dasan.play.events import EventType
from dasan.play.moves import Move, MoveType
from dasan.play.state import Phase, State

U = np.uint64
Words = npt.NDArray[np.uint64]
_0, _1 = U(0), U(1)
_RANKS, _ONES = U(0x1FFF), U(0x0001_1111_1111_1111)
PHASES = {Phase.AUCTION: rank.AUCTION, Phase.CALL: rank.CALLING, Phase.PLAY: rank.PLAYING}


def put(state: State, s: Words, i: int) -> None:
    """Write `state`, a hand that goes on, into row `i`."""
    rules, begun, order = state.rules, state.begun, state.rules.order

    def bit(c: Card) -> int:
        return 16 * order.place[c][1] + order.place[c][0]

    def lanes(cards: list[Card]) -> int:
        return pack_counts([sum(order.place[c][0] == r for c in cards) for r in range(len(rules.ranks))])

    def some(value: int | None) -> int:
        return rank.NONE if value is None else value

    row = [0] * rank.COLUMNS
    said = [0] * rules.players
    for seat, hand in enumerate(state.hands):
        plays = [e for e in state.events if e.type is EventType.PLAY and e.seat == seat]
        said[seat] = max([e.bid or 0 for e in state.events if e.seat == seat], default=0)
        row[rank.HAND + seat] = lanes(list(hand))
        row[rank.PLAYED + seat] = lanes([c for e in plays for c in e.cards if c is not None])
        row[rank.DEALT + seat] = sum(1 << bit(c) for c in begun.hands[seat] if c is not None)
    row[rank.DEALT + 4] = sum(1 << bit(c) for c in begun.kitty if c is not None)
    shown = next((e.cards[0] for e in state.events if e.type is EventType.OPEN and e.cards), None)
    row[rank.PHASE] = PHASES[state.phase]
    row[rank.SEAT], row[rank.OPENER] = some(state.to_act), some(state.opener)
    row[rank.OPENING] = rank.NONE if shown is None else order.place[shown][0]
    row[rank.BID], row[rank.BIDDER] = state.bid or 0, some(state.bidder)
    row[rank.PASSED] = sum(1 << seat for seat in state.passed)
    row[rank.SAID] = sum(n << (8 * seat) for seat, n in enumerate(said))
    row[rank.PARTNER] = some(state.partner)
    row[rank.CALLED] = rank.NONE if state.called is None else bit(state.called)
    row[rank.HOLDER] = rank.NONE if state.partner_shown else some(state.partner)
    row[rank.LAST], row[rank.TABLE_SEAT], row[rank.DEALER] = LEAD, some(state.table_seat), state.dealer
    if state.table is not None:
        t = rank.tables(rules, True)
        action = action_ids(rules).of(Move(MoveType.PLAY, state.table.cards, None, state.table), state.called)
        row[rank.LAST] = int(t.x.codes[action]) & 255
    s[i] = row


@lean
def fill(s: Words, first: int, one: Words, two: Words, w: RankTables) -> None:
    """Rows `first` and on, copies of one position, get the hands (and the kitty) of the worlds in `one`."""
    players = w.a.players
    for k in range(one.shape[0]):
        row = s[first + k]
        for seat in range(players):
            row[rank.HAND + seat] = counts_of(one[k, seat])
            if row[rank.PHASE] != U(rank.PLAYING):
                row[rank.DEALT + seat] = one[k, seat]
            if row[rank.HOLDER] != U(rank.NONE) and (one[k, seat] >> row[rank.CALLED]) & _1 != _0:
                row[rank.HOLDER] = row[rank.PARTNER] = U(seat)
        if row[rank.PHASE] == U(rank.AUCTION):
            row[rank.DEALT + 4] = one[k, players]


@lean
def publish(s: Words, b: Buffers, w: RankTables, scratch: Words) -> None:
    """Write who is to act in row 0, and what is legal."""
    rank.publish(0, s[0], b, w, False)


@woven
def _choose(row: Words, b: Buffers, w: RankTables, x: PolicyTable) -> int:
    """What thrifty does."""
    players = w.a.players
    n = signed(b.num_legal[0])
    seat = signed(row[rank.SEAT])
    hand = row[rank.HAND + seat]
    held = _0
    for j in range(4):
        held += deposit((hand >> U(16 * j)) & _RANKS, _ONES)
    if row[rank.PHASE] == U(rank.AUCTION):
        return thrifty_bid(b.legal[0], n, held, x)
    if row[rank.PHASE] == U(rank.CALLING):
        return extreme(b.legal[0], n, True)
    known = row[rank.PARTNER] != U(rank.NONE) and (row[rank.HOLDER] == U(rank.NONE) or row[rank.PARTNER] == U(seat))
    side = _1 << row[rank.BIDDER]
    if known:
        side |= _1 << row[rank.PARTNER]
    ours = (side >> U(seat)) & _1
    sizes = _0
    for other in range(players):
        if (side >> U(other)) & _1 != ours:
            sizes |= _1 << popcount(row[rank.HAND + other])
    last = row[rank.LAST]
    leading = last == U(LEAD)
    friendly = (not leading) and (side >> row[rank.TABLE_SEAT]) & _1 == ours
    size = 0 if leading else signed(w.t.sizes[last])
    return thrifty_play(b.legal[0], n, held, leading, size, friendly, sizes, x)


@lean
def choose(s: Words, b: Buffers, w: RankTables, x: PolicyTable) -> int:
    """What thrifty does in row 0, whose legal actions are published."""
    return _choose(s[0], b, w, x)


@woven
def _step(row: Words, action: int, b: Buffers, w: RankTables) -> bool:
    """Carry out an action; whether the hand is over, and then its result is row 0 of `b`."""
    over = rank.move(row, action, w)
    if over:
        rank.settle(0, row, b, w.a)
        b.done[0] = 0
    return over


@lean
def step(s: Words, action: int, b: Buffers, w: RankTables, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0; whether the hand is over, and then its result is row 0 of `b`."""
    for seat in range(w.a.players):
        b.places[0, seat] = 0
    return _step(s[0], action, b, w)


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
    w: RankTables,
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
                if not legal:
                    return -1 - i
                over = step(s, opening, b, w, scratch)
                plies += 1
            while not over:
                rank.publish(0, row, b, w, False)
                if policy == THRIFTY:
                    action = _choose(row, b, w, x)
                else:
                    state = stepped(state)
                    action = random_of(b.legal[0], signed(b.num_legal[0]), state)
                over = _step(row, action, b, w)
                plies += 1
            for seat in range(w.a.players):
                payments[i * times + k, seat] = b.rewards[0, seat]
                places[i * times + k, seat] = b.places[0, seat]
                b.places[0, seat] = 0
    return plies

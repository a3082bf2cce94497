"""Positions of Dou Dizhu as rows of `env`, and playouts from them."""

from __future__ import annotations

from dasan.arrays import U, Words
from dasan.cards import Card
from dasan.kernels.cards import card_bits
from dasan.kernels.env.buffers import Buffers, clear_mask, signed
from dasan.kernels.env.one_hand import make_kernels
from dasan.kernels.env.playout_policies import ThriftyTables, thrifty_bid, thrifty_play
from dasan.kernels.env.playouts import copy_row, make_choose_all, make_play_out
from dasan.kernels.kickers import env
from dasan.kernels.kickers.env import KickerTables
from dasan.kernels.kickers.play import counts_of, size
from dasan.kernels.kickers.tables import kicker_catalogue, packed
from dasan.kernels.runtime.compiled import lean, woven
from dasan.play.action_ids import action_ids
from dasan.play.events import EventType
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Phase
from dasan.play.state import State

_0, _1 = U(0), U(1)


def put(state: State, states: Words, i: int) -> None:
    """Write `state`, a hand that is not over, to row `i`."""
    rules, begun, place = state.rules, state.begun, state.rules.order.place
    bits = card_bits(rules)

    def counts(cards: list[Card | None]) -> int:
        held: dict[int, int] = {}
        for card in cards:
            if card is not None:
                held[place[card][0]] = held.get(place[card][0], 0) + 1
        return packed(held)

    def suits(cards: tuple[Card | None, ...]) -> int:
        return sum(bits[card] for card in cards if card is not None)

    def some(seat: int | None) -> int:
        return env.NO_SEAT if seat is None else seat

    row = [0] * env.COLUMNS
    for seat, hand in enumerate(state.hands):
        mine = [event for event in state.events if event.seat == seat]
        row[env.HAND + seat] = counts(list(hand))
        row[env.PLAYED + seat] = counts([c for event in mine if event.type is EventType.PLAY for c in event.cards])
        row[env.BIDS] |= max((event.bid or 0 for event in mine), default=0) << (8 * seat)
        row[env.DEALT + seat] = suits(begun.hands[seat])
    row[env.DEALT + rules.players] = suits(begun.kitty)
    row[env.KITTY] = counts(list(begun.kitty))
    row[env.PHASE] = env.AUCTION if state.phase is Phase.AUCTION else env.PLAYING
    row[env.SEAT], row[env.OPENER], row[env.DEALER] = some(state.to_act), some(state.opener), state.dealer
    row[env.BID], row[env.BIDDER] = state.bid or 0, some(state.bidder)
    row[env.PASSED] = sum(1 << seat for seat in state.passed)
    row[env.HAS_PLAYED] = sum(1 << seat for seat in state.has_played)
    row[env.BOMBS], row[env.SIDE_PLAYS] = state.bombs, state.bidder_plays
    row[env.TABLE], row[env.TABLE_SEAT] = env.NONE, some(state.table_seat)
    if state.table is not None:
        ids = action_ids(rules)
        played = ids.of(Move(MoveType.PLAY, state.table.cards, None, state.table)) - ids.rows
        row[env.TABLE] = int(kicker_catalogue(rules).shown[played])
    states[i] = row


@lean
def fill(states: Words, first: int, one: Words, two: Words, tables: KickerTables) -> None:
    """Give rows from `first` on, copies of one position, the hands and kitty of the worlds in `one`.

    After the auction a world without a kitty keeps that of the position.
    """
    for k in range(one.shape[0]):
        row = states[first + k]
        for seat in range(3):
            row[env.HAND + seat] = counts_of(one[k, seat])
            if row[env.PHASE] == U(env.AUCTION):
                row[env.DEALT + seat] = one[k, seat]
        if row[env.PHASE] == U(env.AUCTION):
            row[env.DEALT + 3] = one[k, 3]
        if row[env.PHASE] == U(env.AUCTION) or one[k, 3] != _0:
            row[env.KITTY] = counts_of(one[k, 3])


@woven
def _publish(states: Words, buffers: Buffers, tables: KickerTables, scratch: Words) -> None:
    """Write the seat to act and the legal actions of row 0."""
    env.publish(0, scratch, states, buffers, tables)


@woven
def _choose(i: int, states: Words, buffers: Buffers, tables: KickerTables, thrifty: ThriftyTables) -> int:
    """The action that thrifty chooses in row `i`, whose legal actions are published."""
    row = states[i]
    n = signed(buffers.num_legal[i])
    seat = row[env.SEAT]
    held = row[seat]
    if row[env.PHASE] == U(env.AUCTION):
        return thrifty_bid(buffers.legal[i], n, held, thrifty)
    alone = seat == row[env.BIDDER]
    sizes = _0
    for other in range(3):
        if (U(other) == row[env.BIDDER]) != alone:
            sizes |= _1 << U(size(row[env.HAND + other]))
    leading = row[env.TABLE] == U(env.NONE)
    friendly = (not leading) and (row[env.TABLE_SEAT] == row[env.BIDDER]) == alone
    cards = 0 if leading else size(tables.catalogue.counts[env.row_of_table(row)])
    return thrifty_play(buffers.legal[i], n, held, leading, cards, friendly, sizes, thrifty)


@woven
def _step(states: Words, action: int, buffers: Buffers, tables: KickerTables, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0. True: the hand is over, and row 0 of `buffers` has its result."""
    row = states[0]
    clear_mask(0, buffers)
    over = env.move(row, action, tables)
    if over:
        for seat in range(3):
            buffers.places[0, seat] = buffers.rewards[0, seat] = 0
        env.settle(0, row, buffers, tables)
        buffers.done[0] = 0
    return over


publish, choose, step, move_hand, deal_hand = make_kernels(__name__, _publish, _choose, _step, fill)
play_out = make_play_out(__name__, copy_row, _publish, _choose, _step, publish, step)
choose_all = make_choose_all(__name__, _choose)

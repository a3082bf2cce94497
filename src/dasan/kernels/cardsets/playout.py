"""Positions of Big Two as rows of `env`, and playouts from them."""

from __future__ import annotations

from dasan.arrays import U, Words
from dasan.cards import Card
from dasan.kernels.cards import card_bits
from dasan.kernels.cardsets import env
from dasan.kernels.cardsets.env import CardsetTables
from dasan.kernels.env.buffers import Buffers, clear_mask, signed
from dasan.kernels.env.one_hand import make_kernels
from dasan.kernels.env.playout_policies import (
    ThriftyTables,
    rank_counts,
    thrifty_play,
)
from dasan.kernels.env.playouts import copy_row, make_choose_all, make_play_out
from dasan.kernels.runtime.bits import popcount
from dasan.kernels.runtime.compiled import lean, woven
from dasan.play.action_ids import action_ids
from dasan.play.events import EventType
from dasan.play.moves import Move, MoveType
from dasan.play.state import State

_0, _1 = U(0), U(1)


def put(state: State, states: Words, i: int) -> None:
    """Write `state`, a hand that is not over, to row `i`."""
    states[i] = row_of(state)


def row_of(state: State) -> list[int]:
    """The row of a hand that is not over."""
    rules, begun, bits = state.rules, state.begun, card_bits(state.rules)

    def word(cards: tuple[Card | None, ...]) -> int:
        return sum(bits[card] for card in cards if card is not None)

    def some(value: int | None) -> int:
        return env.NONE if value is None else value

    row = [0] * env.COLUMNS
    for seat, hand in enumerate(state.hands):
        plays = [event for event in state.events if event.type is EventType.PLAY and event.seat == seat]
        row[env.HAND + seat] = word(hand)
        row[env.PLAYED + seat] = sum(word(event.cards) for event in plays)
        row[env.DEALT + seat] = word(begun.hands[seat])
    row[env.SEAT], row[env.OPENER] = some(state.to_act), some(state.opener)
    row[env.PASSED] = sum(1 << seat for seat in state.passed)
    row[env.TABLE] = env.NONE
    if state.table is not None:
        ids = action_ids(rules)
        row[env.TABLE] = ids.of(Move(MoveType.PLAY, state.table.cards, None, state.table)) - ids.rows
    row[env.TABLE_SEAT], row[env.WATCHING] = some(state.table_seat), some(state.watching)
    row[env.DEALER], row[env.LEADER] = state.dealer, some(begun.leader)
    row[env.MUST] = 0 if state.must_include is None else word((state.must_include,))
    return row


@lean
def fill(states: Words, first: int, one: Words, two: Words, tables: CardsetTables) -> None:
    """Give rows from `first` on, copies of one position, the hands of the worlds in `one`."""
    for k in range(one.shape[0]):
        for seat in range(tables.policy.players):
            states[first + k, env.HAND + seat] = one[k, seat]


@woven
def _publish(states: Words, buffers: Buffers, tables: CardsetTables, scratch: Words) -> None:
    """Write the seat to act and the legal actions of row 0."""
    env.publish(0, states[0], buffers, tables)


@woven
def choose_one(i: int, states: Words, buffers: Buffers, tables: CardsetTables, thrifty: ThriftyTables) -> int:
    """The action that thrifty chooses in row `i`, whose legal actions are published."""
    row = states[i]
    seat = signed(row[env.SEAT])
    sizes = _0
    for other in range(tables.policy.players):
        if other != seat:
            sizes |= _1 << popcount(row[env.HAND + other])
    leading = row[env.TABLE] == U(env.NONE)
    size = 0 if leading else signed(tables.catalogue.size[row[env.TABLE]])
    held = rank_counts(row[env.HAND + seat], _0)
    return thrifty_play(buffers.legal[i], signed(buffers.num_legal[i]), held, leading, size, False, sizes, thrifty)


@woven
def _step(states: Words, action: int, buffers: Buffers, tables: CardsetTables, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0. True: the hand is over, and row 0 of `buffers` has its result."""
    row = states[0]
    clear_mask(0, buffers)
    over = env.move(row, action - tables.first_row, tables)
    if over:
        for seat in range(tables.policy.players):
            buffers.places[0, seat] = 0
        env.settle(0, row, buffers, tables)
        buffers.done[0] = 0
    return over


publish, choose, step, move_hand, deal_hand = make_kernels(__name__, _publish, choose_one, _step, fill)
play_out = make_play_out(__name__, copy_row, _publish, choose_one, _step, publish, step)
choose_all = make_choose_all(__name__, choose_one)

"""Positions of Winner as rows of `env`, and playouts from them."""

from __future__ import annotations

from typing import Any

from dasan.arrays import U, Words
from dasan.cards import Card
from dasan.kernels.cards import words_of
from dasan.kernels.env.buffers import Buffers, clear_mask, signed
from dasan.kernels.env.exchange import EX_LOSER, EX_WINNER, GIVEN, OFFER_1, OFFER_2, TAKEN, exchange
from dasan.kernels.env.one_hand import make_kernels
from dasan.kernels.env.playout_policies import (
    ThriftyTables,
    extreme,
    rank_counts,
    thrifty_play,
)
from dasan.kernels.env.playouts import make_choose_all, make_play_out
from dasan.kernels.patterns import env
from dasan.kernels.patterns.env import PatternStates, PatternTables
from dasan.kernels.runtime.bits import popcount
from dasan.kernels.runtime.compiled import lean, woven
from dasan.play.action_ids import action_ids
from dasan.play.events import EventType
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Phase
from dasan.play.state import State

_0, _1 = U(0), U(1)


def put(state: State, states: PatternStates, i: int) -> None:
    """Write `state`, a hand that is not over, to row `i`."""
    rules, begun = state.rules, state.begun
    ids = action_ids(rules, True)

    def words(cards: tuple[Card | None, ...]) -> tuple[int, int]:
        one, two = words_of(rules, (card for card in cards if card is not None))
        return int(one), int(two)

    def some(value: int | None) -> int:
        return env.NONE if value is None else value

    row = [0] * env.COLUMNS
    row[EX_WINNER] = row[EX_LOSER] = row[GIVEN] = row[TAKEN] = env.NONE
    for seat, hand in enumerate(state.hands):
        row[env.ONE + seat], row[env.TWO + seat] = words(hand)
        row[env.DEALT_1 + seat], row[env.DEALT_2 + seat] = words(begun.hands[seat])
    row[env.PHASE] = env.PLAYING
    deal: Any = state.exchange
    if deal is not None:
        row[EX_WINNER], row[EX_LOSER] = deal.winner, deal.loser
        row[GIVEN] = env.NONE if deal.given is None else ids.deck.index(deal.given)
        row[OFFER_1], row[OFFER_2] = words(deal.offered)
        taken = [
            card for event in state.events if event.type is EventType.TAKE for card in event.cards if card is not None
        ]
        row[TAKEN] = ids.deck.index(taken[0]) if taken else env.NONE
        if state.phase is Phase.EXCHANGE:
            row[env.PHASE] = env.TAKING if deal.offered else env.GIVING if deal.given is None else env.OFFERING
    row[env.SEAT], row[env.OPENER] = some(state.to_act), some(state.opener)
    row[env.PASSED] = sum(1 << seat for seat in state.passed)
    row[env.TABLE], row[env.TABLE_SEAT] = env.NONE, some(state.table_seat)
    if state.table is not None:
        row[env.TABLE] = ids.of(Move(MoveType.PLAY, state.table.cards, None, state.table)) - ids.rows
        row[env.TABLE_1], row[env.TABLE_2] = words(state.table.cards)
    row[env.DEALER], row[env.LEADER] = state.dealer, some(begun.leader)
    row[env.INSIDE] = sum(1 << seat for seat in state.active)
    row[env.STRONG] = (1 << rules.players) - 1
    row[env.HAS_PLAYED] = sum(1 << seat for seat in state.has_played)
    row[env.ORDER] = sum(seat << (4 * k) for k, seat in enumerate(state.finished))
    row[env.OUT] = len(state.finished)
    row[env.PLAYED_1], row[env.PLAYED_2] = words(state.played)
    states.words[i] = row
    states.payments[i] = state.payments or 0


@lean
def fill(states: PatternStates, first: int, one: Words, two: Words, tables: PatternTables) -> None:
    """Give rows from `first` on, copies of one position, the hands of the worlds in `one` and `two`."""
    for k in range(one.shape[0]):
        for seat in range(tables.policy.players):
            states.words[first + k, env.ONE + seat] = one[k, seat]
            states.words[first + k, env.TWO + seat] = two[k, seat]


@woven
def _copy(rows: PatternStates, i: int, states: PatternStates) -> None:
    """Write row `i` of `rows` to row 0 of `states`."""
    for column in range(env.COLUMNS):
        states.words[0, column] = rows.words[i, column]
    for seat in range(rows.payments.shape[1]):
        states.payments[0, seat] = rows.payments[i, seat]


@woven
def _publish(states: PatternStates, buffers: Buffers, tables: PatternTables, scratch: Words) -> None:
    """Write the seat to act and the legal actions of row 0."""
    env.publish(0, states.words[0], buffers, tables, scratch)


@woven
def _choose(i: int, states: PatternStates, buffers: Buffers, tables: PatternTables, thrifty: ThriftyTables) -> int:
    """The action that thrifty chooses in row `i`, whose legal actions are published."""
    row = states.words[i]
    n = signed(buffers.num_legal[i])
    phase = row[env.PHASE]
    if phase != U(env.PLAYING):
        return extreme(buffers.legal[i], n, phase == U(env.TAKING))
    seat = signed(row[env.SEAT])
    sizes = _0
    for other in range(tables.policy.players):
        if other != seat and row[env.ONE + other] != _0:
            sizes |= _1 << (popcount(row[env.ONE + other]) + popcount(row[env.TWO + other]))
    leading = row[env.TABLE] == U(env.NONE)
    size = 0 if leading else signed(tables.catalogue.size[row[env.TABLE]])
    held = rank_counts(row[env.ONE + seat], row[env.TWO + seat])
    return thrifty_play(buffers.legal[i], n, held, leading, size, False, sizes, thrifty)


@woven
def _step(states: PatternStates, action: int, buffers: Buffers, tables: PatternTables, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0. True: the hand is over, and row 0 of `buffers` has its result."""
    row = states.words[0]
    over = False
    clear_mask(0, buffers)
    if row[env.PHASE] == U(env.PLAYING):
        over = env.move(0, states, action - tables.first_row, scratch, tables)
    else:
        exchange(row, action, tables.gives, tables.pairs, tables.takes, tables.pair_cards)
        if row[env.PHASE] == U(env.PLAYING):
            env.lead(row, tables)
    if over:
        env.finish(0, states, buffers, tables)
        buffers.done[0] = 0
    return over


publish, choose, step, move_hand, deal_hand = make_kernels(__name__, _publish, _choose, _step, fill)
play_out = make_play_out(__name__, _copy, _publish, _choose, _step, publish, step)
choose_all = make_choose_all(__name__, _choose)

"""Positions of regional Big Two as rows of `env`, and playouts from them."""

from __future__ import annotations

from dasan.arrays import U, Words
from dasan.kernels.cardsets.env import HAND, NONE
from dasan.kernels.cardsets.playout import choose_one, row_of
from dasan.kernels.env.buffers import Buffers, clear_mask
from dasan.kernels.env.one_hand import make_kernels
from dasan.kernels.env.playout_policies import ThriftyTables
from dasan.kernels.env.playouts import copy_row, make_choose_all, make_play_out
from dasan.kernels.regional import env
from dasan.kernels.regional.tables import RegionalTables
from dasan.kernels.runtime.compiled import lean, woven
from dasan.play.state import State

_0, _1 = U(0), U(1)


def put(state: State, states: Words, i: int) -> None:
    """Write `state`, a hand that is not over, to row `i`."""
    row = row_of(state)
    row += [0] * (env.COLUMNS - len(row))
    for seat, payment in enumerate(state.payments or [0] * state.rules.players):
        row[env.PAID + seat] = payment + env.ZERO
    row[env.ORDER] = sum(seat << 4 * k for k, seat in enumerate(state.finished))
    row[env.OUT] = len(state.finished)
    row[env.FOUL] = NONE if state.foul is None else state.foul
    states[i] = row


@lean
def fill(states: Words, first: int, one: Words, two: Words, tables: RegionalTables) -> None:
    """Give rows from `first` on, copies of one position, the hands of the worlds in `one`."""
    for k in range(one.shape[0]):
        for seat in range(tables.sets.policy.players):
            states[first + k, HAND + seat] = one[k, seat]


@woven
def _publish(states: Words, buffers: Buffers, tables: RegionalTables, scratch: Words) -> None:
    """Write the seat to act and the legal actions of row 0."""
    env.publish(0, states[0], buffers, tables)


@woven
def _choose(i: int, states: Words, buffers: Buffers, tables: RegionalTables, thrifty: ThriftyTables) -> int:
    """The action that thrifty chooses in row `i`, whose legal actions are published."""
    return choose_one(i, states, buffers, tables.sets, thrifty)


@woven
def _step(states: Words, action: int, buffers: Buffers, tables: RegionalTables, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0. True: the hand is over, and row 0 of `buffers` has its result."""
    row = states[0]
    clear_mask(0, buffers)
    over = env.move(row, action - tables.sets.first_row, buffers.rewards[0], tables)
    if over:
        for seat in range(tables.sets.policy.players):
            buffers.places[0, seat] = 0
        env.finish(0, row, buffers, tables)
        buffers.done[0] = 0
    return over


publish, choose, step, move_hand, deal_hand = make_kernels(__name__, _publish, _choose, _step, fill)
play_out = make_play_out(__name__, copy_row, _publish, _choose, _step, publish, step)
choose_all = make_choose_all(__name__, _choose)

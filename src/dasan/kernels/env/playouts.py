"""Playouts: a policy plays hands from given positions to the end. A factory binds a game's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dasan.arrays import Bytes, Ints, Words
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.one_hand import OneHand
from dasan.kernels.env.playout_policies import THRIFTY, ThriftyTables, playout_state, random_of
from dasan.kernels.runtime.compiled import belonging_to, lean, woven
from dasan.kernels.runtime.random64 import stepped


class PlayoutPlan(NamedTuple):
    """Which playouts to make: of positions `first` to `last - 1`, each `times` times, by `policy` (see `playout_policies`).

    opening: the first action, -1 for the policy's choice. seed: of the random policy.
    """

    first: int
    last: int
    times: int
    opening: int
    policy: int
    seed: np.uint64


@woven
def copy_row(rows: Words, i: int, states: Words) -> None:
    """Write row `i` of `rows` to row 0 of `states`."""
    for column in range(states.shape[1]):
        states[0, column] = rows[i, column]


def make_play_out(
    module: str,
    copy: Callable[..., None],
    publish_one: Callable[..., None],
    choose_one: Callable[..., int],
    step_one: Callable[..., bool],
    publish: Callable[[OneHand], None],
    step: Callable[[OneHand, int], bool],
) -> Callable[[Any, PlayoutPlan, OneHand, ThriftyTables, Ints, Bytes], int]:
    """The kernel play_out of a game.

    module: the name of the game's module. copy(rows, i, states): write row i of `rows` to row 0 of `states`. publish_one,
    choose_one, step_one: as for `one_hand.make_kernels`; publish, step: its kernels, for the opening.
    """

    @lean
    @belonging_to(module)
    def play_out(
        rows: Any,
        plan: PlayoutPlan,
        hand: OneHand,
        thrifty: ThriftyTables,
        payments: Ints,
        places: Bytes,
    ) -> int:
        """Make the playouts of a plan from positions `rows`; return the number of plies, or -1 - i if `opening` is illegal in
        position i.

        hand: working memory. payments, places: [rows × times, seats], written.
        """
        states, buffers, tables, scratch = hand
        plies = 0
        for i in range(plan.first, plan.last):
            for k in range(plan.times):
                copy(rows, i, states)
                state = playout_state(plan.seed, i, k)
                over = False
                if plan.opening >= 0:
                    publish(hand)
                    if buffers.mask[0, plan.opening] == 0:
                        return -1 - i
                    over = step(hand, plan.opening)
                    plies += 1
                while not over:
                    publish_one(states, buffers, tables, scratch)
                    if plan.policy == THRIFTY:
                        action = choose_one(0, states, buffers, tables, thrifty)
                    else:
                        state = stepped(state)
                        action = random_of(buffers.legal[0], signed(buffers.num_legal[0]), state)
                    over = step_one(states, action, buffers, tables, scratch)
                    plies += 1
                for seat in range(payments.shape[1]):
                    payments[i * plan.times + k, seat] = buffers.rewards[0, seat]
                    places[i * plan.times + k, seat] = buffers.places[0, seat]
        return plies

    return play_out


def make_choose_all(module: str, choose: Callable[..., int]) -> Callable[[OneHand, ThriftyTables, Ints], None]:
    """The kernel choose_all of a game. module, choose: as for `make_play_out`."""

    @lean
    @belonging_to(module)
    def choose_all(hands: OneHand, thrifty: ThriftyTables, actions: Ints) -> None:
        """The action that thrifty chooses in every environment of `hands`, into `actions`; the legal actions are published."""
        for i in range(actions.shape[0]):
            actions[i] = choose(i, hands.states, hands.buffers, hands.tables, thrifty)

    return choose_all

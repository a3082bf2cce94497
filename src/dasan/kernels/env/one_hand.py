"""Kernels over one hand: step it, choose for it, deal it. A factory binds the functions of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dasan.arrays import Words
from dasan.kernels.env.buffers import Buffers, clear_mask
from dasan.kernels.env.playout_policies import ThriftyTables
from dasan.kernels.runtime.compiled import belonging_to, lean
from dasan.kernels.runtime.parcels import opened

OVER = -1
"""The answer of a move that ends the hand."""
SEATS = 16
"""Other answers encode the number of legal actions × SEATS + the seat to act."""


class OneHand(NamedTuple):
    """The arguments of a game's functions for one hand: its memory, outputs, tables and scratch, for one environment."""

    states: Any
    buffers: Buffers
    tables: Any
    scratch: Words


class DealtHand(NamedTuple):
    """A hand, and the cards to deal in it. one, two: [1, seats + 1], the cards of each place, and those that are there twice."""

    hand: OneHand
    one: Words
    two: Words


def make_kernels(
    module: str,
    publish_one: Callable[..., None],
    choose_one: Callable[..., int],
    step_one: Callable[..., bool],
    fill: Callable[..., None],
) -> tuple[
    Callable[[OneHand], None],
    Callable[[OneHand, ThriftyTables], int],
    Callable[[OneHand, int], bool],
    Callable[[OneHand, int], int],
    Callable[[DealtHand], int],
]:
    """The kernels publish, choose, step, move_hand and deal_hand of a game.

    module: the name of the game's module. publish_one(states, buffers, tables, scratch): write the seat to act in row 0 and its
    legal actions; the mask is clear. choose_one(i, states, buffers, tables, thrifty): the action that thrifty chooses in row i,
    once they are published. step_one(states, action, buffers, tables, scratch): clear the mask and carry out a legal action; True
    if the hand is over, whose result is then in row 0 of `buffers`. fill(states, first, one, two, tables): give rows the cards of
    worlds.
    """

    @lean
    @belonging_to(module)
    def publish(hand: OneHand) -> None:
        """Write the seat to act and the legal actions."""
        clear_mask(0, hand.buffers)
        publish_one(hand.states, hand.buffers, hand.tables, hand.scratch)

    @lean
    @belonging_to(module)
    def choose(hand: OneHand, thrifty: ThriftyTables) -> int:
        """The action that thrifty chooses; the legal actions are published."""
        return choose_one(0, hand.states, hand.buffers, hand.tables, thrifty)

    @lean
    @belonging_to(module)
    def step(hand: OneHand, action: int) -> bool:
        """Carry out a legal action (an id). True: the hand is over, and row 0 of its buffers has the result."""
        return step_one(hand.states, action, hand.buffers, hand.tables, hand.scratch)

    @lean
    @belonging_to(module)
    def move_hand(parcel: OneHand, action: int) -> Any:
        hand = opened(parcel)
        if step(hand, action):
            return OVER
        publish(hand)
        return hand.buffers.num_legal[0] * SEATS + hand.buffers.to_act[0]

    @lean
    @belonging_to(module)
    def deal_hand(parcel: DealtHand) -> Any:
        hand, one, two = opened(parcel)
        fill(hand.states, 0, one, two, hand.tables)
        publish(hand)
        return hand.buffers.num_legal[0] * SEATS + hand.buffers.to_act[0]

    return publish, choose, step, move_hand, deal_hand

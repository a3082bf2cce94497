"""Positions over the engine's states, and playouts from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dasan.arrays import Bytes, Ints, Words
from dasan.bots.thrifty import ThriftyBot
from dasan.interpreted.env import EngineMemory, EngineTables, moves_by_id, write_result
from dasan.interpreted.env import publish as publish_one
from dasan.kernels.cards import hand_of
from dasan.play.action_ids import ActionIds
from dasan.play.set_up import bidder_plays
from dasan.play.state import State
from dasan.worlds.stream import WORLD, below, mixed, stepped

if TYPE_CHECKING:
    from dasan.kernels.env.one_hand import OneHand
    from dasan.kernels.env.playouts import PlayoutPlan

PLAYOUT = 0xD1B54A32D192ED03
RANDOM, THRIFTY = 0, 1
_64 = (1 << 64) - 1


def put(state: State, memory: EngineMemory, i: int) -> None:
    """Write `state`, whose hand is not over, into row `i`."""
    memory.states[i], memory.moves[i] = state, None


def fill(memory: EngineMemory, first: int, one: Words, two: Words, tables: EngineTables) -> None:
    """Set the hidden cards of rows `first`, …, copies of one position, to those of the worlds `one`, `two`."""
    rules = tables.rules
    for k in range(len(one)):
        state: State = memory.states[first + k]
        hands = tuple(hand_of(rules, one[k, seat], two[k, seat]) for seat in range(rules.players))
        partner = state.partner
        if state.called is not None and not state.partner_shown:
            partner = next(seat for seat, hand in enumerate(hands) if state.called in hand)
        kitty = hand_of(rules, one[k, rules.players], two[k, rules.players]) if state.kitty else ()
        plays = bidder_plays(state, partner) if rules.doubles else state.bidder_plays
        put(state.then(hands=hands, kitty=tuple(kitty), partner=partner, bidder_plays=plays), memory, first + k)


def publish(hand: OneHand) -> None:
    """Write the seat to act in row 0, and its legal actions."""
    publish_one(0, hand.states, hand.buffers, hand.tables, False)


def choose(hand: OneHand, thrifty: Any) -> int:
    """The action id that `thrifty` chooses in row 0."""
    return _choose(hand.states.states[0], hand.tables.ids)


def choose_all(hands: OneHand, thrifty: Any, actions: Ints) -> None:
    """The action ids that `thrifty` chooses in every environment, into `actions`."""
    for i, state in enumerate(hands.states.states):
        actions[i] = _choose(state, hands.tables.ids)


def _choose(state: State, ids: ActionIds) -> int:
    move = ThriftyBot().choose(state.view(state.to_act))
    return next(action for action, legal in moves_by_id(state, ids).items() if legal == move)


def step(hand: OneHand, action: int) -> bool:
    """Carry out a legal action (an id) in row 0. True if the hand is over; its result is then in row 0 of the
    buffers.
    """
    before: State = hand.states.states[0]
    state = before.play(moves_by_id(before, hand.tables.ids)[action])
    put(state, hand.states, 0)
    if state.result is not None:
        write_result(0, state.result, hand.buffers)
    return state.result is not None


def play_out(
    rows: EngineMemory,
    plan: PlayoutPlan,
    hand: OneHand,
    thrifty: Any,
    payments: Ints,
    places: Bytes,
) -> int:
    """As the kernels' `play_out`, see `kernels.env.playouts`."""
    plies = 0
    for i in range(plan.first, plan.last):
        for k in range(plan.times):
            state: State = rows.states[i]
            if plan.opening >= 0:
                legal = moves_by_id(state, hand.tables.ids)
                if plan.opening not in legal:
                    return -1 - i
                state = state.play(legal[plan.opening])
                plies += 1
            number = mixed(int(plan.seed) ^ (i + 1) * WORLD & _64)
            word = mixed(number ^ (k + 1) * PLAYOUT & _64)
            while state.result is None:
                if plan.policy == THRIFTY:
                    move = ThriftyBot().choose(state.view(state.to_act))
                else:
                    word = stepped(word)
                    moves = list(moves_by_id(state, hand.tables.ids).values())
                    move = moves[below(mixed(word), len(moves))]
                state = state.play(move)
                plies += 1
            write_result(0, state.result, hand.buffers)
            payments[i * plan.times + k] = hand.buffers.rewards[0]
            places[i * plan.times + k] = hand.buffers.places[0]
    return plies

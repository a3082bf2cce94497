"""Batched environments over the engine's states: a list of hands, stepped one by one in a single thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Longs, Words
from dasan.features import encode, encode_perfect, layout
from dasan.features.cards import eights, most_held
from dasan.features.packing import pack
from dasan.interpreted.dealing import deal_hand
from dasan.play.action_ids import PASS_ID, ActionIds, action_ids
from dasan.play.dealing import Deal
from dasan.play.moves import Move, MoveType
from dasan.play.new_hand import begin
from dasan.play.result import Result
from dasan.play.sessions import succession
from dasan.play.state import State
from dasan.ruleset.places import places_of
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.kernels.env.buffers import Buffers
    from dasan.kernels.env.threads import Posts, Workspace

SCRATCH = 1


class EngineTables(NamedTuple):
    """The constants that the functions here read. flags: the number of features of an observation that are flags."""

    rules: Rules
    session: bool
    ids: ActionIds
    flags: int


class EngineMemory(NamedTuple):
    """One entry for each environment. states: the current hand. moves: its legal moves by id, None until they are
    needed. base: its random word. number: the number of the hand, from 0.
    """

    states: npt.NDArray[np.object_]
    moves: npt.NDArray[np.object_]
    base: Words
    number: Longs


def tables(rules: Rules, session: bool) -> EngineTables:
    flags = eights(sum(feature.size for feature in layout(rules, session) if feature.flags))
    return EngineTables(rules, session, action_ids(rules, session), flags)


def make_state(rules: Rules, num_envs: int) -> tuple[EngineMemory, Words, Longs]:
    """The environments' memory, its array of random words, by which they are seeded, and the numbers of their hands."""
    empty = np.full(num_envs, None, object)
    memory = EngineMemory(empty, empty.copy(), np.zeros(num_envs, np.uint64), np.zeros(num_envs, np.int64))
    return memory, memory.base, memory.number


def samples_bits(tables: EngineTables) -> bool:
    """False: sampling reads the list of legal actions, which is always written, not the packed mask."""
    return False


def most_legal(rules: Rules) -> int:
    """An upper bound on the number of actions that are legal at once."""
    catalogue = rules.catalogue
    plays = len(catalogue.rows)
    if catalogue.rows[0].cards is not None:
        plays = min(plays, sum(comb(rules.most_cards, size) for size in {row.size for row in catalogue.rows}))
    rows = action_ids(rules).rows
    exchanged = comb(most_held(rules), 2) if rules.exchange else 0
    return max(plays + 1, rows, exchanged)


def dealt(rules: Rules, memory: EngineMemory, i: int, session: bool) -> Deal:
    """The deal of environment `i`."""
    begun: Deal = memory.states[i].begun
    return begun


def serve(parcel: tuple[Posts, Workspace, EngineMemory, Buffers, EngineTables], me: int, order: int) -> int:
    """Carry out a command, see `kernels.env.threads`; the first environment whose action is not legal, or NONE."""
    from dasan.kernels.env.buffers import NONE
    from dasan.kernels.env.threads import FORCED, SAMPLE, START, WRITE, sample_all

    _, workspace, memory, buffers, tables = parcel
    if order == SAMPLE:
        return sample_all(workspace.choice, buffers)
    n = len(memory.states)
    if order == WRITE:
        for i in range(n):
            _write_optional(i, memory.states[i], workspace, buffers)
        return NONE
    if order == FORCED:
        for i in range(n):
            _skip_forced(i, workspace, memory, buffers, tables)
        return NONE
    after: list[tuple[State, Result | None]]
    if order == START:
        memory.number[:] = 0
        first = [begin(tables.rules, deal_hand(tables.rules, int(memory.base[i]), 0)) for i in range(n)]
        after = [(_undecided(state, i, memory, tables), None) for i, state in enumerate(first)]
    else:
        chosen = workspace.chosen.tolist()
        for i, action in enumerate(chosen):
            if action not in memory.moves[i]:
                return i
        after = [
            _next(memory.states[i].play(memory.moves[i][action]), i, memory, tables) for i, action in enumerate(chosen)
        ]
    for i, (state, result) in enumerate(after):
        _enter(i, state, result, memory, buffers)
        publish(i, memory, buffers, tables, workspace.observing)
    return NONE


def show(memory: EngineMemory, buffers: Buffers, tables: EngineTables, scratch: Words) -> None:
    """Publish the hands that have been put into `memory`: seats to act, masks and observations."""
    for buffer in (buffers.done, buffers.rewards, buffers.places):
        buffer[:] = 0
    for i in range(len(memory.states)):
        publish(i, memory, buffers, tables, True)


def _enter(i: int, state: State, result: Result | None, memory: EngineMemory, buffers: Buffers) -> None:
    """Continue with `state` in environment `i`. result: of the hand that has just ended, or None."""
    if buffers.done[i]:
        buffers.done[i] = 0
        buffers.rewards[i] = buffers.places[i] = 0
    if result is not None:
        buffers.done[i] = 1
        write_result(i, result, buffers)
    memory.states[i] = state


def _skip_forced(i: int, workspace: Workspace, memory: EngineMemory, buffers: Buffers, tables: EngineTables) -> None:
    """Make moves in environment `i` for as long as the seat to act has no choice."""
    from dasan.kernels.env.past import remember_one

    while buffers.num_legal[i] == 1 and not buffers.done[i]:
        ((action, move),) = memory.moves[i].items()
        seat = int(buffers.to_act[i])
        _enter(i, *_next(memory.states[i].play(move), i, memory, tables), memory, buffers)
        remember_one(i, action, seat, buffers, workspace.past)
        publish(i, memory, buffers, tables, workspace.observing)


def _next(state: State, i: int, memory: EngineMemory, tables: EngineTables) -> tuple[State, Result | None]:
    """The state after a move; once the hand is over, the first state of the next hand, and the result."""
    result = state.result
    return (state if result is None else _undecided(state, i, memory, tables)), result


def _undecided(state: State, i: int, memory: EngineMemory, tables: EngineTables) -> State:
    """`state`, or the next hand that is not over already: a deal can decide a hand (H.31)."""
    while (result := state.result) is not None:
        memory.number[i] += 1
        number = int(memory.number[i])
        later: dict[str, Any] = {}
        if tables.session:
            later["dealer"] = result.next_dealer
            later["leader"], later["exchange"] = succession(tables.rules, result.finish_order)
        deal = deal_hand(tables.rules, int(memory.base[i]), number, **later)
        state = begin(tables.rules, replace(deal, number=number + 1) if tables.session else deal)
    return state


def write_result(i: int, result: Result, buffers: Buffers) -> None:
    """Payments and places of a hand that is over."""
    buffers.rewards[i] = result.payments
    buffers.places[i] = places_of(result.finish_order, len(result.payments))


def moves_by_id(state: State, ids: ActionIds) -> Mapping[int, Move]:
    """The legal moves by their ids, ascending."""
    rows = {id(combination): row.id for row, combination in state.fits(state.mover)} if state.phase == "play" else {}
    out = {}
    for move in state.legal_moves():
        if move.type is MoveType.PLAY:
            out[ids.rows + rows[id(move.combination)]] = move
        else:
            out[PASS_ID if move.type is MoveType.PASS else ids.of(move)] = move
    return dict(sorted(out.items()))


def publish(i: int, memory: EngineMemory, buffers: Buffers, tables: EngineTables, observing: bool) -> None:
    """Write the seat to act, its legal actions and its observation."""
    state: State = memory.states[i]
    moves = memory.moves[i] = moves_by_id(state, tables.ids)
    n = len(moves)
    buffers.to_act[i] = -1 if state.to_act is None else state.to_act
    buffers.legal[i, :n] = list(moves)
    buffers.num_legal[i] = n
    mask = np.zeros(tables.ids.count, np.uint8)
    mask[buffers.legal[i, :n]] = 1
    if buffers.written.mask:
        buffers.mask[i] = mask
    if buffers.written.bits:
        buffers.bits[i] = pack(mask[None])[0]
    if observing:
        seen = np.array(encode(state.view(state.to_act), tables.session), np.uint8)
        buffers.packed[i] = pack(seen[None], tables.flags)[0]
        if buffers.written.obs:
            buffers.obs[i].view(np.uint8)[:] = seen


def _write_optional(i: int, state: State, workspace: Workspace, buffers: Buffers) -> None:
    """The optional outputs of environment `i`: hidden cards, and features of its legal moves."""
    optional = workspace.optional
    if optional.showing:
        optional.hidden[i].view(np.uint8)[:] = encode_perfect(state)
    if optional.listing:
        n, at = int(buffers.num_legal[i]), int(optional.starts[i])
        listed = buffers.legal[i, :n]
        rows = optional.rows[at : at + n]
        rows[:] = optional.features[listed]
        left = len(state.hands[state.mover]) - optional.taken[listed].astype(np.int64)
        rows.view(np.uint8)[:, optional.left] = left
        rows.view(np.uint8)[:, optional.out] = left == 0

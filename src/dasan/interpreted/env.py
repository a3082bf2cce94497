"""Batched environments over the engine's states: a list of hands, played one after the other in one thread."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.cards import Card
from dasan.features import encode, encode_perfect, layout
from dasan.features.cards import eights
from dasan.features.packing import pack
from dasan.interpreted.dealing import deal_hand
from dasan.play.action_ids import PASS_ID, ActionIds, action_ids
from dasan.play.begin import begin
from dasan.play.dealing import Deal
from dasan.play.moves import Move, MoveType
from dasan.play.parts import Result
from dasan.play.state import State
from dasan.ruleset.policies import LaterLead
from dasan.ruleset.rules import Rules
from dasan.ruleset.worth import places_of

if TYPE_CHECKING:
    from dasan.kernels.env.buffers import Buffers
    from dasan.kernels.env.threads import Own, Posts

Words = npt.NDArray[np.uint64]
SCRATCH = 1


class EngineTables(NamedTuple):
    """What the functions here read. flags: how many features of an observation are flags."""

    rules: Rules
    session: bool
    ids: ActionIds
    flags: int


class EngineMemory(NamedTuple):
    """One entry for each environment. states: the hand under way. moves: its legal moves by id, None until they are needed.
    base: its random word. number: the number of the hand, from 0.
    """

    states: npt.NDArray[np.object_]
    moves: npt.NDArray[np.object_]
    base: Words
    number: npt.NDArray[np.int64]


def tables(rules: Rules, session: bool) -> EngineTables:
    flags = eights(sum(f.size for f in layout(rules, session) if f.flags))
    return EngineTables(rules, session, action_ids(rules, session), flags)


def make_state(rules: Rules, num_envs: int) -> tuple[EngineMemory, Words]:
    """The environments' memory, and the words in it that seed them."""
    empty = np.full(num_envs, None, object)
    memory = EngineMemory(empty, empty.copy(), np.zeros(num_envs, np.uint64), np.zeros(num_envs, np.int64))
    return memory, memory.base


def drawn(tables: EngineTables) -> Words:
    """Empty: actions are sampled from the list of legal ones, which is always written, never from packed masks."""
    return np.zeros((0, 0), np.uint64)


def most_legal(rules: Rules) -> int:
    """An upper bound on the number of actions that are legal at once."""
    catalogue = rules.catalogue
    plays = len(catalogue.rows)
    if catalogue.rows[0].cards is not None:
        plays = min(plays, sum(comb(rules.most_cards, size) for size in {row.size for row in catalogue.rows}))
    said = action_ids(rules).rows
    exchanged = max(comb(rules.most_cards, 2), rules.most_cards + 1) if rules.exchange else 0
    return max(plays + 1, said, exchanged)


def deals(
    rules: Rules, s: EngineMemory, i: int
) -> tuple[tuple[tuple[Card | None, ...], ...], tuple[Card | None, ...], int, int | None, tuple[int, int] | None]:
    """Hands by seat, kitty, dealer, leader and exchange of environment `i`, as they were dealt."""
    begun = s.states[i].begun
    return begun.hands, begun.kitty, begun.dealer, begun.leader, begun.exchange


def serve(parcel: tuple[Posts, Own, EngineMemory, Buffers, EngineTables], me: int, order: int) -> int:
    """Carry out a command, see `kernels.env.threads`; the first environment whose action is not legal, or NONE."""
    from dasan.kernels.env.buffers import NONE
    from dasan.kernels.env.threads import SAMPLE, START, WRITE, sample_all

    _, own, s, b, w = parcel
    if order == SAMPLE:
        return sample_all(own.choice, b)
    n = len(s.states)
    if order == WRITE:
        for i in range(n):
            _write_more(i, s.states[i], own, b)
        return NONE
    after: list[tuple[State, Result | None]]
    if order == START:
        after = [(begin(w.rules, deal_hand(w.rules, int(s.base[i]), 0)), None) for i in range(n)]
        s.number[:] = 0
    else:
        chosen = own.chosen.tolist()
        for i, action in enumerate(chosen):
            if action not in s.moves[i]:
                return i
        after = [_next(s.states[i].play(s.moves[i][action]), i, s, w) for i, action in enumerate(chosen)]
    for i, (state, result) in enumerate(after):
        if b.done[i]:
            b.done[i] = 0
            b.rewards[i] = b.places[i] = 0
        if result is not None:
            s.number[i] += 1
            b.done[i] = 1
            write_result(i, result, b)
        s.states[i] = state
        publish(i, s, b, w, own.observing)
    return NONE


def _next(state: State, i: int, s: EngineMemory, w: EngineTables) -> tuple[State, Result | None]:
    """The state after a move; where the hand is over, that of the next hand, and the result."""
    result = state.result
    if result is None:
        return state, None
    later: dict[str, Any] = {}
    if w.session:
        first, last = result.finish_order[0], result.finish_order[-1]
        later["dealer"] = result.next_dealer
        later["leader"] = {LaterLead.WINNER: first, LaterLead.LOSER: last, LaterLead.OPENING: None}[w.rules.later_lead]
        later["exchange"] = (first, last) if w.rules.exchange else None
    dealt: Deal = deal_hand(w.rules, int(s.base[i]), int(s.number[i]) + 1, **later)
    return begin(w.rules, dealt), result


def write_result(i: int, result: Result, b: Buffers) -> None:
    """Payments and places of a hand that is over."""
    b.rewards[i] = result.payments
    b.places[i] = places_of(result.finish_order, len(result.payments))


def moves_by_id(state: State, ids: ActionIds) -> Mapping[int, Move]:
    """The legal moves by their ids, in the engine's order."""
    rows = (
        {id(combination): row.id for row, combination in state.fits(state.to_act or 0)} if state.phase == "play" else {}
    )
    out = {}
    for move in state.legal_moves():
        if move.type is MoveType.PLAY:
            out[ids.rows + rows[id(move.combination)]] = move
        else:
            out[PASS_ID if move.type is MoveType.PASS else ids.of(move)] = move
    return out


def publish(i: int, s: EngineMemory, b: Buffers, w: EngineTables, observing: bool) -> None:
    """Write who is to act, what is legal, and what that seat sees."""
    state: State = s.states[i]
    moves = s.moves[i] = moves_by_id(state, w.ids)
    n = len(moves)
    b.to_act[i] = -1 if state.to_act is None else state.to_act
    b.legal[i, :n] = list(moves)
    b.num_legal[i] = n
    mask = np.zeros(w.ids.count, np.uint8)
    mask[b.legal[i, :n]] = 1
    if b.written.mask:
        b.mask[i] = mask
    if b.written.bits:
        b.bits[i] = pack(mask[None])[0]
    if observing:
        seen = np.array(encode(state.view(state.to_act), w.session), np.uint8)
        b.packed[i] = pack(seen[None], w.flags)[0]
        if b.written.obs:
            b.obs[i].view(np.uint8)[:] = seen


def _write_more(i: int, state: State, own: Own, b: Buffers) -> None:
    """The optional outputs of environment `i`: hidden cards, and features of its legal moves."""
    more = own.more
    if more.showing:
        more.hidden[i].view(np.uint8)[:] = encode_perfect(state)
    if more.listing:
        n, at = int(b.num_legal[i]), int(more.starts[i])
        listed = b.legal[i, :n]
        rows = more.rows[at : at + n]
        rows[:] = more.features[listed]
        left = len(state.hands[state.to_act or 0]) - more.taken[listed].astype(np.int64)
        rows.view(np.uint8)[:, more.left] = left
        rows.view(np.uint8)[:, more.out] = left == 0

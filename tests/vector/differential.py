"""Batched environments played beside the engine, move by move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dasan
from dasan import vector
from dasan.features import encode, encode_moves, encode_perfect
from dasan.play.action_ids import ActionIds
from dasan.play.moves import Move, MoveType


@dataclass
class Played:
    """The amount compared: everything move by move, and the features of `observed` moves."""

    hands: int = 0
    plies: int = 0
    observed: int = 0

    def __add__(self, other: Played) -> Played:
        return Played(self.hands + other.hands, self.plies + other.plies, self.observed + other.observed)


class Ids:
    """A cache of `ActionIds.of`, by the cards, the kind and whether the called card is among them."""

    def __init__(self, ids: ActionIds) -> None:
        self._ids = ids
        self._known: dict[object, int] = {}

    def of(self, move: Move, called: dasan.Card | None) -> int:
        if move.type is not MoveType.PLAY or called is not None:
            return self._ids.of(move, called)
        assert move.combination is not None
        key = (move.cards, move.combination.kind)
        if key not in self._known:
            self._known[key] = self._ids.of(move, None)
        return self._known[key]


def follow(env: vector.VectorEnv, hands: int, *, every: int = 1) -> Played:
    """Play until `hands` hands are over, at random, and compare every move with the engine.

    Each time: whose turn it is, the legal moves, in the mask and in the list; at the end payments and places, and in a
    session who deals, leads and exchanges next. At every `every`-th step all features that the environment writes, too.
    """
    states = [env.dealt(i) for i in range(env.num_envs)]
    ids = Ids(env.ids)
    done = Played()
    steps = 0
    while done.hands < hands:
        actions = env.sample().copy()
        chosen, seats, legal, numbers = actions.tolist(), env.to_act.tolist(), env.legal.tolist(), env.num_legal.tolist()
        look = steps % every == 0
        for i, state in enumerate(states):
            moves = {ids.of(move, state.called): move for move in state.legal_moves()}
            assert len(moves) == numbers[i]
            assert sorted(moves) == legal[i][: numbers[i]]  # the list is ascending
            assert state.to_act == seats[i]
            if look:
                assert set(env.mask[i].nonzero()[0].tolist()) == moves.keys()
                observe(env, i, state)
            states[i] = state.play(moves[chosen[i]])
        numbers = env.hand_numbers
        env.step(actions)
        steps += 1
        done.plies += len(states)
        done.observed += look * len(states)
        over = env.done.tolist()
        for i, state in enumerate(states):
            assert over[i] == (state.result is not None)
            if state.result is None:
                continue
            done.hands += 1
            assert tuple(env.rewards[i].tolist()) == state.result.payments
            assert env.places[i].tolist() == places(state)
            states[i] = env.dealt(i)
            decided = env.hand_numbers[i] - numbers[i] - 1  # hands that a dragon decided (H.31)
            assert decided == 0 or (decided > 0 and env.rules.dragon)
            if env.session and not decided:
                check_succession(env.rules, state.result, states[i])
        unfinished = ~env.done
        assert not env.rewards[unfinished].any()
        assert not env.places[unfinished].any()
    return done


def observe(env: vector.VectorEnv, i: int, state: dasan.State) -> None:
    """Compare the features of environment `i`."""
    view = state.view(state.to_act)
    if env.obs is not None:
        assert env.obs[i].tolist() == encode(view, env.session)
    if env.moves is not None:
        assert move_rows(env, i) == encode_moves(view, env.session)
    if env.perfect is not None:
        assert env.perfect[i].tolist() == encode_perfect(state)


def places(state: dasan.State) -> list[int]:
    assert state.result is not None
    out = [0] * state.rules.players
    for place, seat in enumerate(state.result.finish_order, 1):
        out[seat] = place
    return out


def move_rows(env: vector.VectorEnv, i: int) -> dict[int, list[int]]:
    """The features of the legal moves of environment `i`, by id."""
    assert env.moves is not None
    assert env.move_starts is not None
    n = env.num_legal[i]
    rows = env.moves[i, :n] if env.moves.ndim == 3 else env.moves[env.move_starts[i] : env.move_starts[i + 1]]
    assert len(rows) == n
    return dict(zip(env.legal[i, :n].tolist(), rows.tolist(), strict=True))


def check_succession(rules: dasan.Rules, last: Any, state: dasan.State) -> None:
    """The dealer, the leader and the exchange of a session's next hand (B3.20, D2.18, H.12, H.40, W.19–W.21)."""
    assert state.dealer == last.next_dealer
    begun: Any = state.begun
    order = last.finish_order
    leads = {"winner": order[:1], "loser": order[-1:], "opening": ()}[rules.later_lead]
    assert begun.leader == (leads[0] if leads else None)
    inner = (order[1], order[-2]) if rules.double_exchange else ()
    assert begun.exchange == ((order[0], order[-1], *inner) if rules.exchange else None)

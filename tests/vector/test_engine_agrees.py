"""Batched environments against the engine, move by move: legal actions, turns, features, payments, places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.features import encode, encode_moves, encode_perfect

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three", {"must_dig": True, "reveal_kitty": True}),
    ("big-three", {"opener_may_pass": True, "passed_bidder_may_return": False, "must_dig": True}),
    ("big-three-denexa", {}),
    ("big-three-fr", {"opener_may_pass": True}),
    ("big-three-4p", {}),
    ("big-three-4p", {"pay_each_winner": True, "passed_bidder_may_return": False}),
    ("big-three-4p", {"opener_may_pass": True, "must_dig": True}),
    ("big-two", {}),
    ("big-two", {"triples": True, "fours": True, "two_pairs": True, "later_lead": "winner"}),
    ("big-two", {"flush_order": "suit", "guard": "enforced"}),
    ("big-two", {"pass_is_final": True, "guard": "off", "scoring": "cards"}),
    ("big-two", {"pass_is_final": True, "guard": "enforced", "later_lead": "winner"}),
    ("big-two", {"pass_is_final": True, "suit_order": "clubs-low", "scoring": "cards-multiplied"}),
    ("big-two", {"straights": "hong-kong"}),
    ("big-two", {"straights": "taiwan"}),
    ("big-two", {"straights": "no-twos", "four_plus_one": False}),
    ("winner", {}),
    ("winner", {"players": 3, "scoring": "cards", "jokers": True}),
    ("winner", {"players": 5, "min_straight": 3, "later_lead": "loser"}),
    ("winner", {"players": 6, "straight_tie": "rank"}),
    ("winner", {"decks": 2, "jokers": True, "scoring": "cards"}),
    ("winner", {"players": 6, "decks": 2, "bomb": "quad", "scoring": "cards"}),
    ("winner", {"players": 8, "jokers": True, "min_straight": 4, "later_lead": "three-of-diamonds"}),
    ("winner", {"two_of_spades_restart": "always"}),
    ("winner", {"two_of_spades_restart": "off", "jokers": True}),
    ("winner", {"suits_ranked": False, "decks": 2}),
    ("winner-bomb", {"scoring": "cards"}),
    ("winner-bomb", {"players": 7}),
]


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


def follow(env: vector.VectorEnv, hands: int, *, session: bool) -> set[int]:
    """Play `hands` hands for every environment at random beside the engine; the ids that were played."""
    states = [env.dealt(i) for i in range(env.num_envs)]
    over = 0
    seen: set[int] = set()
    while over < hands * env.num_envs:
        actions = env.sample().copy()
        for i, state in enumerate(states):
            moves = {env.ids.of(move, state.called): move for move in state.legal_moves()}
            assert set(np.flatnonzero(env.mask[i]).tolist()) == set(moves)
            assert sorted(env.legal[i, : env.num_legal[i]].tolist()) == sorted(moves)
            assert state.to_act == env.to_act[i]
            if env.obs is not None:
                assert env.obs[i].tolist() == encode(state.view(state.to_act), session)
            if env.moves is not None:
                assert move_rows(env, i) == encode_moves(state.view(state.to_act), session)
            if env.perfect is not None:
                assert env.perfect[i].tolist() == encode_perfect(state)
            states[i] = state.play(moves[actions[i]])
            seen.add(int(actions[i]))
        env.step(actions)
        for i, state in enumerate(states):
            assert env.done[i] == (state.result is not None)
            if state.result is None:
                assert not env.rewards[i].any()
                assert not env.places[i].any()
                continue
            over += 1
            assert tuple(env.rewards[i].tolist()) == state.result.payments
            assert env.places[i].tolist() == places(state)
            states[i] = env.dealt(i)
            if session:
                check_succession(env.rules, state.result, states[i])
    return seen


def check_succession(rules: dasan.Rules, last: Any, state: dasan.State) -> None:
    """The dealer, the leader and the exchange of a session's next hand (B3.20, D2.18, W.19–W.21)."""
    assert state.dealer == last.next_dealer
    begun: Any = state.begun
    leads = {"winner": last.finish_order[0], "loser": last.finish_order[-1], "opening": None}
    assert begun.leader == leads[rules.later_lead]
    assert begun.exchange == ((last.finish_order[0], last.finish_order[-1]) if rules.exchange else None)


@pytest.mark.parametrize(
    ("preset", "options"),
    [pytest.param(*case, marks=pytest.mark.slow if case[1] else (), id=f"{case[0]} {case[1]}") for case in VARIANTS],
)
@pytest.mark.parametrize("session", [False, True], ids=["hand", "session"])
def test_environments_are_the_engines_hands(preset: str, options: dict[str, Any], session: bool) -> None:
    moves: vector.Moves = "ragged" if session else "padded"
    env = vector.make(preset, 12, seed=20_26, session=session, moves=moves, perfect=True, **options)
    follow(env, 2 if options else 9, session=session)

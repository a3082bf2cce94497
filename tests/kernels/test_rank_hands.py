"""The kernels of Big Three against the engine, move by move (the compiled auction included)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan
from dasan.cards import Card
from dasan.kernels.env.results import NOBODY
from dasan.kernels.ranks import hands as rank_hands
from dasan.kernels.ranks.auction import auction_policy
from dasan.kernels.ranks.tables import PASS, RankCatalogue, rank_catalogue
from dasan.play.moves import Move, MoveType

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three", {"must_dig": True}),
    ("big-three", {"opener_may_pass": True}),
    ("big-three", {"opener_may_pass": True, "passed_bidder_may_return": False, "must_dig": True}),
    ("big-three-denexa", {}),
    ("big-three-fr", {}),
    ("big-three-4p", {}),
    ("big-three-4p", {"pay_each_winner": True, "passed_bidder_may_return": False}),
    ("big-three-4p", {"opener_may_pass": True}),
    ("wa-keng", {}),
    ("wa-keng", {"all_pass": "redeal", "bidder_leads": True, "bombs": True, "bomb_doubles": True, "spring": True}),
    ("wa-keng", {"pack": "46", "bombs": True, "bomb_doubles": True, "doubling_cap": 1}),
    ("wa-keng-4", {}),
    ("wa-keng-4", {"all_pass": "redeal", "bombs": True, "bomb_doubles": True, "spring": True, "must_dig": True}),
    ("big-three", {"opener_may_pass": True, "all_pass": "redeal", "pack": "46"}),
    ("big-three-4p", {"auction_ends_after": 2, "spring": True, "bidder_leads": True}),
    ("big-three-4p", {"auction_ends_after": 2, "passed_bidder_may_return": False, "bombs": True, "bomb_doubles": True}),
]
SEED = np.uint64(20_26)


def cards_of(rules: dasan.Rules, word: int) -> list[Card]:
    return [c for c, (rank, suit) in rules.order.place.items() if not c.is_joker and word >> (16 * suit + rank) & 1]


def move_of(state: dasan.State, code: int, t: RankCatalogue) -> Move:
    """The engine's move that a trace code names."""
    if code == PASS:
        return next(m for m in state.legal_moves() if m.type is MoveType.PASS)
    if rank_hands.BID < code < rank_hands.CALL:
        return next(m for m in state.legal_moves() if m.bid == code - rank_hands.BID)
    if rank_hands.CALL <= code < rank_hands.WITH_CALLED:
        spot = code - rank_hands.CALL
        return next(m for m in state.legal_moves() if state.rules.order.place[m.cards[0]] == (spot & 15, spot >> 4))
    with_called = code >= rank_hands.WITH_CALLED
    row = state.rules.catalogue.rows[t.rows[code & 1023]]
    return next(
        m
        for m in state.legal_moves()
        if m.combination is not None
        and (m.combination.family, m.combination.strength) == (row.family, row.strength)
        and (state.called in m.cards) == with_called
    )


@pytest.mark.full
@pytest.mark.sampled(1, 7)
@pytest.mark.parametrize(("preset", "options"), VARIANTS)
def test_random_hands_are_the_engines_hands(preset: str, options: dict[str, Any]) -> None:
    """Every recorded ply is legal in the engine, the number of legal moves agrees, and so do the payments."""
    rules = dasan.rules(preset, **options)
    t, a = rank_catalogue(rules), auction_policy(rules)
    hands = np.zeros(rules.players + 1, np.uint64)
    payments = np.zeros(rules.players, np.int64)
    random = SEED
    for _ in range(120):
        trace = np.zeros(3 * 400, np.int64)
        random = np.uint64(rank_hands.shuffle_deal(random, a.pack, a.pack.copy(), hands, a.hand_size, a.players))
        words = [int(word) for word in hands]
        state = dasan.start(rules, [cards_of(rules, word) for word in words[:-1]], kitty=cards_of(rules, words[-1]))
        after, plies, out = rank_hands.random_hand(random, hands, t, a, payments, trace)
        random = np.uint64(after)
        for seat, code, legal in trace[: 3 * plies].reshape(-1, 3).tolist():
            assert state.to_act == seat
            assert len(state.legal_moves()) == legal
            state = state.play(move_of(state, code, t))
        assert state.result is not None
        assert state.result.payments == tuple(payments.tolist())
        assert state.result.finish_order == (() if out == NOBODY else (out,))


def test_every_action_is_a_row() -> None:
    """172 actions with the pass; a row's place is its own."""
    t = rank_catalogue(dasan.rules("big-three"))
    ids = t.rows[t.rows >= 0].tolist()
    assert sorted(ids) == list(range(171))

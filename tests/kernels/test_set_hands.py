"""The kernels of Big Two against the engine, move by move, over every option."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan
from dasan.cards import Card
from dasan.kernels import set_hands
from dasan.kernels.set_table import set_policy, set_table
from dasan.moves import Move, MoveType
from dasan.table import compile

VARIANTS: list[dict[str, Any]] = [
    {},
    {"triples": True, "fours": True, "two_pairs": True},
    {"flush_order": "suit", "guard": "enforced"},
    {"pass_is_final": True, "guard": "off"},
    {"pass_is_final": True, "guard": "enforced"},
    {"pass_is_final": True, "suit_order": "clubs-low"},
    {"scoring": "cards"},
    {"scoring": "cards-multiplied"},
    {"straights": "hong-kong"},
    {"straights": "taiwan"},
    {"straights": "no-twos", "four_plus_one": False},
]
SEED = np.uint64(20_26)


def cards_of(rules: dasan.Rules, word: int) -> list[Card]:
    return [c for c, (rank, suit) in rules.order.place.items() if not c.is_joker and word >> (4 * rank + suit) & 1]


def move_of(state: dasan.State, row: int) -> Move:
    if row == set_hands.PASS:
        return next(m for m in state.legal_moves() if m.type is MoveType.PASS)
    cards = compile(state.rules).rows[row].cards
    return next(m for m in state.legal_moves() if m.cards == cards)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_random_hands_are_the_engines_hands(options: dict[str, Any]) -> None:
    """Every ply is legal in the engine, as many moves are, and payments and fouls agree."""
    rules = dasan.rules("big-two", **options)
    t, p = set_table(rules), set_policy(rules)
    hands = np.zeros(4, np.uint64)
    plays, parts = np.zeros(set_hands.MOST_PLAYS, np.int32), np.zeros(set_hands.PARTS, np.int32)
    payments = np.zeros(4, np.int64)
    random = SEED
    for _ in range(50):
        trace = np.zeros(3 * 600, np.int64)
        pack = np.array([1 << i for i in range(52)], np.uint64)
        random = np.uint64(set_hands.deal_sets(random, pack, hands, p.hand_size, p.players))
        state = dasan.start(rules, [cards_of(rules, int(word)) for word in hands])
        after, plies, foul = set_hands.random_hand(random, hands, plays, parts, t, p, payments, trace)
        random = np.uint64(after)
        for seat, row, legal in trace[: 3 * plies].reshape(-1, 3).tolist():
            assert state.to_act == seat
            assert len(state.legal_moves()) == legal
            state = state.play(move_of(state, row))
        assert state.result is not None
        assert state.result.payments == tuple(payments.tolist())
        assert state.result.foul == (None if foul < 0 else foul)


def test_fouls_happen() -> None:
    """The sample above would show nothing about D2.17 if nobody ever fouled."""
    rules = dasan.rules("big-two")
    t, p = set_table(rules), set_policy(rules)
    hands = np.zeros(4, np.uint64)
    plays, parts = np.zeros(set_hands.MOST_PLAYS, np.int32), np.zeros(set_hands.PARTS, np.int32)
    payments, trace = np.zeros(4, np.int64), np.zeros(0, np.int64)
    random, fouls = SEED, 0
    for _ in range(50):
        pack = np.array([1 << i for i in range(52)], np.uint64)
        random = np.uint64(set_hands.deal_sets(random, pack, hands, p.hand_size, p.players))
        after, _, foul = set_hands.random_hand(random, hands, plays, parts, t, p, payments, trace)
        random = np.uint64(after)
        fouls += foul >= 0
    assert fouls > 0

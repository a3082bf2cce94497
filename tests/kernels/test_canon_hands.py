"""The kernels of Winner against the engine, move by move, over players, decks, jokers and every option."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan
from dasan.cards import Card
from dasan.kernels import canon_hands, canon_play
from dasan.kernels.canon_table import canon_policy, canon_table
from dasan.moves import Move, MoveType

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("winner", {}),
    ("winner", {"players": 3, "scoring": "cards", "jokers": True}),
    ("winner", {"players": 5, "min_straight": 3}),
    ("winner", {"players": 6, "straight_tie": "rank"}),
    ("winner", {"decks": 2, "jokers": True}),
    ("winner", {"players": 6, "decks": 2, "bomb": "quad", "scoring": "cards"}),
    ("winner", {"players": 8, "jokers": True, "min_straight": 4, "scoring": "cards"}),
    ("winner", {"two_of_spades_restart": "always"}),
    ("winner", {"two_of_spades_restart": "off", "jokers": True}),
    ("winner", {"suits_ranked": False, "decks": 2}),
    ("winner-bomb", {"scoring": "cards"}),
    ("winner-bomb", {"players": 7}),
]
SEED = np.uint64(20_26)


def cards_of(rules: dasan.Rules, one: int, two: int) -> list[Card]:
    out = []
    for c in dict.fromkeys(rules.pack):
        rank, suit = rules.order.place[c]
        out += [c] * ((one >> (4 * rank + suit) & 1) + (two >> (4 * rank + suit) & 1))
    return out


def move_of(state: dasan.State, row: int) -> Move:
    if row == canon_hands.PASS:
        return next(m for m in state.legal_moves() if m.type is MoveType.PASS)
    assert state.to_act is not None
    cards = next(c.cards for r, c in state.fits(state.to_act) if r.id == row)
    return next(m for m in state.legal_moves() if m.cards == cards)


@pytest.mark.parametrize(("preset", "options"), VARIANTS, ids=str)
def test_random_hands_are_the_engines_hands(preset: str, options: dict[str, Any]) -> None:
    """Every ply is legal in the engine, as many moves are, and payments and finishing order agree.

    That the hand comes to an end in both shows that the cards picked for a row are the same.
    """
    rules = dasan.rules(preset, **options)
    t, p = canon_table(rules), canon_policy(rules)
    n = rules.players
    one, two = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    scratch = np.zeros(canon_play.ROOM, np.uint64)
    payments, order = np.zeros(n, np.int64), np.zeros(n, np.int64)
    random = SEED
    for number in range(25):
        trace = np.zeros(3 * 2000, np.int64)
        dealer = number % n
        random = np.uint64(canon_hands.deal_all(random, t.pack.copy(), one, two, dealer, n))
        hands = [cards_of(rules, int(a), int(b)) for a, b in zip(one, two, strict=True)]
        state = dasan.start(rules, hands, dealer=dealer)
        after, plies = canon_hands.random_hand(random, one, two, dealer, scratch, t, p, payments, order, trace)
        random = np.uint64(after)
        for seat, row, legal in trace[: 3 * plies].reshape(-1, 3).tolist():
            assert state.to_act == seat
            assert len(state.legal_moves()) == legal
            state = state.play(move_of(state, row))
        assert state.result is not None
        assert state.result.payments == tuple(payments.tolist())
        assert state.result.finish_order == tuple(order.tolist())

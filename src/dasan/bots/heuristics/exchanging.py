"""Winner's exchange: which two cards to offer, and which of two to take (W.20)."""

from __future__ import annotations

from itertools import combinations

from dasan.bots.heuristics.view_costs import ViewCosts
from dasan.bots.protocol import choices, low_to_high
from dasan.cards import Card
from dasan.play.moves import Move
from dasan.play.view import View

GIFT = 0.5
"""The value in turns of the highest card to the player who takes it."""


def choose_offer(view: View) -> Move:
    """The two cards that this hand needs least, taking into account their value to the other player."""
    costs = ViewCosts(view)
    values = view.rules.order.value
    top = max(values.values())
    spare: dict[Card, float] = {c: costs.turns((c,)) + GIFT * values[c] / top for c in dict.fromkeys(view.hand)}
    by_cards = {move.cards: move for move in choices(view)}
    best = min(
        (pair for pair in combinations(view.hand, 2) if pair in by_cards), key=lambda pair: sum(spare[c] for c in pair)
    )
    return by_cards[best]


def choose_take(view: View) -> Move:
    """The card that fits the hand best; the higher one on ties."""
    moves = sorted(low_to_high(view, choices(view)), key=lambda move: -view.rules.order.value[move.cards[0]])
    return min(moves, key=lambda move: ViewCosts(view, (*view.hand, *move.cards)).turns())

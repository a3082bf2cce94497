"""A hand's rewards for learners: payments, or places in games without payments."""

from __future__ import annotations

from dasan.play.state import State
from dasan.ruleset.outcomes import payment_bounds
from dasan.ruleset.places import place_points, places_of
from dasan.ruleset.rules import Rules


def payoffs(state: State) -> list[float]:
    """The reward of a finished hand by seat: payments in units, or `place_points`. ValueError: the hand is not over."""
    result = state.result
    if result is None:
        raise ValueError("the hand is not over yet")
    if state.rules.pays:
        return [float(amount) for amount in result.payments]
    return place_points(places_of(result.finish_order, state.rules.players))


def bounds(rules: Rules) -> tuple[float, float]:
    """(minimum, maximum) payoff of a seat; the maximum is at least 1."""
    if not rules.pays:
        return -(rules.players - 1) / 2, (rules.players - 1) / 2
    least, most = payment_bounds(rules)
    return least, max(most, 1.0)


def longest(rules: Rules) -> int:
    """An upper bound on the moves of a hand: the auction, and every card played alone with passes by all others."""
    auction = 0 if rules.auction is None else (rules.auction.top + 1) * rules.players
    return auction + (rules.call is not None) + len(rules.pack) * rules.players

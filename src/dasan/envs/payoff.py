"""The reward of a hand for a learner: its payments, or places where nothing is paid."""

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
    """(least, most) that `payoffs` can give a seat; most is at least 1."""
    if not rules.pays:
        return -(rules.players - 1) / 2, (rules.players - 1) / 2
    least, most = payment_bounds(rules)
    return least, max(most, 1.0)


def longest(rules: Rules) -> int:
    """An upper bound on the moves of a hand: every card played alone and passed by everybody else, and the auction."""
    auction = 0 if rules.auction is None else (rules.auction.top + 1) * rules.players
    return auction + (rules.call is not None) + len(rules.pack) * rules.players

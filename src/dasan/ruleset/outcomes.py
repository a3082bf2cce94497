"""Bounds on the payments of a hand."""

from __future__ import annotations

from dasan.ruleset.policies import BidScoring, CardScoring, FixedScoring
from dasan.ruleset.rules import Rules


def payment_bounds(rules: Rules) -> tuple[float, float]:
    """(least, most) units that a hand can pay a seat (B3.19, B4.06, H.15, D2.19, W.22)."""
    others = rules.players - 1
    match rules.scoring:
        case BidScoring():
            top = rules.auction.top if rules.auction is not None else 1
            most = float(top * others << rules.most_doublings)
            return -most, most
        case FixedScoring(stake=stake):
            return -float(stake * (others if rules.guard_pays else 1)), float(stake * others)
        case CardScoring() as scoring:
            held = range(rules.most_cards + 1)
            suits = len(rules.suits) * rules.decks
            costs = (scoring.cost(n, has_played, min(n, suits)) for n in held for has_played in (True, False))
            worst = max(costs) * (others if rules.guard_pays else 1)
            return -float(worst), float(worst * others)


def earning_bounds(rules: Rules) -> tuple[float, float]:
    """(least, most) that a seat can earn: `payment_bounds`; if nothing is paid, the last and the first of
    `place_shares`.
    """
    return payment_bounds(rules) if rules.pays else (-1.0, 1.0)


__all__ = ["earning_bounds", "payment_bounds"]

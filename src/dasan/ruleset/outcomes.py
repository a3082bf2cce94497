"""Bounds on the payments of a hand."""

from __future__ import annotations

from dasan.ruleset.policies import BidScoring, CardScoring, FixedScoring
from dasan.ruleset.rules import Rules


def payment_bounds(rules: Rules) -> tuple[float, float]:
    """(least, most) units that a hand can pay a seat (B3.19, B4.06, H.15, D2.19, W.22)."""
    others = rules.players - 1
    match rules.scoring:
        case BidScoring(pay_each_winner=each):
            top = rules.auction.top if rules.auction is not None else 1
            side = 1 if rules.call is None else 2
            most = float(top * (max(side, rules.players - side) if each else 1) << rules.most_doublings)
            return -most, most
        case FixedScoring(stake=stake):
            return -float(stake * (others if rules.guard_pays else 1)), float(stake * others)
        case CardScoring() as scoring:
            owed = _most_owed(rules, scoring)
            return -float(sum(owed) if rules.guard_pays else owed[0]), float(sum(owed))


def _most_owed(rules: Rules, scoring: CardScoring) -> list[int]:
    """The most that the losers can owe together, one amount each, the largest first: one of them holds every card that doubles
    the payment (H.29), for two who share them owe less.
    """
    sizes = [(len(rules.pack) + k) // rules.players for k in reversed(range(rules.players))]
    if rules.hand_size is not None:
        sizes = [rules.most_cards] + [rules.hand_size] * (rules.players - 1)
    twos = sum(c.rank == rules.ranks[-1] for c in rules.pack)
    owed = []
    for size in sizes[:-1]:
        held = min(size, twos)
        owed.append(max(scoring.cost(n, played, min(n, held)) for n in range(size + 1) for played in (True, False)))
        twos -= held
    return owed


def earning_bounds(rules: Rules) -> tuple[float, float]:
    """(least, most) that a seat can earn: `payment_bounds`; if nothing is paid, the last and the first of
    `place_shares`.
    """
    return payment_bounds(rules) if rules.pays else (-1.0, 1.0)

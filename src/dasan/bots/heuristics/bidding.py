"""Bidding, and the call of a partner's card."""

from __future__ import annotations

from collections import Counter

from dasan.bots.heuristics.view_costs import ViewCosts
from dasan.bots.protocol import bid_up_to, choices, low_to_high
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Kickers

ENOUGH = {3: (1.9, 1.2, 0.55), 4: (3.3, 2.9, 2.5)}
"""By number of players, the most turns that a hand may cost for a bid of 1, 2 and 3; computed by `benchmarks/bids.py`."""
ENOUGH_WITH_KICKERS = (3.6, 3.25, 2.9)
"""The same where triplets take low cards along (Dou Dizhu)."""


def enough(rules: Rules) -> tuple[float, ...]:
    """The limits for `rules`; those of the nearest number of players where there are none.

    >>> import dasan
    >>> [enough(dasan.rules(name)) for name in ("big-three", "wa-keng-4", "dou-dizhu")]
    [(1.9, 1.2, 0.55), (3.3, 2.9, 2.5), (3.6, 3.25, 2.9)]
    """
    if any(isinstance(shape, Kickers) for shape in rules.shapes):
        return ENOUGH_WITH_KICKERS
    return ENOUGH[min(max(rules.players, 3), 4)]


def choose_bid(view: View) -> Move:
    """The highest bid that the hand supports; else a pass, or the lowest bid if it must bid."""
    turns = strength(view)
    return bid_up_to(view, sum(turns <= limit for limit in enough(view.rules)))


def strength(view: View) -> float:
    """The cost of the seat's hand against everybody else, in turns: lower is better."""
    return ViewCosts(view).turns()


def choose_call(view: View) -> Move:
    """Call a card of the rank of which the bidder holds fewest, so that its holder may have a group; the highest rank
    on ties.
    """
    held = Counter(c.rank for c in view.hand)
    ranks = view.rules.ranks
    calls = low_to_high(view, choices(view))
    return min(calls, key=lambda move: (held[move.cards[0].rank], -ranks.index(move.cards[0].rank)))

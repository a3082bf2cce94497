"""Big Three's auction, and the call of a partner's card."""

from __future__ import annotations

from collections import Counter

from dasan.bots.judgement import Judgement, Temper
from dasan.bots.protocol import choices
from dasan.play.moves import Move, MoveType
from dasan.play.view import View

ENOUGH = {3: (1.9, 1.2, 0.55), 4: (3.3, 2.9, 2.5)}
"""By the number of players: the turns a hand may cost to bid 1, 2 and 3; worked out by `benchmarks/bids.py`."""


def choose_bid(view: View) -> Move:
    """The highest bid that the hand is good for; else the least that must be said."""
    moves = choices(view)
    turns = strength(view)
    good = sum(turns <= limit for limit in ENOUGH[view.rules.players])
    bids = [m for m in moves if m.type is MoveType.BID and (m.bid or 0) <= good]
    return bids[-1] if bids else next((m for m in moves if m.type is MoveType.PASS), moves[0])


def strength(view: View) -> float:
    """The turns that the seat's hand would cost against everybody else: fewer are better."""
    return Judgement(view, Temper()).turns()


def choose_call(view: View) -> Move:
    """A card of the rank that the bidder holds least of, so that its holder may have a group; the higher first."""
    held = Counter(c.rank for c in view.hand)
    ranks = view.rules.ranks
    return min(choices(view), key=lambda m: (held[m.cards[0].rank], -ranks.index(m.cards[0].rank)))

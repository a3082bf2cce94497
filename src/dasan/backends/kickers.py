"""Backend for games without suits but with kickers (Dou Dizhu): a hand is the count of each rank, four bits a rank,
jokers included.
"""

from __future__ import annotations

from math import comb
from typing import Any

from dasan.backends.contract import (
    BY_BID,
    DESCRIBES,
    MOST_IDS,
    SHAPE,
    Backend,
    Condition,
    Purpose,
    anything,
    between,
    kind_of,
    only,
    payable,
)
from dasan.play.action_ids import action_ids
from dasan.ruleset.policies import Auction, BidScoring, Ending, NextDealer, Opener
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AllJokers, AnyShape, Kickers, Run, Same

RANKS = 13
"""Ranks below the jokers, which are the ranks 13 and 14."""
COPIES = 4
MOST_PLAYS = 4096
"""The most plays that a hand may have at once, which sizes the lists."""


def _ascending(sequence: Any, rules: Rules) -> str | None:
    return None if sequence in rules.ranks else f"ranks of {rules.ranks} that follow one another"


def most_plays(rules: Rules) -> int:
    """An upper bound on the plays that a hand can have at once.

    A hand of n cards has at most n // c ranks of c cards, and C(m, k) ways to choose k groups out of m.
    """
    return sum(_most(shape, rules.most_cards) for shape in rules.shapes)


def _most(shape: AnyShape, cards: int) -> int:
    match shape:
        case Same(count=n):
            return cards // n
        case Run(copies=copies):
            return sum(max(0, cards // copies - n + 1) for n in range(shape.shortest, shape.longest + 1))
        case Kickers(copies=copies):
            total = 0
            for n in range(shape.shortest, shape.longest + 1):
                left = (cards - copies * n) // shape.side
                total += max(0, cards // copies - n + 1) * (comb(left, shape.sides * n) if left > 0 else 0)
            return total
        case _:
            return 1


def _apart(rules: Rules) -> str | None:
    """A condition: kinds distinguish the shapes, and families compare them."""
    families = {shape.family or shape.kind for shape in rules.shapes}
    if len(families) < len(rules.shapes):
        return "shapes are two of the same family"
    if len({shape.kind for shape in rules.shapes}) < len(rules.shapes):
        return "shapes are two of the same kind"
    return None


def _listable(rules: Rules) -> str | None:
    most = most_plays(rules)
    return None if most < MOST_PLAYS else f"shapes are {most} plays of one hand, not fewer than {MOST_PLAYS}"


def _numbered(rules: Rules) -> str | None:
    """A condition: ids fit into int16."""
    count = action_ids(rules, True).count
    return None if count <= MOST_IDS else f"shapes take {count} action ids, not at most {MOST_IDS}"


_SHAPE: dict[str, Condition] = {**SHAPE, "power": anything}

KICKERS = Backend(
    name="kickers",
    purposes=(Purpose.ENVIRONMENTS, Purpose.WORLDS, Purpose.ENDGAME),
    summary="compiled: a hand is how many cards of each rank, four bits a rank; plays may have kickers",
    compiled=True,
    honours={
        Rules: {
            **DESCRIBES,
            "players": only(3),
            "decks": only(1),
            "jokers": only(True),
            "ranks": lambda value, rules: None if len(value) == RANKS else f"{RANKS} ranks",
            "suits": anything,
            "suits_ranked": only(False),
            "shapes": anything,
            "hand_size": only(17),
            "next_dealer": only(NextDealer.FIRST_OUT),
            "ending": only(Ending.FIRST_OUT),
            "scoring": kind_of(BidScoring),
            "auction": kind_of(Auction),
            "reveal_kitty": anything,
        },
        BidScoring: BY_BID,
        Auction: {
            "top": between(1, 15),
            "suit": anything,
            "opener_may_pass": only(True),
            "opener": only(Opener.RANDOM),
            "one_round": only(True),
            "all_pass_is_void": only(True),
            "passes_to_end": anything,
            "bidder_leads": only(True),
        },
        Same: {**_SHAPE, "count": between(1, COPIES)},
        Run: {
            **_SHAPE,
            "copies": between(1, COPIES),
            "sequence": _ascending,
            "shortest": anything,
            "longest": anything,
        },
        Kickers: {
            **_SHAPE,
            "copies": between(1, COPIES),
            "sequence": _ascending,
            "shortest": anything,
            "longest": anything,
            "side": between(1, COPIES),
            "sides": anything,
            "distinct": anything,
            "joker_pair": anything,
        },
        AllJokers: {**_SHAPE, "count": only(2)},
    },
    together=(_apart, _listable, payable, _numbered),
)

"""Hands and plays for the tests of Big Three's clauses."""

from __future__ import annotations

import pytest
from tests.playing import fill, say

import dasan
from dasan import State

THREE = ("big-three", "big-three-denexa", "big-three-fr")
three = pytest.mark.parametrize("preset", THREE)
RULES = dasan.rules("big-three")
DENEXA = dasan.rules("big-three-denexa")

RANKS = "456789TJQKA23"
RUN = "456789TJQK"


def kind(text: str) -> str:
    return RULES.combination(text).kind


def beats(mine: str, theirs: str) -> bool:
    return RULES.combination(mine).beats(RULES.combination(theirs))


def auction(opener: int = 0, rules: dasan.Rules = RULES, kitty: str = "") -> State:
    """A dealt hand in which `opener` holds the 4 of hearts."""
    hands = ["", "", ""]
    hands[opener] = "4H"
    return dasan.start(rules, fill(rules, hands, 16, leave=kitty), kitty=kitty or None)


def trick(*hands: str, leader: int = 0, bidder: int = 0, bid: int = 1, **options: bool) -> State:
    """A position in mid-hand: these cards are left, and `leader` leads."""
    return dasan.start(dasan.rules("big-three", **options), hands, bidder=bidder, bid=bid, leader=leader)


def example() -> State:
    """B3.23 from the deal: A, B and C are seats 0, 1 and 2; A opens and bids 3."""
    hands = ["4H 5D 5C KD KC JD QD AD", "2D 2C 5H 6H 7H", "9D 9C JS QS KS 4S"]
    return say(dasan.start(RULES, fill(RULES, hands, 16)), "bid 3")


EXAMPLE = [
    (0, "5D 5C"),
    (1, "pass"),
    (2, "9D 9C"),
    (0, "KD KC"),
    (1, "2D 2C"),
    (2, "pass"),
    (0, "pass"),
    (1, "5H 6H 7H"),
    (2, "JS QS KS"),
    (0, "pass"),
    (1, "pass"),
    (2, "4S"),
]

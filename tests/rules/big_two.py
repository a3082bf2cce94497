"""Hands and plays for the tests of Big Two's clauses."""

from __future__ import annotations

from tests.playing import fill

import dasan
from dasan import IllegalPlay, State

RULES = dasan.rules("big-two")
ORDER = [r + s for r in "3456789TJQKA2" for s in "DCHS"]


def kind(text: str, **options: dasan.OptionValue) -> str | None:
    try:
        return (dasan.rules("big-two", **options) if options else RULES).combination(text).kind
    except IllegalPlay:
        return None


def beats(mine: str, theirs: str, **options: dasan.OptionValue) -> bool:
    rules = dasan.rules("big-two", **options)
    return rules.combination(mine).beats(rules.combination(theirs))


def ascending(*plays: str, **options: dasan.OptionValue) -> None:
    """Every one of these beats exactly those before it."""
    rules = dasan.rules("big-two", **options)
    made = [rules.combination(play) for play in plays]
    for i, mine in enumerate(made):
        for j, theirs in enumerate(made):
            assert mine.beats(theirs) == (i > j), f"{mine} over {theirs}"


def trick(*hands: str, leader: int = 0, **options: dasan.OptionValue) -> State:
    """A position in mid-hand: these cards are left, and `leader` leads."""
    return dasan.start(dasan.rules("big-two", **options), hands, leader=leader)


def opening(*hands: str, **options: dasan.OptionValue) -> State:
    """A complete deal that includes these cards."""
    rules = dasan.rules("big-two", **options)
    return dasan.start(rules, fill(rules, hands, 13))

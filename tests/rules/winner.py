"""Hands and plays for the tests of Winner's clauses."""

from __future__ import annotations

import pytest
from tests.playing import Options

import dasan
from dasan import IllegalPlay, Malformed, State

RULES = dasan.rules("winner")
both = pytest.mark.parametrize("preset", ["winner", "winner-bomb"])
SEQUENCE = "A23456789TJQKA"
RANKS = "3456789TJQKA2"


def kind(text: str, preset: str = "winner", **options: bool | int | str) -> str | None:
    try:
        return dasan.rules(preset, **options).combination(text).kind
    except (IllegalPlay, Malformed):
        return None


def beats(mine: str, theirs: str, preset: str = "winner", **options: bool | int | str) -> bool:
    rules = dasan.rules(preset, **options)
    return rules.combination(mine).beats(rules.combination(theirs))


def ascending(*plays: str, preset: str = "winner", **options: bool | int | str) -> None:
    """Every one of these beats exactly those before it."""
    rules = dasan.rules(preset, **options)
    made = [rules.combination(play) for play in plays]
    for i, mine in enumerate(made):
        for j, theirs in enumerate(made):
            assert mine.beats(theirs) == (i > j), f"{mine} over {theirs}"


def trick(*hands: str, leader: int = 0, preset: str = "winner", **options: bool | int | str) -> State:
    given: Options = {"players": len(hands), **options}
    return dasan.start(
        dasan.rules(preset, **given), hands, leader=leader, finished=[s for s, h in enumerate(hands) if not h]
    )

"""Plays with the called card and without it, where suits count too."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest

import dasan
from dasan.ruleset.shapes import Flush, Groups, Run, Same, recognise

FOUR = dasan.rules("big-three-4p")
assert FOUR.call is not None
CALLED = next(c for c in FOUR.pack if c.rank in FOUR.call.ranks)
RUN = next(shape for shape in FOUR.shapes if isinstance(shape, Run))
SHAPES: dict[str, tuple[Same | Run | Flush | Groups, ...]] = {
    "flush": (Same(kind="single", clause="X", count=1), Flush(kind="flush", clause="X", size=3)),
    "suits": tuple(Same(kind=f"{n} of a rank", clause="X", count=n, by_suit=True) for n in (1, 2, 3)),
    "groups": (
        Same(kind="single", clause="X", count=1, by_suit=True),
        Groups(kind="two pairs", clause="X", main=2, side=2, by_suit=True),
    ),
    "plain runs": (
        Same(kind="single", clause="X", count=1),
        replace(RUN, plain=True, tie="last"),
        replace(RUN, kind="straight flush", flush=True, tie="last", power=1),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_plays_of_a_hand_are_those_of_its_subsets(name: str) -> None:
    rules, rng = replace(FOUR, shapes=SHAPES[name]), random.Random(3)
    near = [c for c in rules.pack if c != CALLED and (c.rank in "A2345" or c.suit == CALLED.suit)]
    with_it = 0
    for _ in range(40):
        hand = rules.order.hand([CALLED, *rng.sample(near, 8)])
        subsets = (cards for n in range(1, 6) for cards in combinations(hand, n))
        recognised = (recognise(rules.shapes, rules.order, cards) for cards in subsets)
        fits = rules.catalogue.fits(hand, CALLED)
        assert {said(play) for _, play in fits} == {said(play) for play in recognised if play is not None}
        for row, play in fits:
            again = recognise(rules.shapes, rules.order, play.cards)
            assert again is not None
            assert said(again) == said(play)
            assert bool(row.called) == (CALLED in play.cards)
            with_it += row.called is True
    assert with_it > 40


def said(play: dasan.Combination) -> tuple[str, str, int, bool]:
    """Kind, family and strength of a combination, and whether the called card is in it."""
    return play.kind, play.family, play.strength, CALLED in play.cards

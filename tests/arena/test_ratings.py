"""Ratings: as far apart as the wins say, and as uncertain as the deals are few."""

from __future__ import annotations

import math
import random

import pytest

from dasan.arena.outcome import Outcome
from dasan.arena.ratings import difference, ratings

pytestmark = pytest.mark.full


def test_ratings_of_few_deals_have_wide_intervals() -> None:
    """Among equals, 3 deals name a better bot in at most one contest of ten; the stated rate is one in twenty."""
    rng, wrong = random.Random(5), 0
    for _ in range(200):
        outcomes = [Outcome(i, 0.0, 0.25, above, 4 - above) for i, above in enumerate(rng.choices(range(5), k=3))]
        first = ratings({("a", "b"): outcomes})[0]
        wrong += first.low > 0 or first.high < 0
    assert wrong <= 20


def test_ratings_follow_earnings() -> None:
    better = [Outcome(i, 1.0, 0.5, 3, 1) for i in range(40)]
    equal = [Outcome(i, 0.0, 0.5, 2, 2) for i in range(40)]
    rated = ratings({("a", "b"): better, ("b", "c"): equal, ("a", "c"): better})
    assert rated[0].name == "a"
    assert rated[0].points - rated[1].points == pytest.approx(difference(3, 1), abs=3)
    assert rated[0].low <= rated[0].points <= rated[0].high


@pytest.mark.parametrize("deals", [2, 100])
@pytest.mark.parametrize(("above", "below"), [(6, 0), (3, 3), (0, 0)])
def test_deals_with_the_same_result_leave_ratings_uncertain(deals: int, above: int, below: int) -> None:
    """All blocks of deals agree, so that only the likelihood shows how little is known."""
    outcomes = [Outcome(i, 0.0, 0.5, above, below) for i in range(deals)]
    first, second = ratings({("a", "b"): outcomes})
    whole = difference(above * deals + 0.5, below * deals + 0.5)
    assert first.points - second.points == pytest.approx(whole, abs=1)
    comparisons = (above + below) * deals + 1
    share = (above * deals + 0.5) / comparisons
    half = 1.96 * 400 / math.log(10) / math.sqrt(comparisons * share * (1 - share)) / 2
    for one in (first, second):
        assert one.high - one.points == pytest.approx(half, abs=1)
        assert one.points - one.low == pytest.approx(half, abs=1)


def test_ratings_are_as_far_apart_as_the_wins_say() -> None:
    """Also of bots that nearly always win, where the likelihood is flat."""
    always = [Outcome(i, 1.0, 1.0, 3, 0) for i in range(30_000)]
    often = [Outcome(i, 1.0, 1.0, 9, 1) for i in range(10_000)]
    rated = {one.name: one.points for one in ratings({("a", "b"): always, ("b", "c"): often})}
    assert rated["a"] - rated["b"] == pytest.approx(difference(90_000.5, 0.5), abs=1)
    assert rated["b"] - rated["c"] == pytest.approx(difference(9, 1), abs=1)
    assert sum(rated.values()) == pytest.approx(0, abs=2)

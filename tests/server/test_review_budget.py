"""The time of reviews of whole hands, reported with their budget: a slow machine fails no test."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from benchmarks.reviews import measure, told

pytestmark = pytest.mark.full


@pytest.mark.long
def test_reviews_of_whole_hands(record_property: Callable[[str, object], None]) -> None:
    """Every play of every hand is reviewed; the first verdict comes before the last."""
    rows = measure("big-three", "greedy", 2, seed=1)
    record_property("budget: review of a whole hand", told(rows))
    for row in rows:
        assert 0 < row.first < row.total
        assert row.plays > 10

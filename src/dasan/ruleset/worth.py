"""Points for places, which are what a hand counts for where nothing is paid (W.18)."""

from __future__ import annotations

from collections.abc import Sequence


def place_points(places: Sequence[int]) -> list[float]:
    """Points for the places of a hand, by seat: 1 is the first out, 0 a seat without a place.

    Places lie one point apart, and the points of a hand sum to zero. Seats without a place share those that are left.

    >>> place_points([2, 1, 3]), place_points([0, 1, 0])
    ([0.0, 1.0, -1.0], [-0.5, 1.0, -0.5])
    """
    n, placed = len(places), sum(1 for place in places if place)
    return [(n + 1) / 2 - place if place else -placed / 2 for place in places]


__all__ = ["place_points"]

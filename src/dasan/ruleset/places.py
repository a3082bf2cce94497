"""Points for places: the outcome of a hand if nothing is paid (W.18)."""

from __future__ import annotations

from collections.abc import Sequence


def places_of(finish_order: Sequence[int], players: int) -> list[int]:
    """By seat, its place in the order of finishing, from 1; 0 for a seat that is not in it.

    >>> places_of((2, 0), 3)
    [2, 0, 1]
    """
    places = [0] * players
    for place, seat in enumerate(finish_order, start=1):
        places[seat] = place
    return places


def place_points(places: Sequence[int]) -> list[float]:
    """Points for the places of a hand, by seat: 1 is the first out, 0 a seat without a place.

    Places lie one point apart, and the points of a hand sum to zero. Seats without a place share the remaining points
    equally.

    >>> place_points([2, 1, 3]), place_points([0, 1, 0])
    ([0.0, 1.0, -1.0], [-0.5, 1.0, -0.5])
    """
    n, placed = len(places), sum(1 for place in places if place)
    return [(n + 1) / 2 - place if place else -placed / 2 for place in places]


def place_shares(places: Sequence[int]) -> list[float]:
    """`place_points` scaled to run from 1 (first) to -1 (last).

    >>> place_shares([2, 1, 3, 4])
    [0.3333333333333333, 1.0, -0.3333333333333333, -1.0]
    """
    return [2 * points / (len(places) - 1) for points in place_points(places)]

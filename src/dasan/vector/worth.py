"""What the hands of environments were worth to each seat: payments, or places where nothing is paid."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dasan.ruleset.rules import Rules
from dasan.ruleset.worth import place_points

Floats = npt.NDArray[np.float32]


class Ended(Protocol):
    """Environments whose hands may be over, such as `VectorEnv`."""

    @property
    def rules(self) -> Rules: ...
    @property
    def rewards(self) -> npt.NDArray[Any]: ...
    @property
    def places(self) -> npt.NDArray[Any]: ...


def earned(env: Ended) -> Floats:
    """float32 [environments, seats]: payments in units; where nothing is paid, places scaled from 1 (first) to -1 (last).

    Only the rows of environments that are done have a meaning.
    """
    if env.rules.pays:
        return env.rewards.astype(np.float32)
    return counted(env.places).astype(np.float32)


def counted(places: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """float64 [hands, seats]: what places [hands, seats] count, from 1 (first) to -1 (last); see `place_points`."""
    n = places.shape[1]
    points = _points(n)[np.count_nonzero(places, axis=1)[:, None], places]
    out: npt.NDArray[np.float64] = 2 * points / (n - 1)
    return out


@cache
def _points(players: int) -> npt.NDArray[np.float64]:
    """float64 [seats with a place, place]: `place_points` of one of them, or of a seat without a place (0)."""
    out = np.zeros((players + 1, players + 1))
    for placed in range(players + 1):
        places = [place if place <= placed else 0 for place in range(1, players + 1)]
        for place, points in zip(places, place_points(places), strict=True):
            out[placed, place] = points
    return out


__all__ = ["counted", "earned"]

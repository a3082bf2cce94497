"""Each seat's result of hands: payments, or places in games without payments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dasan.arrays import Bytes, Doubles, Floats
from dasan.ruleset.places import place_shares
from dasan.ruleset.rules import Rules

Counting = Callable[[Sequence[int]], list[float]]
"""The value of places: `place_points`, one point apart, or `place_shares`, from 1 to -1."""


class Ended(Protocol):
    """Environments with finished hands, such as `VectorEnv`."""

    @property
    def rules(self) -> Rules: ...
    @property
    def rewards(self) -> npt.NDArray[Any]: ...
    @property
    def places(self) -> npt.NDArray[Any]: ...


def earned(env: Ended) -> Floats:
    """float32 [environments, seats]: payments in units, or in games without payments places scaled from 1 (first) to -1
    (last).

    Only the rows of environments that are done are meaningful.
    """
    return earnings(env.rules, env.rewards, env.places).astype(np.float32)


def earnings(rules: Rules, payments: npt.NDArray[Any], places: Bytes, counting: Counting = place_shares) -> Doubles:
    """float64 [hands, seats]: `payments` in units, or in games without payments the value of `places`. Both: [hands,
    seats].
    """
    if rules.pays:
        return payments.astype(np.float64)
    counted: Doubles = _counted(counting, rules.players)[np.count_nonzero(places, axis=1)[:, None], places]
    return counted


@cache
def _counted(counting: Counting, players: int) -> Doubles:
    """float64 [seats with a place, place]: the value of each place, and of no place (0)."""
    out = np.zeros((players + 1, players + 1))
    for placed in range(players + 1):
        places = [place if place <= placed else 0 for place in range(1, players + 1)]
        for place, points in zip(places, counting(places), strict=True):
            out[placed, place] = points
    return out

"""Ratings of several bots from contests of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log10, sqrt

import numpy as np

from dasan.arena.outcome import Outcome
from dasan.arrays import Doubles
from dasan.estimates import DEVIATIONS, jackknife

SCALE = 400 / log(10)
BLOCKS = 20
STEPS = 100
"""The most steps of a fit, which usually takes about ten."""
SETTLED = 1e-9
"""The fit ends with a step that changes no log-odds by more."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's rating, with a 95 % interval. A lead of 400 points means earning more ten times as often as less."""

    name: str
    points: float
    low: float
    high: float


def ratings(results: Mapping[tuple[str, str], Sequence[Outcome]]) -> list[Rating]:
    """Ratings of all bots that met, best first, by a Bradley-Terry model of who earns more in a hand; ties do not count.

    Their mean is 0. The intervals are those of `half_width`.
    """
    names = sorted({name for pair in results for name in pair})
    whole, errors = _fit(names, {pair: leads(outcomes) for pair, outcomes in results.items()})
    blocks = blocks_of(results.values())
    parts = [
        _fit(names, {pair: leads(without(outcomes, block, blocks)) for pair, outcomes in results.items()})[0]
        for block in range(blocks)
    ]
    out = []
    for i, name in enumerate(names):
        half = half_width([part[i] for part in parts], errors[i])
        out.append(Rating(name, round(whole[i]), round(whole[i] - half), round(whole[i] + half)))
    return sorted(out, key=lambda one: -one.points)


def half_width(parts: Sequence[float], error: float) -> float:
    """Half of the 95 % interval of a rating, the wider of two: a jackknife over blocks of deals, which respects the
    dependence of a deal's hands but vanishes if nearly all deals have the same result; and the likelihood's own, which
    treats hands as independent. parts: the rating without each block. error: the likelihood's standard error.
    """
    return max(jackknife(parts), DEVIATIONS * error)


def difference(above: float, below: float) -> float:
    """The rating lead of a bot that earned more `above` times and less `below` times than another.

    >>> round(difference(10, 1)), difference(5, 5)
    (400, 0.0)
    """
    return 400 * log10(max(above, 0.5) / max(below, 0.5))


def leads(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How often `a` earned more than a `b` of the same hand, and how often less."""
    return sum(one.above for one in outcomes), sum(one.below for one in outcomes)


def blocks_of(contests: Iterable[Sequence[Outcome]]) -> int:
    """The number of blocks of deals for a jackknife: as many as the shortest contest has deals, from 2 to `BLOCKS`. Where it
    has one deal, one of two blocks is empty.
    """
    return max(2, min((BLOCKS, *map(len, contests))))


def without(outcomes: Sequence[Outcome], block: int, blocks: int) -> list[Outcome]:
    """The outcomes without those of one of `blocks` blocks, for a jackknife."""
    return [one for place, one in enumerate(outcomes) if place % blocks != block]


def _fit(names: Sequence[str], counts: Mapping[tuple[str, str], tuple[int, int]]) -> tuple[list[float], list[float]]:
    """The maximum-likelihood ratings, by Newton's method, and their standard errors, if hands are independent. Half a win each
    way keeps both finite.
    """
    at = {name: i for i, name in enumerate(names)}
    games = [(at[a], at[b], up + 0.5, down + 0.5) for (a, b), (up, down) in counts.items() if a != b]
    skill = np.zeros(len(names))
    for _ in range(STEPS):
        slope, information = _slope(games, skill)
        step = _inverse(information) @ slope
        skill += step / max(1.0, np.abs(step).max(initial=0))  # a longer step could go too far
        if np.abs(step).max(initial=0) < SETTLED:
            break
    errors = [sqrt(max(0.0, variance)) for variance in _inverse(_slope(games, skill)[1]).diagonal().tolist()]
    return [SCALE * one for one in skill.tolist()], [SCALE * one for one in errors]


def _slope(games: Sequence[tuple[int, int, float, float]], skill: Doubles) -> tuple[Doubles, Doubles]:
    """The slope of the log-likelihood [bots], and its information matrix [bots, bots]."""
    slope, information = np.zeros(len(skill)), np.zeros((len(skill), len(skill)))
    for i, j, up, down in games:
        share = 1 / (1 + exp(skill[j] - skill[i]))
        miss, weight = up - (up + down) * share, (up + down) * share * (1 - share)
        slope[i] += miss
        slope[j] -= miss
        information[[i, j], [i, j]] += weight
        information[[i, j], [j, i]] -= weight
    return slope, information


def _inverse(information: Doubles) -> Doubles:
    """The pseudo-inverse: only differences of ratings are known, so that their mean stays 0."""
    return np.asarray(np.linalg.pinv(information, rcond=1e-10, hermitian=True), np.float64)

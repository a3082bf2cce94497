"""Ratings of several bots from contests of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log10

from dasan.arena.outcome import Outcome
from dasan.estimates import jackknife

SCALE = 400 / log(10)
BLOCKS = 20


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's rating, with a 95 % interval. A lead of 400 points means earning more ten times as often as less."""

    name: str
    points: float
    low: float
    high: float


def ratings(results: Mapping[tuple[str, str], Sequence[Outcome]]) -> list[Rating]:
    """Ratings of all bots that met, best first, by a Bradley-Terry model of who earns more in a hand; ties do not count.

    Their mean is 0. The intervals come from a jackknife over blocks of deals, which respects the dependence of a deal's
    hands.
    """
    names = sorted({name for pair in results for name in pair})
    whole = _fit(names, {pair: leads(outcomes) for pair, outcomes in results.items()})
    blocks = max(2, min(BLOCKS, *map(len, results.values()))) if results else BLOCKS
    parts = [
        _fit(names, {pair: leads(without(outcomes, block, blocks)) for pair, outcomes in results.items()})
        for block in range(blocks)
    ]
    out = []
    for i, name in enumerate(names):
        half = jackknife([part[i] for part in parts])
        out.append(Rating(name, round(whole[i]), round(whole[i] - half), round(whole[i] + half)))
    return sorted(out, key=lambda one: -one.points)


def difference(above: float, below: float) -> float:
    """The rating lead of a bot that earned more `above` times and less `below` times than another.

    >>> round(difference(10, 1)), difference(5, 5)
    (400, 0.0)
    """
    return 400 * log10(max(above, 0.5) / max(below, 0.5))


def leads(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How often `a` earned more than a `b` of the same hand, and how often less."""
    return sum(one.above for one in outcomes), sum(one.below for one in outcomes)


def without(outcomes: Sequence[Outcome], block: int, blocks: int) -> list[Outcome]:
    """The outcomes without those of one of `blocks` blocks, for a jackknife."""
    return [one for place, one in enumerate(outcomes) if place % blocks != block]


def _fit(names: Sequence[str], counts: Mapping[tuple[str, str], tuple[int, int]]) -> list[float]:
    """The maximum-likelihood ratings, by gradient steps on the log-odds; half a win each way keeps them finite."""
    at = {name: i for i, name in enumerate(names)}
    skill = [0.0] * len(names)
    games = [(at[a], at[b], up + 0.5, down + 0.5) for (a, b), (up, down) in counts.items() if a != b]
    weight = [sum(u + d for i, j, u, d in games if k in (i, j)) / 2 or 1.0 for k in range(len(names))]
    for _ in range(400):
        slope = [0.0] * len(names)
        for i, j, up, down in games:
            miss = up - (up + down) / (1 + exp(skill[j] - skill[i]))
            slope[i] += miss
            slope[j] -= miss
        skill = [s + g / w for s, g, w in zip(skill, slope, weight, strict=True)]
    mean = sum(skill) / len(skill) if skill else 0.0
    return [SCALE * (s - mean) for s in skill]

"""How often contests of equal players report a difference, and how soon contests of unequal players find one.

In each contest one player sits alone among equal or weaker players, in every seat of each deal. The rule of `dasan
arena` is compared with its predecessor, Student's interval, with which `--early` tested four times. A valid 95 % rule
reports a difference between equal players in at most 5 % of contests.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import cache, partial
from math import inf, sqrt
from statistics import fmean, median, stdev

import numpy as np

import dasan
from dasan.arena.contest import LOOKS
from dasan.arrays import Flags, Ints, Longs
from dasan.estimates import Estimate, t_quantile
from dasan.learn.duel import rotations
from dasan.ruleset.outcomes import earning_bounds
from dasan.ruleset.rules import Rules
from dasan.vector import VectorEnv

GAMES: dict[str, tuple[str, dict[str, str]]] = {
    "big-three": ("big-three", {}),
    "big-two": ("big-two", {}),
    "big-two, cards": ("big-two", {"scoring": "cards-multiplied"}),
    "winner": ("winner", {}),
}
SIZES = (2, 4, 8, 20, 40)
MOST = 400
"""The deals of a contest of unequal players."""
BEFORE = 4
"""The number of early tests under the previous rule."""
Values = tuple[float, ...]
Interval = Callable[[Values], tuple[float, float]]


CHANCE = np.random.default_rng(1)


def by_chance(env: VectorEnv, envs: Longs, mine: Flags) -> Ints:
    """Every player makes random moves, independent in each hand of a deal."""
    moves: Ints = env.legal[envs, CHANCE.integers(env.num_legal[envs])]
    return moves


def thrifty_alone(env: VectorEnv, envs: Longs, mine: Flags) -> Ints:
    """One player is `thrifty`, the others make random moves."""
    return np.where(mine, env.thrifty()[envs], by_chance(env, envs, mine)).astype(np.int32)


def contests(rules: Rules, count: int, deals: int, choose: Callable[..., Ints]) -> list[list[float]]:
    """The earnings a hand of the player of interest, by contest and deal."""
    gains = np.concatenate(list(rotations(rules, choose, count * deals, 0)))
    means: list[list[float]] = (
        gains.diagonal(axis1=1, axis2=2).mean(axis=1, dtype=np.float64).reshape(count, deals).tolist()
    )
    return means


def student(values: Values, tests: int = 1) -> tuple[float, float]:
    """Student's interval with a Bonferroni correction for `tests` tests."""
    if len(values) < 2:
        return -inf, inf
    half = t_quantile(1 - 0.025 / tests, len(values) - 1) * stdev(values) / sqrt(len(values))
    return fmean(values) - half, fmean(values) + half


def of_arena(rules: Rules, values: Values, *, any_time: bool = False) -> tuple[float, float]:
    """The interval of `dasan arena`."""
    estimate = Estimate.of(values, earning_bounds(rules), any_time=any_time)
    return estimate.low, estimate.high


def found_at(values: Values, sizes: Sequence[int], interval: Interval) -> int | None:
    """The first of `sizes` after which the interval excludes 0; None if none does."""
    for size in sizes:
        low, high = interval(values[:size])
        if low > 0 or high < 0:
            return size
    return None


def tests(deals: int, looks: int) -> list[int]:
    """The sizes at which a contest that may stop early is tested."""
    return list(dict.fromkeys(size for k in range(1, looks + 1) if (size := deals * k // looks)))


def ways(rules: Rules) -> list[tuple[str, int, Interval]]:
    """(name, number of tests, interval) of each rule."""
    betting: Interval = partial(of_arena, rules, any_time=True)
    return [
        ("Student", 1, student),
        ("`dasan arena`", 1, partial(of_arena, rules)),
        ("Student, `--early`", BEFORE, partial(student, tests=BEFORE)),
        ("`dasan arena --early`", LOOKS, betting),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contests", type=int, default=1000, help="contests of equal players per game (default: 1000)")
    count = parser.parse_args(arguments).contests
    print(
        "| equal players of | rule |",
        " | ".join(f"{deals} deals" for deals in SIZES),
        "|\n|---|---|" + "---|" * len(SIZES),
    )
    for name, (preset, options) in GAMES.items():
        rules = dasan.rules(preset, **options)
        equal = [tuple(one) for one in contests(rules, count, max(SIZES), by_chance)]
        for title, looks, interval in ways(rules):
            cached = cache(interval)
            shares = [
                sum(found_at(one, tests(deals, looks), cached) is not None for one in equal) / count for deals in SIZES
            ]
            print(f"| {name} | {title} |", " | ".join(f"{share:.1%}" for share in shares), "|", flush=True)
    print("\n| `thrifty` among `random` | Student, `--early` | `dasan arena --early` |\n|---|---|---|")
    for name, (preset, options) in GAMES.items():
        rules = dasan.rules(preset, **options)
        results = contests(rules, 100, MOST, thrifty_alone)
        before, now = (
            [found_at(tuple(one), tests(MOST, looks), interval) or MOST for one in results]
            for _, looks, interval in ways(rules)[2:]
        )
        print(f"| {name} | {median(before):.0f} deals | {median(now):.0f} deals |", flush=True)


if __name__ == "__main__":
    main()

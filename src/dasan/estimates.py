"""Means with confidence intervals.

`Estimate.of` gives the interval of a mean over independent values that lie within known bounds. Student's t assumes
that means are about normal, which is untrue of a few discrete payments: two equal values would even give an interval
of no width. It is also untrue of many values if nearly all are equal: where about three wins are expected, Student's
interval ends below the true share in up to 15 of 100 samples. `betting_interval` assumes nothing but the bounds. It
holds for any number of values, and even if the decision to stop depends on them, so a contest may stop early.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf, log, sqrt
from statistics import NormalDist, fmean, median

CONFIDENCE = 0.95
DEVIATIONS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Standard deviations from the middle of a normal interval to its ends."""
NORMAL = 30
"""The number of values from which their mean is treated as normal."""
RARE = 10
"""At least so many of them differ from the median: Student's interval of shares then holds in 93 of 100 samples or more."""
ALIKE = 1e-9
"""Values count as equal if they differ by at most this part of the width of their bounds: equal means of different numbers differ
by rounding."""
STAKES = tuple(2.0**-k for k in range(8))
"""The shares of its capital that a gambler bets on every value; one gambler for each share."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95 % confidence interval over `samples` independent values.

    >>> Estimate.of([0.0, 1.0, 1.0, 0.0] * 10, bounds=(0, 1), digits=2)
    Estimate(mean=0.5, low=0.34, high=0.66, samples=40)
    """

    mean: float
    low: float
    high: float
    samples: int

    @staticmethod
    def of(values: Sequence[float], bounds: tuple[float, float], *, digits: int = 4, any_time: bool = False) -> Estimate:
        """The estimate from independent values within `bounds`.

        The interval is Student's if there are at least `NORMAL` values, and at least `RARE` that differ from their median;
        otherwise `betting_interval`. any_time: it also holds if the values so far decided when to stop, so it is
        `betting_interval` in any case. ValueError: there are no values, or one lies outside the bounds.
        """
        if not values:
            raise ValueError("an estimate takes at least one value")
        _check_bounds(values, bounds)
        mean, n = fsum(values) / len(values), len(values)
        if any_time or n < NORMAL or _others(values, bounds) < RARE:
            low, high = betting_interval(values, bounds)
        else:
            spread = sqrt(fsum((value - mean) ** 2 for value in values) / (n - 1))
            half = t_quantile((1 + CONFIDENCE) / 2, n - 1) * spread / sqrt(n)
            low, high = max(bounds[0], mean - half), min(bounds[1], mean + half)
        return Estimate(round(mean, digits) + 0.0, round(low, digits) + 0.0, round(high, digits) + 0.0, n)

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def betting_interval(values: Sequence[float], bounds: tuple[float, float]) -> tuple[float, float]:
    """(low, high): with 95 % confidence the mean lies between them, for any number of values and any rule for stopping.
    ValueError: a value lies outside `bounds`.

    For each candidate mean, gamblers bet on every value that the mean is higher. If the candidate is true, their
    capital is a martingale, which ever multiplies by 2 / (1 - CONFIDENCE) with at most half the error that is allowed
    (Ville's inequality). `low` is the highest candidate at which their capital reaches that factor; `high` comes from
    gamblers on the other side. The order of the values does not matter. See Waudby-Smith and Ramdas, "Estimating
    means of bounded random variables by betting" (Journal of the Royal Statistical Society B 86, 2024); bets are
    spread over several shares, which they call diversified Kelly betting.

    >>> low, high = betting_interval([1.0, 1.0], (-1.0, 3.0))
    >>> low < 0 < high
    True
    """
    _check_bounds(values, bounds)
    least, most = bounds
    width = most - least
    if not width:
        return least, most
    shares = [min(1.0, max(0.0, (value - least) / width)) for value in values]
    low = _lowest(shares)
    high = 1 - _lowest([1 - share for share in shares])
    return least + width * low, least + width * high


def _others(values: Sequence[float], bounds: tuple[float, float]) -> int:
    """The number of values that differ from their median, which is the commonest value if more than half are equal."""
    middle, alike = median(values), ALIKE * (bounds[1] - bounds[0])
    return sum(abs(value - middle) > alike for value in values)


def _check_bounds(values: Sequence[float], bounds: tuple[float, float]) -> None:
    """ValueError: a value lies outside `bounds`."""
    least, most = bounds
    tolerance = 1e-6 * max(1.0, abs(least), abs(most))  # values may have been rounded
    if not all(least - tolerance <= value <= most + tolerance for value in values):
        raise ValueError(f"values of {min(values):g} to {max(values):g} do not lie between {least:g} and {most:g}")


def _lowest(values: Sequence[float]) -> float:
    """The lower end of the interval for values from 0 to 1. The lower a candidate, the more it pays to bet against it, so that a
    search in ever finer steps finds it.
    """
    import numpy as np

    enough = log(2 / (1 - CONFIDENCE)) + log(len(STAKES))
    distinct, times = np.unique(np.array(values), return_counts=True)
    stakes = np.array(STAKES)[:, None]
    low, high = 0.0, fmean(values)
    for _ in range(6):
        if high - low < 1e-9:
            break
        steps = np.linspace(low, high, 33)
        with np.errstate(divide="ignore"):
            capitals = np.log1p(stakes * (distinct / steps[1:, None, None] - 1)) @ times
        rich = int((np.logaddexp.reduce(capitals, axis=1) >= enough).sum())
        low, high = float(steps[rich]), float(steps[min(rich + 1, 32)])
    return low


def wilson(share: float, of: int) -> tuple[float, float]:
    """Wilson's 95 % confidence interval for a share observed in a sample of size `of`.

    >>> [round(end, 3) for end in wilson(0.3, 100)]
    [0.219, 0.396]
    """
    z = DEVIATIONS
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half) if share > 0 else 0.0, min(1.0, middle + half) if share < 1 else 1.0


def jackknife(parts: Sequence[float]) -> float:
    """Half the 95 % interval of a statistic; infinite for one part. parts: its values without each block of the sample in turn.

    >>> sample = [1.0, 2.0, 3.0, 4.0]
    >>> half = jackknife([fmean(sample[:i] + sample[i + 1 :]) for i in range(4)])  # of a mean: Student's interval
    >>> round(2.5 - half, 1), round(2.5 + half, 1)
    (0.4, 4.6)
    """
    n = len(parts)
    if n < 2:
        return inf
    mean = fmean(parts)
    return t_quantile((1 + CONFIDENCE) / 2, n - 1) * sqrt((n - 1) / n * sum((part - mean) ** 2 for part in parts))


def t_quantile(p: float, freedom: int) -> float:
    """The quantile `p` of Student's t: Cornish-Fisher expansion about the normal; 1 and 2 degrees of freedom exactly.

    >>> round(t_quantile(0.975, 10), 3), round(t_quantile(0.975, 2), 3)
    (2.228, 4.303)
    """
    from math import pi, tan

    if freedom == 1:
        return tan(pi * (p - 0.5))
    if freedom == 2:
        return (2 * p - 1) / sqrt(2 * p * (1 - p))
    z: float = NormalDist().inv_cdf(p)
    terms: tuple[float, ...] = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / float(freedom) ** i for i, term in enumerate(terms))

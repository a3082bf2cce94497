"""A mean with its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist, fmean, stdev


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its confidence interval, 95 % if not said otherwise: Student's t over `samples` independent values.

    >>> Estimate.of([1.0, 2.0, 3.0, 4.0], digits=1)
    Estimate(mean=2.5, low=0.4, high=4.6, samples=4)
    """

    mean: float
    low: float
    high: float
    samples: int

    @staticmethod
    def of(values: Sequence[float], digits: int = 4, confidence: float = 0.95) -> Estimate:
        """The estimate from independent values; one value alone has an infinite interval. ValueError: there are none."""
        if not values:
            raise ValueError("an estimate takes at least one value")
        mean = fmean(values)
        n = len(values)
        half = t_quantile((1 + confidence) / 2, n - 1) * stdev(values) / sqrt(n) if n > 1 else inf
        return Estimate(round(mean, digits), round(mean - half, digits), round(mean + half, digits), n)

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


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
    return t_quantile(0.975, n - 1) * sqrt((n - 1) / n * sum((part - mean) ** 2 for part in parts))


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

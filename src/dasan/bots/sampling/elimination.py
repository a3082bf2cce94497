"""Rollouts with elimination: candidates that are clearly behind are dropped, and the others share the time saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from dasan.bots.sampling.beliefs import Beliefs
from dasan.bots.sampling.rollouts import played
from dasan.bots.sampling.simulator import ROOM
from dasan.play.moves import Move
from dasan.play.view import View

if TYPE_CHECKING:
    from dasan.arrays import Doubles, Flags, Longs
    from dasan.networks.trained import Fitted


SURE = 2.5
"""A candidate is eliminated when its value is below the best one's by this many standard errors of their difference."""
LEAST = 16
"""The number of worlds before any candidate can be eliminated."""


@dataclass(frozen=True, eq=False)
class Blend:
    """Combines a candidate's mean over rollouts with other estimates. The mean is shrunk towards `first`, the
    candidate's prior score, which weighs as much as `trust` worlds. With `other`, an estimate of another kind, the
    value is the average of both. first, other: float64 [moves].
    """

    first: Doubles
    trust: float
    other: Doubles | None = None

    def values(self, means: Doubles, worlds: float | Doubles) -> Doubles:
        """float64 [moves]: the values, given means over `worlds` worlds."""
        shrunk: Doubles = (worlds * means + self.trust * self.first) / (worlds + self.trust)
        return shrunk if self.other is None else (shrunk + self.other) / 2

    def share(self, worlds: float) -> float:
        """The change of a value when its mean grows by 1."""
        return worlds / (worlds + self.trust) / (1 if self.other is None else 2)

    def of(self, rows: Longs) -> Blend:
        """The blend restricted to these candidates."""
        return Blend(self.first[rows], self.trust, None if self.other is None else self.other[rows])


@dataclass(frozen=True, eq=False)
class Elimination:
    """The outcome of an elimination; all arrays have one entry for each of `moves`.

    means: float64, the mean over the worlds in which the move was tried. weights: float64, the weight of these worlds. values:
    float64, see `Blend`. stayed: bool, whether the move was not eliminated.
    """

    moves: tuple[Move, ...]
    means: Doubles
    weights: Doubles
    values: Doubles
    stayed: Flags

    @property
    def best(self) -> Move:
        """The surviving move with the highest value, the first on ties."""
        import numpy as np

        return self.moves[int(np.where(self.stayed, self.values, -np.inf).argmax())]


def eliminate(
    view: View,
    moves: Sequence[Move],
    beliefs: Beliefs,
    fitted: Fitted,
    blend: Blend,
    *,
    seconds: float | None = None,
) -> Elimination:
    """Rollouts by a network, until one candidate is left, all worlds are played, or `seconds` have passed; at least
    one batch.

    A candidate is eliminated when it would still be clearly behind the best one if their mean difference stayed the
    same in all worlds. Among candidates with equal outcomes in every world so far, the one with the highest value
    stays. The error of `blend.other` is ignored.
    """
    import numpy as np

    began, worlds = monotonic(), len(beliefs.deals)
    outcomes = np.zeros((len(moves), worlds))
    tried = np.zeros(len(moves), np.int64)
    left = np.arange(len(moves))
    at = batches = 0
    while at < worlds:
        last = min(at + max(1, ROOM // len(left)), worlds)
        outcomes[left, at:last] = played(view, [moves[i] for i in left.tolist()], beliefs, fitted, at, last)
        at, batches = last, batches + 1
        tried[left] = at
        if at >= LEAST:
            left = left[_stay(outcomes[left, :at], beliefs.weights, blend.of(left))]
        if len(left) == 1 or (seconds is not None and (monotonic() - began) * (1 + 1 / batches) > seconds):
            break
    seen = np.where(np.arange(worlds) < tried[:, None], beliefs.weights, 0.0)
    weights = seen.sum(axis=1)
    means = (outcomes * seen).sum(axis=1) / weights
    stayed = np.isin(np.arange(len(moves)), left)
    return Elimination(tuple(moves), means, weights, blend.values(means, weights), stayed)


def _stay(outcomes: Doubles, weights: Doubles, blend: Blend) -> Flags:
    """bool [moves]: which candidates are not clearly behind. outcomes: float64 [moves, worlds so far]. weights: of all worlds.

    Each world gives one sample of the difference between two candidates.
    """
    import numpy as np

    seen, whole = weights[: outcomes.shape[1]], float(weights.sum())
    total = float(seen.sum())
    means = outcomes @ seen / total
    values = blend.values(means, whole)
    leader = int(values.argmax())
    differences = outcomes[leader] - outcomes - (means[leader] - means)[:, None]
    error = blend.share(whole) * np.sqrt(differences**2 @ seen**2) / total
    stay: Flags = values[leader] - values < SURE * error
    stay[leader] = True
    return stay

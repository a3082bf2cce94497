"""Rollouts: play the hand to its end from each candidate move, in worlds that fit the view, by one policy for all seats.

Every candidate is tried in the same worlds, so that differences between candidates vary less than their values. In a race a
candidate that is clearly behind is tried in no further worlds, and the others share its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from dasan.bots.beliefs import Beliefs
from dasan.bots.simulator import ROOM, simulator_for
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dasan.bots.trained import Fitted


SURE = 2.5
"""A candidate leaves a race when its value is so many standard errors of their difference below the best one's."""
LEAST = 16
"""Deals before which no candidate leaves a race."""


@dataclass(frozen=True, eq=False)
class Tried:
    """The outcomes of candidates for the seat to act. values: float64 [moves, worlds], payments, or places from 1 (first) to -1.
    weights: float64 [worlds], the weight of each world.
    """

    moves: tuple[Move, ...]
    values: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]

    @property
    def means(self) -> npt.NDArray[np.float64]:
        """float64 [moves]: the weighted mean of each candidate."""
        found: npt.NDArray[np.float64] = self.values @ self.weights / self.weights.sum()
        return found


@dataclass(frozen=True, eq=False)
class Blend:
    """How the value of a candidate follows from its mean in rollouts. The mean is shrunk towards `first`, the first score of the
    candidate, which weighs as much as `trust` worlds. If there is `other`, an estimate of another kind, the value is the mean
    of both. first, other: float64 [moves].
    """

    first: npt.NDArray[np.float64]
    trust: float
    other: npt.NDArray[np.float64] | None = None

    def values(self, means: npt.NDArray[np.float64], worlds: float | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """float64 [moves]: the values, given means over so many worlds."""
        shrunk: npt.NDArray[np.float64] = (worlds * means + self.trust * self.first) / (worlds + self.trust)
        return shrunk if self.other is None else (shrunk + self.other) / 2

    def share(self, worlds: float) -> float:
        """How much a value grows when its mean grows by 1."""
        return worlds / (worlds + self.trust) / (1 if self.other is None else 2)

    def of(self, rows: npt.NDArray[np.int64]) -> Blend:
        """The blend of these candidates alone."""
        return Blend(self.first[rows], self.trust, None if self.other is None else self.other[rows])


@dataclass(frozen=True, eq=False)
class Raced:
    """The outcome of a race; all arrays have a number for each of `moves`.

    means: float64, the mean over the worlds in which the move was tried. weights: float64, the weight of these worlds. values:
    float64, see `Blend`. stayed: bool, whether the move was still in the race at the end.
    """

    moves: tuple[Move, ...]
    means: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    stayed: npt.NDArray[np.bool_]

    @property
    def best(self) -> Move:
        """Of the moves that stayed, the one with the highest value, the first of equal ones."""
        import numpy as np

        return self.moves[int(np.where(self.stayed, self.values, -np.inf).argmax())]


def by_rule(view: View, moves: Sequence[Move], beliefs: Beliefs) -> Tried:
    """Rollouts by `thrifty`. Bids and calls may be tried as well as plays."""
    import numpy as np

    from dasan.vector.earnings import earnings
    from dasan.worlds.positions import Positions

    worlds = len(beliefs.deals)
    positions = Positions(view.rules, worlds)
    positions.put_worlds(0, beliefs.state, beliefs.deals)
    out = np.zeros((len(moves), worlds))
    for i, move in enumerate(moves):
        done = positions.play_out(opening=positions.ids.of(move, view.called))
        out[i] = earnings(view.rules, done.payments[:, 0], done.places[:, 0])[:, view.seat]
    return Tried(tuple(moves), out, beliefs.weights)


def by_network(view: View, moves: Sequence[Move], beliefs: Beliefs, fitted: Fitted) -> Tried:
    """Rollouts by a network in all worlds."""
    import numpy as np

    worlds = len(beliefs.deals)
    each = max(1, min(worlds, ROOM // len(moves)))
    parts = [_played(view, moves, beliefs, fitted, at, min(at + each, worlds)) for at in range(0, worlds, each)]
    return Tried(tuple(moves), np.concatenate(parts, axis=1), beliefs.weights)


def race(
    view: View,
    moves: Sequence[Move],
    beliefs: Beliefs,
    fitted: Fitted,
    blend: Blend,
    *,
    seconds: float | None = None,
) -> Raced:
    """Rollouts by a network, until one candidate is left, all worlds are played, or `seconds` are over; at least one batch.

    A candidate leaves when it would still be clearly behind if its lead over the best one stayed the same in all worlds. Of
    candidates that came out equal in every world so far, the one with the highest value stays. The error of `blend.other` is not
    counted.
    """
    import numpy as np

    began, worlds = monotonic(), len(beliefs.deals)
    outcomes = np.zeros((len(moves), worlds))
    played = np.zeros(len(moves), np.int64)
    racing = np.arange(len(moves))
    at = batches = 0
    while at < worlds:
        last = min(at + max(1, ROOM // len(racing)), worlds)
        outcomes[racing, at:last] = _played(view, [moves[i] for i in racing.tolist()], beliefs, fitted, at, last)
        at, batches = last, batches + 1
        played[racing] = at
        if at >= LEAST:
            racing = racing[_stay(outcomes[racing, :at], beliefs.weights, blend.of(racing))]
        if len(racing) == 1 or (seconds is not None and (monotonic() - began) * (1 + 1 / batches) > seconds):
            break
    seen = np.where(np.arange(worlds) < played[:, None], beliefs.weights, 0.0)
    weights = seen.sum(axis=1)
    means = (outcomes * seen).sum(axis=1) / weights
    stayed = np.isin(np.arange(len(moves)), racing)
    return Raced(tuple(moves), means, weights, blend.values(means, weights), stayed)


def _played(
    view: View, moves: Sequence[Move], beliefs: Beliefs, fitted: Fitted, first: int, last: int
) -> npt.NDArray[np.float64]:
    """float64 [moves, worlds]: outcomes in the worlds from `first` up to `last`."""
    simulator = simulator_for(view.rules, fitted.trained.session)
    part = beliefs.part(first, last)
    simulator.positions.put_worlds(0, beliefs.state, part)
    return simulator.play(view, moves, len(part), fitted)


def _stay(outcomes: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], blend: Blend) -> npt.NDArray[np.bool_]:
    """bool [moves]: which candidates are not clearly behind. outcomes: float64 [moves, worlds so far]. weights: of all worlds.

    The difference of two candidates in a world is one sample.
    """
    import numpy as np

    seen, whole = weights[: outcomes.shape[1]], float(weights.sum())
    total = float(seen.sum())
    means = outcomes @ seen / total
    values = blend.values(means, whole)
    leader = int(values.argmax())
    differences = outcomes[leader] - outcomes - (means[leader] - means)[:, None]
    error = blend.share(whole) * np.sqrt(differences**2 @ seen**2) / total
    stay: npt.NDArray[np.bool_] = values[leader] - values < SURE * error
    stay[leader] = True
    return stay


def runs(rules: Rules, fitted: Fitted) -> bool:
    """Whether compiled code plays these rules, so that `by_network` can."""
    return simulator_for(rules, fitted.trained.session).env.backend != "engine"

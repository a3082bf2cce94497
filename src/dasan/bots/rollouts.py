"""Rollouts: play the hand to its end from each candidate move, in worlds that fit the view, by one policy for all seats.

Every candidate is tried in the same worlds, so that differences between candidates vary less than their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

from dasan.bots.likelihood import log_likelihoods
from dasan.bots.simulator import ROOM, simulator_for
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dasan.bots.trained import Fitted


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


def by_rule(view: View, moves: Sequence[Move], worlds: int, seed: int) -> Tried:
    """Rollouts by `thrifty`, in `worlds` worlds. Bids and calls may be tried as well as plays."""
    import numpy as np

    from dasan.vector.earnings import earnings
    from dasan.worlds.deals import deals
    from dasan.worlds.positions import Positions
    from dasan.worlds.states import Sampler

    (state,) = Sampler(view).states(1, seed)
    positions = Positions(view.rules, worlds)
    positions.put_worlds(0, state, deals(view, worlds, seed))
    out = np.zeros((len(moves), worlds))
    for i, move in enumerate(moves):
        done = positions.play_out(opening=positions.ids.of(move, view.called))
        out[i] = earnings(view.rules, done.payments[:, 0], done.places[:, 0])[:, view.seat]
    return Tried(tuple(moves), out, np.ones(worlds))


def by_network(
    view: View,
    moves: Sequence[Move],
    worlds: int,
    seed: int,
    fitted: Fitted,
    *,
    seconds: float | None = None,
    pool: int = 0,
) -> Tried:
    """Rollouts by a network, in `worlds` worlds, or in as many as `seconds` allow, but at least one.

    pool: sample this many worlds (at most `ROOM`) and choose among them by the likelihood of the others' plays (`likelihood`);
    0: all are equally likely.
    """
    import numpy as np

    from dasan.worlds.deals import deals
    from dasan.worlds.states import Sampler

    simulator = simulator_for(view.rules, fitted.trained.session)
    (state,) = Sampler(view).states(1, seed)
    began = monotonic()
    drawn, weights = deals(view, min(pool, ROOM) or worlds, seed), np.ones(worlds)
    if pool:
        counts = _drawn(log_likelihoods(view, state, drawn, fitted, simulator), len(drawn), worlds, seed)
        order = np.random.default_rng(seed).permutation(np.flatnonzero(counts))
        drawn, weights = replace(drawn, one=drawn.one[order], two=drawn.two[order]), counts[order].astype(np.float64)
    each = max(1, min(len(drawn), ROOM // len(moves)))
    parts: list[npt.NDArray[np.float64]] = []
    at = 0
    while at < len(drawn):
        part = slice(at, min(at + each, len(drawn)))
        simulator.positions.put_worlds(0, state, replace(drawn, one=drawn.one[part], two=drawn.two[part]))
        parts.append(simulator.play(view, moves, part.stop - at, fitted))
        at = part.stop
        if seconds is not None and (monotonic() - began) * (1 + 1 / len(parts)) > seconds:
            break
    return Tried(tuple(moves), np.concatenate(parts, axis=1), weights[:at])


def _drawn(likelihoods: npt.NDArray[np.float64] | None, pool: int, worlds: int, seed: int) -> npt.NDArray[np.int64]:
    """int64 [pool]: how often each world is drawn, in proportion to its likelihood (systematic sampling).

    If few worlds have nearly all the likelihood, it is flattened until the effective number of worlds is an eighth of the pool.
    """
    import numpy as np

    chances = np.full(pool, 1 / pool)
    if likelihoods is not None:
        sharpness = 1.0
        for _ in range(12):
            weights = np.exp(sharpness * (likelihoods - likelihoods.max()))
            chances = weights / weights.sum()
            if 1 / (chances**2).sum() >= pool / 8:
                break
            sharpness *= 0.7
    marks = (np.random.default_rng(seed).random() + np.arange(worlds)) / worlds
    places = np.minimum(np.searchsorted(np.cumsum(chances), marks), pool - 1)
    return np.bincount(places, minlength=pool)


def runs(rules: Rules, fitted: Fitted) -> bool:
    """Whether compiled code plays these rules, so that `by_network` can."""
    return simulator_for(rules, fitted.trained.session).env.backend != "engine"

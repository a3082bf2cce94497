"""Beliefs about hidden cards: worlds that fit a view, equally weighted or weighted by the likelihood of the others'
moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dasan.bots.sampling.likelihood import log_likelihoods
from dasan.bots.sampling.simulator import ROOM, simulator_for
from dasan.play.state import State
from dasan.play.view import View
from dasan.worlds.deals import Deals, deals
from dasan.worlds.kitties import with_kitty
from dasan.worlds.states import Sampler

if TYPE_CHECKING:
    from dasan.arrays import Doubles, Longs
    from dasan.networks.trained import Fitted

ONE_IN = 4
"""Likelihoods are flattened until the effective number of worlds is at least the pool divided by this."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Worlds that fit a view. state: one of them, as the engine's state. weights: float64 [worlds]."""

    state: State
    deals: Deals
    weights: Doubles

    def part(self, first: int, last: int) -> Deals:
        """The deals of worlds `first` to `last - 1`."""
        return replace(self.deals, one=self.deals.one[first:last], two=self.deals.two[first:last])


def evenly(view: View, worlds: int, seed: int) -> Beliefs:
    """Worlds that fit the view, all equally likely."""
    import numpy as np

    (state,) = Sampler(view).states(1, seed)
    return Beliefs(state, with_kitty(view, deals(view, worlds, seed), seed), np.ones(worlds))


def by_likelihood(view: View, worlds: int, seed: int, fitted: Fitted, pool: int) -> Beliefs:
    """At most `worlds` worlds, drawn from `pool` (at most `ROOM`) by the likelihood of the others' moves."""
    import numpy as np

    (state,) = Sampler(view).states(1, seed)
    simulator = simulator_for(view.rules, fitted.trained.session)
    drawn = with_kitty(view, deals(view, min(pool, ROOM), seed), seed)
    counts = _counts(log_likelihoods(view, state, drawn, fitted, simulator), len(drawn), worlds, seed)
    order = np.random.default_rng(seed).permutation(np.flatnonzero(counts))
    return Beliefs(state, replace(drawn, one=drawn.one[order], two=drawn.two[order]), counts[order].astype(np.float64))


def _counts(likelihoods: Doubles | None, pool: int, worlds: int, seed: int) -> Longs:
    """int64 [pool]: how often each world is drawn (systematic sampling)."""
    import numpy as np

    chances = np.full(pool, 1 / pool)
    if likelihoods is not None:
        sharpness = 1.0
        for _ in range(12):
            weights = np.exp(sharpness * (likelihoods - likelihoods.max()))
            chances = weights / weights.sum()
            if 1 / (chances**2).sum() >= pool / ONE_IN:
                break
            sharpness *= 0.7
    marks = (np.random.default_rng(seed).random() + np.arange(worlds)) / worlds
    places = np.minimum(np.searchsorted(np.cumsum(chances), marks), pool - 1)
    return np.bincount(places, minlength=pool)

"""Rollouts: play the hand to its end from each candidate move, in worlds that fit the view, with the same policy for
all seats.

All candidates are tried in the same worlds, so differences between candidates vary less than their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dasan.bots.sampling.beliefs import Beliefs
from dasan.bots.sampling.simulator import ROOM, simulator_for
from dasan.networks import trained
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.arrays import Doubles
    from dasan.networks.trained import Fitted


@dataclass(frozen=True, eq=False)
class Tried:
    """Outcomes of candidates for the seat to act. values: float64 [moves, worlds], payments, or places from 1 (first)
    to -1. weights: float64 [worlds], the weight of each world.
    """

    moves: tuple[Move, ...]
    values: Doubles
    weights: Doubles

    @property
    def means(self) -> Doubles:
        """float64 [moves]: the weighted mean of each candidate."""
        means: Doubles = self.values @ self.weights / self.weights.sum()
        return means


def by_rule(view: View, moves: Sequence[Move], beliefs: Beliefs) -> Tried:
    """Rollouts by `thrifty`, for bids and calls as well as plays."""
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
    parts = [played(view, moves, beliefs, fitted, at, min(at + each, worlds)) for at in range(0, worlds, each)]
    return Tried(tuple(moves), np.concatenate(parts, axis=1), beliefs.weights)


def played(view: View, moves: Sequence[Move], beliefs: Beliefs, fitted: Fitted, first: int, last: int) -> Doubles:
    """float64 [moves, worlds]: outcomes in the worlds from `first` up to `last`."""
    simulator = simulator_for(view.rules, fitted.trained.session)
    part = beliefs.part(first, last)
    simulator.positions.put_worlds(0, beliefs.state, part)
    return simulator.play(view, moves, len(part), fitted)


def network_for(rules: Rules) -> Fitted | None:
    """The network that plays rollouts; None if there is none for the rules, or no compiled code plays them."""
    network = trained.fitted(rules)
    return network if network is not None and runs(rules, network) else None


def runs(rules: Rules, fitted: Fitted) -> bool:
    """Whether compiled code plays these rules, as `by_network` requires."""
    return simulator_for(rules, fitted.trained.session).env.backend != "engine"

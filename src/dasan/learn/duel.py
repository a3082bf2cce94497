"""Play two networks against each other, many hands at a time: one in one seat, the other in the remaining seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from dasan import vector
from dasan.arguments import whole
from dasan.arrays import Flags, Floats, Ints, Longs
from dasan.estimates import Estimate
from dasan.networks.network import Network
from dasan.networks.scoring import Scorer
from dasan.ruleset.outcomes import earning_bounds
from dasan.ruleset.rules import Rules
from dasan.vector import VectorEnv
from dasan.vector.duel import mean_gains
from dasan.vector.duel import rotations as rotations_in

Choose = Callable[[VectorEnv, Longs, Flags], Ints]
"""Chooses the actions in some environments (int64 indices); a bool for each says whether the player of interest
acts."""


def rotations(
    rules: Rules,
    choose: Choose,
    deals: int,
    first: int,
    *,
    session: bool = False,
    hands: int = 1,
    batch: int = 512,
) -> Iterator[Floats]:
    """`dasan.vector.duel.rotations` in environments of `rules` with ragged moves."""

    def make(num_envs: int, seeds: Sequence[int]) -> VectorEnv:
        return vector.make(rules, num_envs, seed=seeds, session=session, moves="ragged")

    return rotations_in(
        make, lambda env, envs, mine, _: choose(env, envs, mine), rules.players, deals, first, hands=hands, batch=batch
    )


def duel(
    rules: Rules,
    one: Network,
    others: Network,
    deals: int,
    *,
    seed: int = 0,
    session: bool = False,
    hands: int = 1,
    batch: int = 512,
) -> Estimate:
    """The payment to `one` a hand, in every seat of each of `deals` deals, with `others` in the other seats.

    batch: parallel deals. The interval is over deals. session: the networks read observations for sessions. hands: each
    deal begins a session of so many hands, and the payment is their mean; all but the first begin with an exchange (W.20).

    ValueError: several hands without `session`.
    """
    if whole(hands, "hands", 1) > 1 and not session:
        raise ValueError("more than one hand needs session=True")
    scorer = Scorer()

    def choose(env: VectorEnv, envs: Longs, mine: Flags) -> Ints:
        out = np.empty(len(envs), np.int32)
        for network, whose in ((one, mine), (others, ~mine)):
            which = envs[whose]
            if len(which):
                scores = scorer(env, which, network.weights)
                out[whose] = env.legal[which, scores.best() - scores.begin[:-1]]
        return out

    means: list[float] = []
    for gains in rotations(rules, choose, deals, seed * 1_000_003, session=session, hands=hands, batch=batch):
        means += mean_gains(gains)
    return Estimate.of(means, earning_bounds(rules))

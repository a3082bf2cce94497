"""Networks against each other, many hands at a time: one of them in one seat, the other in all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from dasan import vector
from dasan.estimates import Estimate
from dasan.networks.network import Network
from dasan.networks.scoring import Scorer
from dasan.ruleset.outcomes import earning_bounds
from dasan.ruleset.rules import Rules
from dasan.vector import VectorEnv
from dasan.vector.earnings import earned

Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Choose = Callable[[VectorEnv, Longs, Flags], npt.NDArray[np.int16]]
"""The actions in some environments (int64, which), in each of which the player of interest acts, or another (bool)."""


def rotations(
    rules: Rules, choose: Choose, deals: int, first: int, *, session: bool = False, batch: int = 512
) -> Iterator[npt.NDArray[np.float32]]:
    """Play the deals from number `first` on, `batch` side by side, with the player of interest in every seat of each.

    Yields float32 [deals, seats, players]: what each player earns where the player of interest sits in that seat.
    """
    players = rules.players
    for at in range(0, deals, batch):
        count = min(batch, deals - at)
        seeds = [first + at + k for k in range(count) for _ in range(players)]
        env = vector.make(rules, count * players, seed=seeds, session=session, moves="ragged")
        mine = np.arange(count * players) % players
        running = np.ones(count * players, np.bool_)
        got = np.zeros((count * players, players), np.float32)
        while running.any():
            actions = env.legal[:, 0].astype(np.int32)
            envs = np.flatnonzero(running & (env.num_legal > 1))
            if len(envs):
                actions[envs] = choose(env, envs, env.to_act[envs] == mine[envs])
            env.step(actions)
            over = np.flatnonzero(env.done & running)
            if len(over):
                got[over] = earned(env)[over]
                running[over] = False
        yield got.reshape(count, players, players)


def duel(
    rules: Rules, one: Network, others: Network, deals: int, *, seed: int = 0, session: bool = False, batch: int = 512
) -> Estimate:
    """The payment of `one` a hand, in every seat of each of `deals` deals, with `others` in all other seats.

    batch: deals side by side. The interval is taken over deals. session: the networks read observations of hands in
    succession; the hands are first ones.
    """
    scorer = Scorer()

    def choose(env: VectorEnv, envs: Longs, mine: Flags) -> npt.NDArray[np.int16]:
        out = np.empty(len(envs), np.int16)
        for network, whose in ((one, mine), (others, ~mine)):
            which = envs[whose]
            if len(which):
                scores = scorer(env, which, network.weights)
                out[whose] = env.legal[which, scores.best() - scores.begin[:-1]]
        return out

    means: list[float] = []
    for gains in rotations(rules, choose, deals, seed * 1_000_003, session=session, batch=batch):
        means += gains.diagonal(axis1=1, axis2=2).mean(axis=1, dtype=np.float64).tolist()
    return Estimate.of(means, earning_bounds(rules))

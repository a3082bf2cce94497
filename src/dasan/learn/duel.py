"""Networks against each other, many hands at a time: one of them in one seat, the other in all others."""

from __future__ import annotations

import numpy as np

from dasan import vector
from dasan.arena.estimate import Estimate
from dasan.bots.network import Network
from dasan.bots.scoring import Scorer
from dasan.ruleset.rules import Rules
from dasan.vector.earnings import earned


def duel(
    rules: Rules, one: Network, others: Network, deals: int, *, seed: int = 0, session: bool = False, batch: int = 512
) -> Estimate:
    """The payment of `one` a hand, in every seat of each of `deals` deals, with `others` in all other seats.

    batch: deals side by side. The interval is taken over deals. session: the networks read observations of hands in
    succession; the hands are first ones.
    """
    means: list[float] = []
    players = rules.players
    scorer = Scorer()
    at = 0
    while at < deals:
        count = min(batch, deals - at)
        seeds = [seed * 1_000_003 + at + k for k in range(count) for _ in range(players)]
        env = vector.make(rules, count * players, seed=seeds, session=session, moves="ragged")
        mine = np.arange(count * players) % players
        open_ = np.ones(count * players, np.bool_)
        got = np.zeros(count * players, np.float32)
        while open_.any():
            actions = env.legal[:, 0].astype(np.int32)
            choosing = open_ & (env.num_legal > 1)
            for network, who in ((one, env.to_act == mine), (others, env.to_act != mine)):
                envs = np.flatnonzero(choosing & who)
                if len(envs):
                    scores = scorer(env, envs, network.weights)
                    actions[envs] = env.legal[envs, scores.best() - scores.begin[:-1]]
            env.step(actions)
            over = np.flatnonzero(env.done & open_)
            if len(over):
                got[over] = earned(env)[over, mine[over]]
                open_[over] = False
        means += got.reshape(count, players).mean(axis=1).tolist()
        at += count
    return Estimate.of(means)

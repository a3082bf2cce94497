"""Self-play: one network plays every seat, and its decisions become training data.

Decisions wait in a buffer until their hand ends. With a pool, other players have some of the seats; with branches,
environments share a deal up to one decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dasan import vector
from dasan.arrays import Flags, Floats, Ints, Longs
from dasan.learn.branches import NOTHING, Branches
from dasan.learn.config import Config
from dasan.learn.decisions import Decisions
from dasan.learn.in_torch import scorer
from dasan.learn.pool import Pool
from dasan.networks.derived import input_sizes
from dasan.networks.scoring import Scores
from dasan.vector import VectorEnv
from dasan.vector.earnings import earned

MOST_STEPS = 100_000
"""More steps than any hand takes: a bound for playing begun hands to their ends."""


@dataclass
class PlayCounts:
    """Counts of play. decisions: recorded moves with a choice; plies: all moves."""

    plies: int = 0
    decisions: int = 0
    hands: int = 0


class SelfPlay:
    """The environments of `config` and the decisions of their hands. sizes: the lengths of the network's input rows.

    ValueError: the pool names an unknown member. `MemberFailed`: the network of a member cannot play, see `Pool`.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        rules = config.rules()
        self._pool = Pool(config)
        self.branches = Branches(config.envs, config.branches, config.span, config.heat)
        self.env: VectorEnv = vector.make(rules, config.envs, seed=config.seed, session=config.session, moves="ragged")
        self.sizes = input_sizes(rules, config.reads)
        self.decisions = Decisions(config.envs, rules.players, *self.sizes, trace=config.trace)
        self.counts = PlayCounts()
        self.weights: Mapping[str, Floats] = {}
        """The weights that play, as in `Network`."""
        self.past: Mapping[str, Floats] = {}
        """The weights of the pool's member `past`."""
        self._scorer = scorer(config.device)

    def play(self, random: np.random.Generator, steps: int, after: Callable[[int], None] | None = None) -> None:
        """Play until every hand begun in the first `steps` steps is over, at least one in each environment.

        after: called with the number of each step, from 1.
        """
        open_ = np.ones(self.env.num_envs, np.bool_)
        for step in range(1, steps + MOST_STEPS):
            self.step(random, open_, closing=step > steps)
            if after is not None:
                after(step)
            if not open_.any():
                break

    def step(self, random: np.random.Generator, open_: Flags, closing: bool) -> None:
        """Make one move in every environment, recording the decisions of hands that count."""
        config, env, counts = self.config, self.env, self.counts
        actions = env.legal[:, 0].astype(np.int32)
        envs = np.flatnonzero((env.num_legal > 1) & open_ & self.branches.chooses)
        if config.share:
            foreign = self._pool.others(envs, env.to_act[envs])
            others, envs = envs[foreign], envs[~foreign]
            actions[others] = self._pool.choose(env, others, self.past, self._scorer)
        if len(envs):
            scores = self._scorer(env, envs, self.weights)
            best = scores.best()
            values = scores.rows[best]
            parting = self._part(scores, values, random, actions, open_) if config.branches > 1 else NOTHING
            explored = random.random(len(envs)) < config.explore
            explored[parting] = False
            lots = np.flatnonzero(explored)
            best[lots] = scores.begin[lots] + random.integers(0, env.num_legal[envs[lots]])
            which = np.delete(np.arange(len(envs)), parting)
            self._decide(scores, which, envs[which], best[which], values, explored[which], actions)
        self.branches.follow(actions)
        mine = open_ & self.branches.chooses
        env.step(actions)
        over = np.flatnonzero(env.done & mine)
        if len(over):
            self.decisions.finish(over, earned(env) / np.float32(config.unit))
        counts.plies += int(mine.sum())
        counts.hands += len(over)
        if closing:
            open_ &= ~env.done

    def _decide(
        self,
        scores: Scores,
        which: Longs,
        envs: Longs,
        rows: Longs,
        values: Floats,
        explored: Flags,
        actions: Ints,
        groups: Ints | None = None,
    ) -> None:
        """Record the decisions `scores.envs[which]` for the environments `envs`, and write them into `actions`."""
        env, seen = self.env, scores.envs[which]
        actions[envs] = env.legal[seen, rows - scores.begin[which]]
        self.decisions.add(envs, env.to_act[seen], *scores.read(which, rows), values[which], explored, groups)
        self.counts.decisions += len(envs)

    def _part(
        self,
        scores: Scores,
        values: Floats,
        random: np.random.Generator,
        actions: Ints,
        open_: Flags,
    ) -> Longs:
        """Make the moves of environments that part now; close those without a move. Returns the indices of these
        decisions in `scores`.
        """
        which, envs, rows = self.branches.part(scores, self.env.num_legal, random)
        group = self.branches.group
        self._decide(scores, which, envs, rows, values, rows != scores.best()[which], actions, group[envs])
        used = np.zeros(len(open_), np.bool_)
        used[envs] = True
        open_ &= used | ~np.isin(group, group[envs])
        return np.unique(which)

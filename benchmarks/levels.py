"""Find the sights of levels 1 to 7 so that each graded player is about 75 rating points weaker than the next.

    python benchmarks/levels.py big-three --write

First `strong` (level 8) meets `net` in a contest. Level 7 is `net` with the sight that makes up the rest of the
distance, level 6 is one distance below it, and so on. Each sight is found by bisection: in paired hands one player of
the better sight sits among players of the worse one. Unlike level 7, nobody looks for moves that surely win. Deals are
numbered from 80000, so that they differ from those of the strength page. --ahead gives the lead of `strong` in points
and skips the contest. --write writes the sights into the model card.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dasan.arena.contest import Contest, run
from dasan.arena.ratings import difference, leads
from dasan.arrays import Doubles, Flags, Ints, Longs
from dasan.features import move_layout
from dasan.kernels.network import layers
from dasan.learn.duel import rotations
from dasan.networks.network import Network
from dasan.networks.scoring import Scorer
from dasan.networks.trained import WEIGHTS, Trained, catalogue, load
from dasan.vector import VectorEnv

SEED = 80_000
ALL, LEAST = 1.0, 0.02
MISSED = 15.0
"""The largest accepted error of a sight, in rating points."""


class Sights:
    """Players of a network who overlook plays, see `dasan.bots.overlooking`, many at once.

    Every environment has its own random numbers, so that two sights are compared with common random numbers: a deal in
    which both see the same plays has the same result.
    """

    def __init__(self, trained: Trained, network: Network, seed: int) -> None:
        self._network, self._scorer = network, Scorer()
        self._seed, self._batches = seed, 0
        self._env: VectorEnv | None = None
        self._random: list[np.random.Generator] = []
        at = {one.name: one.start for one in move_layout(trained.rules, trained.session)}
        self._size, self._out = at["size"], at["out"]

    def choose(self, env: VectorEnv, envs: Longs, sights: Doubles) -> Ints:
        """The action of each of `envs`, chosen by a player with the sight in `sights`."""
        if env is not self._env:
            self._env, self._batches = env, self._batches + 1
            self._random = [np.random.default_rng((self._seed, self._batches, i)) for i in range(env.num_envs)]
        scores = self._scorer(env, envs, self._network.weights)
        many = np.diff(scores.begin)
        assert env.moves is not None
        assert env.move_starts is not None
        rows = np.arange(scores.begin[-1]) + np.repeat(env.move_starts[envs] - scores.begin[:-1], many)
        size, out = env.moves[rows, self._size], env.moves[rows, self._out]
        drawn = [self._random[i].random(n) for i, n in zip(envs.tolist(), many.tolist(), strict=True)]
        margin = np.repeat(sights, many) ** size - np.concatenate(drawn)
        key = np.where(margin > 0, scores.rows, -1e6 + margin) + np.where(out > 0, 1e7, 0.0)
        best = np.empty(len(envs), np.int64)
        layers.best(key, scores.begin, best)
        actions: Ints = env.legal[envs, best - scores.begin[:-1]]
        return actions


def points(trained: Trained, network: Network, one: float, others: float, deals: int) -> float:
    """The lead, in rating points, of a player of sight `one` over players of sight `others`, in every seat of each
    deal.
    """
    sights = Sights(trained, network, SEED)

    def choose(env: VectorEnv, envs: Longs, mine: Flags) -> Ints:
        return sights.choose(env, envs, np.where(mine, one, others))

    above = below = 0
    for gains in rotations(trained.rules, choose, deals, SEED, session=trained.session):
        own = gains.diagonal(axis1=1, axis2=2)[:, :, None]
        above += int((gains < own).sum())
        below += int((gains > own).sum())
    return difference(above, below)


def weaker(trained: Trained, network: Network, sight: float, distance: float, deals: int) -> tuple[float, float]:
    """(sight of a player `distance` points weaker than a player of `sight`, measured distance)."""
    low, high = LEAST, sight
    for _ in range(8):
        middle = (low + high) / 2
        if points(trained, network, sight, middle, deals) > distance:
            low = middle
        else:
            high = middle
    halfway = round((low + high) / 2, 3)
    return halfway, points(trained, network, sight, halfway, deals)


def ahead_of_net(trained: Trained, deals: int) -> float:
    """The lead of `strong` over `net` with this network, in rating points."""
    return difference(*leads(run(Contest(trained.rules, "strong", f"net:{trained.name}", deals, SEED))))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=[one.name for one in catalogue()], help="the name of a network")
    parser.add_argument("--ahead", type=float, help="rating points that strong is ahead of net")
    parser.add_argument("--strong-deals", type=int, default=100, help="deals of the contest of strong (default: 100)")
    parser.add_argument("--distance", type=float, default=75.0, help="rating points between neighbours (default: 75)")
    parser.add_argument("--deals", type=int, default=2_000, help="deals of other contests (default: 2000)")
    parser.add_argument("--write", action="store_true", help="put the sights into the model card")
    chosen = parser.parse_args(arguments)
    trained = next(one for one in catalogue() if one.name == chosen.network)
    network = load(trained)
    ahead = ahead_of_net(trained, chosen.strong_deals) if chosen.ahead is None else chosen.ahead
    print(f"strong is {ahead:+.0f} points ahead of net", flush=True)
    sights: dict[str, float] = {}
    sight, distance = ALL, chosen.distance - ahead
    for level in range(7, 0, -1):
        if distance > 0:
            sight, gap = weaker(trained, network, sight, distance, chosen.deals)
            print(f"level-{level}: {sight}, {gap:.0f} points", flush=True)
            if abs(gap - distance) > MISSED:
                raise SystemExit(f"that is not {distance:.0f} points: take more --deals")
        sights[f"level-{level}"] = sight
        distance = chosen.distance
    if chosen.write:
        file = Path(str(WEIGHTS)) / f"{trained.name}.json"
        card = {**trained.card, "sight": dict(sorted(sights.items()))}
        file.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

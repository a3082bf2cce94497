"""The work that is measured, through public names alone: the interpreted engine and the batched environments.

Run as a program it measures the `dasan` that its Python imports, which may be of another revision: see `against`.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import dasan

NUM_ENVS = 4096
STEPS = 50
"""Steps of all environments that are counted together."""

Work = Callable[[], tuple[int, int]]
"""Plays some hands; returns how many plies and how many hands that ended."""


def engine(rules: dasan.Rules, threads: int) -> Work:
    """Whole hands by random moves, with the interpreted engine."""
    source = random.Random(1)

    def work() -> tuple[int, int]:
        state = dasan.deal(rules, seed=source.getrandbits(32), dealer=0)
        plies = 0
        while moves := state.legal_moves():
            state = state.play(moves[int(source.random() * len(moves))])
            plies += 1
        return plies, 1

    return work


def batch(**outputs: Any) -> Callable[[dasan.Rules, int], Work]:
    """Batched environments with these outputs, see `dasan.vector.make`."""

    def works(rules: dasan.Rules, threads: int) -> Work:
        import numpy as np

        env = dasan.vector.make(rules, NUM_ENVS * threads, seed=1, threads=threads, **outputs)
        for _ in range(2 * STEPS):
            env.step(env.sample())

        def work() -> tuple[int, int]:
            games = 0
            for _ in range(STEPS):
                env.step(env.sample())
                games += int(np.count_nonzero(env.done))
            return STEPS * env.num_envs, games

        return work

    return works


WORKS: dict[str, Callable[[dasan.Rules, int], Work]] = {
    "engine": engine,
    "batch-mask": batch(observations=False),
    "batch-obs": batch(observations=True),
    "batch-moves": batch(observations=True, moves="ragged"),
    "batch-packed-mask": batch(observations=False, mask="packed", legal=False),
    "batch-packed-obs": batch(observations="packed", mask="packed", legal=False),
}


def main() -> None:
    """Read lines `path seconds preset [option=value …]`: prepare the work, then for every further empty line measure one run
    of it and print its plies a second.
    """
    path, seconds, preset, *given = sys.stdin.readline().split()
    options = {name: int(value) for name, _, value in (text.partition("=") for text in given)}
    work = WORKS[path](dasan.rules(preset, **options), 1)
    work()
    print("ready", flush=True)
    for _ in sys.stdin:
        plies, start = 0, time.process_time()
        while (spent := time.process_time() - start) < float(seconds) or plies == 0:
            plies += work()[0]
        print(plies / spent, flush=True)


if __name__ == "__main__":
    main()

"""Actors play rounds of hands with given weights: in this process, in other processes, or on a cluster.

An actor's hands depend only on its order, so that an order lost with its machine can be repeated elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from time import process_time

import numpy as np

from dasan.arrays import Floats
from dasan.cluster import connected, over_cluster
from dasan.learn.config import Config
from dasan.learn.decisions import Samples
from dasan.learn.selfplay import PlayCounts, SelfPlay
from dasan.processes import worker_processes

MOST_GAMES = 16
"""The number of games whose environments a process caches; the least recently used are dropped first."""


@dataclass(frozen=True, eq=False)
class ActorOrder:
    """The work of one actor in one round. config: of its game alone. number: epoch, round and actor. weights, past: as in
    `SelfPlay`.
    """

    config: Config
    number: tuple[int, int, int]
    weights: Mapping[str, Floats]
    past: Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class ActorResult:
    """The decisions from one order. seconds: processor time of the actor's process."""

    samples: Samples
    counts: PlayCounts
    seconds: float


Actors = Callable[[Sequence[ActorOrder]], Callable[[], list[ActorResult]]]
"""Starts to play orders; returns a function that waits for the results and returns them in order."""


def play(order: ActorOrder) -> ActorResult:
    """Play an order: new hands in all environments for `steps` steps, then on to their ends; with branches, one deal
    each.
    """
    begun, config = process_time(), order.config
    hands = _hands(json.dumps(config.to_json()))
    random = np.random.default_rng([config.seed, *order.number])
    hands.counts = PlayCounts()
    hands.decisions.clear()
    hands.weights, hands.past = order.weights, order.past
    hands.env.reset(hands.branches.begin(random))
    hands.play(random, 0 if config.branches > 1 else config.steps)
    return ActorResult(hands.decisions.take(config.keep, random), hands.counts, process_time() - begun)


@lru_cache(maxsize=MOST_GAMES)
def _hands(config: str) -> SelfPlay:
    return SelfPlay(Config.from_json(json.loads(config)))


def here(orders: Sequence[ActorOrder]) -> Callable[[], list[ActorResult]]:
    """Actors in this process; each plays when its result is requested."""
    return lambda: [replace(play(order), seconds=0.0) for order in orders]


@contextmanager
def spread(processes: int, ray: str | None = None, device: str = "") -> Iterator[Actors]:
    """Actors in `processes` processes of this machine or on the Ray cluster `ray`, each using one processor, and on this
    machine the GPU `device`.

    Waiting for results raises the errors of `over_cluster`, or BrokenProcessPool if a process died.
    """
    if ray is None:
        with worker_processes(processes, copies=not device.startswith("cuda")) as pool:

            def begin(orders: Sequence[ActorOrder]) -> Callable[[], list[ActorResult]]:
                waiting = [pool.submit(play, order) for order in orders]
                return lambda: [one.result() for one in waiting]

            yield begin
        return
    address = ray

    def over(orders: Sequence[ActorOrder]) -> list[ActorResult]:
        parts = dict(over_cluster(play, orders, address))
        return [parts[place] for place in range(len(orders))]

    with connected(address), ThreadPoolExecutor(1) as thread:
        yield lambda orders: thread.submit(over, orders).result

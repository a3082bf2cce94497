"""Compare a game on our paths and interfaces with other simulators of Dou Dizhu: one process, one core, alternating
runs.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dasan
from dasan.bench.against import LEAST_PAIRS, interval
from dasan.bench.ours import rules_of
from dasan.bench.peers import PEERS, REFERENCE, Side, openspiel_hands, rlcard_hands
from dasan.bench.timing import device
from dasan.bench.works import WORKS, Work, batch_size, rates
from dasan.games import changed_options


@dataclass(frozen=True, slots=True)
class PeerComparison:
    """One row of the results. peer: whether it is another simulator, with its own Dou Dizhu. includes: what a ply
    includes. plies_per_s, hands_per_s: medians over the rounds, by process time. ratio: the median of plies a second
    relative to `REFERENCE` in the same round, None if it is not installed; low, high: its 95 % interval, None also in fewer than
    `LEAST_PAIRS` rounds.
    """

    preset: str
    path: str
    peer: bool
    includes: str
    plies_per_s: float
    hands_per_s: float
    ratio: float | None
    low: float | None
    high: float | None
    rounds: int
    device: str


def _gymnasium(rules: dasan.Rules) -> Work:
    """`make_vec` in self-play, with in-place observations and masks; the environments sample actions."""
    env = dasan.envs.gymnasium.make_vec(rules, batch_size(rules))
    env.reset(seed=1)

    def work() -> tuple[int, int]:
        ended = 0
        for _ in range(20):
            ended += int(env.step(env.env.sample())[2].sum())
        return 20 * env.num_envs, ended

    return work


def _pettingzoo(rules: dasan.Rules) -> Work:
    """`last`, a legal action from the mask, `step`."""
    import numpy as np

    env = dasan.envs.pettingzoo.env(rules)
    env.reset(seed=1)
    source = random.Random(1)

    def work() -> tuple[int, int]:
        plies = 0
        env.reset()
        for _ in env.agent_iter():
            seen, _, over, _, _ = env.last()
            if over:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(legal[int(source.random() * len(legal))])
            plies += 1
        return plies, 1

    return work


def _openspiel(rules: dasan.Rules) -> Work:
    """`legal_actions` and `apply_action` of our Python game."""
    import pyspiel

    dasan.envs.openspiel.register()
    return openspiel_hands(pyspiel.load_game(dasan.envs.openspiel.name_of(rules.name), changed_options(rules)))


def _rlcard_manner(rules: dasan.Rules) -> Work:
    """Our RLCard-style wrapper: `step` and the state of the next player."""
    return rlcard_hands(dasan.envs.rlcard.make(rules, seed=1))


def _path(name: str, includes: str) -> Side:
    return Side(includes, "", "", lambda rules: WORKS[name](rules, 1))


_ENVS = "pip install 'dasan[envs]'"
OURS: dict[str, Side] = {
    "whole-hands": _path("whole-hands", "results alone"),
    "batch-mask": _path("batch-mask", "masks and lists of legal actions"),
    "batch-packed-mask": _path("batch-packed-mask", "packed masks"),
    "batch-packed-obs": _path("batch-packed-obs", "packed masks and observations"),
    "gymnasium": Side("masks and observations, in batches", "gymnasium", _ENVS, _gymnasium),
    "pettingzoo": Side("masks and observations", "pettingzoo", _ENVS, _pettingzoo),
    "openspiel-game": Side("legal actions", "pyspiel", "pip install 'dasan[bench]'", _openspiel),
    "rlcard-manner": Side("observations and legal actions", "", "", _rlcard_manner),
    "engine": _path("engine", "legal moves"),
}
"""`dasan.vector.playouts`; batched environments; our environments for Gymnasium, PettingZoo and OpenSpiel, and the
RLCard-style one; the interpreted engine."""


def not_installed() -> dict[str, str]:
    """The installation command for each row that is skipped because its package is missing."""
    return {name: side.install for name, side in {**OURS, **PEERS}.items() if side.missing}


def measure_with_peers(variant: str, paths: Sequence[str], *, seconds: float, rounds: int) -> list[PeerComparison]:
    """A row for each of our `paths` and each peer whose package is installed.

    seconds: the minimum length of a run. rounds: the number of runs of each, in turn.
    """
    rules = rules_of(variant)
    sides = {name: OURS[name] for name in paths} | PEERS
    works: dict[str, Work] = {}
    for name, side in sides.items():
        if not side.missing:
            works[name] = side.work(rules) if name in OURS else side.work()
            works[name]()
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for number in range(rounds):
        # The order alternates, so that drift of the machine's speed favours nobody.
        for name in list(works)[:: 1 if number % 2 == 0 else -1]:
            runs[name].append(rates(works[name], seconds, time.process_time))
    return [_row(variant, name, sides[name], runs) for name in works]


def _row(variant: str, name: str, side: Side, runs: dict[str, list[tuple[float, float]]]) -> PeerComparison:
    ratio: tuple[Any, Any, Any] = (None, None, None)
    if REFERENCE in runs:
        ratios = sorted(ours[0] / theirs[0] for ours, theirs in zip(runs[name], runs[REFERENCE], strict=True))
        ends = interval(ratios) if len(ratios) >= LEAST_PAIRS else (None, None)
        ratio = (statistics.median(ratios), *ends)
    plies, hands = map(statistics.median, zip(*runs[name], strict=True))
    preset = variant if name in OURS else "dou-dizhu"
    return PeerComparison(preset, name, name not in OURS, side.includes, plies, hands, *ratio, len(runs[name]), device())

"""Our environments beside their peers: plies a second of uniformly random play on one core, all in one run.

python benchmarks/interfaces.py [--game big-three] [--seconds 1] [--repeats 3] [--json]

A ply is one decision of a player. Each row observes what its interface gives an agent to act by: where a row's note says so,
observations are read too. Needs the extras envs and bench.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import dasan
from dasan.bench.ours import measure_ours
from dasan.bench.peers import measure_peers, openspiel_hands
from dasan.bench.timing import measure

Work = Callable[[], tuple[int, int]]
"""Plays some hands; returns how many plies and how many hands that ended."""

NUM_ENVS = 1024


@dataclass(frozen=True)
class Row:
    """One row of the results. what: the interface; note: what a ply includes."""

    what: str
    note: str
    plies_per_s: float


def _gymnasium_batch(game: str) -> Work:
    """`make_vec`, self-play, observations and masks in place, actions drawn by the environments."""
    env = dasan.envs.gymnasium.make_vec(game, NUM_ENVS)
    env.reset(seed=1)

    def work() -> tuple[int, int]:
        ended = 0
        for _ in range(20):
            ended += int(env.step(env.env.sample())[2].sum())
        return 20 * NUM_ENVS, ended

    return work


def _pettingzoo(game: str) -> Work:
    """`last`, a legal action from the mask, `step`."""
    env = dasan.envs.pettingzoo.env(game)
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


def _openspiel(game: str) -> Work:
    """`legal_actions` and `apply_action` of our Python game."""
    import pyspiel

    dasan.envs.openspiel.register()
    return openspiel_hands(pyspiel.load_game(dasan.envs.openspiel.name_of(game)))


def _rlcard_manner(game: str) -> Work:
    """Our wrapper in RLCard's manner: `step` and the state of the next player."""
    return _stepped(dasan.envs.rlcard.make(game, seed=1))


def _rlcard_step(game: str) -> Work:
    """RLCard's own doudizhu: `step` and the state of the next player."""
    import rlcard

    return _stepped(rlcard.make("doudizhu", config={"seed": 1}))


def _stepped(env: Any) -> Work:
    source = random.Random(1)

    def work() -> tuple[int, int]:
        state, _ = env.reset()
        plies = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(source.random() * len(legal))])
            plies += 1
        return plies, 1

    return work


ADAPTERS: dict[str, tuple[str, Callable[[str], Work]]] = {
    "gymnasium-batch": ("observations and masks", _gymnasium_batch),
    "pettingzoo": ("observations and masks", _pettingzoo),
    "openspiel-game": ("legal actions", _openspiel),
    "rlcard-manner": ("observations and legal actions", _rlcard_manner),
    "rlcard-step": ("RLCard's doudizhu: observations and legal actions", _rlcard_step),
}
PATHS = {
    "whole-hands": "their results",
    "batch-mask": "masks",
    "batch-obs": "observations and masks",
    "engine": "legal moves",
}
PEERS = {
    "openspiel-cpp": "OpenSpiel's dou_dizhu by evaluate_bots",
    "openspiel-python": "OpenSpiel's C++ dou_dizhu from Python: legal actions",
    "rlcard": "RLCard's doudizhu by Env.run",
}


def measured(game: str, *, seconds: float, repeats: int) -> list[Row]:
    """Every line, one after the other."""
    ours = measure_ours([game], list(PATHS), seconds=seconds, repeats=repeats, every_core=False)
    lines = [Row(row.path, PATHS[row.path], row.plies_per_s) for row in ours]
    for what, (note, work) in ADAPTERS.items():
        row = measure(game, what, work(game), seconds=seconds, repeats=repeats)
        lines.append(Row(what, note, row.plies_per_s))
    for row in measure_peers(seconds=seconds, repeats=repeats):
        lines.append(Row(row.peer or "", PEERS[row.peer or ""], row.plies_per_s))
    return lines


def ratios(lines: list[Row]) -> dict[str, float]:
    """What the figures are for."""
    rate = {line.what: line.plies_per_s for line in lines}
    return {
        "whole hands over OpenSpiel's C++": rate["whole-hands"] / rate["openspiel-cpp"],
        "batch with masks over OpenSpiel's C++": rate["batch-mask"] / rate["openspiel-cpp"],
        "batch with observations over OpenSpiel's C++": rate["batch-obs"] / rate["openspiel-cpp"],
        "PettingZoo over RLCard's env.step": rate["pettingzoo"] / rate["rlcard-step"],
        "our OpenSpiel game over OpenSpiel's C++ from Python": rate["openspiel-game"] / rate["openspiel-python"],
    }


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--game", default="big-three")
    words.add_argument("--seconds", type=float, default=1.0)
    words.add_argument("--repeats", type=int, default=3)
    words.add_argument("--json", action="store_true")
    chosen = words.parse_args()
    lines = measured(chosen.game, seconds=chosen.seconds, repeats=chosen.repeats)
    found = ratios(lines)
    if chosen.json:
        print(json.dumps({"game": chosen.game, "lines": [line.__dict__ for line in lines], "ratios": found}))
        return
    print("| interface | a ply includes | plies a second |\n|---|---|---|")
    for line in sorted(lines, key=lambda line: -line.plies_per_s):
        print(f"| `{line.what}` | {line.note} | {line.plies_per_s:,.0f} |")
    print()
    for name, ratio in found.items():
        print(f"{name}: {ratio:.2f}")


if __name__ == "__main__":
    main()

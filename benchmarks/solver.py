"""How fast the solver of Big Three is: who wins with open hands, on seeded positions of a given number of cards.

    python benchmarks/solver.py --cards 20 30 --count 200 --seconds 5 --json

A position is a random deal played at random (any bidder, any opener) until at most so many cards are left
and a trick has just been cleared; 52 is a whole deal on the first lead. Times are process time of the search, without
the translation of states; a position counts as unsolved after `--seconds`.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import dasan
from dasan.solver.budget import Budget
from dasan.solver.open_hands import OpenHands, position

SIZES = (20, 25, 30, 36, 42, 52)
RULES = dasan.rules("big-three")


def at_random(cards: int, source: random.Random) -> dasan.State:
    """A position of at most `cards` cards with a player on lead."""
    while True:
        pack = list(RULES.pack)
        source.shuffle(pack)
        hands = [pack[0:16], pack[16:32], pack[32:48]]
        state = dasan.start(RULES, hands, kitty=pack[48:], bidder=source.randrange(3), bid=1, leader=source.randrange(3))
        while state.phase is dasan.Phase.PLAY:
            if state.table is None and sum(state.hand_sizes) <= cards:
                return state
            state = state.play(source.choice(state.legal_moves()))


def interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, share = 1.959964, hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def measure(cards: int, count: int, seconds: float, seed: int, memory_mb: float) -> dict[str, Any]:
    """Times, nodes and what was not solved, over `count` positions."""
    source = random.Random(seed * 1000 + cards)
    times: list[float] = []
    nodes: list[int] = []
    unsolved = won = 0
    for _ in range(count):
        state = at_random(cards, source)
        at = position(state)
        budget = Budget(seconds, None)
        start = time.process_time()
        value = OpenHands(state, memory_mb, budget).settle(at)
        times.append(1000 * (time.process_time() - start))
        nodes.append(budget.used)
        unsolved += value is None
        won += value is True
    return {
        "cards": cards,
        "positions": count,
        "seconds": seconds,
        "ms": {
            name: float(np.percentile(times, q)) for name, q in (("median", 50), ("p90", 90), ("p99", 99), ("max", 100))
        },
        "nodes": {"median": float(np.median(nodes)), "mean": float(np.mean(nodes))},
        "unsolved": unsolved / count,
        "unsolved_95": interval(unsolved, count),
        "bidder_wins": won,
        "nodes_per_second": 1000 * sum(nodes) / sum(times),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, nargs="+", default=SIZES)
    parser.add_argument("--count", type=int, default=100, help="positions a size (default: 100)")
    parser.add_argument("--seconds", type=float, default=5.0, help="limit a position, on the clock (default: 5)")
    parser.add_argument("--memory", type=float, default=512, help="megabytes a table (default: 512)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args(arguments)
    warm = at_random(12, random.Random(0))
    dasan.solve(warm)
    out = []
    for cards in chosen.cards:
        row = measure(cards, chosen.count, chosen.seconds, chosen.seed, chosen.memory)
        out.append(row)
        if not chosen.json:
            ms, (low, high) = row["ms"], row["unsolved_95"]
            print(
                f"{cards} cards: median {ms['median']:.2f} ms, p90 {ms['p90']:.1f}, p99 {ms['p99']:.0f}, "
                f"max {ms['max']:.0f}; unsolved {row['unsolved']:.1%} ({low:.1%} to {high:.1%}); "
                f"median {row['nodes']['median']:.0f} nodes, {row['nodes_per_second'] / 1e6:.2f} M nodes/s",
                flush=True,
            )
    if chosen.json:
        print(json.dumps({"python": platform.python_version(), "dasan": dasan.__version__, "solver": out}))


if __name__ == "__main__":
    main()

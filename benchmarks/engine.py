"""Plies a second of `legal_moves()` and `play()` on one core, with a random policy, for every preset.

    python benchmarks/engine.py --seconds 2 --json

Process time, dealing included. A first hand, which compiles the catalogue, is played before the clock starts. Each
figure is the median of `--repeats` runs.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Sequence

import dasan
from dasan.bench.works import engine, rates

RULES = {
    "big-three": dasan.rules("big-three"),
    "big-three-denexa": dasan.rules("big-three-denexa"),
    "big-three-fr": dasan.rules("big-three-fr"),
    "big-three-4p": dasan.rules("big-three-4p"),
    "big-two": dasan.rules("big-two"),
    "winner": dasan.rules("winner"),
    "winner, 3 players": dasan.rules("winner", players=3),
    "winner, 6 players, 2 decks, jokers": dasan.rules("winner", players=6, decks=2, jokers=True),
    "winner, 8 players, 2 decks, jokers": dasan.rules("winner", players=8, decks=2, jokers=True),
    "winner-bomb": dasan.rules("winner-bomb"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="process time of one run (default: 2)")
    parser.add_argument(
        "--repeats", type=int, default=5, help="runs of each preset, of which the median is reported (default: 5)"
    )
    parser.add_argument("--only", default="", help="measure only rules whose name contains this")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args(arguments)
    out: dict[str, dict[str, float]] = {}
    for name, rules in RULES.items():
        if chosen.only not in name:
            continue
        work = engine(rules, 1)
        work()
        runs = [rates(work, chosen.seconds, time.process_time)[0] for _ in range(chosen.repeats)]
        out[name] = {"median": statistics.median(runs), "lowest": min(runs), "highest": max(runs)}
        if not chosen.json:
            low, high = out[name]["lowest"], out[name]["highest"]
            print(f"{name:36}{out[name]['median']:>10,.0f} plies/s   ({low:,.0f} to {high:,.0f})", flush=True)
    if chosen.json:
        print(json.dumps({"python": platform.python_version(), "dasan": dasan.__version__, "plies_per_second": out}))


if __name__ == "__main__":
    main()

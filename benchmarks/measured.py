"""Measure the bots that servers seat, on the ladder of `dasan evaluate`: their points place them on leaderboards.

    python benchmarks/measured.py > src/dasan/arena/measured.json

A rung keeps its points. Others play the ladder's deals; level 8, which takes half a second for a move, fewer of them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from dasan.arena.ladder import evaluate, ladders

BOTS = (*(f"level-{n}" for n in range(1, 9)), "greedy", "net")
SLOW = {"level-8"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, help="against each rung (default: the ladder's)")
    parser.add_argument("--slow-deals", type=int, default=4, help="of level 8 (default: 4)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    wanted = parser.parse_args()
    games = {}
    for game, ladder in ladders().items():
        fixed = {rung.name: {"points": rung.points, "deals": None} for rung in ladder.rungs}
        games[game] = {}
        for name in BOTS:
            if name in fixed:
                games[game][name] = fixed[name]
                continue
            deals = wanted.slow_deals if name in SLOW else wanted.deals
            rated = evaluate(name, ladder, deals=deals, processes=wanted.processes)
            row = {"points": round(rated.points), "low": round(rated.low), "high": round(rated.high)}
            games[game][name] = {**row, "deals": deals or ladder.deals}
            print(game, name, games[game][name], file=sys.stderr, flush=True)
    number = next(iter(ladders().values())).number
    print(json.dumps({"ladder": number, "games": games}, indent=1))


if __name__ == "__main__":
    main()

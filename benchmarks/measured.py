"""Measure the bots that servers seat, on the ladder of `dasan evaluate`: a server rates and places them by these points.

    python benchmarks/measured.py > src/dasan/arena/measured.json

Rungs of the ladder keep their points. Level 8 takes half a second for a move, so it gets those of level 7 and what the strength
page says beyond.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from dasan.arena.ladder import evaluate, ladders

BOTS = (*(f"level-{n}" for n in range(1, 8)), "greedy", "net")
AHEAD = {"big-three": 100, "big-three-4p": 81, "big-two": 64, "winner": 91}
"""Points by which level 8 is ahead of level 7 (docs/guide/strength.md)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, help="against each rung (default: the ladder's)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    wanted = parser.parse_args()
    games: dict[str, dict[str, dict[str, Any]]] = {}
    for game, ladder in ladders().items():
        rungs = {rung.name: rung.points for rung in ladder.rungs}
        measured = games[game] = {}
        for name in BOTS:
            if name in rungs:
                measured[name] = {"points": rungs[name]}
                continue
            rated = evaluate(name, ladder, deals=wanted.deals, processes=wanted.processes)
            row = {"points": round(rated.points), "low": round(rated.low), "high": round(rated.high)}
            measured[name] = {**row, "deals": wanted.deals or ladder.deals}
            print(game, name, measured[name], file=sys.stderr, flush=True)
        measured["level-8"] = {"points": measured["level-7"]["points"] + AHEAD[game], "ahead_of": "level-7"}
    number = next(iter(ladders().values())).number
    print(json.dumps({"ladder": number, "games": games}, indent=1))


if __name__ == "__main__":
    main()

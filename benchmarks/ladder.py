"""Measure the ladder of `dasan evaluate`: the rungs meet in pairs, and rating points are fitted to the results.

python benchmarks/ladder.py [--deals 40]       a new ladder, with the next number
python benchmarks/ladder.py --add GAME …       more games for the current ladder, whose rungs stay as they are

Writes src/dasan/arena/ladder.json.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import dasan
from dasan.arena import ladder
from dasan.arena.contest import Contest, run
from dasan.arena.outcome import Outcome
from dasan.arena.ratings import ratings
from dasan.networks.trained import fitted

FILE = Path(ladder.__file__).with_suffix(".json")
RUNGS = ("random", "level-1", "level-4", "greedy", "net")
ANCHOR = "greedy"
DEALS = 100
SEED = 500_000
FITTED_FROM = 600_000
"""The number of the first deal for fitting points; evaluations use other deals."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", nargs="+", metavar="GAME", default=[], help="presets to add to the current ladder")
    parser.add_argument("--deals", type=int, default=40, help="for each pair of rungs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    current = json.loads(FILE.read_text(encoding="utf-8"))
    number = current["number"] + (not chosen.add)
    games = current["games"] if chosen.add else {}
    for game in chosen.add or dasan.PRESETS:
        games[game] = measured(game, chosen.deals, chosen.processes)
    FILE.write_text(json.dumps({"number": number, "games": games}, indent=1) + "\n", encoding="utf-8")


def measured(game: str, deals: int, processes: int) -> Mapping[str, Any]:
    """The entry of one game in the file: its deals, and the rungs with their points."""
    rules = dasan.rules(game)
    # Without a network `net` plays as `greedy` does, which is a rung already.
    rungs = [name for name in RUNGS if name != "net" or fitted(rules) is not None]
    results: dict[tuple[str, str], list[Outcome]] = {}
    for a, b in combinations(rungs, 2):
        results[a, b] = run(Contest(rules, a, b, deals, FITTED_FROM), processes=processes)
    points = {one.name: one.points for one in ratings(results)}
    return {
        "deals": DEALS,
        "seed": SEED,
        "rungs": [
            {
                "name": name,
                "version": dasan.bot(name).version,
                "digest": ladder.digest_of(name, rules),
                "points": points[name] - points[ANCHOR],
            }
            for name in sorted(rungs, key=points.__getitem__)
        ],
    }


if __name__ == "__main__":
    main()

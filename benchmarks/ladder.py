"""Rebuild the ladder of `dasan evaluate`: the rungs meet in pairs, and rating points are fitted to the results.

python benchmarks/ladder.py NUMBER [--deals 40] > src/dasan/arena/ladder.json
"""

from __future__ import annotations

import argparse
import json
import os
from itertools import combinations

import dasan
from dasan.arena.contest import Contest, run
from dasan.arena.ladder import digest_of
from dasan.arena.outcome import Outcome
from dasan.arena.ratings import ratings

GAMES = ("big-three", "big-three-4p", "big-two", "winner")
RUNGS = ("random", "level-1", "level-4", "greedy", "net")
ANCHOR = "greedy"
DEALS = 100
SEED = 500_000
FITTED_FROM = 600_000
"""The number of the first deal for fitting points; evaluations use other deals."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, help="of the new ladder")
    parser.add_argument("--deals", type=int, default=40, help="for each pair of rungs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    wanted = parser.parse_args()
    games = {}
    for game in GAMES:
        rules = dasan.rules(game)
        results: dict[tuple[str, str], list[Outcome]] = {}
        for a, b in combinations(RUNGS, 2):
            contest = Contest(rules, a, b, wanted.deals, FITTED_FROM)
            results[a, b] = run(contest, processes=wanted.processes)
        points = {one.name: one.points for one in ratings(results)}
        games[game] = {
            "deals": DEALS,
            "seed": SEED,
            "rungs": [
                {
                    "name": name,
                    "version": dasan.bot(name).version,
                    "digest": digest_of(name, rules),
                    "points": points[name] - points[ANCHOR],
                }
                for name in sorted(RUNGS, key=points.__getitem__)
            ],
        }
    print(json.dumps({"number": wanted.number, "games": games}, indent=1))


if __name__ == "__main__":
    main()

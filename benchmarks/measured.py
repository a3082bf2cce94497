"""The points of the bots that servers seat, from the ladder of `dasan evaluate` and the strength page.

    python benchmarks/measured.py > src/dasan/arena/measured.json

Rungs of the ladder have their points. The other graded players stand as far from their neighbours as contests over the same deals
have found: between two rungs the distances are scaled to fit, above the last rung they are added.
"""

from __future__ import annotations

import argparse
import json

from dasan.arena.ladder import ladders

DISTANCES = {
    "big-three": (79, 65, 84, 64, 97, 88, 100),
    "big-three-4p": (67, 52, 80, 83, 78, 58, 81),
    "big-two": (90, 68, 77, 74, 68, 78, 64),
    "winner": (73, 67, 83, 69, 76, 85, 91),
}
"""By game, the points from each level to the next (docs/guide/strength.md)."""
LOW, HIGH = 1, 4
"""The levels that are rungs."""


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    games = {}
    for game, up in DISTANCES.items():
        ladder = ladders()[game]
        points = {rung.name: round(rung.points) for rung in ladder.rungs if rung.name != "random"}
        share = (points[f"level-{HIGH}"] - points[f"level-{LOW}"]) / sum(up[LOW - 1 : HIGH - 1])
        for level in range(LOW + 1, len(up) + 2):
            if level != HIGH:
                base, scale = (LOW, share) if level < HIGH else (HIGH, 1.0)
                points[f"level-{level}"] = round(points[f"level-{base}"] + scale * sum(up[base - 1 : level - 1]))
        games[game] = dict(sorted(points.items(), key=lambda one: one[1]))
    number = next(iter(ladders().values())).number
    print(json.dumps({"ladder": number, "games": games}, indent=1))


if __name__ == "__main__":
    main()

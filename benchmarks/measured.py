"""The points of the bots that servers seat, from the ladder of `dasan evaluate` and the strength page.

    python benchmarks/measured.py > src/dasan/arena/measured.json

Rungs of the ladder have their points. The other graded players stand as far from their neighbours as the contests on the
page have found: between two rungs the distances are scaled to fit, above the last rung they are added.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from dasan.arena.ladder import ladders
from dasan.bench.figures import cells, sections
from dasan.bots import CHARACTERS

PAGE = Path(__file__).parents[1] / "docs/guide/strength.md"
TITLES = {
    "big-three": "Big Three",
    "big-three-4p": "Big Three, four players",
    "big-two": "Big Two",
    "winner": "Winner, four players",
}
"""By game, the title of the section of the page that has all levels."""
LOW, HIGH = 1, 4
"""The levels that are rungs."""


def distances(section: str) -> list[int]:
    """The points from each level to the next, in the table of a section. ValueError: not exactly one row compares a level with
    the one below.
    """
    rows = [cells(line) for line in section.splitlines() if line.startswith("| `level-")]
    points = []
    for level in range(2, len(CHARACTERS) + 1):
        pair = [f"level-{level}", f"level-{level - 1}"]
        (found,) = [int(row[4]) for one, among, *row in rows if [one.split("`")[1], among.split("`")[1]] == pair]
        points.append(found)
    return points


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    games = {}
    page = sections(PAGE.read_text(encoding="utf-8"))
    for game, title in TITLES.items():
        up = distances(page[title])
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

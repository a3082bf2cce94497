"""The tables of features in docs/reference/vector.md match the code; run this file to rewrite them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dasan
from dasan.features import (
    Feature,
    layout,
    move_layout,
    move_size,
    observation_size,
    perfect_layout,
    perfect_size,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "vector.md"
START = "<!-- features -->\n"
TABLES: list[tuple[str, str, dict[str, Any], bool]] = [
    ("Big Three", "big-three", {}, False),
    ("Big Three for four", "big-three-4p", {}, False),
    ("Big Two", "big-two", {}, False),
    ("Winner, four players", "winner", {}, False),
    (
        "Winner, six players, two decks, jokers, hands in succession",
        "winner",
        {"players": 6, "decks": 2, "jokers": True},
        True,
    ),
    ("Dou Dizhu", "dou-dizhu", {}, False),
]


def table(features: tuple[Feature, ...]) -> str:
    out = ["| from | size | name | what it says |\n|---|---|---|---|\n"]
    for f in features:
        what = f.text if f.flags else f"{f.text} (a number)"
        out.append(f"| {f.start} | {f.size} | `{f.name}` | {what} |\n")
    return "".join(out)


def tables() -> str:
    out = []
    for title, preset, options, session in TABLES:
        rules = dasan.rules(preset, **options)
        out.append(f"\n### {title}: {observation_size(rules, session)} features\n\n{table(layout(rules, session))}")
        out.append(f"\nA move, {move_size(rules, session)} features:\n\n{table(move_layout(rules, session))}")
        out.append(f"\nPerfect information, {perfect_size(rules)} features:\n\n{table(perfect_layout(rules))}")
    return "".join(out)


def test_the_page_lists_the_features() -> None:
    assert PAGE.read_text(encoding="utf-8").partition(START)[2] == tables()


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8").partition(START)[0]
    PAGE.write_text(f"{text.rstrip()}\n\n{START}{tables()}", encoding="utf-8")

"""The page of standard environments states on how many games each package's own tests run."""

from __future__ import annotations

import re
from pathlib import Path

import dasan
from dasan.games import TEACHING

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "environments.md"


def test_the_table_counts_the_games_of_each_test() -> None:
    counts = dict(re.findall(r"\| `([\w.]+)` \| (\d+) games: ", PAGE.read_text(encoding="utf-8")))
    presets = len(dasan.PRESETS)
    assert counts == {
        "api_test": str(presets + 1),
        "seed_test": str(presets),
        "check_env": str(presets),
        "GamesSimTest.sim_game": str(presets + len(TEACHING)),
    }

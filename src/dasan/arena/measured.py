"""The measured strength of bots, in points of the ladder of `dasan evaluate`: a server rates and places them by it.

`benchmarks/measured.py` writes `measured.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


def measured(game: str) -> Mapping[str, float]:
    """Points by bot in a game; `greedy` has 0. Empty for a game without measurements.

    >>> measured("big-three")["greedy"]
    0
    """
    return _every().get(game, {})


@cache
def _every() -> Mapping[str, Mapping[str, float]]:
    data = json.loads((files("dasan.arena") / "measured.json").read_text(encoding="utf-8"))
    games: dict[str, dict[str, float]] = data["games"]
    return games

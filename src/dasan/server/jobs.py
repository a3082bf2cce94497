"""What worker processes do: each job is a plain function of what it is given, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dasan
from dasan import bots


def choose(name: str, view: dasan.View) -> str:
    """The bot's move, as text."""
    return str(_bot(name).choose(view))


def explain(name: str, view: dasan.View) -> dict[str, Any]:
    """The bot's advice: ``unit`` (what its figures count, None without any) and ``candidates``, best first."""
    bot = _bot(name)
    data = {told["move"]: told for told in view.to_json()["legal_moves"]}
    move = bot.choose(view)
    told = data.get(str(move), {"move": str(move), "type": move.type.value})
    return {"unit": None, "candidates": [{"move": told, "expected": None, "reasons": []}]}


def _bot(name: str) -> bots.Bot:
    made = _BOTS.get(name)
    if made is None:
        made = _BOTS[name] = bots.bot(name)
    return made


_BOTS: dict[str, bots.Bot] = {}
"""The bots of this process: making one can be costly."""

JOBS: dict[str, Callable[..., Any]] = {"choose": choose, "explain": explain}

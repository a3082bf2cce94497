"""Chinese climbing card games: Big Three, Big Two, Winner and Dou Dizhu.

>>> import dasan
>>> state = dasan.deal(dasan.rules("big-three"), seed=7)
>>> state.phase.value, [str(move) for move in state.legal_moves()]
('auction', ['bid 1', 'bid 2', 'bid 3'])
"""

import dasan_program

if dasan_program.runs_as_module():
    dasan_program.answer_interrupts()

from typing import Any

from dasan.bots import bot
from dasan.cards import Card, card
from dasan.errors import Ambiguous, BadRecord, DasanError, IllegalPlay, Malformed
from dasan.games import PRESETS, register
from dasan.games import make_rules as rules
from dasan.play.moves import Move
from dasan.play.new_hand import deal
from dasan.play.phases import Phase
from dasan.play.result import Result
from dasan.play.sessions import Session, session
from dasan.play.set_up import start
from dasan.play.state import State
from dasan.play.view import View
from dasan.records.read import replay
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination
from dasan.solver import Solution, solve, solve_many
from dasan.version import __version__

__all__ = [
    "PRESETS",
    "Ambiguous",
    "BadRecord",
    "Card",
    "Combination",
    "DasanError",
    "IllegalPlay",
    "Malformed",
    "Move",
    "Phase",
    "Result",
    "Rules",
    "Session",
    "Solution",
    "State",
    "View",
    "__version__",
    "bot",
    "card",
    "deal",
    "register",
    "replay",
    "rules",
    "session",
    "solve",
    "solve_many",
    "start",
]


_ON_FIRST_USE = ("envs", "puzzles", "vector", "worlds")
"""Modules for programs that search or train, imported on first use."""


def __dir__() -> list[str]:
    """Only the public names."""
    return sorted([*__all__, *_ON_FIRST_USE])


def __getattr__(name: str) -> Any:
    if name in _ON_FIRST_USE:
        from importlib import import_module

        return import_module(f"dasan.{name}")
    raise AttributeError(f"module 'dasan' has no attribute {name!r}")

"""The positions of lessons and exercises equal what the engine makes of them now."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dasan

pytestmark = pytest.mark.full

WEB = Path(__file__).parents[2] / "web"
GAMES = ["big-three", "big-three-4p", "wa-keng", "dou-dizhu", "big-two", "winner"]


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, WEB / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_script("positions")
LESSONS = _script("lessons")
PRACTICE = _script("practice")


@pytest.mark.parametrize("preset", GAMES)
def test_lessons_are_up_to_date(preset: str) -> None:
    """`python web/scripts/lessons.py` rewrites them."""
    written = LESSONS.written(preset)
    assert (WEB / "src" / "lessons" / f"{preset}.json").read_text(encoding="utf-8") == written
    # Each contains a whole hand, in which a coach comments the learner's turns.
    assert sum(step["coach"] is not None for step in json.loads(written)["steps"]) >= 6


@pytest.mark.parametrize("preset", GAMES)
def test_exercises_are_up_to_date(preset: str) -> None:
    """`python web/scripts/practice.py` rewrites them."""
    path = WEB / "src" / "lessons" / "practice" / f"{preset}.json"
    assert path.read_text(encoding="utf-8") == PRACTICE.written(preset)


@pytest.mark.parametrize("preset", GAMES)
def test_an_exercise_needs_its_clause(preset: str) -> None:
    """The clause is in force, there is a right move, and the forbidden move is refused with that clause."""
    exercises = PRACTICE.PRACTICE[preset]()
    assert len({one.clause for one in exercises}) >= 6
    for one in exercises:
        where = f"{one.clause}: {one.state.hands[0]}"
        assert one.clause in one.state.rules.clauses, where
        assert one.accept, where
        for move in one.accept:
            one.state.play(move)
        if one.forbidden is not None:
            with pytest.raises(dasan.IllegalPlay) as refused:
                one.state.play(one.forbidden)
            assert refused.value.clause == one.clause, where

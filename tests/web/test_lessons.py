"""The lessons' positions are what the engine makes of them today."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


def _script() -> object:
    spec = importlib.util.spec_from_file_location("lessons", WEB / "scripts" / "lessons.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lessons"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_lessons_are_up_to_date(preset: str) -> None:
    """`python web/scripts/lessons.py` writes them anew."""
    written = getattr(_script(), "written")(preset)  # noqa: B009 - a script, not a module of the package
    assert (WEB / "src" / "lessons" / f"{preset}.json").read_text(encoding="utf-8") == written

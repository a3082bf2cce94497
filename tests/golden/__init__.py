"""Pinned texts, and how to rewrite them: `DASAN_REGENERATE=1 pytest tests/test_census.py tests/test_perft.py …`."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).parent
REWRITE = ".venv/bin/python -m tests.golden.make"
"""The command that pins sessions, playthroughs and what each option changes."""


def pinned(name: str, text: str) -> None:
    """Check `text` against the pinned file; with DASAN_REGENERATE set, pin it."""
    file = HERE / name
    if os.environ.get("DASAN_REGENERATE"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.exists(), f"{name} is not pinned"
    assert text == file.read_text(encoding="utf-8"), (
        f"{name} differs from what is pinned; DASAN_REGENERATE=1 rewrites it"
    )

"""One annotated playthrough per preset, pinned byte for byte. `python -m tests.golden.make` rewrites them."""

from __future__ import annotations

import pytest
from tests.golden import HERE, REWRITE
from tests.golden.playing import annotated

import dasan
from dasan.records.verify import verify


@pytest.mark.parametrize("preset", list(dasan.PRESETS))
def test_playthrough(preset: str) -> None:
    """G.03: the record replays, verifies, and equals byte for byte what this version plays from the same seed."""
    text = (HERE / f"{preset}.jsonl").read_text()
    assert annotated(dasan.rules(preset), 7) == text, f"{REWRITE} rewrites it"
    verified = verify(text)
    assert not verified.unproved
    without_notes = "".join(line + "\n" for line in text.splitlines() if '"type": "note"' not in line)
    assert verified.game is not None
    assert verified.game.record() == without_notes

"""`dasan solve` and `dasan review`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dasan
from dasan.cli import app

HANDS = ["4H 4S 3D", "5H 6H", "7H 8C"]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Seat 0 wins with any lead but throws it away on the second move: it passes the eight."""
    state = dasan.start(dasan.rules("big-three"), HANDS, bidder=0, bid=2, leader=0)
    for move in ("4H", "5H", "8C", "pass", "pass", "7H"):
        state = state.play(move)
    file = tmp_path / "hand.jsonl"
    file.write_text(state.record(), encoding="utf-8")
    return file


def test_review_finds_the_blunder(record: Path) -> None:
    told = json.loads(CliRunner().invoke(app, ["review", str(record), "--json"]).output)
    blunder = next(move for move in told["moves"] if move["kept"] is False)
    assert blunder["seq"] == told["turning_point"]
    assert (blunder["seat"], blunder["move"], blunder["keeping"]) == (0, "pass", ["3D"])
    assert [move["forced"] for move in told["moves"]][-1] is True
    assert "LOSES" in CliRunner().invoke(app, ["review", str(record)]).output


def test_solve_a_position_of_a_record(record: Path) -> None:
    first = dasan.replay(record.read_text(encoding="utf-8")).events[0].seq  # type: ignore[union-attr]
    told = json.loads(CliRunner().invoke(app, ["solve", str(record), "--before", str(first), "--json"]).output)
    assert told["value"] == 4
    assert told["exact"] is True
    assert "best play: " in CliRunner().invoke(app, ["solve", str(record), "--before", str(first)]).output


def test_a_hand_that_is_over_is_refused_in_one_line(record: Path) -> None:
    refused = CliRunner().invoke(app, ["solve", str(record)])
    assert refused.exit_code == 2
    assert "--before" in refused.output

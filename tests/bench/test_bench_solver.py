"""`dasan bench solver`: a row for every size, the same positions for the same seed."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import cycle
from typing import Any

import pytest
from typer.testing import CliRunner

from dasan.bench.solver import MOVES_AT, SIZES, at_random, measure_solver, world
from dasan.cli import app
from dasan.solver.solution import Solution

pytestmark = pytest.mark.full


def told(*arguments: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(app, ["bench", "solver", "--json", *arguments])
    assert done.exit_code == 0
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_rows_as_json() -> None:
    rows = told("--cards", "16", "--cards", str(MOVES_AT), "--count", "3", "--seed", "5", "--seconds", "0.5")
    assert [(row["what"], row["cards"]) for row in rows] == [("value", 16), ("value", 30), ("moves", 30), ("worlds", 24)]
    for row in rows:
        assert row["seed"] == 5
        assert row["mean_cards"] <= row["cards"]
        low, high = row["unsolved_95"]
        assert low <= row["unsolved"] <= high
        assert row["per_second"] > 0
        assert list(row["ms"]) == ["median", "p90", "p99", "max"]
    again = told("--cards", "16", "--count", "3", "--seed", "5")[0]
    assert again["nodes"] == rows[0]["nodes"]
    assert again["seconds"] == SIZES[20][1]


def test_unsolved_positions_count_as_above_the_limit() -> None:
    (row,) = measure_solver([52], count=2, seed=1, seconds=1e-9)
    assert row.unsolved == 1
    assert (row.ms.median, row.nodes.max) == (None, None)


def test_the_bidders_share_counts_positions_whose_winner_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the search ended before it had valued every move: those are unsolved, but their winner is known."""
    values = cycle([3, 3, -3, None])

    def solve(*_: object, **__: object) -> Solution:
        value = next(values)
        return Solution(value, value is not None, value, value, {}, (), 1, "two sides")

    monkeypatch.setattr("dasan.bench.solver.solve_warm", solve)
    valued, moves, _ = measure_solver([MOVES_AT], count=4)
    assert (valued.what, valued.unsolved, valued.bidder_wins) == ("value", 1 / 4, 2 / 3)
    assert (moves.what, moves.unsolved, moves.bidder_wins) == ("moves", 1, 2 / 3)


def test_how_many_there_are_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SIZES, 20, (7, 1.0))
    (row,) = measure_solver([18])
    assert (row.count, row.seconds, row.seed) == (7, 1.0, 1)


def test_a_table_for_people() -> None:
    done = CliRunner().invoke(app, ["bench", "solver", "--cards", "16", "--count", "2"])
    head, line = done.stdout.splitlines()
    assert "median ms" in head
    assert line.split()[:3] == ["value", "16", "2"]


def test_a_world_keeps_what_the_seat_to_act_knows() -> None:
    source = random.Random(3)
    state = at_random(24, source)
    other = world(state, source)
    seat = state.to_act or 0
    assert other.hands != state.hands
    assert other.hands[seat] == state.hands[seat]
    assert other.hand_sizes == state.hand_sizes
    assert Counter(c for hand in other.hands for c in hand) == Counter(c for hand in state.hands for c in hand)

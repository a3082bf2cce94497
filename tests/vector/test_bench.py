"""`dasan bench`: a row for every path, in the form that other programs read."""

from __future__ import annotations

import json

import pytest

from dasan.bench import PATHS, VARIANTS, measure_ours, measure_peers
from dasan.bench import peers as others
from dasan.cli import app
from dasan.cli.bench import bench

FIELDS = {
    *("preset", "path", "peer", "plies_per_s", "games_per_s", "ns_per_ply"),
    *("cores", "device", "threads", "repeats", "unit"),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_path_of_every_game_is_measured(variant: str) -> None:
    rows = list(measure_ours([variant], list(PATHS), seconds=0.01, repeats=1, every_core=False))
    assert [row.path for row in rows] == list(PATHS)
    for row in rows:
        assert (row.preset, row.peer, row.threads, row.unit) == (variant, None, 1, "plies")
        assert row.plies_per_s > row.games_per_s > 0 or row.path.startswith("batch")
        assert row.ns_per_ply == pytest.approx(1e9 / row.plies_per_s)


def test_the_command_prints_rows_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    bench(["big-three"], path=["engine"], peers=False, seconds=0.01, repeats=1, one_core=True, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert set(row) == FIELDS
    assert any(command.name == "bench" for command in app.registered_commands)


def test_peers_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(others, "find_spec", lambda name: None)
    assert list(measure_peers(seconds=0.01, repeats=1)) == []

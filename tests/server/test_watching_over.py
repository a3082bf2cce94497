"""Alerts, dashboard, backup timer and restore drill fit the server: metrics exist, commands work, the guide says what to do."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dasan.cli import app

from .harness import Serve
from .test_live import play_hand

DEPLOY = Path(__file__).parents[2] / "deploy"
GUIDE = (Path(__file__).parents[2] / "docs/guide/hosting.md").read_text(encoding="utf-8")
TOKEN = "sixteen characters"
OWN = {"up"}
"""Metrics that Prometheus adds itself."""


def named(expression: str) -> set[str]:
    """The metrics in a query."""
    return set(re.findall(r"\b(?:dasan|process)_[a-z_]+\b|\bup\b", re.sub(r'"[^"]*"', "", expression)))


def expressions() -> list[str]:
    alerts = re.findall(r"^ +expr: (.*)$", (DEPLOY / "alerts.yml").read_text(encoding="utf-8"), re.MULTILINE)
    board = json.loads((DEPLOY / "dashboard.json").read_text(encoding="utf-8"))
    return alerts + [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def test_alerts_and_dashboard_ask_for_metrics_that_a_server_shows(serve: Serve) -> None:
    with serve(metrics_token=TOKEN) as server:
        player = server.player()
        table_id = player.open_table("big-three", ["greedy", "greedy"])
        with player.sit(table_id) as socket:
            play_hand(socket, random.Random(1))
        server.tables.bot_failed("greedy")
        text = player.http.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    shown = set(re.findall(r"^([a-z_]+)(?:\{| )", text, re.MULTILINE))
    asked = set().union(*map(named, expressions()))
    assert len(asked) > 12
    assert asked - OWN <= shown


def test_labels_in_queries_are_those_of_the_metrics() -> None:
    for expression in expressions():
        assert set(re.findall(r'(\w+)(?==~?")', expression)) <= {"job", "status"}
        assert expression.count("(") == expression.count(")")


def test_the_guide_says_what_to_do_for_each_alert() -> None:
    alerts = re.findall(r"- alert: (\w+)", (DEPLOY / "alerts.yml").read_text(encoding="utf-8"))
    assert len(alerts) == len(set(alerts)) == 7
    assert re.findall(r"^\| `(Dasan\w+)` \|", GUIDE, re.MULTILINE) == alerts


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
@pytest.mark.full
def test_a_backup_is_restored_by_the_drill(serve: Serve, tmp_path: Path) -> None:
    with serve() as server:
        table_id = server.player().open_table("big-two", ["random"] * 3)
        file = tmp_path / "backups" / "dasan-2026-11-25T040000.gz"
        file.parent.mkdir()
        made = CliRunner().invoke(app, ["admin", "backup", str(file), "--data-dir", str(server.settings.data_dir)])
        assert made.exit_code == 0, made.output
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment.pop("DASAN_DATA_DIR", None)
    done = subprocess.run(
        [str(DEPLOY / "restore-drill"), str(file.parent)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert table_id in done.stdout
    assert done.stdout.splitlines()[-1] == f"{file} can be restored"
    file.write_bytes(file.read_bytes()[:-20])
    damaged = subprocess.run([str(DEPLOY / "restore-drill"), str(file.parent)], env=environment, check=False)
    assert damaged.returncode != 0, "a damaged backup fails the drill"


def test_the_timer_runs_a_command_that_exists() -> None:
    unit = (DEPLOY / "dasan-backup.service").read_text(encoding="utf-8")
    assert "dasan admin backup" in unit
    assert "OnCalendar=" in (DEPLOY / "dasan-backup.timer").read_text(encoding="utf-8")
    assert re.search(r"^User=(.*)$", unit, re.MULTILINE) is not None
    main = (DEPLOY / "dasan.service").read_text(encoding="utf-8")
    for setting in ("User=", "Environment=DASAN_DATA_DIR="):
        (mine,), (theirs,) = (re.findall(rf"^{setting}(.*)$", text, re.MULTILINE) for text in (unit, main))
        assert mine == theirs

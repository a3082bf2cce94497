"""Alerts, dashboard, backup timer and restore drill match the server: metrics exist, commands work, the guide has the
remedies.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from dasan.cli import app
from dasan.server.operations import metrics as metrics_module
from dasan.server.operations.checks import AHEAD
from dasan.server.operations.metrics import Metrics
from dasan.server.settings import Settings

from .harness import SECONDS, Serve, play_hand
from .services import free_port, wait_for

DEPLOY = Path(__file__).parents[2] / "deploy"
GUIDE = (Path(__file__).parents[2] / "docs/guide/hosting.md").read_text(encoding="utf-8")
TOKEN = "sixteen characters"
OWN = {"up"}
"""Metrics that Prometheus adds itself."""


def named(expression: str) -> set[str]:
    """The metrics in a query."""
    return set(re.findall(r"\b(?:dasan|process)_[a-z_]+\b|\bup\b", re.sub(r'"[^"]*"', "", expression)))


def panels() -> list[str]:
    board = json.loads((DEPLOY / "dashboard.json").read_text(encoding="utf-8"))
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def expressions() -> list[str]:
    """Those of the alerts, whose further lines are indented more, and of the dashboard."""
    text = (DEPLOY / "alerts.yml").read_text(encoding="utf-8")
    return re.findall(r"^ +expr: (.*(?:\n {10}.*)*)$", text, re.MULTILINE) + panels()


FIRING: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "DasanDown": ('up{job="dasan",instance="a"}', "0x20", "1x20", {"job": "dasan"}),
    "DasanWritesFail": ('dasan_write_failures_total{instance="a"}', "0x17 3x3", "3x20", {}),
    "DasanDiskFull": ('dasan_disk_free_bytes{instance="a"}', "20e9-1e9x20", "20e9x20", {}),
    "DasanSlow": ('dasan_command_seconds_bucket{instance="a",le="%s"}', "1 0+60x20", "0.25 0+60x20", {}),
    "DasanLoopDelayed": (
        'dasan_event_loop_delay_seconds_bucket{instance="a",le="%s"}',
        "0.5 0+120x20",
        "0.1 0+120x20",
        {},
    ),
    "DasanErrors": (
        'dasan_http_request_seconds_count{instance="a",route="/api/me",status="%s"}',
        "500 0+1x20",
        "404 0+1x20",
        {"route": "/api/me"},
    ),
    "DasanBotsFail": ('dasan_bot_failures_total{instance="a",bot="search"}', "0+1x20", "0+0.1x20", {"bot": "search"}),
    "DasanDamaged": ('dasan_damaged_rows{instance="a"}', "0x17 1x3", "0x20", {}),
    "DasanBackupOld": ('dasan_last_backup_timestamp_seconds{instance="a"}', "-200000x20", "0x20", {}),
}
"""For each alert: a series, its values by minute for which it fires after 20 minutes and for which it does not, and
labels. A word before the values is the label of the series that differs; histograms also have the bucket of all.
"""
BEGINNING = (
    ("DasanErrors", "500 _x17 1x3", True),
    ("DasanErrors", "500 _x3 1x17", False),
    ("DasanBotsFail", "_x17 6x3", True),
    ("DasanBotsFail", "_x17 3 6x2", True),
    ("DasanBotsFail", "_x17 3 5x2", False),
    ("DasanBotsFail", "_x3 6x17", False),
    ("DasanBackupOld", "5000x20", True),
    ("DasanBackupOld", "1500x20", False),
    ("DasanErrors", "500 20x4 stale 20x14", False),
    ("DasanBotsFail", "20x4 stale 20x14", False),
)
"""Counts that begin with the first failure, or whose server does not answer after 5 minutes, and dates in the future: the values,
and whether the alert fires after 20 minutes."""


def unit_test(alert: str, values: str, *, fires: bool) -> dict[str, Any]:
    """A test of promtool: with these values the alert fires, or does not."""
    series, _, _, labels = FIRING[alert]
    label, _, numbers = values.partition(" ") if "%s" in series else ("", "", values)
    inputs = [{"series": series.replace("%s", label), "values": numbers}]
    if not series.startswith("up"):
        inputs.append({"series": 'up{instance="a"}', "values": "1x4 0 1x14" if "stale" in numbers else "1x20"})
    if "le=" in series:
        inputs += [
            {"series": series.replace("%s", bound), "values": numbers if float(bound) > float(label) else "0x20"}
            for bound in ("0.05", "+Inf")
        ]
    rule = next(one for one in rules() if one["alert"] == alert)
    summary = rule["annotations"]["summary"]
    for name, value in {"instance": "a", **labels}.items():
        summary = summary.replace(f"{{{{ $labels.{name} }}}}", value)
    expected = {"exp_labels": {**rule["labels"], "instance": "a", **labels}, "exp_annotations": {"summary": summary}}
    judged = {"eval_time": "20m", "alertname": alert, "exp_alerts": [expected] if fires else []}
    return {"interval": "1m", "input_series": inputs, "alert_rule_test": [judged]}


def rules() -> list[dict[str, Any]]:
    yaml: Any = pytest.importorskip("yaml", reason="no PyYAML: `make test-all` installs it")
    (group,) = yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    alerts: list[dict[str, Any]] = group["rules"]
    return alerts


@pytest.mark.full
def test_each_alert_fires_when_it_should_and_not_otherwise(tmp_path: Path) -> None:
    assert [one["alert"] for one in rules()] == list(FIRING)
    tests = [
        unit_test(alert, values, fires=fires)
        for alert, (_, bad, good, _) in FIRING.items()
        for values, fires in ((bad, True), (good, False))
    ]
    tests += [unit_test(alert, values, fires=fires) for alert, values, fires in BEGINNING]
    file = tmp_path / "tests.yml"
    asked = {"rule_files": [str(DEPLOY / "alerts.yml")], "evaluation_interval": "1m", "tests": tests}
    file.write_text(json.dumps(asked), encoding="utf-8")
    done = subprocess.run(
        [prometheus("promtool"), "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def prometheus(name: str) -> str:
    """A program of Debian's package; without it the test is skipped with a reason."""
    executable = shutil.which(name)
    if executable is None:
        pytest.skip(f"no {name}: on Debian and Ubuntu, apt-get install prometheus")
    return executable


@pytest.mark.full
@pytest.mark.timeout(120)
def test_prometheus_has_an_answer_to_every_question_about_a_loaded_server(serve: Serve, tmp_path: Path) -> None:
    """Every panel of the dashboard shows data, and Prometheus evaluates every alert; none fires."""
    port = free_port()
    (tmp_path / "backup.gz").write_text("a backup")
    with serve(metrics_token=TOKEN, backup_dir=str(tmp_path)) as server:
        configuration = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(DEPLOY / "alerts.yml")],
            "scrape_configs": [
                {
                    "job_name": "dasan",
                    "authorization": {"credentials": TOKEN},
                    "static_configs": [{"targets": [server.address.removeprefix("http://")]}],
                }
            ],
        }
        (tmp_path / "prometheus.yml").write_text(json.dumps(configuration), encoding="utf-8")
        command = [prometheus("prometheus"), f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
        command += [f"--config.file={tmp_path / 'prometheus.yml'}", f"--storage.tsdb.path={tmp_path / 'data'}"]
        api = httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=SECONDS)
        child = subprocess.Popen(command, cwd=tmp_path)
        try:
            wait_for(port)
            player = server.player()
            silent = panels()
            ends = time.monotonic() + SECONDS
            while silent and time.monotonic() < ends:
                with player.sit(player.open_table("big-three", ["greedy", "greedy"])) as socket:
                    play_hand(socket, random.Random(1))
                player.http.get("/api/nothing")
                silent = [
                    query for query in silent if not api.get("/query", params={"query": query}).json()["data"]["result"]
                ]
            assert silent == []
            (group,) = api.get("/rules").json()["data"]["groups"]
            assert {one["name"]: one["health"] for one in group["rules"]} == dict.fromkeys(FIRING, "ok")
            # On a busy machine two may be pending: DasanDiskFull looks a day ahead, here from seconds, and DasanDown waits only
            # a second for an answer.
            active = {(one["name"], one["state"]) for one in group["rules"] if one["state"] != "inactive"}
            assert active <= {("DasanDiskFull", "pending"), ("DasanDown", "pending")}
        finally:
            api.close()
            child.terminate()
            child.wait(SECONDS)


def test_alerts_and_dashboard_ask_for_metrics_that_a_server_shows(serve: Serve, tmp_path: Path) -> None:
    with serve(metrics_token=TOKEN, backup_dir=str(tmp_path)) as server:
        player = server.player()
        table_id = player.open_table("big-three", ["greedy", "greedy"])
        with player.sit(table_id) as socket:
            play_hand(socket, random.Random(1))
        server.tables.choices.bot_failed("greedy")
        text = player.http.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    shown = set(re.findall(r"^([a-z_]+)(?:\{| )", text, re.MULTILINE))
    asked = set().union(*map(named, expressions()))
    assert len(asked) > 12
    assert asked - OWN <= shown


async def shown_backup(folder: Path | str) -> list[str]:
    """The values of the metric of the newest backup in a folder."""
    return backups_in(await Metrics(Settings(backup_dir=str(folder))).text())


def backups_in(text: bytes) -> list[str]:
    return re.findall(r"^dasan_last_backup_timestamp_seconds (.*)$", text.decode(), re.MULTILINE)


async def test_the_time_of_the_newest_backup_is_a_metric(tmp_path: Path) -> None:
    assert await shown_backup("") == []
    assert await shown_backup(tmp_path / "nothing") == await shown_backup(tmp_path) == ["0.0"]
    for name, at, text in (
        ("old.gz", 5, "a"),
        ("new.gz", 9, "a"),
        (".unfinished.gz.tmp", 12, "a"),
        ("note", 12, "a"),
        ("empty.gz", 12, ""),
    ):
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (at, at))
    (tmp_path / "folder.gz").mkdir()
    (tmp_path / "gone.gz").symlink_to("nowhere")
    (tmp_path / "loop.gz").symlink_to("loop.gz")
    assert await shown_backup(tmp_path) == ["9.0"]


async def test_a_backup_dated_in_the_future_does_not_hide_that_there_are_no_new_ones(tmp_path: Path) -> None:
    (tmp_path / "future.gz").write_text("a")
    os.utime(tmp_path / "future.gz", (time.time() + 7200,) * 2)
    assert await shown_backup(tmp_path) == ["0.0"]
    (tmp_path / "old.gz").write_text("a")
    os.utime(tmp_path / "old.gz", (9, 9))
    assert await shown_backup(tmp_path) == ["9.0"]
    begun = time.time()
    os.utime(tmp_path / "future.gz", (begun + 60,) * 2)
    (shown,) = await shown_backup(tmp_path)
    assert begun <= float(shown) <= time.time(), "the clock of its disk's machine may differ a little"


async def test_a_folder_of_backups_that_does_not_answer_delays_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as on a disk of another machine, which is gone."""
    looks, answers = 0, threading.Event()

    def look(folder: Path) -> float:
        nonlocal looks
        looks += 1
        answers.wait(SECONDS)
        return 7.0

    monkeypatch.setattr(metrics_module, "last_backup", look)
    monkeypatch.setattr(metrics_module, "PATIENCE", 0.02)
    metrics = Metrics(Settings(backup_dir=str(tmp_path)))
    scrapes = asyncio.gather(metrics.text(), metrics.text())
    await asyncio.sleep(0)
    assert not scrapes.done(), "the event loop goes on"
    texts = [*await scrapes, await metrics.text()]
    assert [*map(backups_in, texts), looks] == [["0.0"], ["0.0"], ["0.0"], 1], "a hung look occupies one thread"
    answers.set()
    monkeypatch.setattr(metrics_module, "PATIENCE", SECONDS)
    assert backups_in(await metrics.text()) == ["7.0"]


def test_labels_in_queries_are_those_of_the_metrics() -> None:
    for expression in expressions():
        assert set(re.findall(r'(\w+)(?==~?")', expression)) <= {"job", "status"}
        assert expression.count("(") == expression.count(")")


def test_the_guide_says_what_to_do_for_each_alert() -> None:
    alerts = re.findall(r"- alert: (\w+)", (DEPLOY / "alerts.yml").read_text(encoding="utf-8"))
    assert len(alerts) == len(set(alerts)) == 9
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
    (ahead := file.with_name("ahead.gz")).write_text("of another year")
    os.utime(ahead, (time.time() + 7200,) * 2)
    done = subprocess.run(
        [str(DEPLOY / "restore-drill"), str(file.parent)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1] == f"{file} can be restored"
    assert f"{ahead} is dated in the future" in done.stderr
    ahead.unlink()
    os.utime(file, (time.time() + AHEAD - 60,) * 2)
    done = subprocess.run(
        [str(DEPLOY / "restore-drill"), str(file.parent)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"{file} can be restored"), "clocks differ a little"
    file.write_bytes(file.read_bytes()[:-20])
    damaged = subprocess.run([str(DEPLOY / "restore-drill"), str(file.parent)], env=environment, check=False)
    assert damaged.returncode != 0, "a damaged backup fails the drill"
    file.unlink()
    none = subprocess.run(
        [str(DEPLOY / "restore-drill"), str(file.parent)], env=environment, capture_output=True, text=True, check=False
    )
    assert none.returncode != 0
    assert none.stderr == f"there is no backup in {file.parent}, or you may not read it\n"


def test_the_timer_runs_a_command_that_exists() -> None:
    unit = (DEPLOY / "dasan-backup.service").read_text(encoding="utf-8")
    assert "dasan admin backup" in unit
    assert "OnCalendar=" in (DEPLOY / "dasan-backup.timer").read_text(encoding="utf-8")
    assert re.search(r"^User=(.*)$", unit, re.MULTILINE) is not None
    main = (DEPLOY / "dasan.service").read_text(encoding="utf-8")
    for setting in ("User=", "Environment=DASAN_SETTINGS="):
        (mine,), (theirs,) = (re.findall(rf"^{setting}(.*)$", text, re.MULTILINE) for text in (unit, main))
        assert mine == theirs

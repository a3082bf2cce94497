"""Monitoring: health and readiness, metrics for Prometheus, log lines."""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

import dasan
from dasan.server.operations import logs
from dasan.server.operations.checks import Checks
from dasan.server.operations.reporting import report
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.store.groups import Groups
from dasan.server.tables.directory import Tables
from dasan.server.workers.pools import FAILING, Workers
from dasan.server.workers.process import JobCrashed

from .harness import SECONDS, Player, Serve, Served, fast, play_hand, served
from .local_bus import LocalBus

pytestmark = pytest.mark.full

TOKEN = "a token of the host's"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes."""
    path = tmp_path / "disk"
    path.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(path)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no small disk: mounting one needs root")
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True)


def fill(path: Path) -> None:
    """Write until the disk is full."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError as error:
                assert error.errno == errno.ENOSPC


def test_a_full_disk_is_not_well_and_nothing_is_acknowledged(small_disk: Path) -> None:
    settings = replace(fast(small_disk), least_free_mb=0)
    with served(settings) as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        with player.sit(table_id) as socket:
            socket.my_turn()
            assert player.http.get("/health").status_code == 200
            fill(small_disk / "filler")
            until(player, "/health", 503)
            answer = player.http.get("/api/health").json()
            assert (answer["code"], answer["message"]) == ("unavailable", "the store cannot be written to")
            socket.send(type="move", id="a", move=socket.view["legal_moves"][0]["move"])
            seen = socket.table["seq"]
            refused = socket.answer("a")
            assert (refused["type"], refused["code"]) == ("error", "unavailable")
            assert socket.table["seq"] == seen, "nobody is told of the move"
            (small_disk / "filler").unlink()
            until(player, "/health", 200)
            assert player.http.get(f"/api/tables/{table_id}").json()["seq"] == seen
            socket.send(type="move", id="a", move=socket.view["legal_moves"][0]["move"])
            assert socket.answer("a")["type"] == "ack"


def until(player: Player, path: str, status: int) -> None:
    deadline = time.monotonic() + SECONDS
    while (answer := player.http.get(path)).status_code != status:
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.2)


def test_a_disk_that_is_nearly_full_is_not_well(serve: Serve) -> None:
    with serve(least_free_mb=100_000_000) as server:
        answer = server.player().http.get("/ready")
        assert (answer.status_code, answer.json()["message"]) == (503, "the disk of the data folder is nearly full")


async def crash(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs of a pool crash until it counts as broken."""

    class Broken:
        alive = False

        def __init__(self, memory_mb: int) -> None:
            raise JobCrashed("it did not start")

    with monkeypatch.context() as patched:
        patched.setattr("dasan.server.workers.pools.Worker", Broken)
        for count in range(FAILING):
            assert workers.working, count
            with pytest.raises(JobCrashed):
                await workers.run("choose")
    assert not workers.working


async def test_a_process_is_ready_while_all_it_needs_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Cut(LocalBus):
        connected = True

    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store, bus = await Store.open(settings.data_dir), Cut()
    async with Tables(store, settings) as tables:
        checks = Checks(settings, store, tables, bus)
        assert all((await checks.readiness()).values())
        bus.connected = False
        await crash(tables.study, monkeypatch)
        assert (await checks.readiness())["workers"], "hands are played without reviews"
        await crash(tables.bots, monkeypatch)
        readiness = await checks.readiness()
        assert {name for name, well in readiness.items() if not well} == {"bus", "workers"}
        monkeypatch.setattr("dasan.server.workers.pools.BROKEN_FOR", 0.0)
        assert (await checks.readiness())["workers"], "a process that gets no players gets no jobs that succeed"
    assert not (await checks.readiness())["accepting"]
    await store.close()


async def test_whoever_asks_often_writes_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    writes = 0

    async def beat(*_: object) -> None:
        nonlocal writes
        writes += 1
        if writes > 1:
            raise OSError

    monkeypatch.setattr(store.processes, "beat", beat)
    async with Tables(store, settings) as tables:
        checks = Checks(settings, store, tables, None)
        assert [(await checks.health())["store"] for _ in range(9)] == [True] * 9
        assert writes == 1
        monkeypatch.setattr("dasan.server.operations.checks.FRESH", 0)
        assert not (await checks.health())["store"]
        monkeypatch.setattr("dasan.server.operations.checks.FRESH", SECONDS)
        assert [(await checks.health())["store"] for _ in range(2)] == [False] * 2
        assert writes == 4, "while it fails each answer is a new one"
        assert caplog.text.count("the store cannot be written to") == 1
    await store.close()


def test_monitors_use_any_host_name_and_everybody_else_those_of_the_settings(serve: Serve) -> None:
    token = {"authorization": f"Bearer {TOKEN}"}
    with serve(allowed_hosts=("Cards.Example",), metrics_token=TOKEN) as server, httpx.Client() as http:
        for name in ("127.0.0.1", "app-1:8000"):
            for path in ("/health", "/ready", "/metrics"):
                assert http.get(server.address + path, headers={"host": name, **token}).status_code == 200, (name, path)
            for path in ("/", "/api/presets", "/health/", "/metrics/", "/ready/x", "/api/me"):
                assert http.get(server.address + path, headers={"host": name, **token}).status_code == 403, (name, path)
            assert http.get(f"{server.address}/metrics", headers={"host": name}).status_code == 403, (
                "the token is needed"
            )
        for name in ("cards.example", "CARDS.example:443"):
            assert http.get(f"{server.address}/api/presets", headers={"host": name}).status_code == 200, name


def test_figures_are_for_the_host_and_name_nobody(serve: Serve) -> None:
    with serve() as server:
        assert server.player().http.get("/metrics").status_code == 404
    with serve(metrics_token=TOKEN) as server:
        player = server.player()
        for wrong in ({}, {"authorization": "Bearer x"}, {"authorization": f"Basic {TOKEN}"}):
            assert player.http.get("/metrics", headers=wrong).status_code == 403
        table_id = player.open_table("big-three", ["random", "random"], name="Annabella")
        with player.sit(table_id) as socket:
            play_hand(socket, random.Random(1))
            player.http.get(f"/link/{table_id}")
            text = player.http.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
        assert "dasan_hands_finished_total 1.0" in text
        assert "dasan_tables 1.0" in text
        assert 'dasan_http_request_seconds_count{method="POST",route="/api/tables",status="201"} 1.0' in text
        assert 'command="move",outcome="done"' in text
        me = player.http.get("/api/me").json()["id"]
        for secret in ("Annabella", me, table_id, TOKEN, "127.0.0.1"):
            assert secret not in text
        labels = {word.partition("=")[0] for line in text.splitlines() for word in line.partition("{")[2].split(",")}
        assert labels <= {"", "method", "route", "status", "le", "command", "outcome", "version", "pool", "bot"}


def test_log_lines_are_lines_whatever_is_in_them() -> None:
    for form in ("text", "json"):
        stream = io.StringIO()
        handler = logs.configure(form, "info", stream)
        try:
            log = logging.getLogger("dasan.test")
            log.info("name %s", 'Ann\n{"level": "error"}\r\x1b[31m\u2028', extra={"address": "1.2.3.4\n"})
            log.debug("not this")
            log.warning("a push service refuses messages", extra={"service": "push.example", "status": 403})
            try:
                raise ValueError("the hand is 3D 4S")
            except ValueError as error:
                report("it failed", error)
                log.exception("again")
        finally:
            logging.getLogger().removeHandler(handler)
        lines = stream.getvalue().splitlines()
        assert len(lines) == 4
        assert "3D 4S" not in stream.getvalue()
        assert "push.example" in lines.pop(1)
        assert "ValueError" in lines[1]
        if form == "json":
            first, second, third = map(json.loads, lines)
            assert first["message"].startswith("name Ann\n")
            assert (first["level"], first["address"]) == ("info", "1.2.3.4\n")
            assert (second["error"], "test_wellbeing" in second["where"]) == ("ValueError", True)
            assert third["error"] == "ValueError"


def test_requests_are_logged_by_route(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    with serve(log_requests=1) as server, caplog.at_level("INFO", "dasan.server"):
        server.player().http.get("/api/hands/secret-id")
        server.player().http.get("/link/secret-token")
    records = [record for record in caplog.records if record.name == "dasan.server.requests"]
    assert [record.__dict__["route"] for record in records] == ["/api/hands/{hand_id}", "page"]
    assert [record.__dict__["status"] for record in records] == [404, records[1].__dict__["status"]]
    assert "secret" not in str([record.__dict__ for record in records])


def test_a_failure_is_logged_by_route(
    server: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The path of a link to join a group, or to stop e-mails, is a secret."""

    async def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Groups, "behind", fail)
    with caplog.at_level("ERROR", "dasan.server"):
        assert server.player().http.get("/api/join/secret-link").status_code == 500
    assert "GET /api/join/{link} failed" in caplog.text
    assert "secret" not in caplog.text


def test_the_list_of_games_is_worked_out_once(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    http = server.player().http
    first = http.get("/api/presets").json()
    monkeypatch.setattr(dasan, "rules", None)
    assert http.get("/api/presets").json() == first


def test_settings_of_logs_and_figures_that_cannot_be() -> None:
    for name, value in (("log_format", "xml"), ("log_level", "loud"), ("metrics_token", "short")):
        with pytest.raises(dasan.DasanError, match=f"DASAN_{name.upper()}"):
            Settings.read({f"DASAN_{name.upper()}": value})
    assert TOKEN not in repr(Settings(metrics_token=TOKEN))
    assert os.linesep not in str(Settings())

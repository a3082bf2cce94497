"""Long sessions: opening one takes no longer than opening a short one, and many simultaneous downloads block nobody."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from dasan.server.store import Store
from dasan.server.store.database import DATABASE_FILE
from dasan.server.tables.room import MOST_RESULTS, Entry, Room, fold

from .harness import SECONDS, Player
from .own_process import process

pytestmark = pytest.mark.full

HANDS = 10_000
DOWNLOADS = 50
RECORDED = 30
"""Hands of the record that is downloaded."""


def played(folder: Path, hands: int) -> tuple[str, httpx.Cookies]:
    """A table in this folder's database with this many finished hands: its id, and its player's cookies."""
    with process(folder, DASAN_BOT_DELAY="0") as (server, _), ExitStack() as stack:
        http = stack.enter_context(httpx.Client(base_url=server.address, timeout=SECONDS))
        player = Player(server, http)
        table_id = player.open_table("big-three", ["random", "random"])
        with player.sit(table_id) as socket:
            for number in range(1, hands + 1):
                while socket.my_turn():
                    socket.send(type="move", id=f"m{socket.table['seq']}", move=socket.view["legal_moves"][0]["move"])
                    socket.receive()
                if number < hands:
                    socket.send(type="next", id=f"n{number}")
                    socket.until_seen(lambda table, number=number: table["session"]["number"] > number)  # type: ignore[misc]
        return table_id, http.cookies


def lengthened(folder: Path, hands: int) -> None:
    """Make the one played hand the last of this many, by copying it and its log."""
    connection = sqlite3.connect(folder / DATABASE_FILE)
    (each,) = connection.execute("SELECT COUNT(*) FROM events").fetchone()
    (text,) = connection.execute("SELECT checkpoint FROM tables").fetchone()
    begun = json.loads(text)
    begun["seq"] += (hands - 1) * each
    begun["results"] = [{"payments": [0, 0, 0], "winners": [0], "finish_order": [0], "hand": "h"}] * MOST_RESULTS
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
    connection.execute(
        numbers + "INSERT INTO events SELECT table_id, seq + i * ?, at, line, player, client_id || '-' || i, digest "
        "FROM events, n",
        [hands - 1, each],
    )
    connection.execute(
        numbers
        + "INSERT INTO hands SELECT id || '-' || i, table_id, number + i, preset, finished, shown, rated, result, "
        "opening, record FROM hands, n",
        [hands - 1],
    )
    connection.execute("UPDATE tables SET seq = ?, checkpoint = ?", [hands * each, json.dumps(begun)])
    connection.commit()
    connection.close()


@pytest.mark.slow
def test_a_session_of_ten_thousand_hands_opens_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    table_id, _ = played(tmp_path, 1)
    lengthened(tmp_path, HANDS)
    read: list[Entry] = []

    def counted(room: Room, entry: Entry, at: int) -> Room:
        read.append(entry)
        return fold(room, entry, at)

    monkeypatch.setattr("dasan.server.store.log.fold", counted)

    async def opened() -> tuple[float, int]:
        store = await Store.open(tmp_path)
        took = []
        for _ in range(5):
            began = time.perf_counter()
            loaded = await store.log.load(table_id)
            took.append(time.perf_counter() - began)
        await store.close()
        assert loaded.room.over
        return sorted(took)[2], loaded.room.seq

    took, entries = asyncio.run(opened())
    summary = f"{entries} entries of {HANDS} hands: opened in {1000 * took:.1f} ms, by reading {len(read) // 5} entries"
    print(summary)
    record_property("report", summary)
    assert entries > HANDS * 20
    assert len(read) < 5 * 200


@pytest.mark.slow
def test_many_downloads_of_a_long_record_stop_nobody(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    table_id, cookies = played(tmp_path, RECORDED)
    settings = {"DASAN_BOT_DELAY": "0", "DASAN_RECORD_BURST": "1000"}
    with process(tmp_path, **settings) as (server, _), ExitStack() as stack:
        sizes: list[int] = []
        done = threading.Event()

        def download() -> None:
            with httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS) as http:
                sizes.append(len(http.get(f"/api/tables/{table_id}/record").content))

        http = stack.enter_context(httpx.Client(base_url=server.address, timeout=SECONDS))
        threads = [threading.Thread(target=download) for _ in range(DOWNLOADS)]

        def finish() -> None:
            for thread in threads:
                thread.join()
            done.set()

        began = time.perf_counter()
        for thread in threads:
            thread.start()
        threading.Thread(target=finish).start()
        waits = []
        while not done.is_set():
            asked = time.perf_counter()
            assert http.get("/api/lobby").status_code == 200
            waits.append(time.perf_counter() - asked)
            time.sleep(0.01)
        took = time.perf_counter() - began
    waits.sort()
    summary = (
        f"{DOWNLOADS} downloads of {sizes[0] / 1e3:.0f} kB in {took:.1f} s; a small request waited "
        f"{1000 * waits[len(waits) // 2]:.0f} ms, at most {1000 * waits[-1]:.0f} ms"
    )
    print(summary)
    record_property("report", summary)
    assert len(set(sizes)) == 1
    assert sizes[0] > RECORDED * 1000
    assert len(waits) > 1  # answered while the downloads went on

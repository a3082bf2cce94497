"""A deleted name is nowhere in the files of a database, while the server runs."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

import pytest

from dasan.server.store import Store
from dasan.server.store.database import DATABASE_FILE, SqliteDatabase
from dasan.server.store.retention import Keep, prune

from .harness import ANN, Served, ok

NAME = "Xyzzyplugh"


def found(server: Served) -> dict[str, int]:
    """The number of times that each file of the database contains the name, in upper or lower case."""
    folder = server.settings.data_dir
    files = {path.name: path.read_bytes().lower() for path in folder.glob(f"{DATABASE_FILE}*")}
    return {name: content.count(NAME.lower().encode()) for name, content in files.items()}


@pytest.mark.parametrize("account", [False, True])
def test_a_deleted_name_is_in_no_file(server: Served, account: bool) -> None:
    ann, other = server.player(), server.player()
    if account:
        ok(ann.http.post("/api/account", json={**ANN, "name": NAME}))
    else:
        ok(ann.http.post("/api/me/name", json={"name": NAME}))
    table_id = ann.open_table("big-three", seats=["me", "open", "random"], name=NAME)
    ok(other.http.post(f"/api/tables/{table_id}/join", json={"name": "Bo"}))
    for n in range(3):
        command = {"type": "chat", "id": f"c{n}", "text": f"I am {NAME}"}
        ok(ann.http.post(f"/api/tables/{table_id}/commands", json=command))
    assert sum(found(server).values()) > 0
    ok(ann.http.post("/api/account/delete", json={"password": ANN["password"] if account else None}))
    assert set(found(server)) >= {DATABASE_FILE, f"{DATABASE_FILE}-wal"}
    assert sum(found(server).values()) == 0, found(server)
    assert ok(other.http.get(f"/api/tables/{table_id}"))["table"]["seats"][0]["name"] == "Former player"
    assert sum(found(server).values()) == 0, "nor does it come back when the table is read again"


async def test_deletion_does_not_hold_up_writes_while_somebody_reads(tmp_path: Path) -> None:
    """A backup reads for seconds; meanwhile moves are written, and the log is emptied when it has finished."""
    store = await Store.open(tmp_path)
    await store.people.rename("ann", NAME, 0)
    reader = sqlite3.connect(tmp_path / DATABASE_FILE)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM players").fetchall()
    deletion = asyncio.create_task(store.people.delete("ann", 0))
    await asyncio.sleep(0.3)
    assert not deletion.done()
    for n in range(5):
        begun = time.monotonic()
        await store.people.rename(f"p{n}", "Bo", 0)
        assert time.monotonic() - begun < 0.5
    reader.close()
    await deletion
    assert NAME.encode() not in (tmp_path / f"{DATABASE_FILE}-wal").read_bytes()
    await store.close()


async def test_many_guests_are_forgotten_with_one_scrub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await Store.open(tmp_path)
    for n in range(5):
        await store.people.rename(f"p{n}", NAME, 0)
    scrubs = []
    scrub = SqliteDatabase.scrub

    async def counted(database: SqliteDatabase) -> None:
        scrubs.append(database)
        await scrub(database)

    monkeypatch.setattr(SqliteDatabase, "scrub", counted)
    assert (await prune(store.database, store.people, Keep(guests=1), 1 << 40))["guests"] == 5
    assert len(scrubs) == 1
    await store.close()

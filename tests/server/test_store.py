"""The event log on disk."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import sqlite3
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

import dasan
from dasan.server.operations.folders import data_dir
from dasan.server.people.identity import signing_key
from dasan.server.refusals import CannotServe
from dasan.server.store import Store, database, server_database
from dasan.server.store.database import DATABASE_FILE, Database, SqliteDatabase, Unreachable, Unusable
from dasan.server.store.hand import FinishedHand, Player
from dasan.server.store.log import EventLog, Write, WrittenEntry, _append
from dasan.server.store.ratings import rate
from dasan.server.store.schema import tables
from dasan.server.store.server_database import ServerDatabase
from dasan.server.tables.room import Entry

from .conftest import new_database
from .rooms import LEASE, moved, open_table, room_of, settle

T = TypeVar("T")


async def test_what_is_written_is_synced_before_the_answer(tmp_path: Path) -> None:
    database = await SqliteDatabase.open(tmp_path / DATABASE_FILE)
    for pragma, value in (("synchronous", 2), ("journal_mode", "wal"), ("foreign_keys", 1)):
        setting = await database.write(lambda c, pragma=pragma: c.exec_driver_sql(f"PRAGMA {pragma}").scalar())  # type: ignore[misc]
        assert setting == value
    await database.close()


async def test_a_damaged_row_spoils_no_list(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    await open_table(store)
    await store.close()
    connection = sqlite3.connect(tmp_path / DATABASE_FILE)
    connection.execute("UPDATE tables SET summary = '[]'")
    connection.execute("UPDATE events SET line = '{}' WHERE seq = 0")
    connection.execute("UPDATE tables SET checkpoint = '{\"seq\": 0}'")
    connection.commit()
    connection.close()
    store = await Store.open(tmp_path)
    assert await store.listings.mine("p0") == []
    with pytest.raises(dasan.BadRecord):
        await store.log.load("table")
    await store.close()


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


async def test_a_store_that_is_gone_takes_nothing(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    await store.processes.beat("me", "1", 0)
    empty(tmp_path)
    with pytest.raises(Unusable) as refused:
        await store.processes.beat("me", "1", 1)
    assert "gone" in str(refused.value.__cause__)
    with pytest.raises(Unusable):
        await store.log.append(moved(room, fence, "a"))
    await store.close()


async def test_a_file_that_another_program_locks_takes_everything_once_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as a shell of SQLite with an open transaction: a table waits for its end, as for a database server's."""
    monkeypatch.setattr(database, "BUSY_MS", 20)
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    other = sqlite3.connect(tmp_path / DATABASE_FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unreachable):
        await store.processes.beat("me", "1", 0)
    assert "the database file cannot be used: another program has locked it" in caplog.text
    with pytest.raises(CannotServe, match="cannot be used: another program has locked it"):
        await Store.open(tmp_path)
    waiting = asyncio.create_task(store.log.append(moved(room, fence, "a")))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    other.execute("ROLLBACK")
    await waiting
    other.close()
    await store.close()


def test_two_processes_that_start_at_once_have_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second starts while the first makes the key."""
    keys: list[bytes] = []
    token_bytes = secrets.token_bytes

    def meanwhile(size: int) -> bytes:
        if not keys:
            monkeypatch.setattr(secrets, "token_bytes", token_bytes)
            keys.append(signing_key(tmp_path))
        return token_bytes(size)

    monkeypatch.setattr(secrets, "token_bytes", meanwhile)
    assert [signing_key(tmp_path)] == keys
    assert [path.name for path in tmp_path.iterdir()] == ["session.key"]


def test_a_key_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            signing_key(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert len(signing_key(tmp_path)) == 32


def test_a_folder_without_hard_links_has_a_key_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    assert signing_key(tmp_path) == signing_key(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["session.key"]


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / DATABASE_FILE).write_bytes(b"no database" * 100)
    with pytest.raises(CannotServe, match="cannot be used"):
        await Store.open(tmp_path)


@pytest.mark.full
async def test_transactions_lock_tables_and_ratings_in_one_order(tmp_path: Path, postgres_url: str) -> None:
    """Else two of them could wait for each other, until the database server ends one."""
    url = await new_database(postgres_url)
    store, engine = await Store.open(tmp_path, url), create_async_engine(url)
    writes = []
    for at, name in enumerate(("a", "B")):
        room = room_of("big-three", ["p0", "p1", "p2"])
        room = replace(room, head=replace(room.head, id=name))
        await store.log.create(room)
        assert await store.leases.claim(name, "me", LEASE) == 1
        log: list[tuple[Entry, int]] = []
        after = settle(room, 1000, log)
        entries = tuple(WrittenEntry(seq, moment, entry) for seq, (entry, moment) in enumerate(log))
        seats = (Player(0, "", None, name, "player", 1, won=True), Player(1, "", "ann", None, "player", -1, won=False))
        hand = FinishedHand(name, name, 1, "big-two", at, True, True, {"finish_order": [0]}, [], "", seats)
        before = replace(hand, id=f"before {name}")
        await store.database.write(lambda connection, before=before: rate(connection, before))  # type: ignore[misc]
        writes.append(Write(after, 1, entries, dealt=True, finished=hand))
    waiting = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )

    async def is_waiting() -> bool:
        async with engine.connect() as connection:
            return bool(await connection.scalar(waiting))

    async def append() -> None:
        await store.database.write(lambda connection: _append(connection, writes))

    async def renew() -> None:
        await store.leases.renew("me", ["a", "B"], LEASE)

    for first, second, work in (
        ("tables WHERE id = 'B'", "tables WHERE id = 'a'", renew),
        ("tables WHERE id = 'B'", "tables WHERE id = 'a'", append),
        ("ratings WHERE player = 'bot:B'", "ratings WHERE player = 'bot:a'", append),
    ):
        async with engine.begin() as holder:
            await holder.execute(sa.text(f"SELECT FROM {first} FOR UPDATE"))
            task = asyncio.create_task(work())
            while not await is_waiting():
                assert not task.done()
            await holder.execute(sa.text(f"SELECT FROM {second} FOR UPDATE NOWAIT"))
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    await engine.dispose()
    await store.close()


@pytest.mark.full
async def test_a_database_server_that_refuses_is_reported_with_its_reason(
    tmp_path: Path, postgres_url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while it is in use. Its own message is left out: it may quote rows."""
    url = await new_database(postgres_url)
    guest = url.replace("postgres@", "guest@")
    for wrong, why in (
        (url.replace("/test_", "/no_test_"), "it has no database of this name"),
        (guest, "it does not admit this user"),
        ("postgresql://postgres@host.invalid/postgres", "its host name is unknown"),
        ("postgresql://postgres@127.0.0.1:1/postgres", "ConnectionRefusedError"),
    ):
        with pytest.raises(CannotServe, match=f"^the database cannot be used: {why}$"):
            await Store.open(tmp_path, wrong)
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    name = sa.make_url(url).database

    async def run(*statements: str) -> None:
        async with engine.connect() as connection:
            for statement in statements:
                await connection.execute(sa.text(statement))

    await run("CREATE ROLE guest LOGIN", f"ALTER DATABASE {name} OWNER TO guest")
    monkeypatch.setattr(server_database, "SAID_EVERY", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(server_database, "ANSWERS_IN", 0.2)
        hasty = await Store.open(tmp_path, guest)
    with pytest.raises(Unreachable):
        await hasty.database.read(lambda connection: connection.execute(sa.text("SELECT pg_sleep(60)")))
    assert caplog.messages == ["the database does not answer: TimeoutError"]
    caplog.clear()
    await hasty.close()
    store = await Store.open(tmp_path, guest)
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guest'"
    await run(f"ALTER DATABASE {name} CONNECTION LIMIT 0", others)
    with pytest.raises(Unreachable):
        await store.processes.alive(0)
    assert caplog.messages == ["the database does not answer: it has no free connection"]
    with pytest.raises(CannotServe, match="it has no free connection"):
        await Store.open(tmp_path, guest)
    await run(f"ALTER DATABASE {name} OWNER TO postgres", f"ALTER DATABASE {name} CONNECTION LIMIT -1")
    await run("DROP OWNED BY guest", "DROP ROLE guest")
    await store.close()
    await engine.dispose()


def test_only_the_owner_can_read_the_data(tmp_path: Path) -> None:
    path = tmp_path / "new" / "data"
    with data_dir(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        key = signing_key(path)
        assert stat.S_IMODE((path / "session.key").stat().st_mode) == 0o600
        assert signing_key(path) == key
        assert len(key) == 32
        with pytest.raises(CannotServe, match="another dasan server"), data_dir(path):
            pass
    with data_dir(path):
        pass
    (path / "session.key").write_bytes(b"short")
    with pytest.raises(ValueError, match="not a signing key"):
        signing_key(path)


class _Breaking:
    """A database in which one write fails, and the query for its cause too."""

    shared = False

    def __init__(self, database: Database) -> None:
        self.scans = database.scans
        self._database = database
        self.broken = 2

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        if self.broken:
            self.broken -= 1
            raise RuntimeError("broken on purpose")
        return await self._database.read(query)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        if self.broken:
            self.broken -= 1
            raise sa.exc.IntegrityError("", {}, Exception("broken on purpose"))
        return await self._database.write(change)

    async def scrub(self) -> None: ...

    async def close(self) -> None: ...


@pytest.mark.full
async def test_the_event_log_goes_on_after_an_error_that_it_cannot_explain(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    log = EventLog(_Breaking(store.database))
    writing = asyncio.create_task(log.run())
    with pytest.raises(RuntimeError, match="on purpose"):
        await asyncio.wait_for(log.append(moved(room, fence, "a")), 20)
    await asyncio.wait_for(log.append(moved(room, fence, "a")), 20)
    assert (log.counts.writes, log.counts.failures) == (1, 1)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await store.close()


@pytest.mark.full
async def test_a_process_that_is_gone_in_a_transaction_keeps_no_table(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine has lost power, or is suspended: nobody ends its connection, and the table's row stays locked."""
    url = await new_database(postgres_url)
    store = await Store.open(tmp_path, url)
    await open_table(store)
    await store.leases.renew("me", ["table"], -1)
    monkeypatch.setattr(server_database, "ANSWERS_IN", 1.0)
    gone = await ServerDatabase.open(url)
    async with gone._engine.connect() as connection:
        await connection.execute(sa.update(tables).values(touched=0))
        assert await store.leases.claim("table", "another", LEASE) is not None
        with pytest.raises(sa.exc.DBAPIError):
            await connection.scalar(sa.select(1))
    await gone.close()
    await store.close()

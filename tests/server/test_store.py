"""The event log on disk."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import dasan
from dasan.server.app import data_dir
from dasan.server.decisions import decide
from dasan.server.identity import signing_key
from dasan.server.refusals import CannotServe, Refused
from dasan.server.rooms import Entry, Room, fold
from dasan.server.store import Conflict, Repeated, Store
from dasan.server.store.database import DATABASE_FILE, SqliteDatabase
from dasan.server.store.log import Cause, Write, Written
from dasan.server.store.schema import metadata

from .test_rooms import move, room_of, settle


def begun() -> tuple[Room, list[Written]]:
    """A table with its first hand dealt, and its log so far."""
    log: list[tuple[Entry, int]] = []
    room = settle(room_of("big-three", ["p0", "p1", "p2"]), 1000, log)
    return room, [Written(seq, at, entry) for seq, (entry, at) in enumerate(log)]


def moved(room: Room, fence: int, client_id: str, text: str = "") -> Write:
    """The write of a legal move."""
    player = f"p{room.to_act}"
    entry = decide(room, player, move(room, text))
    after = fold(room, entry, 2000)
    return Write(after, fence, (Written(room.seq, 2000, entry, Cause(player, client_id, f"said {entry['move']}")),))


async def open_table(store: Store) -> tuple[Room, int]:
    """The table in the store, owned by nobody else."""
    room, log = begun()
    await store.log.create(room_of("big-three", ["p0", "p1", "p2"]))
    fence = await store.log.claim("table", "me", 0, 10)
    assert fence is not None
    await store.log.append(Write(room, fence, tuple(log), dealt=True))
    return room, fence


async def test_the_migrations_make_what_the_code_expects(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    await store.close()
    engine = sa.create_engine(f"sqlite:///{tmp_path / DATABASE_FILE}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


async def test_what_is_written_is_synced_before_the_answer(tmp_path: Path) -> None:
    database = await SqliteDatabase.open(tmp_path / DATABASE_FILE)
    for pragma, value in (("synchronous", 2), ("journal_mode", "wal"), ("foreign_keys", 1)):
        found = await database.write(lambda c, pragma=pragma: c.exec_driver_sql(f"PRAGMA {pragma}").scalar())  # type: ignore[misc]
        assert found == value
    await database.close()


async def test_a_table_comes_back(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    write = moved(room, fence, "a")
    await store.log.append(write)
    await store.close()
    store = await Store.open(tmp_path)
    loaded = await store.log.load("table")
    assert loaded.room == write.room
    ((key, done),) = loaded.done.items()
    assert key == (f"p{room.to_act}", "a")
    assert done.seq == write.room.seq
    with pytest.raises(Refused):
        await store.log.load("another")
    (listed,) = await store.listings.mine("p1")
    assert (listed.seat, listed.number, listed.to_act) == (1, 1, write.room.to_act)
    assert [line for line, _ in await store.log.since("table", room.seq)] == [w.entry for w in write.entries]
    await store.close()


async def test_of_two_owners_the_first_can_no_longer_write(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    later = await store.log.claim("table", "another", 20, 30)
    assert later == fence + 1
    with pytest.raises(Conflict):
        await store.log.append(moved(room, fence, "a"))
    assert (await store.log.load("table")).room == room
    await store.log.append(moved(room, later, "a"))
    with pytest.raises(Conflict):
        await store.log.append(moved(room, later, "b"))
    await store.close()


async def test_a_command_that_is_in_the_log_is_not_written_again(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    first = moved(room, fence, "a")
    await store.log.append(first)
    cause = first.entries[0].cause
    again = moved(first.room, fence, "b")
    again = replace(again, entries=(replace(again.entries[0], cause=cause),))
    with pytest.raises(Repeated) as repeated:
        await store.log.append(again)
    assert cause is not None
    assert (repeated.value.seq, repeated.value.digest) == (first.room.seq, cause.digest)
    await store.close()


async def test_what_several_tables_write_at_once_is_one_batch_and_fails_alone(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    good = moved(room, fence, "a")
    bad = replace(good, fence=fence + 7)
    results = await asyncio.gather(
        store.log.append(bad), store.log.append(good), store.log.append(bad), return_exceptions=True
    )
    assert [type(result) for result in results] == [Conflict, type(None), Conflict]
    assert (await store.log.load("table")).room == good.room
    await store.close()


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
    assert await store.listings.mine("p0") == ()
    with pytest.raises(dasan.BadRecord):
        await store.log.load("table")
    await store.close()


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


async def test_a_store_that_is_gone_takes_nothing(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    await store.check()
    empty(tmp_path)
    with pytest.raises(OSError, match="gone"):
        await store.check()
    with pytest.raises(OSError, match="gone"):
        await store.log.append(moved(room, fence, "a"))
    await store.close()


async def test_another_versions_database_is_refused(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    await store.close()
    connection = sqlite3.connect(tmp_path / DATABASE_FILE)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(CannotServe, match="another version"):
        await Store.open(tmp_path)


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / DATABASE_FILE).write_bytes(b"no database" * 100)
    with pytest.raises(CannotServe, match="cannot be used"):
        await Store.open(tmp_path)


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

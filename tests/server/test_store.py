"""The event log on disk."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import dasan
from dasan.server.app import data_dir
from dasan.server.identity import signing_key
from dasan.server.protocol import MoveCommand
from dasan.server.refusals import CannotServe, Refused
from dasan.server.rooms import Room
from dasan.server.store import DATABASE_FILE, Conflict, Store, metadata

from .test_rooms import head


async def test_the_migrations_make_what_the_code_expects(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    await store.close()
    engine = sa.create_engine(f"sqlite:///{tmp_path / DATABASE_FILE}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


async def test_what_is_written_is_synced_before_the_answer(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    async with store._writer.begin() as connection:
        for pragma, value in (("synchronous", 2), ("journal_mode", "wal"), ("foreign_keys", 1)):
            assert (await connection.exec_driver_sql(f"PRAGMA {pragma}")).scalar() == value
    await store.close()


async def test_a_room_comes_back(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, lines = Room.create(head(3), dasan.rules("big-three"))
    await store.create(room, lines)
    seat = room.session.state.to_act
    assert seat is not None
    step = room.handle(seat, MoveCommand(type="move", id="a", move="bid 1"))
    await store.append(step.room, step.lines, seat, "a")
    await store.close()
    store = await Store.open(tmp_path)
    saved = await store.load("table")
    assert Room.restore(saved.head, saved.lines, saved.done) == step.room
    with pytest.raises(Refused):
        await store.load("another")
    (listed,) = await store.mine("me")
    assert (listed.seat, listed.summary) == (0, step.room.summary)
    await store.close()


async def test_the_second_of_two_writers_fails_and_writes_nothing(tmp_path: Path) -> None:
    one, two = await Store.open(tmp_path), await Store.open(tmp_path)
    room, lines = Room.create(head(3), dasan.rules("big-three"))
    await one.create(room, lines)
    seat = room.session.state.to_act
    assert seat is not None
    first = room.handle(seat, MoveCommand(type="move", id="a", move="bid 1"))
    second = room.handle(seat, MoveCommand(type="move", id="b", move="bid 2"))
    await one.append(first.room, first.lines, seat, "a")
    with pytest.raises(Conflict):
        await two.append(second.room, second.lines, seat, "b")
    saved = await two.load("table")
    assert Room.restore(saved.head, saved.lines, saved.done) == first.room
    await one.close()
    await two.close()


async def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    await (await Store.open(tmp_path)).close()
    path = tmp_path / DATABASE_FILE
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(CannotServe, match="newer version"):
        await Store.open(tmp_path)


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / DATABASE_FILE).write_text("my poems " * 1000)
    with pytest.raises(CannotServe, match=r"dasan\.sqlite3"):
        await Store.open(tmp_path)
    assert (tmp_path / DATABASE_FILE).read_text().startswith("my poems")


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

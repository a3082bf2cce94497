"""Backups: from one database to another, of other programs and of older schemas, and damaged ones."""

from __future__ import annotations

import asyncio
import errno
import gzip
import json
import stat
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dasan.server.api.groups import FIRST
from dasan.server.refusals import CannotServe
from dasan.server.store import Store, backups
from dasan.server.store.backups import dump, load
from dasan.server.store.migrating import migrate

from .conftest import Opened, new_database
from .test_deletion import chatting

pytestmark = pytest.mark.full

REPORT = {"table_id": "t", "seq": 1, "by": "a", "text": "", "reason": "", "at": 1}


async def test_a_backup_goes_from_one_database_to_another(opened: Opened, postgres_url: str, tmp_path: Path) -> None:
    store = await opened()
    await chatting(store)
    await store.people.register("p1", "Ann", "hash", 7)
    await store.reports.add(REPORT)
    room = (await store.log.load("table")).room
    path = tmp_path / "backup.gz"
    counts = await store.database.read(lambda c: dump(c, path, b"k" * 32))
    assert (counts["tables"], counts["players"], counts["reports"]) == (1, 1, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(CannotServe, match="exists already"):
        await store.database.read(lambda c: dump(c, path))
    with pytest.raises(CannotServe, match="not empty"):
        await store.database.write(lambda c: load(c, path))
    await store.close()
    (tmp_path / "new").mkdir()
    for url in ("", await new_database(postgres_url)):
        other = await Store.open(tmp_path / "new", url)
        assert await other.database.write(lambda c: load(c, path)) == (counts, b"k" * 32)
        assert (await other.log.load("table")).room == room
        person = await other.people.by_account("ann")
        assert person is not None
        assert person.id == "p1"
        await other.reports.add({**REPORT, "seq": 2})
        assert (await other.overviews.reports(9)).total == 2
        await other.close()


async def test_what_is_ordered_by_its_number_keeps_its_order(opened: Opened, tmp_path: Path) -> None:
    """PostgreSQL puts rows where there is room."""
    store = await opened()
    await chatting(store)
    await store.people.register("p1", "Ann", "hash", 7)
    group = await store.groups.create("p1", "Club", FIRST, 7)
    for at, text in enumerate("abc"):
        await store.groups.say(group, "p1", text, at)
    await store.database.write(lambda c: c.execute(sa.text("UPDATE group_lines SET text = 'a' WHERE text = 'a'")))
    await store.database.read(lambda c: dump(c, tmp_path / "backup.gz"))
    await store.close()
    (tmp_path / "new").mkdir()
    other = await Store.open(tmp_path / "new")
    await other.database.write(lambda c: load(c, tmp_path / "backup.gz"))
    assert [line.text for line in (await other.groups.load(group, "p1")).lines] == ["a", "b", "c"]
    await other.close()


async def test_a_backup_leaves_out_tables_of_other_programs(opened: Opened, tmp_path: Path) -> None:
    store = await opened()
    await chatting(store)
    await store.database.write(lambda c: c.execute(sa.text("CREATE TABLE theirs (secret TEXT)")))
    await store.database.write(lambda c: c.execute(sa.text("INSERT INTO theirs VALUES ('not ours')")))
    counts = await store.database.read(lambda c: dump(c, tmp_path / "backup.gz"))
    assert "theirs" not in counts
    assert "not ours" not in gzip.decompress((tmp_path / "backup.gz").read_bytes()).decode()
    await store.close()
    (tmp_path / "new").mkdir()
    other = await Store.open(tmp_path / "new")
    assert (await other.database.write(lambda c: load(c, tmp_path / "backup.gz")))[0] == counts
    await other.close()


def test_a_backup_does_not_blame_its_file_for_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some errors of a connection are a plain ``OSError``, as those of the disk are."""

    def fail(connection: sa.Connection) -> str:
        raise OSError(errno.EHOSTUNREACH, "No route to host")

    monkeypatch.setattr(backups, "current", fail)
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection)
        with pytest.raises(OSError, match="No route to host"):
            dump(connection, tmp_path / "backup.gz")
    engine.dispose()
    assert not any(tmp_path.iterdir())


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup of a store with one table, beside an empty folder ``new``."""

    async def make() -> None:
        store = await Store.open(tmp_path)
        await chatting(store)
        await store.database.read(lambda c: dump(c, tmp_path / "backup.gz"))
        await store.close()

    asyncio.run(make())
    (tmp_path / "new").mkdir()
    return tmp_path / "backup.gz"


def test_a_damaged_backup_changes_nothing(backup: Path) -> None:
    whole = gzip.decompress(backup.read_bytes())
    lines = whole.splitlines(keepends=True)
    header = json.loads(lines[0])

    async def attempt() -> int:
        store = await Store.open(backup.parent / "new")
        try:
            with pytest.raises(CannotServe) as refused:
                await store.database.write(lambda c: load(c, backup))
            assert "\n" not in str(refused.value)
            return (await store.overviews.tables(None, 9)).total
        finally:
            await store.close()

    newer = json.dumps({**header, "schema": "9999"}).encode() + b"\n"
    for damaged in (whole[:-9], b"".join(lines[:-1]), b"".join(lines[:-2] + lines[-1:]), b"{}\n", b"", newer):
        backup.write_bytes(gzip.compress(damaged))
        assert asyncio.run(attempt()) == 0
    flipped = bytearray(gzip.compress(whole))
    flipped[10] |= 6  # the first block has no valid type
    other_text = gzip.compress(whole, 0).replace(b"hello from P1", b"hello from Q1")
    same_row_twice = gzip.compress(whole.replace(b'["table",1,"p1"]', b'["table",0,"p0"]'))
    more = gzip.compress(whole + b"{}\n")
    for damaged in (b"no gzip", bytes(flipped), other_text, same_row_twice, more):
        backup.write_bytes(damaged)
        assert asyncio.run(attempt()) == 0


def test_a_backup_of_an_older_schema_is_migrated(backup: Path, tmp_path: Path) -> None:
    """As an older version wrote it: with its schema's number, and without later tables."""
    lines = [json.loads(line) for line in gzip.decompress(backup.read_bytes()).splitlines()]
    lines[0]["schema"] = "0002"
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection, "0002")
        known = set(sa.inspect(connection).get_table_names())
    engine.dispose()
    rows: list[Any] = []
    taken = True
    for line in lines[:-1]:
        if isinstance(line, dict) and "table" in line:
            taken = line["table"] in known
        if taken:
            rows.append(line)
    rows.append({"end": {name: n for name, n in lines[-1]["end"].items() if name in known}})
    backup.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))

    async def restore() -> None:
        store = await Store.open(tmp_path / "new")
        await store.database.write(lambda c: load(c, backup))
        assert (await store.log.load("table")).room.seq > 0
        await store.close()

    asyncio.run(restore())

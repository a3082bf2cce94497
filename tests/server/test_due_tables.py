"""Tables that go on by themselves: when a process opens them, and what stops it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dasan.server.app import create_app
from dasan.server.protocol.commands import LeaveCommand
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import CannotServe, Refused
from dasan.server.store import Store, due
from dasan.server.store.schema import events
from dasan.server.store.schema import tables as rows
from dasan.server.tables import due_tables
from dasan.server.tables.directory import HELD, Tables
from dasan.server.tables.room import STALLED, Room
from dasan.server.times import DAY, HOUR, now

from .conftest import only_process
from .harness import RATED, SECONDS, fast, served
from .rooms import open_table

pytestmark = pytest.mark.full


async def test_a_damaged_table_that_is_due_does_not_stop_the_others(tables: Tables) -> None:
    await open_table(tables.store)
    damaged = sa.update(rows).values(rules={"options": {}, "digest": "damaged"})
    await tables.store.database.write(lambda c: c.execute(damaged))
    await tables._due.open_due("table")
    await tables._due.open_due("another that is gone")
    with pytest.raises(Refused):
        await tables.look("table")


async def test_no_table_waits_for_the_lease_of_a_process_that_has_ended(tables: Tables) -> None:
    """Each process of an SQLite database is the only one. Its leases are long, but for some seconds the rest is a short one."""
    await open_table(tables.store)
    for left in (1000, HOUR):
        await tables.store.leases.claim("table", "a server that was killed", left)
        assert not await tables.is_open("table")


async def test_damaged_tables_that_are_due_do_not_crowd_out_others(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They stay due: each is tried, and reported, once in an hour."""
    monkeypatch.setattr(due, "MOST_DUE", 1)
    await open_table(tables.store)
    table_id, _ = await tables.create("ann", "big-three", {}, ["me", "random", "random"])
    assert (await tables.look(table_id)).status == "playing"
    tables.reopen(table_id)
    damaged = (
        sa.update(rows)
        .where(rows.c.id == "table")
        .values(rules={"options": {}, "digest": "damaged"}, deadline=1, lease_until=0)
    )
    later = sa.update(rows).where(rows.c.id == table_id).values(deadline=2, lease_until=0)
    tried: list[str] = []
    opens = tables._due.open_due

    async def seen(due: str) -> None:
        tried.append(due)
        await opens(due)

    monkeypatch.setattr(tables._due, "open_due", seen)
    await closed(tables)
    await tables.store.database.write(lambda c: (c.execute(damaged), c.execute(later)))
    for _ in range(2):
        await tables._due.sweep()
    assert tried == ["table", table_id]
    assert caplog.text.count("table table is due and cannot be opened") == 1
    monkeypatch.setattr("dasan.server.tables.due_tables.monotonic", lambda: float("inf"))
    await tables.store.database.write(lambda c: c.execute(damaged))
    await tables._due.sweep()
    assert tried[2:] == ["table"]


async def test_a_rated_hand_that_only_bots_play_is_finished_after_a_restart(tmp_path: Path) -> None:
    """Its player has left, so nobody opens the table."""
    async with only_process(tmp_path, bot_delay=10) as before:
        rated = TableSettings.model_validate(RATED)
        table_id, _ = await before.create("ann", "big-three", {}, ["me", "random", "random"], settings=rated)
        seat = (await before.look(table_id)).seat_of("ann")
        assert seat is not None
        await before.command(table_id, "ann", LeaveCommand(type="leave", id="l"))
        room = await before.look(table_id)
        assert room.bot_to_act is not None
        assert room.deadline is None
        assert [one.deadline for one in await before.store.listings.mine("ann")] == [None]
        assert await before.store.due.tables(room.at + STALLED - 1) == ()
        assert await before.store.due.tables(room.at + STALLED) == (table_id,)
    async with only_process(tmp_path) as after:
        for one in await after.store.due.tables(room.at + STALLED):
            await after._due.open_due(one)
        async with asyncio.timeout(SECONDS):
            while not (await after.store.log.load(table_id)).room.over:  # noqa: ASYNC110 - nobody is told
                await asyncio.sleep(0.02)
        assert await after.store.due.tables(now() + DAY) == ()


def _of_an_earlier_version(table_id: str) -> sa.Update:
    """The row of a table as earlier versions wrote it: it has a deadline only if a person is to act."""
    return sa.update(rows).where(rows.c.id == table_id).values(deadline=None, touched=1, lease_until=0, owner=None)


async def closed(tables: Tables) -> None:
    """Wait until no table is open."""
    async with asyncio.timeout(SECONDS):
        while tables._open:  # noqa: ASYNC110 - nobody is told
            await asyncio.sleep(0.01)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due_tables, "BETWEEN", 0)


@pytest.mark.usefixtures("at_once")
async def test_a_rated_hand_of_an_earlier_version_where_a_bot_is_to_act_is_finished(tmp_path: Path) -> None:
    """Its row has no deadline, and its player has left."""
    async with only_process(tmp_path, bot_delay=10) as before:
        rated = TableSettings.model_validate(RATED)
        table_id, _ = await before.create("ann", "big-three", {}, ["me", "random", "random"], settings=rated)
        await before.look(table_id)
        await before.command(table_id, "ann", LeaveCommand(type="leave", id="l"))
        assert (await before.look(table_id)).bot_to_act is not None
    async with only_process(tmp_path) as after:
        await after.store.database.write(lambda c: c.execute(_of_an_earlier_version(table_id)))
        assert await after.store.due.tables(now() + DAY) == ()
        await after._due.look_over()
        async with asyncio.timeout(SECONDS):
            while (await after.store.log.load(table_id)).room.status != "ended":  # noqa: ASYNC110 - nobody is told
                await asyncio.sleep(0.02)
        assert (await after.store.log.load(table_id)).room.over
        assert len(await after.store.hands.of_table(table_id, 0, 9)) == 1


@pytest.mark.usefixtures("at_once")
async def test_a_table_that_all_have_left_ends_though_nobody_opens_it(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is left as earlier versions left it, one by a guest whose data is deleted; at the third somebody only is away."""
    ids = []
    with monkeypatch.context() as earlier:
        earlier.setattr(Room, "abandoned", False)
        for player in ("left", "deleted", "away"):
            table_id, _ = await tables.create(player, "big-three", {}, ["me", "random", "random"])
            await tables.look(table_id)
            if player == "left":
                await tables.command(table_id, player, LeaveCommand(type="leave", id="l"))
            tables.reopen(table_id)
            await closed(tables)
            ids.append(table_id)
    await tables.store.people.forget("deleted", now())
    changes = [_of_an_earlier_version(table_id) for table_id in ids]
    await tables.store.database.write(lambda c: [c.execute(change).rowcount for change in changes])
    loaded: list[str] = []
    load = tables.store.log.load

    async def loads(table_id: str, until: int | None = None) -> Any:
        loaded.append(table_id)
        return await load(table_id, until)

    monkeypatch.setattr(tables.store.log, "load", loads)
    await tables._due.look_over()
    async with asyncio.timeout(SECONDS):
        for table_id in ids[:2]:
            while (await load(table_id)).room.status != "ended":  # noqa: ASYNC110 - nobody is told
                await asyncio.sleep(0.01)
    assert (await load(ids[2])).room.status == "playing"
    loaded.clear()
    await tables._due.look_over()
    assert loaded == [], "nothing has changed at the table where somebody is away"


@pytest.mark.usefixtures("at_once")
async def test_a_damaged_table_does_not_stop_the_look_at_others(
    tables: Tables, caplog: pytest.LogCaptureFixture
) -> None:
    """Damage of every kind: the row is wrong, or an entry has no type."""
    await open_table(tables.store)
    damaged = _of_an_earlier_version("table").values(rules={"options": {}, "digest": "damaged"})
    table_id, _ = await tables.create("ann", "big-three", {}, ["me", "random", "random"])
    await tables.look(table_id)
    tables.reopen(table_id)
    await closed(tables)
    untyped = sa.update(events).where(events.c.table_id == table_id).values(line="{}")
    earlier = _of_an_earlier_version(table_id).values(checkpoint=sa.null())
    await tables.store.database.write(lambda c: [c.execute(one).rowcount for one in (damaged, untyped, earlier)])
    for _ in range(2):
        await tables._due.look_over()
    assert caplog.text.count("the row of table table is damaged") == 1
    assert caplog.text.count(f"the row of table {table_id} is damaged") == 1


async def test_a_server_that_starts_ends_the_leases_of_a_killed_one(tmp_path: Path) -> None:
    """Retention and the look at resting tables, which skip tables in use, need not wait an hour for them."""
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    await open_table(store)
    await store.leases.claim("table", "a server that was killed", int(HELD * 1000))
    await store.database.write(lambda c: c.execute(sa.update(rows).values(status="playing", deadline=None, touched=1)))
    assert await store.due.resting(2) == ()
    with served(settings):
        assert [table.id for table in await store.due.resting(2)] == ["table"]
        await store.leases.claim("table", "the living", int(HELD * 1000))
        other = create_app(settings)
        with pytest.raises(CannotServe, match="another dasan server"):
            async with other.router.lifespan_context(other):
                pass
        assert await store.due.resting(2) == (), "a server that is refused ends no lease of the other"
    await store.close()

"""The deletion of players: what is deleted, and what stays under another name."""

from __future__ import annotations

import asyncio
import gzip
import random
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from websockets.exceptions import ConnectionClosed

from dasan.server.new_ids import is_stranger
from dasan.server.protocol.moderation import Mute
from dasan.server.store import Store, people
from dasan.server.store.backups import dump
from dasan.server.store.log import Cause, Write, WrittenEntry, _append
from dasan.server.store.moderation import HOST
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import departures, events, tables
from dasan.server.tables.room import Entry, fold
from dasan.server.times import DAY, HOUR

from .conftest import Opened, new_database
from .harness import ANN, RATED, Served, closed_with, from_outside, my_id, ok, play_hand
from .rooms import moved, named, open_table, room_of, settle

pytestmark = pytest.mark.full


def test_a_deleted_account_leaves_no_name_and_no_id(server: Served, tmp_path: Path) -> None:
    """Not at finished, running or waiting tables, nor in logs, chat, hands or reports."""
    ann, bob = server.player(), server.player()
    ok(ann.http.post("/api/account", json={**ANN, "name": "Annabella"}))
    one = my_id(ann)
    over = ann.open_table("big-three", ["random", "random"], name="Annabella", settings=RATED)
    with ann.sit(over) as socket:
        play_hand(socket, random.Random(1))
    seats = ["me", "open", "random"]
    waiting = ann.open_table("big-three", seats=["me", "open", "open"], name="Annabella")
    going = ann.open_table("big-three", seats=seats, name="Annabella")
    ok(bob.http.post(f"/api/tables/{going}/join", json={"name": "Bob", "seat": 1}))
    with ann.sit(going) as hers, bob.sit(going) as his:
        hers.send(type="chat", id="c", text="it is me, Annabella")
        assert hers.answer("c")["type"] == "ack"
        message = his.until(lambda m: m["type"] == "chat")
        his.send(type="report", id="r", message=message["seq"], reason="Annabella said so")
        assert his.answer("r")["type"] == "ack"
        ok(ann.http.post("/api/account/delete", json={"password": ANN["password"]}))
        assert closed_with(hers) in (4403, 1012)
        closed_with(his)

    def bobs_turn() -> bool:
        try:
            with bob.sit(going) as his:
                names = [chair["name"] for chair in his.table["table"]["seats"]]
                assert names[0] == "Former player"
                assert his.table["table"]["seats"][0]["substitute"]["reason"] == "left"
                return his.my_turn()
        except ConnectionClosed as closed:  # every process reads such a table again, and people come back
            assert closed.rcvd is not None
            assert closed.rcvd.code == 1012
            return False

    assert any(bobs_turn() for _ in range(5))
    path = tmp_path / "backup"
    from_outside(server, lambda store: store.database.read(lambda c: dump(c, path)))
    text = gzip.decompress(path.read_bytes()).decode()
    for secret in ("Annabella", "annabella", one):
        assert secret not in text
    assert "Bob" in text
    assert waiting in text


async def chatting(store: Store) -> None:
    """A table of three with chat of p1 in its log, before and after a checkpoint, which no process has open."""
    room, fence = await open_table(store)
    entry = {"type": "chat", "seat": 1, "name": "P1", "text": "hello from P1"}
    after = fold(room, entry, 2000)
    cause = Cause("p1", "c", "d")
    await store.log.append(Write(after, fence, (WrittenEntry(room.seq, 2000, entry, cause),)))
    await store.log.append(moved(after, fence, "m"))
    await store.leases.release("table", "me", fence)


async def test_the_audit_log_leads_to_no_table_of_a_deleted_player(opened: Opened) -> None:
    store = await opened()
    await chatting(store)
    await store.people.register("p1", "Ann", "hash", 1)
    (line,) = (await store.log.load("table")).room.chat
    await store.reports.add({"table_id": "table", "seq": line.seq, "by": "p0", "text": line.text, "reason": "", "at": 1})
    await store.moderation.carry_out(Mute(type="mute", player="p1", hours=3, report=1), HOST, 2)
    (before,) = await store.moderation.audit()
    await store.people.delete("p1", 3)
    (after,) = await store.moderation.audit()
    assert before["detail"] == {"hours": 3, "table": "table", "message": line.seq}
    assert after["detail"] == {"hours": 3}
    await store.close()


async def test_a_log_without_a_player_still_makes_the_same_table(opened: Opened) -> None:
    store = await opened()
    await chatting(store)
    before = (await store.log.load("table")).room
    assert await store.people.delete("p1", 5000) == ("table",)
    for after in ((await store.log.load("table")).room, (await store.log.load("table", before.seq)).room):
        assert after.state == before.state
        assert [chair.name for chair in after.chairs] == ["P0", "Former player", "P2"]
        assert after.chairs[1].player not in (None, "p1")
        assert [line.text for line in after.chat] == ["…"]
    assert await store.listings.mine("p1") == []
    assert len(await store.listings.mine("p0")) == 1
    assert not await digests_of_chat(store)
    await store.close()


async def digests_of_chat(store: Store) -> list[Any]:
    """The digests of the commands of chat in the log: with one a guess of a deleted text can be confirmed."""
    mine = sa.select(events.c.digest, events.c.client_id).where(events.c.line.startswith('{"type":"chat"'))
    rows = await store.database.read(lambda connection: connection.execute(mine).all())
    assert rows
    return [row for row in rows if row.digest is not None or row.client_id is not None]


class Crash(Exception):
    """The process ends here."""


@pytest.mark.parametrize("by_itself", [False, True])
@pytest.mark.parametrize("step", ["forget_everywhere", "tables_of"])
async def test_a_deletion_that_a_crash_interrupts_is_finished_with_the_same_id(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, *, by_itself: bool, step: str
) -> None:
    """Else bots would not find the hands at tables that they finish for the player in events. The player repeats the deletion, or
    the server finishes it. tables_of: the crash comes when the player is deleted, but not yet at tables of the last moment.
    """
    store = await opened()
    await open_table(store)
    room = room_of("big-three", ["p0", "p1", "p2"])
    await store.people.register("p1", "Ann", "hash", 1)
    real, calls = getattr(people, step), iter(range(9))

    def crash(*arguments: Any) -> Any:
        if step == "tables_of" and next(calls) == 0:
            return real(*arguments)
        raise Crash

    with monkeypatch.context() as crashing:
        crashing.setattr(people, step, crash)
        with pytest.raises(Crash):
            await store.people.delete("p1", 5000)
    await store.log.create(named(room, "late"))
    if by_itself:
        assert await store.people.forget_interrupted(5000 + HOUR) == 0, "it may be under way"
        await prune(store.database, store.people, Keep(), 5001 + HOUR)
    else:
        await store.people.delete("p1", 6000)
    rooms = [(await store.log.load(name)).room for name in ("table", "late")]
    (one,) = {room.chairs[1].player for room in rooms}
    assert is_stranger(one)
    assert await store.people.find("p1") is None
    assert await store.people.forget_interrupted(DAY) == 0
    assert await store.database.read(lambda c: c.execute(sa.select(departures)).all()) == []
    await store.close()


async def test_a_deletion_waits_for_a_write_to_the_log(postgres_url: str, tmp_path: Path) -> None:
    """Else what the player says at that moment would stay, with the name: the table names the player nowhere else then."""
    url = await new_database(postgres_url)
    store = await Store.open(tmp_path, url)
    room, fence = await open_table(store)
    entry = {"type": "chat", "seat": 1, "name": "P1", "text": "hello from P1"}
    cause = Cause("p1", "c", "d")
    write = Write(fold(room, entry, 2000), fence, (WrittenEntry(room.seq, 2000, entry, cause),))
    engine = create_async_engine(url.replace("postgresql:", "postgresql+asyncpg:"))
    async with engine.begin() as writing:
        await writing.run_sync(lambda connection: _append(connection, [write]))
        deleting = asyncio.create_task(store.people.delete("p1", 5000))
        await asyncio.wait([deleting], timeout=1)
        assert not deleting.done()
    await engine.dispose()
    await deleting
    lines = await store.database.read(lambda c: list(c.scalars(sa.select(events.c.line))))
    assert len(lines) == room.seq + 1
    assert not [line for line in lines if "P1" in line]
    await store.close()


async def test_a_contribution_stays_though_it_is_the_players_id(opened: Opened) -> None:
    """The deal follows from it."""
    store = await opened()
    start = room_of("big-three", ["p0", "p1", "p2"])
    given = {"type": "contribute", "seat": 1, "text": "p1"}
    log: list[tuple[Entry, int]] = [(given, 1000)]
    room = settle(fold(start, given, 1000), 1000, log)
    await store.log.create(start)
    fence = await store.leases.claim("table", "me", HOUR)
    written = tuple(WrittenEntry(seq, at, entry) for seq, (entry, at) in enumerate(log))
    await store.log.append(Write(room, fence or 0, written, dealt=True))
    await store.people.delete("p1", 5000)
    checkpoint: Any = await store.database.read(lambda c: c.scalar(sa.select(tables.c.checkpoint)))
    assert checkpoint["deal"]["deal"]["contributions"] == ["p1"]
    assert (await store.log.load("table")).room.state == room.state
    await store.close()


async def test_an_owner_of_a_rewritten_log_can_no_longer_write(opened: Opened) -> None:
    store = await opened()
    room, fence = await open_table(store)
    await store.people.delete("p1", 5000)
    from dasan.server.store import Conflict

    with pytest.raises(Conflict):
        await store.log.append(moved(room, fence, "late"))
    assert [(n.kind, n.subject) for n in await store.processes.notices(5000)] == [
        ("reopen", "table"),
        ("recheck", "p1"),
    ]
    await store.close()

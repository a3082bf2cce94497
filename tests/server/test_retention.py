"""Retention: what is deleted after its period, and what stays."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

import dasan
from dasan.records.verify import verify
from dasan.server.events.event import DuplicateEvent
from dasan.server.protocol.table import TableSettings
from dasan.server.store import Store
from dasan.server.store.duplicates import Guest
from dasan.server.store.hand import finished
from dasan.server.store.log import Write, WrittenEntry
from dasan.server.store.ratings import differences
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import hands, tables
from dasan.server.tables import directory
from dasan.server.tables.decisions import decide
from dasan.server.tables.directory import Tables
from dasan.server.tables.room import Room, fold
from dasan.server.times import DAY, now

from .conftest import Opened, new_database
from .harness import RATED, ban, fast
from .rooms import move, named, open_table, room_of
from .test_deletion import chatting, digests_of_chat

pytestmark = pytest.mark.full


def legal_moves(room: Room) -> Sequence[dasan.Move]:
    assert room.state is not None
    return room.state.legal_moves()


def statements_of_writes(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collects the statements of all transactions that write, for which moves wait."""
    writes: list[str] = []
    write = store.database.write

    def noting(change: Callable[[sa.Connection], Any]) -> Any:
        def run(connection: sa.Connection) -> Any:
            def note(*given: Any) -> None:
                writes.append(given[2])

            sa.event.listen(connection.engine, "before_cursor_execute", note)
            try:
                return change(connection)
            finally:
                sa.event.remove(connection.engine, "before_cursor_execute", note)

        return write(run)

    monkeypatch.setattr(store.database, "write", noting)
    return writes


async def test_no_move_waits_while_old_hands_are_looked_for(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index finds them, nor hands of an earlier schema: all rows are read, in no transaction that writes."""
    store = await opened()
    writes = statements_of_writes(store, monkeypatch)
    keep = Keep(tables=30, hands=30)
    await prune(store.database, store.people, keep, 50 * DAY)
    assert not [one for one in writes if " hands" in one or " hand_seats" in one or " tables" in one]
    await store.close()


async def test_no_move_waits_while_old_chat_is_looked_for(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole log is read, because no index finds chat: in parts, and in no transaction that writes."""
    store = await opened()
    for name in ("a", "b", "c"):
        await store.log.create(named(room_of("big-three", ["p0", "p1", "p2"]), name))
    await chatting(store)
    monkeypatch.setattr("dasan.server.store.retention.AT_ONCE", 2)
    writes = statements_of_writes(store, monkeypatch)
    assert (await prune(store.database, store.people, Keep(chat=30), 50 * DAY))["chat"] == 1
    assert any("UPDATE events" in statement for statement in writes)
    assert not any("LIKE" in statement for statement in writes)
    assert not await digests_of_chat(store)
    assert (await prune(store.database, store.people, Keep(chat=30), 50 * DAY))["chat"] == 0
    await store.close()


async def test_what_is_old_goes_and_what_is_young_stays(opened: Opened) -> None:
    store = await opened()
    await chatting(store)
    rated = room_of("big-three", ["p0", "p1", "p2"], **RATED)
    await store.log.create(named(rated, "rated"))
    await store.people.rename("young", "Young", 40 * DAY)
    await store.people.rename("old", "Old", 0)
    await store.people.register("account", "Account", "x", 0)
    await store.people.rename("banned", "Banned", 0)
    await ban(store, "banned", 0)
    row = {"table_id": "table", "seq": 1, "by": "p0", "text": "x", "reason": "y", "at": 0}
    await store.reports.add(row)
    at = 50 * DAY
    keep = Keep(tables=30, hands=30, guests=30, chat=30)

    counted = await prune(store.database, store.people, keep, at, dry=True)
    assert (counted["tables"], counted["chat"]) == (2, 1)
    assert counted["guests"] == 4, "p0, p1, p2 and the old one"
    assert (await store.overviews.reports(9)).total == 1

    removed = await prune(store.database, store.people, Keep(chat=30), at)
    assert removed["chat"] == 1
    assert [line.text for line in (await store.log.load("table")).room.chat] in ([], ["…"])
    assert (await store.overviews.reports(9)).total == 0
    assert (await prune(store.database, store.people, Keep(chat=30), at))["chat"] == 0

    removed = await prune(store.database, store.people, keep, at)
    assert removed["tables"] == 2
    for gone in ("table", "rated"):
        with pytest.raises(dasan.server.refusals.Refused):
            await store.log.load(gone)
    left = {row["id"] for row in (await store.overviews.players(None, False, 99)).rows}
    assert left == {"young", "account", "banned"}
    assert sum((await prune(store.database, store.people, keep, at)).values()) == 0
    await store.close()


async def test_a_table_stays_while_a_player_has_time_for_a_move(opened: Opened) -> None:
    store = await opened()
    _, fence = await open_table(store, speed={"kind": "correspondence", "days": 14})
    await store.people.rename("p0", "P0", 0)
    later = now() + 30 * DAY
    assert (await prune(store.database, store.people, Keep(tables=7), later))["tables"] == 0, "its owner has a lease"
    await store.leases.release("table", "me", fence)
    keep = Keep(tables=7, guests=7)
    removed = await prune(store.database, store.people, keep, 8 * DAY)
    assert (removed["tables"], removed["guests"]) == (0, 0)
    assert [chair.player for chair in (await store.log.load("table")).room.chairs] == ["p0", "p1", "p2"]
    removed = await prune(store.database, store.people, keep, 22 * DAY)
    assert (removed["tables"], removed["guests"]) == (1, 1)
    await store.close()


async def test_a_table_stays_that_a_process_is_claiming(postgres_url: str, tmp_path: Path) -> None:
    """The claim may be under way when retention finds the table unused."""
    url = await new_database(postgres_url)
    store = await Store.open(tmp_path, url)
    _, fence = await open_table(store)
    await store.leases.release("table", "me", fence)
    engine = create_async_engine(url.replace("postgresql:", "postgresql+asyncpg:"))
    async with engine.begin() as claiming:
        await claiming.execute(sa.update(tables).values(owner="other", lease_until=now() + DAY))
        pruning = asyncio.create_task(prune(store.database, store.people, Keep(tables=1), now() + 9 * DAY))
        await asyncio.wait([pruning], timeout=1)
    await engine.dispose()
    assert (await pruning)["tables"] == 0
    await store.log.load("table")
    await store.close()


@pytest.mark.parametrize("length", ["LEASE", "HELD"])
async def test_a_table_stays_that_somebody_only_watches(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: str
) -> None:
    """However long it has been open: every process renews its leases. ``dasan admin prune`` runs in another process."""
    monkeypatch.setattr(directory, length, 2.0)
    store, other = await opened(), await opened()
    _, fence = await open_table(store)
    await store.leases.release("table", "me", fence)
    async with Tables(store, fast(tmp_path)) as here:
        await here.look("table")
        await asyncio.sleep(2.5)
        assert (await prune(other.database, other.people, Keep(tables=7), 90 * DAY))["tables"] == 0
        assert "table" in here
    await store.leases.claim("table", "me", 0)
    await asyncio.sleep(0.01)
    assert (await prune(other.database, other.people, Keep(tables=7), 90 * DAY))["tables"] == 1
    await other.close()
    await store.close()


async def test_a_rated_table_stays_until_its_hand_is_over_and_takes_nothing_of_it_along(opened: Opened) -> None:
    """Its hands are the data of ratings, histories and reviews; none of these reads the table."""
    store = await opened()
    room, fence = await open_table(store, **RATED)
    keep = Keep(tables=7, hands=7, guests=7)
    rng = random.Random(1)
    while not room.over:
        at = room.at + 1000
        entry = decide(room, f"p{room.to_act}", move(room, str(rng.choice(legal_moves(room)))))
        after = fold(room, entry, at)
        over = finished(after) if after.over else None
        await store.log.append(Write(after, fence, (WrittenEntry(room.seq, at, entry),), finished=over))
        if room.number == 1 and len(room.moves) == 3:
            await store.leases.release("table", "me", fence)
            assert (await prune(store.database, store.people, keep, 90 * DAY))["tables"] == 0
            fence = await store.leases.claim("table", "me", 60_000) or 0
        room = after
    await store.leases.release("table", "me", fence)
    (hand,) = await store.hands.of_table("table", 0, 9)

    async def told() -> list[Any]:
        ratings = [await store.ratings.of(f"p{seat}") for seat in range(3)]
        points = [
            await store.ratings.points("p0", "big-three", 3),
            await store.ratings.board("big-three", 3, {}, 9, "p0"),
        ]
        computed = await store.database.read(differences)
        mine = [await store.hands.of_player("p0", None), await store.hands.load(hand.id, "p0")]
        return [*ratings, *points, computed, *mine, verify(hand.record).unproved]

    await store.people.rename("p0", "P0", 0)
    before = await told()
    assert len(before[0]) == 1
    assert before[5] == (3, [])
    assert (await prune(store.database, store.people, Keep(tables=7, hands=7), 90 * DAY)) == {"tables": 1, "hands": 0}
    with pytest.raises(dasan.server.refusals.Refused):
        await store.log.load("table")
    assert await told() == before
    await store.close()


@pytest.mark.parametrize("tables_too", [True, False])
async def test_a_rated_hand_that_nobody_can_finish_keeps_nothing_for_ever(opened: Opened, *, tables_too: bool) -> None:
    """The table is damaged: it goes after its time, and its finished hands stay. So do its guests, whether or not tables go."""
    store = await opened()
    room, fence = await open_table(store, **RATED)
    await store.leases.release("table", "me", fence)
    await store.people.rename("p0", "P0", 0)
    hand = {"id": "hand", "table_id": "table", "number": 1, "preset": "big-three", "finished": 1, "shown": True}
    hand |= {"rated": True, "result": {}, "opening": [], "record": ""}
    damaged = sa.update(tables).values(rules={"options": {}, "digest": "damaged"})
    await store.database.write(lambda c: (c.execute(sa.insert(hands), hand), c.execute(damaged)))
    keep = Keep(tables=7 if tables_too else 0, hands=7, guests=7)
    assert sum((await prune(store.database, store.people, keep, room.at + 6 * DAY)).values()) == 0
    removed = await prune(store.database, store.people, keep, room.at + 8 * DAY)
    assert (removed["tables"], removed["hands"], removed["guests"]) == (tables_too, 0, 3 - 2 * tables_too)
    assert len(await store.hands.of_table("table", 0, 9)) == 1
    await store.close()


async def test_a_table_stays_while_a_player_has_to_finish_a_deal_of_an_event(opened: Opened) -> None:
    store = await opened()
    event = DuplicateEvent("event", dasan.rules("big-three"), bytes(128), 1, 1, "greedy", 0, 31 * DAY, TableSettings())
    await store.duplicates.create(event)

    def make(deal: int, guests: Sequence[Guest]) -> Room:
        return room_of("big-three", [guests[0].player, "greedy", "greedy"])

    await store.duplicates.seat(event, "p0", "P", 1000, make)
    await store.duplicates.seat(replace(event, people=2), "waits", "W", 1000, make)
    assert (await prune(store.database, store.people, Keep(tables=7), 8 * DAY))["tables"] == 0
    await store.duplicates.reveal("event", 40 * DAY, stuck=True)
    assert (await prune(store.database, store.people, Keep(tables=7), 40 * DAY))["tables"] == 1
    await store.close()


async def test_a_guest_who_comes_back_while_others_are_deleted_stays(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many deletions take minutes, and the last guest in the list is deleted after all others."""
    store = await opened()
    people = store.people
    guests = ["ann", "bob", "cyd"]
    for guest in guests:
        await people.rename(guest, guest.title(), 0)
    forget, forgotten = people.forget, list[str]()

    async def and_others_come_back(player: str, now: int) -> tuple[str, ...]:
        if not forgotten:
            table = room_of("big-three", ["p0", "open", "open"])
            account, sitting = sorted(set(guests) - {player})
            await people.register(account, account, "x", now)
            chairs = (replace(table.chairs[0], player=sitting), *table.chairs[1:])
            await store.log.create(replace(table, chairs=chairs, at=now))
        forgotten.append(player)
        return await forget(player, now)

    monkeypatch.setattr(people, "forget", and_others_come_back)
    assert (await prune(store.database, people, Keep(guests=30), 50 * DAY))["guests"] == 1
    assert len(forgotten) == 1
    left = {row["id"] for row in (await store.overviews.players(None, False, 99)).rows}
    assert left == set(guests) - set(forgotten)
    await store.close()


async def test_an_address_that_nobody_confirms_is_deleted_after_a_day(opened: Opened) -> None:
    """Somebody may have given another person's; the link in the e-mail is then invalid anyway."""
    store = await opened()
    for player, address in (("p0", "ann@mail.example"), ("p1", "bo@mail.example")):
        await store.people.register(player, f"Name-{player}", "hash", 0)
        await store.notifications.ask(player, address, f"token-{player}", DAY)
    assert await store.notifications.confirm("token-p1", DAY + 1)
    left = {}
    for moment in (2 * DAY, 2 * DAY + 1):
        await prune(store.database, store.people, Keep(), moment)
        left[moment] = [(await store.notifications.of(player)).address for player in ("p0", "p1")]
    assert left == {2 * DAY: ["ann@mail.example", "bo@mail.example"], 2 * DAY + 1: [None, "bo@mail.example"]}
    await store.close()

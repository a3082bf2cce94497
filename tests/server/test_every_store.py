"""One suite for the event log on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest
import sqlalchemy as sa

from dasan.server.protocol.rest import HandRole
from dasan.server.refusals import Refused
from dasan.server.store import Conflict, Repeated, Store, due
from dasan.server.store.database import Database, Unreachable
from dasan.server.store.due import Resting
from dasan.server.store.friends import blocked_pairs
from dasan.server.store.hand import FinishedHand, Player
from dasan.server.store.hands import insert_hand
from dasan.server.store.known import hold
from dasan.server.store.log import EventLog, Unwritten
from dasan.server.store.people import SEEN_EVERY, Taken
from dasan.server.store.schema import tables
from dasan.server.times import HOUR, now

from .conftest import Opened
from .rooms import LEASE, moved, open_table, room_of

T = TypeVar("T")


async def test_a_table_comes_back(opened: Opened) -> None:
    store = await opened()
    room, fence = await open_table(store)
    write = moved(room, fence, "a")
    await store.log.append(write)
    await store.close()
    store = await opened()
    loaded = await store.log.load("table")
    assert loaded.room == write.room
    ((key, done),) = loaded.done.items()
    assert key == (f"p{room.to_act}", "a")
    assert done.seq == write.room.seq
    with pytest.raises(Refused):
        await store.log.load("another")
    (listed,) = await store.listings.mine("p1")
    assert (listed.seat, listed.number, listed.your_turn) == (1, 1, write.room.to_act == 1)
    assert [line for line, _ in await store.log.since("table", room.seq)] == [w.entry for w in write.entries]
    await store.close()


async def test_tables_that_have_ended_displace_no_other_from_the_list(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each deal of an event is a table that ends: in a month there are more than the list has places."""
    monkeypatch.setattr("dasan.server.store.listings.MOST_LISTED", 2)
    store = await opened()
    made = room_of("big-three", ["p0", "p1", "p2"])
    for at, name in enumerate(("club", "deal-1", "deal-2"), start=1):
        status: Literal["playing", "ended"] = "playing" if name == "club" else "ended"
        await store.log.create(replace(made, head=replace(made.head, id=name), status=status, at=at * 1000))
    listed = await store.listings.mine("p0")
    assert [(one.id, one.touched[:19]) for one in listed] == [
        ("club", "1970-01-01T00:00:01"),
        ("deal-2", "1970-01-01T00:00:03"),
    ]
    await store.close()


async def test_the_lobby_shows_tables_to_watch_where_somebody_plays(opened: Opened) -> None:
    """Not those whose people have closed the page, unless a player still has days for the move."""
    store = await opened()
    await open_table(store, visibility="lobby", spectators=True)

    async def live(now: int) -> list[str]:
        return [table.id for table in (await store.listings.lobby(now)).live]

    assert [await live(1000), await live(1000 + HOUR), await live(1001 + HOUR)] == [["table"], ["table"], []]
    await store.database.write(lambda c: c.execute(sa.update(tables).values(deadline=9 * HOUR)))
    assert [await live(9 * HOUR), await live(9 * HOUR + 1)] == [["table"], []]
    await store.close()


async def test_of_tables_that_are_due_the_longest_come_first(opened: Opened) -> None:
    store = await opened()
    made = room_of("big-three", ["p0", "p1", "p2"])
    deadlines = {"b": 2, "c": 3, "a": 4, "d": 1, "e": 9}
    for name in deadlines:
        await store.log.create(replace(made, head=replace(made.head, id=name), status="playing"))
    change = sa.update(tables).values(deadline=sa.case(deadlines, value=tables.c.id))
    await store.database.write(lambda connection: connection.execute(change))
    assert await store.due.tables(4) == ("d", "b", "c", "a")
    assert await store.due.tables(4, ["b", "a", "x"]) == ("d", "c")
    await store.close()


async def test_a_table_rests_that_has_no_deadline_and_is_open_nowhere(opened: Opened) -> None:
    store = await opened()
    room, fence = await open_table(store)
    assert await store.due.resting(room.at + 1) == ()
    await store.leases.release("table", "me", fence)
    assert await store.due.resting(room.at + 1) == (Resting("table", fence, room.at),)
    assert await store.due.resting(room.at) == ()
    await store.database.write(lambda c: c.execute(sa.update(tables).values(deadline=1)))
    assert await store.due.resting(room.at + 1) == ()
    await store.close()


async def test_tables_that_rest_are_read_in_parts(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each comes once, the longest unused first."""
    monkeypatch.setattr(due, "MOST_RESTING", 2)
    store = await opened()
    resting = {"c": 1, "a": 2, "b": 2, "d": 2, "e": 3}
    room, _ = await open_table(store)
    for table_id in resting:
        await store.log.create(replace(room, head=replace(room.head, id=table_id)))
    changes = [
        sa.update(tables).where(tables.c.id == i).values(touched=at, status="playing") for i, at in resting.items()
    ]
    await store.database.write(lambda c: [c.execute(change).rowcount for change in changes])
    found: list[str] = []
    part = await store.due.resting(4)
    while part:
        assert len(part) <= 2
        found += [table.id for table in part]
        part = await store.due.resting(4, part[-1])
    assert found == ["c", "a", "b", "d", "e"]
    await store.close()


async def test_parts_of_the_resting_tables_are_found_by_time(tmp_path: Path) -> None:
    """By the index of deadlines each part would read all of them: with 100,000 an hourly check took 11 s instead of 0.7."""
    store = await Store.open(tmp_path)
    plans: list[str] = []

    def explain(connection: sa.Connection, _: Any, statement: str, parameters: Any, *__: Any) -> None:
        cursor = connection.connection.cursor()
        plans.extend(row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters))
        cursor.close()

    def listen(connection: sa.Connection) -> None:
        sa.event.listen(connection.engine, "before_cursor_execute", explain)

    await store.database.read(listen)
    await store.due.resting(9, Resting("table", 1, 5))
    assert "ix_tables_touched" in plans[0]
    await store.close()


async def test_a_statement_may_name_any_number_of_tables_and_players(opened: Opened) -> None:
    """40,000: more than the 32,767 parameters that a statement may have."""
    store = await opened()
    await open_table(store)
    await store.people.rename("p3", "Cleo", 1)
    players = [f"p{n}" for n in range(40_000)]
    assert await store.database.write(lambda connection: hold(connection, players)) == {"p3"}
    assert await store.database.read(lambda connection: blocked_pairs(connection, players)) == frozenset()
    assert await store.leases.fences(["table", *players]) == {"table": 1}
    assert await store.leases.renew("me", ["table", *players], LEASE) == {"table"}
    assert await store.leases.owner_of("table", LEASE) == "me"
    await store.close()


async def test_of_two_owners_the_first_can_no_longer_write(opened: Opened) -> None:
    store = await opened()
    room, fence = await open_table(store)
    await store.leases.renew("me", ["table"], -1)
    later = await store.leases.claim("table", "another", LEASE)
    assert later == fence + 1
    with pytest.raises(Conflict):
        await store.log.append(moved(room, fence, "a"))
    assert (await store.log.load("table")).room == room
    await store.log.append(moved(room, later, "a"))
    with pytest.raises(Conflict):
        await store.log.append(moved(room, later, "b"))
    await store.close()


async def test_a_command_that_is_in_the_log_is_not_written_again(opened: Opened) -> None:
    store = await opened()
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


async def test_what_several_tables_write_at_once_is_one_batch_and_fails_alone(opened: Opened) -> None:
    store = await opened()
    room, fence = await open_table(store)
    good = moved(room, fence, "a")
    bad = replace(good, fence=fence + 7)
    results = await asyncio.gather(
        store.log.append(bad), store.log.append(good), store.log.append(bad), return_exceptions=True
    )
    assert [type(result) for result in results] == [Conflict, type(None), Conflict]
    assert (await store.log.load("table")).room == good.room
    await store.close()


async def test_writes_of_several_tables_gather_and_a_table_alone_waits_for_nobody(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened()
    room, fence = await open_table(store)
    monkeypatch.setattr("dasan.server.store.log.GATHERED_FOR", 3600.0)
    for number in range(3):
        write = moved(room, fence, f"a{number}")
        await asyncio.wait_for(store.log.append(write), 60)
        room = write.room
    monkeypatch.setattr("dasan.server.store.log.GATHERED_FOR", 1.0)
    transactions, write_one = [], store.database.write

    async def counted(change: Callable[[sa.Connection], Any]) -> Any:
        transactions.append(change)
        return await write_one(change)

    monkeypatch.setattr(store.database, "write", counted)
    other = moved(room, fence, "b")
    strangers = [replace(other, room=replace(other.room, head=replace(room.head, id=name))) for name in ("x", "y")]
    written = await asyncio.gather(*map(store.log.append, [*strangers, other]), return_exceptions=True)
    assert [type(result) for result in written] == [Conflict, Conflict, type(None)]
    assert len(transactions) == 1 + 3, "one for all, and as that failed, one for each"
    await store.close()


async def test_two_processes_may_write_the_same_row_at_once(opened: Opened) -> None:
    one, other = await opened(), await opened()
    for n in range(10):
        await asyncio.gather(one.people.rename(f"p{n}", "Ann", 0), other.people.rename(f"p{n}", "Ann", 0))
        results = await asyncio.gather(
            one.people.register(f"a{n}", f"Name{n}", "x", 0),
            other.people.register(f"b{n}", f"Name{n}", "x", 0),
            return_exceptions=True,
        )
        assert {type(error) for error in results} == {type(None), Taken}
        await one.people.make_link(f"link{n}", "p0", None, 0, 9)
        taken = await asyncio.gather(one.people.take_link(f"link{n}", 1), other.people.take_link(f"link{n}", 1))
        assert sorted(map(str, taken)) == ["None", "p0"]
    await one.close()
    await other.close()


async def test_a_browser_that_is_signed_in_costs_a_write_a_minute(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened()
    await store.people.register("ann", "Ann", "x", 0)
    await store.people.sign_in("session", "ann", "", 0)
    with monkeypatch.context() as patched:
        patched.setattr(store.database, "write", None)
        assert await store.people.is_signed_in("session", "ann", SEEN_EVERY - 1)
        assert not await store.people.is_signed_in("session", "bo", SEEN_EVERY)
        assert not await store.people.is_signed_in("another", "ann", SEEN_EVERY)
    assert await store.people.is_signed_in("session", "ann", SEEN_EVERY)
    assert [row.seen for row in await store.people.sign_ins("ann")] == [SEEN_EVERY]
    await store.people.sign_out("ann", None, 1)
    assert not await store.people.is_signed_in("session", "ann", 1)
    await store.close()


async def test_two_processes_rate_the_same_bots_at_once(opened: Opened) -> None:
    one, other = await opened(), await opened()

    def ended(number: int) -> FinishedHand:
        roles: list[HandRole] = ["bidder", "defender", "defender"]
        players = tuple(Player(s, "", None, f"bot{(s + number) % 3}", role, 0, s == 0) for s, role in enumerate(roles))
        return FinishedHand(f"h{number}", "t", number, "big-three", 0, True, True, {}, [], "", players)

    async def write(store: Store, number: int) -> None:
        await store.database.write(lambda connection: insert_hand(connection, ended(number)))

    await asyncio.gather(*(write(store, 2 * n + i) for n in range(3) for i, store in enumerate((one, other))))
    for bot in range(3):
        (row,) = await one.ratings.of(f"bot:bot{bot}")
        assert row.hands == 6
    await one.close()
    await other.close()


async def test_a_players_hands_are_read_on_from_a_time_and_an_id(opened: Opened) -> None:
    store = await opened()
    sat = (Player(0, "Ann", "ann", None, "player", 0, True),)
    places = [(5, "b"), (5, "Z"), (5, "-"), (5, "a"), (4, "z"), (6, "0")]
    for number, (moment, name) in enumerate(places):
        one = FinishedHand(name, "t", number, "big-two", moment, True, False, {}, [], "", sat)
        await store.database.write(lambda connection, one=one: insert_hand(connection, one))  # type: ignore[misc]
    newest_first = [(hand.finished, hand.id) for hand in (await store.hands.of_player("ann", None))[0]]
    assert sorted(newest_first) == sorted(places)
    assert [moment for moment, _ in newest_first] == [6, 5, 5, 5, 5, 4]
    for n, place in enumerate(newest_first):
        after, _ = await store.hands.of_player("ann", place)
        assert [(hand.finished, hand.id) for hand in after] == newest_first[n + 1 :]
    await store.close()


async def test_a_lease_that_goes_on_is_respected_where_processes_share(opened: Opened) -> None:
    store = await opened()
    _, before = await open_table(store)
    shared = store.database.shared
    fence = await store.leases.claim("table", "me", LEASE)
    assert fence == before + 1
    await store.leases.release("table", "me", before)  # by the task that had the table open before
    assert await store.leases.owner_of("table", LEASE) == "me"
    assert (await store.leases.claim("table", "another", LEASE) is None) is shared
    if shared:
        assert await store.leases.renew("me", ["table"], LEASE) == {"table"}
        assert await store.leases.renew("another", ["table"], LEASE) == set()
        assert await store.leases.owner_of("table", LEASE) == "me"
        await store.leases.release("table", "me", fence)
        assert await store.leases.owner_of("table", LEASE) is None
        assert await store.leases.claim("table", "another", LEASE) == fence + 1
        assert await store.leases.renew("me", ["table"], LEASE) == set()
    await store.close()


@pytest.mark.parametrize("hours", [-1, 1])
async def test_the_clock_of_one_machine_prolongs_and_shortens_no_lease(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    store = await opened()
    await open_table(store)
    monkeypatch.setattr("dasan.server.store.leases.now", lambda: now() + hours * HOUR)
    if store.database.shared:
        assert await store.leases.claim("table", "another", LEASE) is None
        await store.leases.renew("me", ["table"], -1)
        assert await store.leases.claim("table", "another", LEASE) is not None
    else:
        assert await store.leases.owner_of("table", LEASE) is None, "no process has it, so the sweep may open the table"
    await store.close()


async def test_a_lease_from_before_the_databases_clock_was_set_back_is_shortened(opened: Opened) -> None:
    store = await opened()
    await open_table(store)
    if store.database.shared:
        await store.leases.renew("me", ["table"], HOUR)
        assert await store.leases.owner_of("table", 200) is None
        assert await store.leases.claim("table", "another", 200) is None, "its owner may live, and renew it"
        assert await store.leases.owner_of("table", 200) == "me"
        await asyncio.sleep(0.3)
        assert await store.leases.claim("table", "another", 200) is not None
    await store.close()


async def test_a_table_can_be_read_as_it_was(opened: Opened) -> None:
    store = await opened()
    room, fence = await open_table(store)
    first = moved(room, fence, "a")
    await store.log.append(first)
    second = moved(first.room, fence, "b")
    await store.log.append(second)
    for as_it_was in (room, first.room, second.room):
        assert (await store.log.load("table", as_it_was.seq)).room == as_it_was
    assert (await store.log.load("table", 1)).room.seq == 1
    await store.close()


class Unsteady:
    """A database whose answer to a write is lost this many times, whether or not the write was carried out."""

    def __init__(self, database: Database, lost: int, *, carried_out: bool) -> None:
        self.shared, self.scans = database.shared, database.scans
        self._database, self._lost, self._carried_out = database, lost, carried_out

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        return await self._database.read(query)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        if self._lost and not self._carried_out:
            self._lost -= 1
            raise Unreachable
        done = await self._database.write(change)
        if self._lost:
            self._lost -= 1
            raise Unreachable
        return done

    async def scrub(self) -> None: ...

    async def close(self) -> None:
        return None


@pytest.mark.full
@pytest.mark.parametrize("carried_out", [True, False])
async def test_entries_whose_answer_is_lost_are_in_the_log_once(opened: Opened, carried_out: bool) -> None:
    store = await opened()
    room, fence = await open_table(store)
    unsteady = EventLog(Unsteady(store.database, 1, carried_out=carried_out))
    writing = asyncio.create_task(unsteady.run())
    good = moved(room, fence, "a")
    results = await asyncio.gather(
        unsteady.append(good), unsteady.append(moved(room, fence + 7, "b")), return_exceptions=True
    )
    writing.cancel()
    assert results[0] is None
    assert isinstance(results[1], Conflict)
    loaded = await store.log.load("table")
    assert loaded.room == good.room
    assert [key for key, _ in loaded.done] == [f"p{room.to_act}"]
    with pytest.raises(Conflict):
        await store.log.append(good)
    await store.close()


async def test_what_cannot_be_written_for_long_is_given_up(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.server.store.log.TRIED_FOR", 0.0)
    store = await opened()
    room, fence = await open_table(store)
    unsteady = EventLog(Unsteady(store.database, 9, carried_out=False))
    writing = asyncio.create_task(unsteady.run())
    with pytest.raises(Unwritten):
        await unsteady.append(moved(room, fence, "a"))
    writing.cancel()
    assert (await store.log.load("table")).room == room
    await store.close()

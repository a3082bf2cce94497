"""How a process ends events: hands under way, several processes, outages, tables that cannot be finished."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

import dasan
from dasan.server.events import running
from dasan.server.events.event import DuplicateEvent
from dasan.server.events.running import Events, _room
from dasan.server.people.reserved_names import FORMER
from dasan.server.protocol.commands import LeaveCommand
from dasan.server.protocol.table import TableSettings
from dasan.server.store.schema import duplicates
from dasan.server.tables.directory import Tables
from dasan.server.times import DAY, now

from .harness import SECONDS
from .test_events import GAME


async def _entered(tables: Tables) -> tuple[Events, DuplicateEvent, str]:
    """The events of a process, one of a single deal, and the table where Ann plays it."""
    events, moment = Events(tables), now()
    event = DuplicateEvent("event", dasan.rules(GAME), bytes(128), 1, 1, "low", moment, moment + DAY, TableSettings())
    await tables.store.duplicates.create(event)
    table = (await events.seat(event, "ann", "Ann")).table
    assert table is not None
    return events, event, table


async def _end(events: Events, ends: int) -> None:
    """End the event, whose time was over at the moment ``ends``, as the background task does, until it is over."""
    store = events._store
    await store.database.write(lambda connection: connection.execute(sa.update(duplicates).values(ends=ends)))
    async with asyncio.timeout(SECONDS):
        while (await store.duplicates.load("event")).revealed is None:
            await events.end_due()
            await asyncio.sleep(0.05)


@pytest.mark.full
async def test_processes_that_end_an_event_at_once_report_no_error(
    tables: Tables, caplog: pytest.LogCaptureFixture
) -> None:
    events, event, table = await _entered(tables)
    await asyncio.gather(events._end(event.id), events._end(event.id))
    assert (await tables.look(table)).chairs[event.seats(0)[0]].substitute is not None
    assert caplog.messages == []


@pytest.mark.full
async def test_a_hand_is_finished_although_no_server_ran_when_the_event_ended(tables: Tables) -> None:
    """The play was dropped from the standings, because the event had ended more than an hour ago."""
    events, event, _ = await _entered(tables)
    await _end(events, event.starts - DAY)
    (play,) = await tables.store.duplicates.plays("event")
    assert (play.player, play.assisted) == ("ann", True)


@pytest.mark.full
async def test_an_event_is_over_although_a_table_cannot_be_finished(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, *_ = await _entered(tables)

    async def fails(*_: object) -> None:
        raise ValueError("damaged")

    monkeypatch.setattr(Events, "_finish", fails)
    await events._end("event")
    assert (await tables.store.duplicates.load("event")).revealed is None
    monkeypatch.setattr(running, "STUCK", 0.0)
    await events._end("event")
    assert (await tables.store.duplicates.load("event")).revealed is not None


@pytest.mark.full
async def test_bots_finish_the_hand_of_an_entrant_who_was_deleted_in_its_middle(tables: Tables) -> None:
    """The table did not answer when the deletion left it, so no bot plays there yet."""
    events, event, table = await _entered(tables)
    for reread in await tables.store.people.forget("ann", event.starts):
        tables.reopen(reread)
    ((of, former),) = await tables.store.duplicates.under_way("event")
    seat = (await tables.look(table)).seat_of(former)
    assert (of, seat) == (table, event.seats(0)[0])
    assert await tables.store.duplicates.names("event", [former]) == {former: FORMER}
    await _end(events, event.starts)
    (play,) = await tables.store.duplicates.plays("event")
    assert (play.player, play.assisted) == (former, True)


@pytest.mark.full
async def test_a_bot_plays_for_who_leaves_before_the_table_was_ever_open(tables: Tables) -> None:
    """A crash came between the seat and the deal, and an entrant's account is deleted. The event waited for an open seat."""
    events, moment = Events(tables), now()
    event = DuplicateEvent("event", dasan.rules(GAME), bytes(128), 1, 1, "low", moment, moment + DAY, TableSettings())
    await tables.store.duplicates.create(event)
    seated = await tables.store.duplicates.seat(event, "ann", "Ann", moment, lambda *given: _room(event, *given))
    assert seated.table is not None
    await tables.command(seated.table, "ann", LeaveCommand(type="leave", id="delete"))
    await _end(events, event.starts)
    (play,) = await tables.store.duplicates.plays("event")
    assert (play.player, play.assisted) == ("ann", True)

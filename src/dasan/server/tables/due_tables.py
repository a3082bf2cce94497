"""Closed tables that go on by themselves: for a bot's move, when a player's time is over, or because all people have left."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Protocol

from dasan.server.operations.reporting import report
from dasan.server.refusals import Damaged, Failed, OwnedElsewhere, Refused
from dasan.server.store import Store
from dasan.server.store.damage import intact
from dasan.server.store.due import Resting
from dasan.server.times import HOUR, now

SWEEP = 20.0
"""Seconds between checks for closed tables that go on by themselves, see `Room.due`."""
LOOK_OVER = 3600.0
"""Seconds between checks for tables that go on by themselves although their rows do not say so."""
RESTED = HOUR
"""Milliseconds without an entry after which such a check reads a table."""
BETWEEN = 0.1
"""Seconds between two tables that such a check reads, so that it takes little from the tables in use."""
PUT_OFF = 3600.0
"""Seconds for which a process does not try again to open a damaged table that is due."""


class Opener(Protocol):
    """What `DueTables` needs of `Tables`."""

    store: Store

    def __contains__(self, table_id: str) -> bool: ...

    async def open(self, table_id: str) -> None: ...

    async def is_open(self, table_id: str) -> bool: ...


class DueTables:
    """Opens these tables, in any process."""

    def __init__(self, tables: Opener) -> None:
        self._tables = tables
        self._rests: dict[str, int] = {}
        """The fences of tables that were found to wait for people: the next check need not read them. Each process has its own,
        100 bytes a table, because sharing them would cost a write for each table.
        """
        self._put_off: dict[str, float] = {}
        """When damaged tables that are due are tried again, by `monotonic`."""

    async def sweep(self) -> None:
        """Open the tables that go on by themselves."""
        self._put_off = {table_id: at for table_id, at in self._put_off.items() if at > monotonic()}
        for table_id in await self._tables.store.due.tables(now(), self._put_off):
            if not await self._tables.is_open(table_id):
                await self.open_due(table_id)

    async def look_over(self) -> None:
        """Open the tables that go on by themselves although their rows do not say so: those of earlier versions that all people
        have left, or with a bot to act in a binding hand, and those whose last people were deleted. A table is read only once
        while nothing there changes.
        """
        before, seen = now() - RESTED, set[str]()
        page = await self._tables.store.due.resting(before)
        while page:
            for table in page:
                seen.add(table.id)
                if self._rests.get(table.id) != table.fence and table.id not in self._tables:
                    await asyncio.sleep(BETWEEN)
                    await self._look_at(table)
            page = await self._tables.store.due.resting(before, page[-1])
        self._rests = {table_id: fence for table_id, fence in self._rests.items() if table_id in seen}

    async def _look_at(self, table: Resting) -> None:
        """Open a table if it goes on by itself, and otherwise note that it rests. ``Unreachable``: it cannot be read now."""
        try:
            with intact("table", table.id):
                room = (await self._tables.store.log.load(table.id)).room
                goes_on = room.abandoned or room.due is not None
        except Damaged:
            self._rests[table.id] = table.fence
        except Refused as refused:
            if refused.code != "not-found":
                raise
        else:
            if goes_on:
                await self.open_due(table.id)
            else:
                self._rests[table.id] = table.fence

    async def open_due(self, table_id: str) -> None:
        """Open a table that goes on by itself; a failure must not stop the others."""
        try:
            await self._tables.open(table_id)
        except OwnedElsewhere:
            return
        except Exception as error:
            if isinstance(error, Damaged | Failed):
                self._put_off[table_id] = monotonic() + PUT_OFF
            report(f"table {table_id} is due and cannot be opened", error)

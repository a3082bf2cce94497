"""Background tasks of a server: announce that it runs, read notices, and remove old data."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from dasan import __version__
from dasan.server.connections.websocket import Live
from dasan.server.operations.background import repeat
from dasan.server.operations.metrics import Metrics
from dasan.server.operations.reporting import log
from dasan.server.people.identity import Identities
from dasan.server.people.sightings import Sightings
from dasan.server.store.processes import NOTICE_LIFE, Notice
from dasan.server.store.retention import Keep, prune
from dasan.server.tables.directory import Tables
from dasan.server.times import now

READ_EVERY = 1.0
"""Seconds between reads of notices, and thus until a ban takes effect."""
MISSED = NOTICE_LIFE // 2
"""Milliseconds without a read of notices after which some may have been missed: half the life of a notice, because the
clocks of machines differ.
"""
BEAT_EVERY = 10.0
PRUNE_EVERY = 60 * 60.0
HERE_EVERY = 15.0
"""Seconds between writes of who is online: a third of the time for which a write counts."""


class Chores:
    """Tasks that run as long as the server; errors are reported, and the task continues."""

    def __init__(
        self, tables: Tables, identities: Identities, live: Live, metrics: Metrics, sightings: Sightings
    ) -> None:
        self._tables = tables
        self._store = tables.store
        self._identities = identities
        self._live = live
        self._metrics = metrics
        self._sightings = sightings
        self._read: set[int] = set()
        self._read_at = now()
        """The time of the last read of notices."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the tasks during the context."""
        # Notices from before the start need no action: nobody was connected, and the data they announce is read later.
        self._read_at = now()
        self._read = {notice.id for notice in await self._store.processes.notices(self._read_at)}
        await self._store.moderation.reload()
        tasks = [
            asyncio.create_task(repeat("announcing this process", self._beat, BEAT_EVERY), name="beat"),
            asyncio.create_task(repeat("reading notices", self._notices, READ_EVERY), name="notices"),
            asyncio.create_task(repeat("removing old data", self._prune, PRUNE_EVERY), name="prune"),
            asyncio.create_task(repeat("writing who is online", self._here, HERE_EVERY), name="who is here"),
            asyncio.create_task(repeat("measuring the event loop", self._metrics.measure_delay), name="metrics"),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(Exception):
                await self._store.processes.gone(self._tables.process)

    async def _beat(self) -> None:
        await self._store.processes.beat(self._tables.process, __version__, now())
        await self._store.moderation.saw(self._sightings.take(), now())

    async def _here(self) -> None:
        await self._store.friends.seen(self._live.here(), now())

    async def _notices(self) -> None:
        moment = now()
        notices = await self._store.processes.notices(moment)
        if moment - self._read_at > MISSED:
            await self._read_all()
        else:
            await self._act([notice for notice in notices if notice.id not in self._read])
        self._read, self._read_at = {notice.id for notice in notices}, moment

    async def _act(self, new: Sequence[Notice]) -> None:
        """Do what these notices ask for."""
        for notice in new:
            if notice.kind == "recheck":
                self._identities.forget()
                self._live.recheck(notice.subject)
            elif notice.kind == "release":
                self._tables.release(notice.subject)
        if any(notice.kind == "restrict" for notice in new) and await self._store.moderation.reload():
            self._live.recheck_all()
        await self._tables.reopen_changed({notice.subject for notice in new if notice.kind == "reopen"})

    async def _read_all(self) -> None:
        """Do what any notice may have asked for, after notices may have been missed."""
        self._identities.forget()
        await self._store.moderation.reload()
        self._live.recheck_all()
        await self._tables.reopen_changed()

    async def _prune(self) -> None:
        removed = await prune(self._store.database, self._store.people, Keep.of(self._tables.settings), now())
        if any(removed.values()):
            log.info("removed old data: %s", ", ".join(f"{kind} {n}" for kind, n in removed.items()))

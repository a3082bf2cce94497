"""Health and readiness of the server, for ``/health`` and ``/ready``."""

from __future__ import annotations

import asyncio
import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path

from dasan import __version__
from dasan.server.bus import Bus
from dasan.server.operations.reporting import report
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.tables.directory import Tables
from dasan.server.times import now

PATIENCE = 5.0
"""Seconds to wait for the store."""
FRESH = 1.0
"""Seconds for which a successful write counts as a passed check."""
MEGABYTE = 1 << 20
AHEAD = 300.0
"""Seconds by which a backup may be dated in the future, because the clock of its disk's machine may differ."""


class Checks:
    """The checks of one process.

    ``store``: a recent write succeeded. ``disk``: the disk of the data folder has space. ``bus``: NATS is
    connected. ``workers``: the processes of bots work; hands are played without reviews. ``accepting``: the server is not
    stopping.
    """

    def __init__(self, settings: Settings, store: Store, tables: Tables, bus: Bus | None) -> None:
        self._settings = settings
        self._store = store
        self._tables = tables
        self._bus = bus
        self._asking = asyncio.Lock()
        self._well, self._begun = True, float("-inf")

    async def health(self) -> dict[str, bool]:
        """Whether the process can store moves, with the result of each check."""
        return {"store": await self._written(), "disk": await asyncio.to_thread(self._room)}

    async def readiness(self) -> dict[str, bool]:
        """Whether load balancers should send players here."""
        return {
            **await self.health(),
            "bus": self._bus is None or self._bus.connected,
            "workers": self._tables.bots.working,
            "accepting": not self._tables.closing,
        }

    async def _written(self) -> bool:
        """Write to the store at most once a second, because anybody may call this; after a failure, on every
        request.
        """
        asked = time.monotonic()
        async with self._asking:
            if self._begun >= (asked - FRESH if self._well else asked):
                return self._well
            self._begun = time.monotonic()
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._store.processes.beat(self._tables.process, __version__, now())
            except Exception as error:
                if self._well:  # once, because anybody may ask
                    report("the store cannot be written to", error)
                self._well = False
            else:
                self._well = True
            return self._well

    def _room(self) -> bool:
        free = free_bytes(self._settings)
        return free is None or free >= self._settings.least_free_mb * MEGABYTE


def free_bytes(settings: Settings) -> int | None:
    """The free bytes on the disk of the data folder; None if the database is elsewhere or the folder is gone."""
    if settings.database:
        return None
    try:
        return shutil.disk_usage(settings.data_dir).free
    except OSError:
        return None


def last_backup(folder: Path) -> float:
    """When the newest backup in the host's folder was written, in seconds since 1970; 0 if the server sees none.

    A backup dated in the future, because a clock was set back or a copy has another date, does not count: it would hide that
    there are no new ones. One that is less than ``AHEAD`` ahead was written now. This can take as long as the folder's disk:
    do not call it on the event loop.
    """
    newest, present = 0.0, time.time()
    for file in folder.glob("*.gz"):
        with suppress(OSError):  # deleted in the meantime, or a link to nothing
            status = file.stat()
            if stat.S_ISREG(status.st_mode) and status.st_size > 0 and status.st_mtime <= present + AHEAD:
                newest = max(newest, min(status.st_mtime, present))
    return newest

"""Processes that serve the database, and notices between them and ``dasan admin``.

Each process writes a heartbeat, which also tests whether the database accepts writes, and reads notices every second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import sqlalchemy as sa

from dasan.server.store.database import StorePart, put_row, writing
from dasan.server.store.schema import notices, processes

Kind: TypeAlias = Literal["recheck", "reopen", "restrict", "release"]
"""recheck: check whether a player is still signed in and not banned. reopen: read a table from the store again.
restrict: reload banned networks and blocked words. release: close a table, so that another process can own it.
"""

NOTICE_LIFE = 5 * 60 * 1000
"""Milliseconds for which notices are kept: longer than the clock skew between machines."""
ALIVE = 30 * 1000
"""Milliseconds without a heartbeat after which a process counts as dead."""


@dataclass(frozen=True)
class Notice:
    """A request to every process. subject: the id of a player or a table; for ``release`` the owner's and the table's."""

    id: int
    kind: Kind
    subject: str


@dataclass(frozen=True)
class Process:
    """A process that serves the database. Times are milliseconds since 1970."""

    id: str
    version: str
    started: int
    seen: int


def leave_notice(connection: sa.Connection, kind: Kind, subject: str, now: int) -> None:
    """Leave a notice in the transaction that makes the change."""
    connection.execute(sa.insert(notices), {"at": now, "kind": kind, "subject": subject})


class Processes(StorePart):
    """Reads and writes heartbeats and notices."""

    @writing
    def beat(self, connection: sa.Connection, process: str, version: str, now: int) -> None:
        """Write the process's heartbeat. Raises an error if the database accepts no writes."""
        if put_row(connection, processes, {"id": process}, {"seen": now}, {"version": version, "started": now}):
            connection.execute(sa.delete(processes).where(processes.c.seen < now - 100 * ALIVE))

    async def gone(self, process: str) -> None:
        """Delete the process's heartbeat at its end."""
        await self._change(sa.delete(processes).where(processes.c.id == process))

    async def alive(self, now: int) -> tuple[Process, ...]:
        """The processes with a recent heartbeat, or with one in the future, so that no running process is missed where clocks
        differ.
        """
        query = sa.select(processes).where(processes.c.seen >= now - ALIVE).order_by(processes.c.started)
        return tuple(Process(row.id, row.version, row.started, row.seen) for row in await self._rows(query))

    async def notices(self, now: int) -> tuple[Notice, ...]:
        """The notices of the last minutes; other machines' may be out of order."""
        query = sa.select(notices).where(notices.c.at >= now - NOTICE_LIFE).order_by(notices.c.id)
        return tuple(Notice(row.id, row.kind, row.subject) for row in await self._rows(query))

    async def leave(self, kind: Kind, subject: str, now: int) -> None:
        """Leave a notice for every process."""
        await self._database.write(lambda connection: leave_notice(connection, kind, subject, now))

"""Promised seeds, and reports of chat."""

from __future__ import annotations

import sqlalchemy as sa

from dasan.server.store.database import Database
from dasan.server.store.schema import promises, reports

PROMISE_KEPT = 60 * 60 * 1000
"""A promised seed that no table was opened with is forgotten after so many milliseconds."""


class Notes:
    """Reads and writes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def promise(self, ticket: str, seed: bytes, now: int) -> None:
        """Keep a seed that somebody was shown the commitment of."""

        def write(connection: sa.Connection) -> None:
            connection.execute(sa.delete(promises).where(promises.c.at < now - PROMISE_KEPT))
            connection.execute(sa.insert(promises), {"ticket": ticket, "seed": seed, "at": now})

        await self._database.write(write)

    async def redeem(self, ticket: str, now: int) -> bytes | None:
        """The seed that was promised, once; None where there is none, or none any more."""

        def write(connection: sa.Connection) -> bytes | None:
            mine = sa.and_(promises.c.ticket == ticket, promises.c.at >= now - PROMISE_KEPT)
            seed = connection.scalar(sa.select(promises.c.seed).where(mine))
            deleted = connection.execute(sa.delete(promises).where(mine))
            return seed if deleted.rowcount else None

        return await self._database.write(write)

    async def report(self, row: dict[str, object]) -> None:
        """Keep a report of a chat message; the same one twice is kept once."""

        def write(connection: sa.Connection) -> None:
            same = sa.and_(*(reports.c[name] == row[name] for name in ("table_id", "seq", "by")))
            if connection.execute(sa.select(reports.c.id).where(same)).first() is None:
                connection.execute(sa.insert(reports), row)

        await self._database.write(write)

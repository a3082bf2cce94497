"""Leases of tables: which process owns a table, and until when.

Only the owner writes to the table's log. A lease has a *fence*, a number that grows with every new owner: a process
that was paused past its lease writes with an older fence, and the write is refused.

Leases begin and end by one clock for all processes, the database server's, so those of machines may differ. Every function
is given the length of a lease: one that ends later than that was made before this clock was set back, and is shortened.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.store.database import StorePart, among, as_python_sorts, reading, writing
from dasan.server.store.schema import tables
from dasan.server.times import now


class Leases(StorePart):
    """The leases of all tables."""

    @writing
    def claim(self, connection: sa.Connection, table_id: str, owner: str, length: int) -> int | None:
        """Claim the lease of a table for ``length`` milliseconds; return the fence to write with, or None if another
        process has the lease.

        In a database of a single process, every other lease belongs to a process that has ended, and is taken over.
        ``Refused``: there is no such table.
        """
        moment = lease_time(connection)
        mine = change = sa.update(tables).where(tables.c.id == table_id)
        if self._database.shared:
            free = sa.or_(tables.c.owner.is_(None), tables.c.owner == owner, tables.c.lease_until < moment)
            change = mine.where(free)
        taken = connection.execute(change.values(owner=owner, lease_until=moment + length, fence=tables.c.fence + 1))
        fence: int | None = connection.scalar(sa.select(tables.c.fence).where(tables.c.id == table_id))
        if fence is None:
            raise Refused("not-found", reason("no-table"))
        if taken.rowcount:
            return fence
        connection.execute(mine.where(tables.c.lease_until > moment + length).values(lease_until=moment + length))
        return None

    @reading
    def owner_of(self, connection: sa.Connection, table_id: str, length: int) -> str | None:
        """The process that holds the table's lease; None if none does, or if `claim` has to shorten it."""
        moment = lease_time(connection)
        current = tables.c.lease_until.between(moment, moment + length)
        return connection.scalar(sa.select(tables.c.owner).where(tables.c.id == table_id, current))

    async def fences(self, table_ids: Sequence[str]) -> dict[str, int]:
        """The fences of these tables. A fence has grown if the table has another owner or its log was changed."""

        def read(connection: sa.Connection) -> dict[str, int]:
            query = sa.select(tables.c.id, tables.c.fence).where(among(connection, tables.c.id, table_ids))
            return {row.id: row.fence for row in connection.execute(query)}

        return await self._database.read(read) if table_ids else {}

    async def renew(self, owner: str, table_ids: Sequence[str], length: int) -> frozenset[str]:
        """Let the owner's leases of these tables begin again; return the tables that it still owns."""

        def write(connection: sa.Connection) -> frozenset[str]:
            mine = sa.and_(tables.c.owner == owner, among(connection, tables.c.id, table_ids))
            query = sa.select(tables.c.id).where(mine).order_by(as_python_sorts(connection, tables.c.id))
            kept = connection.scalars(query.with_for_update()).all()
            change = sa.update(tables).where(among(connection, tables.c.id, kept))
            connection.execute(change.values(lease_until=lease_time(connection) + length))
            return frozenset(kept)

        return await self._database.write(write) if table_ids else frozenset()

    async def release(self, table_id: str, owner: str, fence: int) -> None:
        """End the lease of a table, so that another process need not wait for its expiry."""
        mine = sa.and_(tables.c.id == table_id, tables.c.owner == owner, tables.c.fence == fence)
        change = sa.update(tables).where(mine).values(owner=None, lease_until=0)
        await self._change(change)

    @writing
    def end_all(self, connection: sa.Connection) -> None:
        """End the leases that a killed process has left. Only for a database of a single process, at its start."""
        left = sa.update(tables).where(tables.c.lease_until >= lease_time(connection))
        connection.execute(left.values(owner=None, lease_until=0))


def lease_time(connection: sa.Connection) -> sa.ColumnElement[int]:
    """The current time in milliseconds since 1970 by the clock of leases: the database server's; SQLite has that of this
    machine.
    """
    if connection.dialect.name == "sqlite":
        return sa.literal(now(), sa.BigInteger)
    return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger)

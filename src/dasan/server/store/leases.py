"""Leases of tables: which process owns a table, and until when.

Only the owner writes to the table's log. A lease has a *fence*, a number that grows with every new owner: a process
that was paused past its lease writes with an older fence, and the write is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.store.database import StorePart, among, as_python_sorts
from dasan.server.store.schema import tables


class Leases(StorePart):
    """The leases of all tables."""

    async def claim(self, table_id: str, owner: str, now: int, until: int) -> int | None:
        """Claim the lease of a table until ``until``; return the fence to write with, or None if another process has
        the lease.

        In a database of a single process, every other lease belongs to a process that has ended, and is taken over.
        ``Refused``: there is no such table.
        """

        def write(connection: sa.Connection) -> int | None:
            change = sa.update(tables).where(tables.c.id == table_id)
            if self._database.shared:
                free = sa.or_(tables.c.owner.is_(None), tables.c.owner == owner, tables.c.lease_until < now)
                change = change.where(free)
            taken = connection.execute(change.values(owner=owner, lease_until=until, fence=tables.c.fence + 1))
            fence = connection.scalar(sa.select(tables.c.fence).where(tables.c.id == table_id))
            if fence is None:
                raise Refused("not-found", reason("no-table"))
            return fence if taken.rowcount else None

        return await self._database.write(write)

    async def owner_of(self, table_id: str, now: int) -> str | None:
        """The process that holds the table's lease at ``now``; None if none does."""
        query = sa.select(tables.c.owner).where(tables.c.id == table_id, tables.c.lease_until >= now)
        return await self._value(query)

    async def fences(self, table_ids: Sequence[str]) -> dict[str, int]:
        """The fences of these tables. A fence has grown if the table has another owner or its log was changed."""

        def read(connection: sa.Connection) -> dict[str, int]:
            query = sa.select(tables.c.id, tables.c.fence).where(among(connection, tables.c.id, table_ids))
            return {row.id: row.fence for row in connection.execute(query)}

        return await self._database.read(read) if table_ids else {}

    async def renew(self, owner: str, table_ids: Sequence[str], until: int) -> frozenset[str]:
        """Extend the owner's leases of these tables to ``until`` or later; return the tables that it still owns."""

        def write(connection: sa.Connection) -> frozenset[str]:
            mine = sa.and_(tables.c.owner == owner, among(connection, tables.c.id, table_ids))
            query = sa.select(tables.c.id).where(mine).order_by(as_python_sorts(connection, tables.c.id))
            kept = connection.scalars(query.with_for_update()).all()
            # Renewals may arrive out of order.
            late = sa.and_(among(connection, tables.c.id, kept), tables.c.lease_until < until)
            connection.execute(sa.update(tables).where(late).values(lease_until=until))
            return frozenset(kept)

        return await self._database.write(write) if table_ids else frozenset()

    async def release(self, table_id: str, owner: str, fence: int) -> None:
        """End the lease of a table, so that another process need not wait for its expiry."""
        mine = sa.and_(tables.c.id == table_id, tables.c.owner == owner, tables.c.fence == fence)
        change = sa.update(tables).where(mine).values(owner=None, lease_until=0)
        await self._change(change)

"""Tables that go on, or may go on, while nobody has them open."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from dasan.server.store.database import StorePart, among, reading
from dasan.server.store.leases import lease_time
from dasan.server.store.schema import tables

MOST_DUE = 1000
"""The most due tables that one sweep reads."""
MOST_RESTING = 1000
"""The most resting tables that one query reads, so that the event loop is not busy with its rows for long."""


@dataclass(frozen=True)
class Resting:
    """A table that nobody uses: its fence, and the time of its last entry."""

    id: str
    fence: int
    touched: int


class Due(StorePart):
    """Reads which tables a process has to open by itself."""

    @reading
    def tables(self, connection: sa.Connection, now: int, put_off: Collection[str] = ()) -> tuple[str, ...]:
        """The ids of tables that go on by themselves, see `Room.due`, except those ``put_off``: at most ``MOST_DUE``, the
        longest due first.
        """
        due = sa.select(tables.c.id).where(tables.c.deadline <= now, tables.c.status == "playing")
        due = due.order_by(tables.c.deadline, tables.c.id).limit(MOST_DUE)
        return tuple(connection.scalars(due.where(sa.not_(among(connection, tables.c.id, put_off)))))

    @reading
    def resting(self, connection: sa.Connection, before: int, after: Resting | None = None) -> tuple[Resting, ...]:
        """The tables that are playing without a deadline, have not been used since ``before``, and that no process has open:
        at most ``MOST_RESTING``, the longest unused first, from the one that follows ``after``.
        """
        c = tables.c
        # By the index of `touched`, whose order the parts have. That of `deadline` would find all these tables for each part.
        no_deadline = sa.func.coalesce(c.deadline, -1) == -1
        idle = sa.and_(c.status == "playing", no_deadline, c.touched < before)
        if after is not None:
            idle = sa.and_(idle, c.touched >= after.touched, sa.or_(c.touched > after.touched, c.id > after.id))
        query = sa.select(c.id, c.fence, c.touched).order_by(c.touched, c.id).limit(MOST_RESTING)
        rows = connection.execute(query.where(idle, c.lease_until < lease_time(connection)))
        return tuple(Resting(row.id, row.fence, row.touched) for row in rows)

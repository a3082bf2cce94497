"""Promises: seeds whose commitment was shown before a table is opened with them."""

from __future__ import annotations

import sqlalchemy as sa

from dasan.server.store.database import StorePart, writing
from dasan.server.store.schema import promises
from dasan.server.times import HOUR

PROMISE_KEPT = HOUR
"""The lifetime of an unused promised seed in milliseconds."""


class Promises(StorePart):
    """Reads and writes promised seeds."""

    @writing
    def promise(self, connection: sa.Connection, ticket: str, seed: bytes, now: int) -> None:
        """Store a seed under its ticket."""
        connection.execute(sa.delete(promises).where(promises.c.at < now - PROMISE_KEPT))
        connection.execute(sa.insert(promises), {"ticket": ticket, "seed": seed, "at": now})

    @writing
    def redeem(self, connection: sa.Connection, ticket: str, now: int) -> bytes | None:
        """Remove and return the seed of a ticket; None if it does not exist, was redeemed or has expired."""
        mine = sa.and_(promises.c.ticket == ticket, promises.c.at >= now - PROMISE_KEPT)
        seed = connection.scalar(sa.select(promises.c.seed).where(mine))
        deleted = connection.execute(sa.delete(promises).where(mine))
        return seed if deleted.rowcount else None

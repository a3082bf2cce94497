"""Lists for ``dasan admin``: tables, players, reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dasan.server.store.database import StorePart, reading
from dasan.server.store.schema import hand_seats, hands, players, reports, seats, tables


@dataclass(frozen=True)
class Overview:
    """The first rows of a list as plain data, and the length of the whole list."""

    rows: tuple[dict[str, Any], ...]
    total: int


class Overviews(StorePart):
    """Reads lists for ``dasan admin``."""

    async def tables(self, status: str | None, most: int) -> Overview:
        """Tables, the most recently touched first, without seeds and cards."""
        shown = ("id", "preset", "status", "created", "touched", "seq", "owner", "lease_until", "summary")
        query = sa.select(*(tables.c[name] for name in shown)).order_by(tables.c.touched.desc(), tables.c.id)
        return await self._of(query if status is None else query.where(tables.c.status == status), most)

    async def players(self, text: str | None, banned: bool, most: int) -> Overview:
        """Players whose name or account contains ``text``, newest first, with the number of hands they have played."""
        played = (
            sa.select(
                hand_seats.c.player, sa.func.count().label("hands"), sa.func.max(hand_seats.c.finished).label("last")
            )
            .group_by(hand_seats.c.player)
            .subquery()
        )
        query = (
            sa.select(
                players.c.id,
                players.c.name,
                players.c.account,
                players.c.created,
                players.c.banned,
                sa.func.coalesce(played.c.hands, 0).label("hands"),
                played.c.last,
            )
            .outerjoin(played, played.c.player == players.c.id)
            .order_by(players.c.created.desc(), players.c.id)
        )
        if text:
            query = query.where(
                sa.or_(
                    players.c.name.icontains(text, autoescape=True),
                    players.c.account.icontains(text, autoescape=True),
                    players.c.id == text,
                )
            )
        return await self._of(query.where(players.c.banned) if banned else query, most)

    async def seated(self, table_id: str) -> tuple[dict[str, Any], ...]:
        """The seats of a table with their players' ids. Only an id tells guests apart: several may have the same name."""
        query = sa.select(seats.c.seat, seats.c.player).where(seats.c.table_id == table_id).order_by(seats.c.seat)
        return tuple(row._asdict() for row in await self._rows(query))

    async def reports(self, most: int) -> Overview:
        """Reports of chat, newest first."""
        return await self._of(sa.select(reports).order_by(reports.c.at.desc(), reports.c.id.desc()), most)

    async def records(self, table_id: str | None, after: tuple[int, str], most: int) -> tuple[tuple[int, str, str], ...]:
        """The climb/1 records of finished hands in the order in which they ended: time, id and text of each.

        after: the time and id of the last one that was read.
        """
        place = sa.tuple_(hands.c.finished, hands.c.id)
        query = sa.select(hands.c.finished, hands.c.id, hands.c.record).where(place > sa.tuple_(*map(sa.literal, after)))
        if table_id is not None:
            query = query.where(hands.c.table_id == table_id)
        query = query.order_by(hands.c.finished, hands.c.id).limit(most)
        return tuple((row.finished, row.id, row.record) for row in await self._rows(query))

    @reading
    def _of(self, connection: sa.Connection, query: sa.Select[Any], most: int) -> Overview:
        counted = sa.select(sa.func.count()).select_from(query.order_by(None).subquery())
        rows = connection.execute(query.limit(most)).mappings().all()
        return Overview(tuple(map(dict, rows)), connection.scalar(counted) or 0)

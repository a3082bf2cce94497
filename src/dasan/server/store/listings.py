"""Lists of tables: a player's own, and the lobby."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa

from dasan.server.protocol.rest import Lobby, LobbyTable, TableSummary
from dasan.server.protocol.table import SeatInfo, TableSettings
from dasan.server.store.damage import undamaged
from dasan.server.store.database import StorePart, put_row
from dasan.server.store.schema import forgotten, seats, tables
from dasan.server.tables.facts import title_of
from dasan.server.times import HOUR, moment

T = TypeVar("T")

MOST_LISTED = 100
QUIET = HOUR
"""Milliseconds without a move or deadline after which the lobby shows no table for spectators: its people have closed the
page.
"""


class Listings(StorePart):
    """Reads lists of tables. A damaged row is skipped and logged."""

    async def mine(self, player: str) -> list[TableSummary]:
        """The player's tables: those that have not ended first, the most recently played first."""
        gone = sa.select(forgotten.c.table_id).where(forgotten.c.player == player)
        query = (
            sa.select(tables, seats.c.seat)
            .join_from(tables, seats)
            .where(seats.c.player == player, tables.c.id.not_in(gone))
            .order_by(sa.case((tables.c.status == "ended", 1), else_=0), tables.c.touched.desc(), tables.c.id)
            .limit(MOST_LISTED)
        )
        return await self._list(query, _mine)

    async def under_way(self, player: str) -> list[str]:
        """The ids of all tables that have not ended at which the player sits, also of those that the player's list leaves out."""
        query = (
            sa.select(tables.c.id).join_from(tables, seats).where(seats.c.player == player, tables.c.status != "ended")
        )
        return [row.id for row in await self._rows(query.order_by(tables.c.id))]

    async def forget(self, table_id: str, player: str) -> None:
        """Hide a table in the player's list. The log's write shows it again when they sit down or return."""
        row = {"table_id": table_id, "player": player}
        await self._database.write(lambda connection: put_row(connection, forgotten, row, {}))

    async def lobby(self, now: int) -> Lobby:
        """Tables with an open seat, and tables open to spectators where somebody plays, newest first."""
        listed = sa.select(tables).where(tables.c.listed).order_by(tables.c.created.desc(), tables.c.id)
        waiting = await self._list(listed.where(tables.c.status == "waiting").limit(MOST_LISTED), _waiting)
        live = sa.or_(tables.c.touched >= now - QUIET, tables.c.deadline >= now)
        playing = await self._list(listed.where(tables.c.status == "playing", live).limit(MOST_LISTED), _in_lobby)
        return Lobby(open=[one for one in waiting if one and one.open], live=[one for one in playing if one.watch])

    async def _list(self, query: sa.Select[Any], read: Callable[[Any], T]) -> list[T]:
        return undamaged("table", await self._rows(query), read)


def _mine(row: Any) -> TableSummary:
    summary = row.summary
    return TableSummary(
        id=row.id,
        preset=row.preset,
        title=title_of(row.preset),
        players=len(summary["balances"]),
        created=moment(row.created),
        touched=moment(row.touched),
        status=row.status,
        number=summary["number"],
        phase=summary["phase"],
        seat=row.seat,
        your_turn=summary["to_act"] == row.seat,
        balances=summary["balances"],
        names=[name for _, name, _ in summary["chairs"]],
        deadline=summary.get("deadline"),  # missing in rows of earlier versions
    )


def _waiting(row: Any) -> LobbyTable | None:
    """The table, if somebody waits at it for others."""
    waits = any(kind == "human" for kind, _, _ in row.summary["chairs"])
    return _in_lobby(row) if waits and not row.summary["locked"] else None


def _in_lobby(row: Any) -> LobbyTable:
    seats = [
        SeatInfo(seat=seat, name=name, kind=kind, **({} if bot is None else {"bot": bot}))
        for seat, (kind, name, bot) in enumerate(row.summary["chairs"])
    ]
    settings = TableSettings.model_validate(row.settings)
    return LobbyTable(
        id=row.id,
        preset=row.preset,
        title=title_of(row.preset),
        players=len(seats),
        created=moment(row.created),
        status=row.status,
        seats=seats,
        open=sum(seat.kind == "open" for seat in seats),
        settings=settings,
        number=row.summary["number"],
        watch=settings.spectators,
    )

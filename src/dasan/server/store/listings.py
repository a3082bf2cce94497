"""Lists of tables: a player's own, and the lobby."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dasan.server.protocol.table import TableSettings
from dasan.server.store.database import StorePart
from dasan.server.store.schema import forgotten, seats, tables

MOST_LISTED = 100

log = logging.getLogger("dasan.server")


@dataclass(frozen=True)
class ListedTable:
    """A table in a list. seat: the player's, in the list of their tables. chairs: kind, name and bot of every seat."""

    id: str
    preset: str
    created: int
    status: str
    settings: TableSettings
    deadline: int | None
    seat: int | None
    number: int
    phase: str | None
    to_act: int | None
    balances: tuple[int, ...]
    chairs: tuple[tuple[str, str, str | None], ...]
    locked: bool


class Listings(StorePart):
    """Reads lists of tables. A damaged row is skipped and logged."""

    async def mine(self, player: str) -> tuple[ListedTable, ...]:
        """The player's tables, the most recently played first."""
        gone = sa.select(forgotten.c.table_id).where(forgotten.c.player == player)
        query = (
            sa.select(tables, seats.c.seat)
            .join_from(tables, seats)
            .where(seats.c.player == player, tables.c.id.not_in(gone))
            .order_by(tables.c.touched.desc(), tables.c.id)
            .limit(MOST_LISTED)
        )
        return await self._list(query)

    async def forget(self, table_id: str, player: str, *, forget: bool) -> None:
        """Hide a table in the player's list (``forget``), or show it again."""
        row = {"table_id": table_id, "player": player}

        def write(connection: sa.Connection) -> None:
            mine = sa.and_(forgotten.c.table_id == table_id, forgotten.c.player == player)
            connection.execute(sa.delete(forgotten).where(mine))
            if forget:
                connection.execute(sa.insert(forgotten), row)

        await self._database.write(write)

    async def lobby(self, status: str) -> tuple[ListedTable, ...]:
        """Tables of the lobby with this status, newest first."""
        query = (
            sa.select(tables)
            .where(tables.c.listed, tables.c.status == status)
            .order_by(tables.c.created.desc(), tables.c.id)
            .limit(MOST_LISTED)
        )
        return await self._list(query)

    async def _list(self, query: sa.Select[Any]) -> tuple[ListedTable, ...]:
        return tuple(listed for row in await self._rows(query) if (listed := _listed(row._mapping)) is not None)


def _listed(row: Mapping[Any, Any]) -> ListedTable | None:
    try:
        summary = row["summary"]
        return ListedTable(
            id=row["id"],
            preset=row["preset"],
            created=row["created"],
            status=row["status"],
            settings=TableSettings.model_validate(row["settings"]),
            deadline=row["deadline"],
            seat=row.get("seat"),
            number=int(summary["number"]),
            phase=summary["phase"],
            to_act=summary["to_act"],
            balances=tuple(summary["balances"]),
            chairs=tuple((kind, name, bot) for kind, name, bot in summary["chairs"]),
            locked=bool(summary["locked"]),
        )
    except (KeyError, TypeError, ValueError):
        log.error("the row of table %s is damaged", row["id"])
        return None

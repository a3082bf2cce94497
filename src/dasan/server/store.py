"""The event log: every table's lines in a database, each command's in one transaction that is on disk before its answer.

SQLite writes through one connection, in write-ahead mode, fully synchronous; readers have connections of their own. A
line's number is its place in its table's log, and the primary key refuses a second line in the same place: of two
writers to one table, the second fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command as alembic
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from dasan.server.refusals import CannotServe, Refused
from dasan.server.rooms import Chair, Done, Head, Room, Summary

DATABASE_FILE = "dasan.sqlite3"
MIGRATIONS = Path(__file__).with_name("migrations")
MOST_LISTED = 100

metadata = sa.MetaData()

_tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    sa.Column("summary", sa.JSON, nullable=False),
)
_seats = sa.Table(
    "seats",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("player", sa.String(64), index=True),
    sa.Column("bot", sa.String(64)),
)
_events = sa.Table(
    "events",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("line", sa.Text, nullable=False),
)
_commands = sa.Table(
    "commands",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("client_id", sa.String(64), primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
)


class Conflict(Exception):
    """Another process has written the same lines of a table's log."""


@dataclass(frozen=True)
class Saved:
    """What ``Room.restore`` needs."""

    head: Head
    lines: tuple[str, ...]
    done: Mapping[tuple[int, str], Done]


@dataclass(frozen=True)
class Listed:
    """A table in a player's list."""

    id: str
    preset: str
    created: str
    seat: int
    summary: Summary


class Store:
    """The database of one server. Made by ``open``; ``close`` it in the end."""

    def __init__(self, writer: AsyncEngine, reader: AsyncEngine) -> None:
        self._writer = writer
        self._reader = reader

    @classmethod
    async def open(cls, data_dir: Path) -> Store:
        """Open the database in ``data_dir``, made or migrated as needed; ``CannotServe`` where that fails."""
        path = data_dir / DATABASE_FILE
        path.touch(mode=0o600)
        url = sa.URL.create("sqlite+aiosqlite", database=str(path))
        writer = _sqlite(create_async_engine(url, pool_size=1, max_overflow=0, hide_parameters=True), "BEGIN IMMEDIATE")
        reader = _sqlite(create_async_engine(url, pool_size=2, max_overflow=2, hide_parameters=True), "BEGIN")
        store = cls(writer, reader)
        try:
            async with writer.begin() as connection:
                await connection.run_sync(_migrate)
        except (CommandError, sa.exc.DatabaseError) as error:
            await store.close()
            reason = str(error.orig) if isinstance(error, sa.exc.DBAPIError) else str(error)
            raise CannotServe(
                f"the database {path} cannot be used; a newer version may have written it ({reason})"
            ) from error
        return store

    async def close(self) -> None:
        await self._reader.dispose()
        await self._writer.dispose()

    async def create(self, room: Room, lines: Sequence[str]) -> None:
        """Write a new table."""
        head, rules = room.head, room.session.rules
        table = {
            "id": head.id,
            "preset": rules.name,
            "options": rules.options,
            "digest": rules.digest,
            "seed": head.seed,
            "public": head.public,
            "created": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "summary": asdict(room.summary),
        }
        seats = [{"table_id": head.id, "seat": seat, **asdict(chair)} for seat, chair in enumerate(head.chairs)]
        async with self._writer.begin() as connection:
            await connection.execute(sa.insert(_tables), table)
            await connection.execute(sa.insert(_seats), seats)
            await connection.execute(sa.insert(_events), _rows(head.id, 0, lines))

    async def append(self, room: Room, lines: Sequence[str], seat: int, client_id: str) -> None:
        """Write what a command added to make ``room``: when this returns, it is on disk.

        ``Conflict`` where another writer was there first; then memory is behind the log.
        """
        done = room.done[seat, client_id]
        command = {"table_id": room.head.id, "seat": seat, "client_id": client_id, "body": done.body, "seq": done.seq}
        summary = sa.update(_tables).where(_tables.c.id == room.head.id).values(summary=asdict(room.summary))
        try:
            async with self._writer.begin() as connection:
                await connection.execute(sa.insert(_events), _rows(room.head.id, room.seq - len(lines), lines))
                await connection.execute(sa.insert(_commands), command)
                await connection.execute(summary)
        except sa.exc.IntegrityError:
            raise Conflict(f"line {room.seq - len(lines)} of table {room.head.id} is already written") from None

    async def load(self, table_id: str) -> Saved:
        """A table as it was last written; ``Refused`` where there is none."""
        async with self._reader.begin() as connection:
            table = (await connection.execute(sa.select(_tables).where(_tables.c.id == table_id))).one_or_none()
            if table is None:
                raise Refused("not-found", "there is no such table")
            seats = await connection.execute(
                sa.select(_seats.c.kind, _seats.c.name, _seats.c.player, _seats.c.bot)
                .where(_seats.c.table_id == table_id)
                .order_by(_seats.c.seat)
            )
            chairs = tuple(Chair(*row) for row in seats)
            lines = await connection.scalars(
                sa.select(_events.c.line).where(_events.c.table_id == table_id).order_by(_events.c.seq)
            )
            commands = await connection.execute(sa.select(_commands).where(_commands.c.table_id == table_id))
            return Saved(
                Head(table_id, chairs, table.public, table.seed),
                tuple(lines),
                {(row.seat, row.client_id): Done(row.body, row.seq) for row in commands},
            )

    async def mine(self, player: str) -> tuple[Listed, ...]:
        """The player's tables, newest first."""
        query = (
            sa.select(_tables.c.id, _tables.c.preset, _tables.c.created, _tables.c.summary, _seats.c.seat)
            .join_from(_tables, _seats)
            .where(_seats.c.player == player)
            .order_by(_tables.c.created.desc(), _tables.c.id)
            .limit(MOST_LISTED)
        )
        async with self._reader.begin() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(Listed(row.id, row.preset, row.created, row.seat, _summary(row.summary)) for row in rows)


def _rows(table_id: str, first: int, lines: Sequence[str]) -> list[dict[str, Any]]:
    return [{"table_id": table_id, "seq": seq, "line": line} for seq, line in enumerate(lines, first)]


def _summary(data: Mapping[str, Any]) -> Summary:
    return Summary(**{**data, "balances": tuple(data["balances"])})


def _sqlite(engine: AsyncEngine, begin: str) -> AsyncEngine:
    """Set up every connection for durable writes, and begin transactions ourselves: the driver begins them too late."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def connect(connection: Any, _: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("busy_timeout=5000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine.sync_engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _migrate(connection: sa.Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    alembic.upgrade(config, "head")

"""The store's database: its interface, and an SQLite file. `server_database` has PostgreSQL.

A query is a plain function of a connection, the same for both; ``read`` and ``write`` run it in one transaction, off
the event loop. ``reading`` and ``writing`` make it a coroutine of its part of the store. SQLite writes through one thread
and one connection, in WAL mode with synchronous=FULL; readers have separate connections.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

import sqlalchemy as sa

from dasan.server.operations.reporting import log
from dasan.server.refusals import CannotServe, Refused
from dasan.server.store.damage import json_value
from dasan.server.store.migrating import migrate

P = ParamSpec("P")
T = TypeVar("T")
Part = TypeVar("Part", bound="StorePart")

Prepare: TypeAlias = Callable[[sa.Connection], None]
"""A check of the schema or a change to it, before a database is used: ``migrate``, ``require``, ``any_known`` or
``make_empty``."""

DATABASE_FILE = "dasan.sqlite3"
ENGINE: Mapping[str, Any] = {"hide_parameters": True, "json_deserializer": json_value}
"""What every engine needs: no values of rows in errors, and null for damaged JSON."""
READERS = 4
BUSY_MS = 5000
"""SQLite's busy timeout in milliseconds."""
SCRUB_FOR, SCRUB_EVERY = 10.0, 0.1
"""Seconds for which a scrub is retried, and between tries."""
SAID_EVERY = 5.0
"""Seconds between log lines about a failing database."""
BROKEN = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOTADB,
    }
)
"""SQLite errors that concern the disk or the file, not the query."""
LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
"""SQLite errors while another program writes to the file for longer than the busy timeout."""


class Unreachable(Refused):
    """The database server does not answer, or another program has locked the SQLite file; a change may or may not have been
    carried out.
    """

    def __init__(self) -> None:
        super().__init__("unavailable", "the database does not answer just now; try again")


class Unusable(Refused):
    """The database file is unusable: the disk is full, or the file is missing or damaged.

    Nothing was changed, unless the file was replaced during the write.
    """

    def __init__(self) -> None:
        super().__init__("unavailable", "the server cannot use its database just now; its host must look at the disk")


class Database(Protocol):
    """The interface of a database."""

    shared: bool
    """Whether other processes may also write to it."""
    scans: asyncio.Lock
    """Held by a query whose time grows with the whole database: one at a time, so that the other readers stay free."""

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        """Run ``query``, which must not write, in one transaction and return its result."""
        ...

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        """Run ``change`` in one transaction; when this returns, it is on disk.

        ``change`` may run twice, in separate transactions; only the last one is committed.
        """
        ...

    async def scrub(self) -> None:
        """Erase deleted data from the database's files, as far as the database allows."""
        ...

    async def close(self) -> None: ...


class StorePart:
    """The base of the parts of ``Store``, each of which reads and writes some of the tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _rows(self, query: sa.Select[Any]) -> Sequence[Any]:
        """All rows of a query."""
        return await self._database.read(lambda connection: connection.execute(query).all())

    async def _row(self, query: sa.Select[Any]) -> Any | None:
        """The only row of a query; None if there is none."""
        return await self._database.read(lambda connection: connection.execute(query).one_or_none())

    async def _value(self, query: sa.Select[Any]) -> Any | None:
        """The first column of a query's first row; None if there is no row."""
        return await self._database.read(lambda connection: connection.scalar(query))

    async def _change(self, change: sa.Update | sa.Delete) -> int:
        """Carry out one statement; return the number of rows that it has changed."""
        return await self._database.write(lambda connection: connection.execute(change).rowcount)


def reading(
    query: Callable[Concatenate[Part, sa.Connection, P], T],
) -> Callable[Concatenate[Part, P], Coroutine[Any, Any, T]]:
    """Decorate a method that is one query: callers await it, without its connection, and `Database.read` runs it."""

    @wraps(query)
    async def run(part: Part, /, *args: P.args, **named: P.kwargs) -> T:
        return await part._database.read(lambda connection: query(part, connection, *args, **named))

    return run


def scanning(
    query: Callable[Concatenate[Part, sa.Connection, P], T],
) -> Callable[Concatenate[Part, P], Coroutine[Any, Any, T]]:
    """As `reading`, for a query that looks at all rows of a large table, see `Database.scans`."""
    read = reading(query)

    @wraps(query)
    async def run(part: Part, /, *args: P.args, **named: P.kwargs) -> T:
        async with part._database.scans:
            return await read(part, *args, **named)

    return run


def writing(
    change: Callable[Concatenate[Part, sa.Connection, P], T],
) -> Callable[Concatenate[Part, P], Coroutine[Any, Any, T]]:
    """Decorate a method that is one change: callers await it, without its connection, and `Database.write` runs it."""

    @wraps(change)
    async def run(part: Part, /, *args: P.args, **named: P.kwargs) -> T:
        return await part._database.write(lambda connection: change(part, connection, *args, **named))

    return run


class Lock(IntEnum):
    """Work whose transactions wait for each other: arbitrary keys of PostgreSQL's advisory locks."""

    MATCHES = 4729114
    EVENTS = 4729115
    NAMES = EVENTS  # the same key as in older versions, which may run on the same database during an upgrade


def serialize(connection: sa.Connection, lock: Lock) -> None:
    """Wait for other transactions with this lock, and hold it until this one ends. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock.value)))


def put_row(
    connection: sa.Connection,
    table: sa.Table,
    key: Mapping[str, Any],
    values: Mapping[str, Any],
    first: Mapping[str, Any] | None = None,
) -> bool:
    """Set columns of the row with this key, or insert it if there is none; returns whether it was inserted.

    first: further columns of a new row, which ``values`` may replace.
    """
    mine = sa.and_(*(table.c[name] == value for name, value in key.items()))
    if connection.execute(sa.update(table).where(mine).values(**(values or key))).rowcount:
        return False
    connection.execute(sa.insert(table), {**key, **(first or {}), **values})
    return True


def as_python_sorts(connection: sa.Connection, column: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """The text column, ordered as Python sorts strings, whatever the database's language.

    Transactions that lock the rows of several game tables lock them in this order; else two of them could wait for each
    other.
    """
    return column if connection.dialect.name == "sqlite" else sa.collate(column, "C")


def among(connection: sa.Connection, column: sa.ColumnElement[str], values: Collection[str]) -> sa.ColumnElement[bool]:
    """Whether the column has one of the values, of which there may be any number: they are one parameter.

    ``in_`` has a parameter for each, and both databases refuse a statement with more than 32,767.
    """
    text = sa.literal(json.dumps(list(values)), sa.Text)
    if connection.dialect.name == "sqlite":
        rows = sa.func.json_each(text).table_valued("value")
    else:
        rows = sa.func.json_array_elements_text(sa.cast(text, sa.JSON)).table_valued("value")
    return column.in_(sa.select(rows.c.value))


def recent(column: sa.ColumnElement[int], now: int, age: int) -> sa.ColumnElement[bool]:
    """Whether the time in the column is at most ``age`` from ``now``, either way: after a step back of the machine's clock, times
    from before it are in the future.
    """
    return column.between(now - age, now + age)


class SqliteDatabase:
    """An SQLite file that only this process uses."""

    shared = False

    def __init__(self, path: Path) -> None:
        self.scans = asyncio.Lock()
        self._path = path
        self._files = (path, path.with_name(f"{path.name}-wal"))
        self._identity: list[tuple[int, int]] | None = None
        self._logged = float("inf")
        """When the log last reported that the file is unusable."""
        url = sa.URL.create("sqlite+pysqlite", database=str(path))
        self._writer = _sqlite(sa.create_engine(url, pool_size=1, max_overflow=0, **ENGINE), "BEGIN IMMEDIATE")
        self._reader = _sqlite(sa.create_engine(url, pool_size=READERS, max_overflow=0, **ENGINE), "BEGIN DEFERRED")
        self._connection: sa.Connection | None = None
        """The writing thread keeps its connection: checking one out for every move costs as much as the move."""
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="dasan-write")
        self._reading = ThreadPoolExecutor(READERS, thread_name_prefix="dasan-read")

    @staticmethod
    async def open(path: Path, prepare: Prepare = migrate) -> SqliteDatabase:
        """Open or create the file, and ``prepare`` it. ``CannotServe``: that failed."""
        try:
            await asyncio.to_thread(path.touch, mode=0o600)
        except OSError as error:
            raise CannotServe(f"{path} cannot be used: {error.strerror}") from None
        database = SqliteDatabase(path)
        try:
            await database.write(prepare)
        except CannotServe as refused:
            await database.close()
            raise type(refused)(f"{path}: {refused}") from None
        except Unreachable:
            await database.close()
            raise CannotServe(f"{path} cannot be used: another program has locked it") from None
        except (sa.exc.SQLAlchemyError, Unusable) as error:
            await database.close()
            cause = error.__cause__ if isinstance(error, Unusable) else error
            raise CannotServe(f"{path} cannot be used: {getattr(cause, 'orig', cause)}") from None
        database._logged = -SAID_EVERY
        return database

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        def run() -> T:
            with self._working(), self._reader.begin() as connection:
                return query(connection)

        return await asyncio.get_running_loop().run_in_executor(self._reading, run)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        def run() -> T:
            with self._working():
                self._check_files()
                if self._connection is None:
                    self._connection = self._writer.connect()
                with self._connection.begin():
                    done = change(self._connection)
                self._check_files()
                return done

        return await asyncio.get_running_loop().run_in_executor(self._writing, run)

    async def scrub(self) -> None:
        """Checkpoint and truncate the WAL; in the database `secure_delete` overwrites deleted rows.

        A reader's open transaction, such as a backup's, delays that; writes continue between tries. After `SCRUB_FOR`
        seconds this gives up until the next call.
        """

        def run() -> bool:
            with self._working():
                if self._connection is None:
                    return True
                cursor = self._connection.connection.cursor()
                try:
                    cursor.execute("PRAGMA busy_timeout=0")
                    (busy, *_) = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                finally:
                    cursor.execute(f"PRAGMA busy_timeout={BUSY_MS}").close()
                return not busy

        loop = asyncio.get_running_loop()
        end = time.monotonic() + SCRUB_FOR
        while not await loop.run_in_executor(self._writing, run):
            if time.monotonic() >= end:
                log.warning("deleted data stays in the database's log until its readers finish and something is deleted")
                return
            await asyncio.sleep(SCRUB_EVERY)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Turn errors of the file or its disk into ``Unusable``, and its lock by another program into ``Unreachable``; errors
        of the query pass through.
        """
        try:
            yield
        except (sa.exc.DatabaseError, OSError) as error:
            code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
            kind = None if code is None else code & 0xFF
            if not isinstance(error, OSError) and kind not in BROKEN | LOCKED:
                raise
            why = getattr(error, "strerror", None) or getattr(error, "orig", error)
            if kind in LOCKED:
                why = "another program has locked it"
            if time.monotonic() >= self._logged + SAID_EVERY:
                self._logged = time.monotonic()
                log.error("the database file cannot be used: %s", why)
            raise (Unreachable if kind in LOCKED else Unusable) from error

    def _check_files(self) -> None:
        """``OSError``: the database file or its WAL was deleted or replaced; writes to a deleted file would be lost.

        Called before a write, and after it before the write is announced.
        """
        try:
            files = [(status.st_dev, status.st_ino) for status in map(os.stat, self._files)]
        except FileNotFoundError:
            if self._connection is None:
                return
            raise OSError(f"{self._path} is gone") from None
        if self._connection is None:
            return
        if self._identity is None:
            self._identity = files
        if files != self._identity:
            raise OSError(f"{self._path} is no longer the file that was opened")

    async def close(self) -> None:
        self._writing.shutdown()
        self._reading.shutdown()
        if self._connection is not None:
            self._connection.close()
        self._writer.dispose()
        self._reader.dispose()


def _text(data: bytes) -> str:
    """A text of the file. Damaged UTF-8 has replacement characters, because the driver's error would hide the other rows."""
    return data.decode("utf-8", "replace")


def _sqlite(engine: sa.Engine, begin: str) -> sa.Engine:
    """Make every connection durable, and begin transactions with ``begin``, because the driver would begin them too
    late.
    """

    @sa.event.listens_for(engine, "connect")
    def connect(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.text_factory = _text
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout={BUSY_MS}",
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine

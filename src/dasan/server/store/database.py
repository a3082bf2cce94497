"""The database behind the store: SQLite in a file, or any server SQLAlchemy reaches by an async driver.

Queries are plain functions of a connection, the same for both; ``read`` and ``write`` run each in one transaction, off
the event loop. SQLite writes through one thread and one connection, in write-ahead mode, fully synchronous; readers
have connections of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from dasan.server.refusals import CannotServe
from dasan.server.store.migrating import migrate, require

T = TypeVar("T")

DATABASE_FILE = "dasan.sqlite3"
READERS = 4


class Database(Protocol):
    """What the store needs of a database."""

    shared: bool
    """Whether other processes may write to it, too."""

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        """What ``query`` gives, in a transaction that writes nothing."""
        ...

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        """Carry out ``change`` in one transaction; when this returns, it is on disk."""
        ...

    async def close(self) -> None: ...


class SqliteDatabase:
    """A database in a file of this process alone."""

    shared = False

    def __init__(self, path: Path) -> None:
        self._path = path
        url = sa.URL.create("sqlite+pysqlite", database=str(path))
        self._writer = _sqlite(
            sa.create_engine(url, pool_size=1, max_overflow=0, hide_parameters=True), "BEGIN IMMEDIATE"
        )
        self._reader = _sqlite(
            sa.create_engine(url, pool_size=READERS, max_overflow=0, hide_parameters=True), "BEGIN DEFERRED"
        )
        self._connection: sa.Connection | None = None
        """The writing thread's own: taking one from the pool for every move costs as much as the move."""
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="dasan-write")
        self._reading = ThreadPoolExecutor(READERS, thread_name_prefix="dasan-read")

    @staticmethod
    async def open(path: Path, *, migrating: bool = True) -> SqliteDatabase:
        """Open the file, made or migrated as needed; ``CannotServe`` where that fails, or is not allowed."""
        await asyncio.to_thread(path.touch, mode=0o600)
        database = SqliteDatabase(path)
        try:
            await database.write(migrate if migrating else require)
        except CannotServe as refused:
            await database.close()
            raise CannotServe(f"{path}: {refused}") from None
        except sa.exc.SQLAlchemyError as error:
            await database.close()
            raise CannotServe(f"{path} cannot be used: {getattr(error, 'orig', error)}") from None
        return database

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        def run() -> T:
            with self._reader.begin() as connection:
                return query(connection)

        return await asyncio.get_running_loop().run_in_executor(self._reading, run)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        def run() -> T:
            self._check_file()
            if self._connection is None:
                self._connection = self._writer.connect()
            with self._connection.begin():
                return change(self._connection)

        return await asyncio.get_running_loop().run_in_executor(self._writing, run)

    def _check_file(self) -> None:
        """Refuse to write where the file is gone: what is written to a file without a name is lost."""
        if not self._path.exists():
            raise OSError(f"{self._path} is gone")

    async def close(self) -> None:
        self._writing.shutdown()
        self._reading.shutdown()
        if self._connection is not None:
            self._connection.close()
        self._writer.dispose()
        self._reader.dispose()


class ServerDatabase:
    """A database server, such as PostgreSQL, that several processes share."""

    shared = True

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @staticmethod
    async def open(url: str, *, migrating: bool = True) -> ServerDatabase:
        """Connect and migrate; ``CannotServe`` where that fails, or is not allowed.

        The message does not repeat the address' password.
        """
        try:
            made = sa.make_url(url)
            if made.drivername in ("postgresql", "postgres"):
                made = made.set(drivername="postgresql+asyncpg")
            engine = create_async_engine(made, pool_size=8, max_overflow=4, pool_pre_ping=True, hide_parameters=True)
        except (sa.exc.ArgumentError, ModuleNotFoundError) as error:
            raise CannotServe(f"the database's address cannot be used: {error}") from None
        database = ServerDatabase(engine)
        try:
            await database.write(migrate if migrating else require)
        except CannotServe:
            await database.close()
            raise
        except (sa.exc.SQLAlchemyError, OSError) as error:
            await database.close()
            raise CannotServe(f"the database cannot be used: {type(error).__name__}") from None
        return database

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(query)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(change)

    async def close(self) -> None:
        await self._engine.dispose()


def _sqlite(engine: sa.Engine, begin: str) -> sa.Engine:
    """Set up every connection for durable writes, and begin transactions ourselves: the driver begins them too late."""

    @sa.event.listens_for(engine, "connect")
    def connect(connection: Any, _: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("busy_timeout=5000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine

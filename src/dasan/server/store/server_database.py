"""A database server that several processes share: PostgreSQL, behind a pooler or not."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from dasan.server.operations.reporting import log
from dasan.server.refusals import CannotServe
from dasan.server.store.database import ENGINE, SAID_EVERY, Prepare, T, Unreachable
from dasan.server.store.migrating import migrate

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

CONNECTS_IN = 5.0
"""The time limit for a connection to a database server, in seconds."""
ANSWERS_IN = 10.0
"""The time limit in seconds for an answer or a free connection: longer than a lease, so that an owner that times out
has lost its lease."""
SESSIONS_IN = 3 * ANSWERS_IN
"""The time limit in seconds for two connections at a start; a pooler without a free one would wait for minutes."""
POOLED = "a pooler lends its connections for single transactions: PgBouncer needs pool_mode = session"
SCARCE = "it gives no two connections in time: a PgBouncer would need a larger default_pool_size"
REFUSALS = {
    "26000": POOLED,  # another client's connection lacks the prepared statement
    "42P05": POOLED,  # or it has one of this name
    "25006": "it is read-only",
    "28000": "it does not admit this user",
    "28P01": "the user name or the password is wrong",
    "3D000": "it has no database of this name",
    "53100": "its disk is full",
    "53300": "it has no free connection",
    "57P03": "it is starting or stopping",
}
"""Why a database server cannot be used, for causes that its host can remove, by SQLSTATE."""


class ServerDatabase:
    """A database server, such as PostgreSQL, that several processes share."""

    shared = True

    def __init__(self, engine: AsyncEngine) -> None:
        self.scans = asyncio.Lock()
        self._engine = engine
        self._logged = -SAID_EVERY

    @staticmethod
    async def open(url: str, prepare: Prepare = migrate) -> ServerDatabase:
        """Connect, and ``prepare`` the database. ``CannotServe``: that failed.

        The message omits the password in the address.
        """
        from sqlalchemy.ext.asyncio import create_async_engine

        try:
            made = sa.make_url(url)
            if made.drivername in ("postgresql", "postgres"):
                made = made.set(drivername="postgresql+asyncpg")
            patience = (
                {"timeout": CONNECTS_IN, "command_timeout": ANSWERS_IN} if made.drivername.endswith("asyncpg") else {}
            )
            opening = create_async_engine(made, **ENGINE)
            engine = create_async_engine(
                made,
                pool_size=8,
                max_overflow=4,
                pool_pre_ping=True,
                pool_timeout=ANSWERS_IN,
                connect_args=patience,
                **ENGINE,
            )
        except (sa.exc.SQLAlchemyError, ValueError, ModuleNotFoundError) as error:
            if isinstance(error, ModuleNotFoundError) and error.name == "asyncpg":
                why = "PostgreSQL needs its extra: pip install 'dasan[postgres]'"
            elif isinstance(error, ValueError):
                # Its message quotes the address, possibly with part of a password.
                why = "its port is not a number; in a password @ is written %40, : %3A and / %2F"
            else:
                why = "it must name a PostgreSQL database, like postgresql://user@host/name"
            raise CannotServe(f"the database's address cannot be used: {why}") from None
        try:
            postgresql = opening.dialect.name == "postgresql"
            if postgresql:
                await _check_sessions(opening)
            # A migration has no time limit.
            async with opening.begin() as connection:
                await connection.run_sync(prepare)
        except CannotServe:
            raise
        except Exception as error:
            # The driver has its own errors, such as for an invalid port.
            raise CannotServe(f"the database cannot be used: {_why(error)}") from None
        finally:
            await opening.dispose()
        if postgresql:
            sa.event.listen(engine.sync_engine, "connect", _end_when_idle)
        return ServerDatabase(engine)

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        with self._answering():
            async with self._engine.begin() as connection:
                return await connection.run_sync(query)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        with self._answering():
            try:
                return await self._write(change)
            except sa.exc.IntegrityError:
                # Another process may have inserted the same row in the meantime: the second time ``change`` finds it.
                return await self._write(change)

    async def scrub(self) -> None:
        """Do nothing: the database server's vacuum removes deleted rows, and its administrator decides how long WAL
        files are kept.
        """

    async def _write(self, change: Callable[[sa.Connection], T]) -> T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(change)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Turn errors of a server that is down, restarting or silent into ``Unreachable``; errors of the query pass
        through.
        """
        try:
            yield
        except (sa.exc.IntegrityError, sa.exc.ProgrammingError, sa.exc.DataError):
            raise
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, OSError) as error:
            if time.monotonic() >= self._logged + SAID_EVERY:
                self._logged = time.monotonic()
                log.error("the database does not answer: %s", _why(error))
            raise Unreachable from error

    async def close(self) -> None:
        await self._engine.dispose()


async def _check_sessions(engine: AsyncEngine) -> None:
    """``CannotServe``: a pooler gives a connection's session to others between transactions, or lacks two free ones.
    Prepared statements and `_end_when_idle` would be another client's.

    The same connection twice in a row also finds a pooler that uses its own by turns.
    """
    backend = sa.select(sa.func.pg_backend_pid())
    seen: set[tuple[bool, int]] = set()
    try:
        async with asyncio.timeout(SESSIONS_IN), engine.connect() as one, engine.connect() as two:
            for connection in (one, two, two, one):
                seen.add((connection is one, int(await connection.scalar(backend) or 0)))
                await connection.rollback()
    except TimeoutError:
        raise CannotServe(f"the database cannot be used: {SCARCE}") from None
    if len(seen) != 2 or len({process for _, process in seen}) != 2:
        raise CannotServe(f"the database cannot be used: {POOLED}")


def _end_when_idle(connection: Any, _: object) -> None:
    """Let PostgreSQL end a transaction whose process sends nothing for ``ANSWERS_IN``. A process that is suspended, or whose
    machine is gone, would keep the rows of its tables locked: PostgreSQL notices that a machine is gone after two hours.
    """
    cursor = connection.cursor()
    cursor.execute(f"SET idle_in_transaction_session_timeout = {int(ANSWERS_IN * 1000)}")
    cursor.close()
    connection.commit()


def _why(error: Exception) -> str:
    """Why a database server cannot be used, without the error's message, which may quote rows or an address."""
    if isinstance(error, socket.gaierror):
        return "its host name is unknown"
    wrapped = getattr(error, "orig", None)
    own = error if wrapped is None else wrapped.__cause__ or wrapped  # SQLAlchemy wraps what asyncpg raises twice
    return REFUSALS.get(getattr(own, "sqlstate", None) or "", type(own).__qualname__)

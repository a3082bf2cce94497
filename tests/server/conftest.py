"""Fixtures of this folder: servers and stores."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import pytest_asyncio
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from dasan.server.store import Store, damage
from dasan.server.tables.directory import Tables

from .harness import Serve, Served, fast, served
from .services import postgres
from .two_processes import TwoProcesses

Opened: TypeAlias = Callable[[], Awaitable[Store]]
NUMBERS = itertools.count()


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Start a server with changed settings: ``with serve(bot_delay=1) as server``."""
    return lambda **changes: served(fast(tmp_path, **changes))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server for one test."""
    with served(fast(tmp_path)) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """One PostgreSQL for all tests."""
    pytest.importorskip("asyncpg", reason="no PostgreSQL driver: `make test-all` installs it")
    with postgres() as url:
        yield url


@pytest.fixture(autouse=True)
def no_damage_is_known() -> None:
    """A process logs a damaged row once, and so do tests that share one: each is to see its own."""
    damage.known.clear()


async def new_database(url: str) -> str:
    """The address of a new, empty database of the server at ``url``."""
    name = f"test_{next(NUMBERS)}"
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(sa.text(f"CREATE DATABASE {name}"))
    await engine.dispose()
    return url.replace("/postgres?", f"/{name}?")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.full)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens a store of this test's own, the same one each time."""
    if request.param == "sqlite":
        return lambda: Store.open(tmp_path)
    server: str = request.getfixturevalue("postgres_url")
    mine: list[str] = []

    async def on_server() -> Store:
        if not mine:
            mine.append(await new_database(server))
        return await Store.open(tmp_path, mine[0])

    return on_server


@pytest_asyncio.fixture
async def two_processes(postgres_url: str, tmp_path: Path) -> AsyncIterator[TwoProcesses]:
    """Two processes on one new database."""
    url = await new_database(postgres_url)
    store = await Store.open(tmp_path, url)
    yield TwoProcesses(url, store)
    await store.close()


@asynccontextmanager
async def only_process(tmp_path: Path, **changes: Any) -> AsyncIterator[Tables]:
    """The tables of the only process, on SQLite, with changed settings."""
    settings = fast(tmp_path, **changes)
    settings.data_dir.mkdir(exist_ok=True)
    store = await Store.open(settings.data_dir)
    async with Tables(store, settings) as one:
        yield one
    await store.close()


@pytest_asyncio.fixture
async def tables(tmp_path: Path) -> AsyncIterator[Tables]:
    """The tables of the only process, on SQLite."""
    async with only_process(tmp_path) as one:
        yield one

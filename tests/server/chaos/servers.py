"""The servers under test: app processes behind proxies, PostgreSQL, NATS; each can be harmed."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..services import Nats, Postgres, nats_cluster, postgres_server
from .proxy import Proxy

SECRET = "a secret of the tests, the same for every process"
STARTS_IN = 120.0

SCRIPT = "import dasan.server.main as m; m.serve('127.0.0.1', 0)"

SABOTAGE = {
    "": "",
    "lose": """
import asyncio
from dasan.server.store.log import EventLog
whole = EventLog._write
async def late(self, batch):
    for _, future in batch:
        if not future.done():
            future.set_result(None)
    await asyncio.sleep(2)
    await whole(self, batch)
EventLog._write = late
""",
    "double": """
from dasan.server.tables.open_table import Table
whole = Table.write
async def twice(self, entries, cause=None):
    await whole(self, entries * 2 if cause is not None and entries[0]["type"] == "chat" else entries, cause)
Table.write = twice
""",
}
"""Servers broken on purpose, to show that the audit notices: one answers before it writes, one writes chat twice.
"""


@dataclass
class App:
    """One app process: it can be killed and started again; its front door keeps its address."""

    name: str
    folder: Path
    front: Proxy
    settings: dict[str, str]
    sabotage: str = ""
    source: Path | None = None
    """The folder of the version that runs; None: the version under test."""
    process: asyncio.subprocess.Process | None = None
    busy: bool = False
    """Whether a fault affects it already."""
    outages: list[tuple[float, float]] = field(default_factory=list)
    """From when until when it could answer nobody, by the monotonic clock."""
    _out_since: float | None = None

    def is_out(self) -> None:
        """From now on it answers nobody."""
        self._out_since = self._out_since or time.monotonic()

    def is_back(self) -> None:
        """From now on it answers."""
        if self._out_since is not None:
            self.outages.append((self._out_since, time.monotonic()))
            self._out_since = None

    async def start(self) -> None:
        """Start the process, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        version = {} if self.source is None else {"PYTHONPATH": str(self.source)}
        with (self.folder / "stderr").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                SABOTAGE[self.sabotage] + SCRIPT,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**os.environ, "DASAN_DATA_DIR": str(self.folder), **self.settings, **version},
            )
        assert self.process.stdout is not None
        async with asyncio.timeout(STARTS_IN):
            words = (await self.process.stdout.readline()).decode().split()
        if words[:3] != ["dasan", "is", "at"]:
            raise RuntimeError(f"{self.name} did not start: {(self.folder / 'stderr').read_text()[-2000:]}")
        self.front.target = int(words[3].rpartition(":")[2])
        self.is_back()

    def send(self, number: int) -> None:
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.send_signal(number)

    async def end(self, number: int = signal.SIGKILL) -> None:
        """Send a signal that ends the process, and wait for its end."""
        self.is_out()
        self.send(number)
        assert self.process is not None
        await self.process.wait()

    def reports(self) -> list[str]:
        """Each error that the processes of this app reported, by its first words and its type."""
        text = (self.folder / "stderr").read_text(errors="replace")
        return re.findall(r"^\S+ ERROR (.*?) error=", text, re.MULTILINE)


def longest_outage(apps: Sequence[App]) -> float:
    """The most seconds for which none of them could answer: no server shortens anybody's wait then."""
    changes = sorted((at, n) for app in apps for begun, ended in app.outages for at, n in ((begun, 1), (ended, -1)))
    longest, out, since = 0.0, 0, 0.0
    for at, n in changes:
        if out == len(apps):
            longest = max(longest, at - since)
        out, since = out + n, at
    return longest


@dataclass
class World:
    """Everything that runs. to_postgres and to_nats: each app's own lines to them."""

    folder: Path
    apps: list[App] = field(default_factory=list)
    postgres: Postgres | None = None
    nats: Nats | None = None
    to_postgres: list[Proxy] = field(default_factory=list)
    to_nats: list[list[Proxy]] = field(default_factory=list)

    @property
    def database(self) -> str:
        """The database's address, past all proxies."""
        return (
            self.postgres.url if self.postgres is not None else f"sqlite+aiosqlite:///{self.folder}/app-0/dasan.sqlite3"
        )

    @property
    def fronts(self) -> list[Proxy]:
        return [app.front for app in self.apps]


COMMON = {
    "DASAN_BOT_DELAY": "0.05",
    "DASAN_BOT_PROCESSES": "1",
    "DASAN_WARM": "0",
    "DASAN_PASSWORD_MEMORY_MB": "1",
    "DASAN_TABLE_BURST": "100000",
    "DASAN_JOIN_BURST": "100000",
    "DASAN_READ_BURST": "100000",
    "DASAN_CHAT_RATE": "1000",
    "DASAN_CHAT_BURST": "100000",
    "DASAN_RECORD_BURST": "100000",
    "DASAN_SOCKETS_EACH": "100000",
    "DASAN_CONNECTIONS_EACH": "100000",
}


@asynccontextmanager
async def world(
    folder: Path, *, processes: int, nodes: int, sqlite: bool, sabotage: str = "", source: Path | None = None
) -> AsyncIterator[World]:
    """Start everything; in the end, stop it. source: the folder of the version that runs at first."""
    async with AsyncExitStack() as stack:
        made = World(folder)
        if not sqlite:
            made.postgres = stack.enter_context(postgres_server())
            made.nats = stack.enter_context(nats_cluster(nodes))
        for number in range(1 if sqlite else processes):
            settings = dict(COMMON)
            if made.postgres is not None and made.nats is not None:
                line = await _proxy(stack, made.postgres.socket)
                lines = [await _proxy(stack, port) for port in made.nats.ports]
                made.to_postgres.append(line)
                made.to_nats.append(lines)
                settings["DASAN_SECRET"] = SECRET
                settings["DASAN_DATABASE"] = f"postgresql+asyncpg://postgres@127.0.0.1:{line.port}/postgres"
                settings["DASAN_NATS"] = ",".join(f"nats://127.0.0.1:{one.port}" for one in lines)
            front = await _proxy(stack, None)
            app = App(f"app-{number}", folder / f"app-{number}", front, settings, sabotage, source)
            made.apps.append(app)
            stack.push_async_callback(_stop, app)
            await app.start()
        yield made


async def _proxy(stack: AsyncExitStack, target: int | Path | None) -> Proxy:
    proxy = await Proxy(target).start()
    stack.push_async_callback(proxy.close)
    return proxy


async def _stop(app: App) -> None:
    if app.process is not None and app.process.returncode is None:
        app.send(signal.SIGCONT)
        await app.end()

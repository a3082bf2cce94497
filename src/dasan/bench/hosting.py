"""Start server processes for a benchmark, and read their processor time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

ANSWERS_IN = 60.0
LIMITLESS = dict.fromkeys(
    (
        "DASAN_TABLE_RATE",
        "DASAN_TABLE_BURST",
        "DASAN_JOIN_BURST",
        "DASAN_READ_BURST",
        "DASAN_SOCKETS_EACH",
        "DASAN_CONNECTIONS_EACH",
        "DASAN_MOST_CONNECTIONS",
        "DASAN_MOST_TABLES",
    ),
    "1000000",
)
"""Settings that raise the limits per address, because the whole load comes from one."""
SECRET = "the processes of one benchmark share this secret"
SCRIPT = "import dasan.server.main as m; m.serve('127.0.0.1', 0)"


class NotServed(Exception):
    """A server did not start or does not answer. The message is one sentence."""


@dataclass(frozen=True)
class Usage:
    """cpu: seconds of processor time so far. memory: bytes. None where the system does not report them."""

    cpu: float | None
    memory: int | None


@dataclass(frozen=True)
class LogWrites:
    """entries: rows of tables' logs. transactions: those that contained them."""

    entries: float
    transactions: float


@dataclass(frozen=True)
class Hosted:
    """A server process: its address and process id."""

    address: str
    pid: int

    @property
    def usage(self) -> Usage:
        """The usage of the process itself, excluding its bots' processes."""
        return usage(self.pid)

    @property
    def bots_cpu(self) -> float | None:
        """Processor seconds of its child processes, the bots; None where the system does not report them."""
        used = [usage(pid).cpu for pid in _below(self.pid)]
        return None if any(cpu is None for cpu in used) else sum(cpu or 0.0 for cpu in used)

    def written(self) -> LogWrites:
        """What it has written to the logs of its tables so far, by its own metrics."""
        request = Request(f"{self.address}/metrics", headers={"authorization": f"Bearer {SECRET}"})
        with urlopen(request, timeout=ANSWERS_IN) as answer:
            lines = answer.read().decode().splitlines()
        figures = dict(line.split(" ", 1) for line in lines if not line.startswith("#"))
        return LogWrites(float(figures["dasan_entries_total"]), float(figures["dasan_transactions_total"]))


@contextmanager
def hosted(folder: Path, processes: int, *, database: str, nats: str) -> Iterator[Sequence[Hosted]]:
    """Start `processes` servers, on SQLite in `folder` or on the database that they share. `NotServed`: one did not start."""
    shared = {"DASAN_DATABASE": database, "DASAN_NATS": nats, "DASAN_SECRET": SECRET} if database else {}
    running: list[subprocess.Popen[str]] = []
    try:
        out = []
        for number in range(processes):
            data = folder / f"server-{number}"
            data.mkdir(parents=True, exist_ok=True)
            settings = {
                "DASAN_WARM": "0",
                **LIMITLESS,
                **shared,
                "DASAN_METRICS_TOKEN": SECRET,
                "DASAN_DATA_DIR": str(data),
            }
            with (data / "log").open("w") as log:
                child = subprocess.Popen(
                    [sys.executable, "-c", SCRIPT],
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    env={**os.environ, **settings},
                    start_new_session=True,  # Ctrl-C must not reach the servers: they are terminated below
                )
            running.append(child)
            assert child.stdout is not None
            words = child.stdout.readline().split()
            if words[:3] != ["dasan", "is", "at"]:
                lines = (data / "log").read_text().strip().splitlines() or ["nothing"]
                raise NotServed(f"a server did not start; it said: {lines[-1]}")
            out.append(Hosted(words[3], child.pid))
        yield out
    finally:
        for child in running:
            child.terminate()
        for child in running:
            with suppress(subprocess.TimeoutExpired):
                child.wait(15)
            child.kill()
            child.wait()
            if child.stdout is not None:
                child.stdout.close()


def usage(pid: int) -> Usage:
    """The usage of a process, read from /proc; None for both where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return Usage(None, None)
    ticks = int(fields[11]) + int(fields[12])
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))


def _below(pid: int) -> Iterator[int]:
    """The process ids of all descendants."""
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = thread.read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            yield child
            yield from _below(child)

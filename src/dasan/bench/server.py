"""Benchmark of the server: tables of a person and bots over real sockets, more and more of them.

The load comes from the process that measures. Each person thinks, moves, and notes when the answer comes; at some
tables somebody watches and notes when the move is seen. What the server's processes use is read from the system.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from dasan.bench.hosting import Hosted, hosted
from dasan.bench.players import Crowd
from dasan.bench.timing import device

GOAL_MS = 100.0
"""The highest 99th percentile of the time until others see a move, in ms, that counts as good."""
WARM_UP = 2.0
"""How long people play before anything is measured, in multiples of the thinking time."""


@dataclass(frozen=True, slots=True)
class Milliseconds:
    """Quantiles; None where nothing was measured."""

    p50: float | None
    p99: float | None
    max: float | None

    @staticmethod
    def of(values: Sequence[float]) -> Milliseconds:
        """
        >>> Milliseconds.of([3.0, 1.0, 2.0])
        Milliseconds(p50=2.0, p99=3.0, max=3.0)
        """
        if not values:
            return Milliseconds(None, None, None)
        ordered = sorted(values)
        return Milliseconds(
            ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)], ordered[-1]
        )


@dataclass(frozen=True, slots=True)
class ServerRow:
    """One row of the results.

    database: "sqlite" or "postgresql", "" for a server elsewhere. connected: sockets. moves_per_s: by people and bots,
    own_per_s by people. seen: a move until another connection has it. acknowledged: until its player has the answer.
    cpu_ms: processor time of the server's processes for a move, bots_cpu_ms that of the bots' processes. memory_mb: of the
    server's processes, and table_kb what each table added to it; None where the system does not say. load_cpu: processor
    time of the load itself, as a share of one core: near 1 it measures itself. load_average: of the machine, before.
    """

    database: str
    processes: int
    tables: int
    connected: int
    seconds: float
    moves_per_s: float
    own_per_s: float
    seen: Milliseconds
    acknowledged: Milliseconds
    failed: int
    cpu_ms: float | None
    bots_cpu_ms: float | None
    memory_mb: float | None
    table_kb: float | None
    load_cpu: float
    load_average: float
    device: str

    @property
    def good(self) -> bool:
        """Whether others see moves in time, and no connection was lost."""
        return self.seen.p99 is not None and self.seen.p99 < GOAL_MS and not self.failed


async def measure_server(
    tables: Sequence[int],
    *,
    seconds: float = 30.0,
    think: float = 5.0,
    preset: str = "big-three",
    bots: Sequence[str] = ("greedy", "greedy"),
    people: int = 1,
    watched: float = 0.25,
    processes: int = 1,
    database: str = "",
    nats: str = "",
    urls: Sequence[str] = (),
    seed: int = 1,
) -> AsyncIterator[ServerRow]:
    """Yield a row for each number of tables, which must ascend. urls: servers that run already; without, they are started here.

    seconds: how long each number of tables is measured. think: a person's mean thinking time in seconds. people: at each
    table, beside the bots. watched: the share of tables that somebody watches. `NotServed`: a server does not answer.
    """
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    with ExitStack() as stack:
        mine: Sequence[Hosted] = ()
        if not urls:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dasan-bench-")))
            mine = stack.enter_context(hosted(folder, processes, database=database, nats=nats))
        addresses = [one.address for one in mine] or list(urls)
        crowd = Crowd(addresses, preset=preset, bots=list(bots), think=think, watched=watched, seed=seed, people=people)
        empty = _memory(mine)
        try:
            for wanted in sorted(tables):
                await crowd.open(wanted)
                await asyncio.sleep(max(1.0, WARM_UP * think))
                crowd.noted.clear()
                loop = asyncio.get_running_loop()
                began, cpu, bots_cpu, load = loop.time(), _cpu(mine), _bots_cpu(mine), process_time()
                await asyncio.sleep(seconds)
                took, noted = loop.time() - began, crowd.noted
                moves = max(1, noted.moves)
                memory = _memory(mine)
                yield ServerRow(
                    database="" if urls else "postgresql" if database else "sqlite",
                    processes=len(addresses),
                    tables=crowd.tables,
                    connected=crowd.connected,
                    seconds=took,
                    moves_per_s=noted.moves / took,
                    own_per_s=noted.own / took,
                    seen=Milliseconds.of(noted.seen),
                    acknowledged=Milliseconds.of(noted.acknowledged),
                    failed=noted.failed,
                    cpu_ms=_each(cpu, _cpu(mine), moves),
                    bots_cpu_ms=_each(bots_cpu, _bots_cpu(mine), moves),
                    memory_mb=None if memory is None else memory / 1e6,
                    table_kb=None if memory is None or empty is None else (memory - empty) / crowd.tables / 1e3,
                    load_cpu=(process_time() - load) / took,
                    load_average=load_average,
                    device=device(),
                )
        finally:
            await crowd.leave()


def _each(before: float | None, after: float | None, moves: int) -> float | None:
    return None if before is None or after is None else 1000 * (after - before) / moves


def _cpu(servers: Sequence[Hosted]) -> float | None:
    used = [server.usage.cpu for server in servers]
    return sum(cpu or 0.0 for cpu in used) if used and None not in used else None


def _bots_cpu(servers: Sequence[Hosted]) -> float | None:
    used = [server.bots_cpu for server in servers]
    return sum(cpu or 0.0 for cpu in used) if used and None not in used else None


def _memory(servers: Sequence[Hosted]) -> int | None:
    used = [server.usage.memory for server in servers]
    return sum(memory or 0 for memory in used) if used and None not in used else None

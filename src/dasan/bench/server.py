"""Benchmark of the server: increasing numbers of tables, each with a person and bots, over real sockets.

The measuring process makes the load. Each person thinks, moves, and records when the answer comes; at some tables a
spectator records when the move arrives. The server processes' usage is read from the system.
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

from dasan.bench.hosting import Hosted, LogWrites, hosted
from dasan.bench.players import Crowd
from dasan.bench.timing import device

GOAL_MS = 100.0
"""The limit in ms on the 99th percentile of the time until others see a move."""
WARM_UP = 2.0
"""The length of the warm-up, in multiples of the thinking time."""


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

    database: "sqlite" or "postgresql", "" for a server elsewhere. connected: sockets. moves_per_s: by people and bots;
    own_per_s: by people. seen: from sending a move until another connection receives it; acknowledged: until its player
    receives the answer. failed: connections that were lost or never opened, and refusals, up to this row. entries_per_s: rows
    written to the logs of tables; transactions_per_s: the transactions that contained them; None for a server elsewhere.
    cpu_ms: processor time of the server's processes per move; bots_cpu_ms: of the bots' processes. memory_mb: of the server's
    processes; table_kb: memory added per table; None where the system does not report it.
    load_cpu: processor time of the load itself, as a share of one core: near 1 the load is the bottleneck.
    load_average: of the machine, before the run.
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
    entries_per_s: float | None
    transactions_per_s: float | None
    cpu_ms: float | None
    bots_cpu_ms: float | None
    memory_mb: float | None
    table_kb: float | None
    load_cpu: float
    load_average: float
    device: str

    @property
    def good(self) -> bool:
        """Whether others see moves within the limit, and no connection was lost."""
        return self.seen.p99 is not None and self.seen.p99 < GOAL_MS and not self.failed


async def measure_server(
    tables: Sequence[int],
    *,
    seconds: float,
    think: float,
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
    """Yield a row for each of `tables`, which must ascend. urls: running servers; by default this function starts them.

    seconds: the measured time per row. think: a person's mean thinking time in seconds. people: per table, in addition
    to the bots. watched: the share of tables with a spectator. `NotServed`: a server does not answer.
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
                wrote = await _written(mine)
                began, cpu, bots_cpu, load = loop.time(), _cpu(mine), _bots_cpu(mine), process_time()
                await asyncio.sleep(seconds)
                took, noted = loop.time() - began, crowd.noted
                write = await _written(mine)
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
                    entries_per_s=(write.entries - wrote.entries) / took if mine else None,
                    transactions_per_s=(write.transactions - wrote.transactions) / took if mine else None,
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


async def _written(servers: Sequence[Hosted]) -> LogWrites:
    every = await asyncio.gather(*(asyncio.to_thread(server.written) for server in servers))
    return LogWrites(sum(one.entries for one in every), sum(one.transactions for one in every))


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

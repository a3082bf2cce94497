"""The machines that 10,000, 100,000 and a million concurrent people need, from measured costs: ``python -m
benchmarks.scaling``.

``--check 20 60 180`` measures this machine with those numbers of tables, fits the costs to all but the largest, and
compares the model's prediction for the largest with the run. ``--database URL`` measures on PostgreSQL, and
PostgreSQL's own processor time: ``python -m tests.server.with_services python -m benchmarks.scaling --check 20 60
--database {database}``.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import json
import math
import os
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from dasan.bench.server import GOAL_MS, ServerRow, measure_server
from dasan.server.settings import Settings
from dasan.server.store.log import GATHERED_FOR

SIZES = (10_000, 100_000, 1_000_000)
BUSIEST = 0.7
"""The maximum utilization of a core or a database, so that the others can take over the load of a lost machine."""


@dataclass(frozen=True)
class Costs:
    """Costs measured on PostgreSQL. Milliseconds are processor time on a shared AMD EPYC.

    move_ms: a move in the server's process; transaction_ms: one transaction in the server's process, whatever its
    number of moves; bot_ms: a bot's move in its own process; postgres_ms: a move in PostgreSQL; table_kb: a table with
    its sockets; process_mb: an empty process; move_bytes: a move in the database, indexes included.
    """

    move_ms: float = 1.6
    transaction_ms: float = 2.2
    bot_ms: float = 0.5
    postgres_ms: float = 1.75
    table_kb: float = 110.0
    process_mb: float = 136.0
    move_bytes: float = 400.0


@dataclass(frozen=True)
class People:
    """Assumptions. table_seconds: between two moves at a table. bots: the share of moves made by bots. relayed: the
    share of moves that are also sent to other processes. monthly: the price of a core with 4 GB for a month, in euros.
    database_cores: cores of the largest database machine. nats_messages: messages a second of one NATS server.
    """

    at_tables: float = 0.8
    to_a_table: float = 3.0
    table_seconds: float = 3.0
    bots: float = 0.2
    sockets: float = 1.1
    relayed: float = 0.5
    monthly: float = 12.0
    database_cores: int = 32
    nats_messages: float = 200_000.0


def transactions(moves: float) -> float:
    """Transactions a second of a process with `moves` moves a second, which come at random times.

    One begins `GATHERED_FOR` after the last if a move waits by then, and otherwise with the next move.
    """
    return 1 / (GATHERED_FOR + math.exp(-moves * GATHERED_FOR) / moves)


def busy(costs: Costs, moves: float) -> float:
    """The share of a core that a process needs for `moves` moves a second."""
    return (costs.move_ms * moves + costs.transaction_ms * transactions(moves)) / 1000


def fit(rows: Sequence[ServerRow], costs: Costs) -> Costs:
    """The costs that fit measured rows best. rows: at least two with different numbers of moves."""
    terms = np.array([[row.moves_per_s, row.transactions_per_s or transactions(row.moves_per_s)] for row in rows])
    wanted = np.array([(row.cpu_ms or 0.0) * row.moves_per_s for row in rows])
    for columns in ([0, 1], [1], [0]):
        # Where noise gives one of the two costs below 0, the other explains the rows alone.
        fitted = np.zeros(2)
        fitted[columns] = np.linalg.lstsq(terms[:, columns], wanted, rcond=None)[0]
        if (fitted >= 0).all():
            break
    move, transaction = fitted
    bots = [row.bots_cpu_ms for row in rows if row.bots_cpu_ms is not None]
    memory = [(row.tables, row.memory_mb) for row in rows if row.memory_mb is not None]
    a_table = (memory[-1][1] - memory[0][1]) / max(1, memory[-1][0] - memory[0][0])
    return replace(
        costs,
        move_ms=float(move),
        transaction_ms=float(transaction),
        bot_ms=sum(bots) / max(1, len(bots)),
        table_kb=1000 * a_table,
        process_mb=memory[0][1] - a_table * memory[0][0],
    )


def simulate(costs: Costs, moves: float, seconds: float = 60.0) -> tuple[float, float]:
    """The median and the 99th percentile of the time until others see a move, in ms, at `moves` moves a second.

    One core serves moves in turn, each with an exponential service time; a move is shown when the transaction that contains it
    is written, which takes its turn like a move.
    """
    chance = random.Random(1)
    # (time, kind, when the move came): moves arrive at random, transactions begin when a move waits.
    queue: list[tuple[float, int, float]] = []
    at = 0.0
    while (at := at + chance.expovariate(moves)) < seconds:
        heapq.heappush(queue, (at, 1, at))
    free, last, waiting, seen = 0.0, -math.inf, list[float](), list[float]()
    while queue:
        at, kind, came = heapq.heappop(queue)
        free = max(free, at)
        if kind:
            free += chance.expovariate(1.0) * costs.move_ms / 1000
            if not waiting:
                heapq.heappush(queue, (max(free, last + GATHERED_FOR), 0, 0.0))
            waiting.append(came)
        else:
            last, free = free, free + costs.transaction_ms / 1000
            seen += [1000 * (free - one) for one in waiting]
            waiting.clear()
    seen.sort()
    return seen[len(seen) // 2], seen[len(seen) * 99 // 100]


@cache
def capacity(costs: Costs) -> float:
    """The most moves a second of one process within the limits of delay and utilization."""
    low, high = 1.0, 5000.0
    while high - low > 5:
        middle = (low + high) / 2
        good = busy(costs, middle) < BUSIEST and simulate(costs, middle, 20.0)[1] < GOAL_MS
        low, high = (middle, high) if good else (low, middle)
    return low


def carried(costs: Costs, people: People) -> dict[str, int]:
    """The number of people that one unit of each resource supports, ascending."""
    sitting = people.at_tables / people.to_a_table
    moves = sitting / people.table_seconds
    each = {
        "a process by its core": capacity(costs) / moves,
        "a process by its connections": BUSIEST * Settings().most_connections / people.sockets,
        "a process by its tables": Settings().most_tables / sitting,
        "a database": BUSIEST * people.database_cores * 1000 / costs.postgres_ms / moves,
        "a NATS server": BUSIEST * people.nats_messages / (2 * moves * people.relayed),
    }
    return {name: int(most) for name, most in sorted(each.items(), key=lambda one: one[1])}


def plan(number: int, costs: Costs, people: People) -> dict[str, Any]:
    """The resources that `number` people need, and those of which one does not suffice, the first bottleneck first."""
    tables = number * people.at_tables / people.to_a_table
    moves = tables / people.table_seconds
    shares = {name: number / most for name, most in carried(costs, people).items()}
    processes = math.ceil(max(share for name, share in shares.items() if name.startswith("a process")))
    bot_cores = math.ceil(moves * people.bots * costs.bot_ms / 1000 / BUSIEST)
    cores = processes + bot_cores + math.ceil(moves * costs.postgres_ms / 1000 / BUSIEST)
    return {
        "people": number,
        "tables": round(tables),
        "moves a second": round(moves),
        "processes": processes,
        "cores": cores,
        "memory GB": round((processes * costs.process_mb + tables * costs.table_kb / 1000) / 1000, 1),
        "databases": math.ceil(shares["a database"]),
        "GB a day": round(moves * costs.move_bytes * 86_400 / 1e9),
        "euros a month": round(cores * people.monthly, -1),
        "too few": [name for name, share in shares.items() if share > 1],
        "shares": {name: round(share, 2) for name, share in shares.items()},
    }


async def check(tables: Sequence[int], costs: Costs, database: str) -> None:
    """Measure, and compare the largest run with the model's prediction from the smaller ones."""
    rows, before = [], await _postgres_seconds(database)
    total = 0.0
    async for row in measure_server(tables, seconds=15.0, think=5.0, database=database):
        rows.append(row)
        total += row.moves_per_s * row.seconds
        print(json.dumps({**asdict(row), "good": row.good}), flush=True)
    if database:
        spent = await _postgres_seconds(database) - before
        print(json.dumps({"postgres_ms at most": round(1000 * spent / total, 3)}))
    *small, largest = rows
    fitted = fit(small, costs)
    expected_moves = largest.tables * small[-1].moves_per_s / small[-1].tables
    p50, p99 = simulate(fitted, expected_moves)
    expected = {
        "moves_per_s": expected_moves,
        "core": busy(fitted, expected_moves),
        "entries_per_s": expected_moves * (small[-1].entries_per_s or 0.0) / small[-1].moves_per_s,
        "transactions_per_s": transactions(expected_moves),
        "connected": largest.tables * small[-1].connected / small[-1].tables,
        "memory_mb": fitted.process_mb + largest.tables * fitted.table_kb / 1000,
        "seen_p50": p50,
        "seen_p99": p99,
    }
    measured = {
        "moves_per_s": largest.moves_per_s,
        "core": (largest.cpu_ms or 0.0) * largest.moves_per_s / 1000,
        "entries_per_s": largest.entries_per_s,
        "transactions_per_s": largest.transactions_per_s,
        "connected": largest.connected,
        "memory_mb": largest.memory_mb,
        "seen_p50": largest.seen.p50,
        "seen_p99": largest.seen.p99,
    }
    for name, value in expected.items():
        print(json.dumps({"what": name, "expected": round(value, 2), "measured": measured.get(name)}))
    print(json.dumps({"fitted": asdict(fitted), "a process carries moves a second": round(capacity(fitted))}))


async def _postgres_seconds(database: str) -> float:
    """Processor seconds used by all processes of the database server, which must run on this machine."""
    if not database:
        return 0.0
    engine = create_async_engine(sa.make_url(database).set(drivername="postgresql+asyncpg"))
    async with engine.connect() as connection:
        backend = await connection.scalar(sa.text("SELECT pg_backend_pid()"))
        stats = await asyncio.to_thread(_processes)
    await engine.dispose()
    # The server's own processor time, that of its children, and that of children that have ended: fields 14 to 17 of proc(5).
    server = stats[str(backend)][1]
    children = [stat for stat in stats.values() if stat[1] == server]
    used = [*stats[server][11:15], *(part for stat in children for part in stat[11:13])]
    return sum(map(float, used)) / os.sysconf("SC_CLK_TCK")


def _processes() -> dict[str, list[str]]:
    """The fields of proc(5) after the name, beginning with the state, of every process by number."""
    return {path.parent.name: path.read_text().rsplit(")", 1)[1].split() for path in Path("/proc").glob("[0-9]*/stat")}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", type=int, nargs="+", default=[])
    parser.add_argument("--database", default="")
    parser.add_argument("--costs", type=json.loads, default={})
    wanted = parser.parse_args(arguments)
    sizes = sorted(set(wanted.check))
    if sizes and (len(sizes) < 3 or sizes[0] < 1):
        parser.error("--check needs three numbers of tables or more: the costs are fitted to all but the largest")
    costs = replace(Costs(), **wanted.costs)
    if sizes:
        asyncio.run(check(sizes, costs, wanted.database))
        return
    print(json.dumps({"costs": asdict(costs), "people": asdict(People())}))
    print(json.dumps({"moves a second of a process": round(capacity(costs)), "people": carried(costs, People())}))
    for number in SIZES:
        print(json.dumps(plan(number, costs, People())))


if __name__ == "__main__":
    main()

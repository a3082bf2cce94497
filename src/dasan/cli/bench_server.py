"""`dasan bench server`: the load that a server carries."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

from dasan.cli.group import CannotRun
from dasan.cli.output import print_json, say

if TYPE_CHECKING:
    from dasan.bench.server import ServerRow

TABLES = (50, 100, 200)
SECONDS = 20.0
PRESET = "big-three"


def bench_server(
    tables: list[int] | None,
    *,
    preset: str | None,
    seconds: float | None,
    think: float,
    processes: int,
    database: str,
    nats: str,
    urls: list[str],
    seed: int,
    as_json: bool,
) -> None:
    """Measure each number of tables, and print a row for it."""
    from dasan.bench.hosting import NotServed
    from dasan.bench.server import GOAL_MS, measure_server
    from dasan.games import PRESETS

    name = preset or PRESET
    if name not in PRESETS:
        raise CannotRun(f"there is no preset {name}; there are {', '.join(PRESETS)}")
    if processes > 1 and not urls and not (database and nats):
        raise CannotRun("several processes need --database and --nats")
    rows: list[ServerRow] = []

    async def run() -> None:
        measured = measure_server(
            tables or TABLES,
            seconds=seconds or SECONDS,
            think=think,
            preset=name,
            bots=["greedy"] * (PRESETS[name].rules({}).players - 1),
            processes=processes,
            database=database,
            nats=nats,
            urls=urls,
            seed=seed,
        )
        async for row in measured:
            rows.append(row)
            if not as_json:
                say(_line(row))

    if not as_json:
        say(
            f"{'database':11}{'procs':>5}{'tables':>8}{'sockets':>9}{'moves/s':>9}{'seen p50':>10}{'p99 ms':>8}"
            f"{'ack p99':>9}{'CPU ms/move':>13}{'bots':>7}{'MB':>7}{'KB/table':>10}{'failed':>8}{'load':>6}"
        )
    try:
        asyncio.run(run())
    except NotServed as error:
        raise CannotRun(str(error)) from None
    except OSError as error:
        raise CannotRun(f"the server does not answer: {type(error).__name__}") from None
    if as_json:
        print_json([{**asdict(row), "good": row.good} for row in rows])
        return
    good = [row for row in rows if row.good]
    if good:
        say(f"\np99 under {GOAL_MS:g} ms up to {good[-1].tables} tables, {good[-1].moves_per_s:,.0f} moves a second")
    if any(row.load_cpu > 0.8 for row in rows):
        say("generating the load took most of a core: the server may carry more")


def _line(row: ServerRow) -> str:
    return (
        f"{row.database or 'elsewhere':11}{row.processes:>5}{row.tables:>8}{row.connected:>9}{row.moves_per_s:>9,.1f}"
        f"{_one(row.seen.p50):>10}{_one(row.seen.p99):>8}{_one(row.acknowledged.p99):>9}{_one(row.cpu_ms, 2):>13}"
        f"{_one(row.bots_cpu_ms, 2):>7}{_one(row.memory_mb, 0):>7}{_one(row.table_kb, 0):>10}{row.failed:>8}"
        f"{row.load_cpu:>6.2f}"
    )


def _one(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"

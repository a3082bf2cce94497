"""Compare our server with a boardgame.io server: three people at each table, in alternating runs on this machine.

``npm install --ignore-scripts`` in this folder, then ``python benchmarks/boardgameio/compare.py --tables 30``. boardgame.io
keeps its matches in memory; ours writes every move to disk before it answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
from pathlib import Path

from dasan.bench.hosting import usage
from dasan.bench.server import measure_server

HERE = Path(__file__).parent
PORT = 8719


def theirs(tables: int, think: float, seconds: float) -> dict[str, float]:
    """Figures of boardgame.io's server: moves a second, milliseconds until others see a move, processor milliseconds a
    move.
    """
    server = subprocess.Popen(["node", HERE / "server.js", str(PORT)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        while "serving" not in server.stdout.readline():
            pass
        load = subprocess.Popen(
            ["node", HERE / "load.js", *map(str, (PORT, tables, think, seconds))], stdout=subprocess.PIPE, text=True
        )
        assert load.stdout is not None
        assert load.stdout.readline().strip() == "counting"
        before = usage(server.pid).cpu
        measurement = json.loads(load.stdout.readline())
        after = usage(server.pid).cpu
        load.wait()
    finally:
        server.kill()
        server.wait()
    assert before is not None
    assert after is not None
    return {
        "moves_per_s": measurement["moves"] / seconds,
        "seen_p50": measurement["p50"],
        "seen_p99": measurement["p99"],
        "cpu_ms": 1000 * (after - before) / measurement["moves"],
    }


def ours(tables: int, think: float, seconds: float) -> dict[str, float | None]:
    """The same figures of our server, on SQLite."""

    async def measure() -> dict[str, float | None]:
        rows = measure_server([tables], seconds=seconds, think=think, people=3, bots=[], watched=0)
        (row,) = [row async for row in rows]
        return {
            "moves_per_s": row.moves_per_s,
            "seen_p50": row.seen.p50,
            "seen_p99": row.seen.p99,
            "cpu_ms": row.cpu_ms,
        }

    return asyncio.run(measure())


def main() -> None:
    """Run both servers in turn and print a line of JSON for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=30)
    parser.add_argument("--think", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    for _ in range(asked.runs):
        for name, measure in (("dasan", ours), ("boardgame.io", theirs)):
            load = os.getloadavg()[0]
            measurement = measure(asked.tables, asked.think, asked.seconds)
            print(json.dumps({"server": name, "load_average": round(load, 1), **measurement}), flush=True)


if __name__ == "__main__":
    main()

"""Run the proof by hand: ``python -m tests.server.chaos --minutes 5 --tables 50``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

from .faults import FAULTS
from .run import run
from .servers import SABOTAGE


def main() -> None:
    """Run, print the report as JSON, and fail where anything was lost, doubled or left unfinished."""
    parser = argparse.ArgumentParser(prog="python -m tests.server.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long faults are injected")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--people", type=int, default=2, help="people at each table; the other chairs are bots'")
    parser.add_argument("--entrants", type=int, default=10, help="people who play a duplicate event meanwhile")
    parser.add_argument("--deals", type=int, default=4, help="of the event")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=3, help="of the NATS cluster")
    parser.add_argument("--sqlite", action="store_true", help="one process on SQLite")
    parser.add_argument("--think", type=float, default=0.5, help="seconds a person thinks, on average")
    parser.add_argument("--every", type=float, help="seconds between faults, on average (2; SQLite: 1)")
    parser.add_argument("--together", type=int, default=3, help="the most faults at a time")
    parser.add_argument("--faults", nargs="*", choices=list(FAULTS), help="only these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sabotage", choices=list(SABOTAGE), default="", help="break the server, to see the audit fail")
    parser.add_argument("--source", type=Path, help="the src folder of the version that runs until it is upgraded")
    parser.add_argument("--folder", type=Path, help="keep databases and logs here")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dasan-chaos-") as temporary:
        report = asyncio.run(
            run(
                asked.folder or Path(temporary),
                seconds=asked.minutes * 60,
                tables=asked.tables,
                people=asked.people,
                processes=asked.processes,
                nodes=asked.nodes,
                sqlite=asked.sqlite,
                think=asked.think,
                every=asked.every,
                together=asked.together,
                faults=asked.faults,
                seed=asked.seed,
                sabotage=asked.sabotage,
                source=asked.source,
                entrants=asked.entrants,
                deals=asked.deals,
            )
        )
    print(json.dumps(report, indent=2, ensure_ascii=False))
    sys.exit(not report["passed"])


if __name__ == "__main__":
    main()

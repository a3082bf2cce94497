"""One run: open tables, let people play while faults are injected, repair everything, finish every table, audit."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from .audit import Audit, audit
from .events import Entrant, EventNotes, event_faults
from .faults import inject
from .people import Notebook, Person, raise_if_busy
from .servers import World, longest_outage, world

GAMES = ("big-three", "big-two", "winner")
PLAYERS = {"big-three": 3, "big-two": 4, "winner": 4}
FINISHES_IN = 400.0
"""Seconds in which every table must finish after the repairs."""


async def run(
    folder: Path,
    *,
    seconds: float,
    tables: int,
    people: int = 2,
    processes: int = 2,
    nodes: int = 3,
    sqlite: bool = False,
    think: float = 0.5,
    every: float | None = None,
    together: int = 3,
    faults: list[str] | None = None,
    seed: int = 1,
    sabotage: str = "",
    orderly: bool = False,
    source: Path | None = None,
    entrants: int = 0,
    deals: int = 4,
) -> dict[str, Any]:
    """The report: faults by kind, acknowledged commands, and the audit's findings.

    every: seconds between faults on average; by default 2, and 1 where there is one process on SQLite. source: the folder of
    the version that runs until a process is upgraded. entrants: people who play a duplicate event meanwhile. deals: of the event.
    """
    rng = random.Random(seed)
    notes = Notebook()
    started = time.monotonic()
    async with world(
        folder, processes=processes, nodes=nodes, sqlite=sqlite, sabotage=sabotage, source=source
    ) as servers:
        fronts = [front.port for front in servers.fronts]
        seated: list[Person] = []
        for number in range(tables):
            seated += await _open(number, [Person(notes, fronts, rng, think) for _ in range(people)])
        event = EventNotes()
        entered = [Entrant(event, notes, fronts, rng, think) for _ in range(entrants)]
        if entered:
            await entered[0].open(deals)
            seated += entered
        last = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(person.play(last)) for person in seated]
            began = time.monotonic()
            pause = every or (1.0 if sqlite else 2.0)
            injected = await inject(
                servers, rng, seconds=seconds, every=pause, most_together=together, only=faults, orderly=orderly
            )
            took = time.monotonic() - began
            notes.repaired = asyncio.get_running_loop().time()
            last.set()
            _, late = await asyncio.wait(playing, timeout=FINISHES_IN)
            for task in late:
                task.cancel()
        finished_in = time.monotonic() - began - took
        tables_played = {*(person.table for person in seated), *event.played.values()}
        findings, at_event = await _audit(servers, notes, sorted(tables_played), event)
        reports = Counter(line for app in servers.apps for line in app.reports())
    return {
        "passed": findings.passed
        and not (notes.gaps or notes.told_otherwise or notes.changed_answers)
        and not (at_event["unscored"] or at_event["twice"] or at_event["early"])
        and at_event["deals_played"] == entrants * deals,
        "database": "SQLite" if sqlite else "PostgreSQL",
        "processes": 1 if sqlite else processes,
        "nats_nodes": 0 if sqlite else nodes,
        "seconds_of_faults": round(took, 1),
        "seconds_to_finish": round(finished_in, 1),
        "seconds_in_all": round(time.monotonic() - started, 1),
        "faults": dict(sorted(injected.items())),
        "faults_in_all": sum(injected.values()),
        **findings.to_json(),
        "event": at_event,
        "gaps": notes.gaps,
        "told_otherwise": notes.told_otherwise,
        "changed_answers": notes.changed_answers[:5],
        "people": dict(notes.counts),
        "longest_wait": round(notes.longest_wait, 2),
        "longest_wait_over_connections": notes.longest_over,
        "longest_outage_of_all_processes": round(longest_outage(servers.apps), 2),
        "longest_wait_once_repaired": round(notes.longest_once_repaired, 2),
        "refusals": dict(Counter(notes.refused.values())),
        "reported_errors": dict(reports.most_common(40)),
    }


async def _open(number: int, people: list[Person]) -> list[Person]:
    """Seat these people at a new table, with bots in the other chairs. Every third table has clocks."""
    preset = GAMES[number % len(GAMES)]
    seats = ["me", *["open"] * (len(people) - 1), *["random"] * (PLAYERS[preset] - len(people))]
    settings: dict[str, Any] = {"grace": 5}
    if number % 3 == 2:
        settings["speed"] = {"kind": "move", "seconds": 8}

    async def create(client: httpx.AsyncClient) -> str:
        answer = await client.post("/api/tables", json={"preset": preset, "seats": seats, "settings": settings})
        raise_if_busy(answer)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    table = await people[0].enter(create)

    async def join(client: httpx.AsyncClient) -> str:
        answer = await client.post(f"/api/tables/{table}/join", json={})
        raise_if_busy(answer)
        assert answer.status_code == 200, answer.text
        return table

    for person in people[1:]:
        await person.enter(join)
    return people


async def _audit(servers: World, notes: Notebook, tables: list[str], event: EventNotes) -> tuple[Audit, dict[str, Any]]:
    def read(connection: sa.Connection) -> tuple[Audit, dict[str, Any]]:
        return audit(connection, notes, tables), event_faults(connection, event)

    if servers.postgres is not None:
        engine = create_async_engine(servers.database)
        async with engine.connect() as connection:
            findings = await connection.run_sync(read)
        await engine.dispose()
        return findings
    path = servers.folder / "app-0" / "dasan.sqlite3"
    sync = sa.create_engine("sqlite://", creator=lambda: sqlite3.connect(f"file:{path}?mode=ro", uri=True))
    with sync.connect() as plain:
        findings = read(plain)
    sync.dispose()
    return findings

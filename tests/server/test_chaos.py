"""Nothing is lost: servers are killed, paused and cut off while people play, and every answer is compared with the log."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import dasan
from dasan.server.store.schema import events, hands, metadata, tables

from .chaos import faults
from .chaos.audit import Audit, audit
from .chaos.people import Notebook, Said
from .chaos.run import run
from .chaos.servers import App, longest_outage

pytestmark = pytest.mark.full

TABLE = "t"


@pytest.fixture
def log() -> Iterator[sa.Connection]:
    """A database with one table: Ann (seat 0) made two moves and said something, a bot made a move."""
    engine = sa.create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.connect() as connection:
        row = {"id": TABLE, "preset": "big-two", "rules": {}, "settings": {}, "opened": {}, "seed": b"", "created": 0}
        row |= {"touched": 0, "status": "playing", "listed": False, "seq": 4, "fence": 1, "lease_until": 0}
        connection.execute(sa.insert(tables), {**row, "summary": {"phase": "over", "number": 1}})
        _write(connection, 0, {"type": "move", "seat": 0, "move": "3D"}, "a")
        _write(connection, 1, {"type": "move", "seat": 1, "move": "4D", "bot": "greedy"}, None)
        _write(connection, 2, {"type": "move", "seat": 0, "move": "pass"}, "b")
        _write(connection, 3, {"type": "chat", "seat": 0, "text": "hello"}, "c")
        hand = {"id": "h", "table_id": TABLE, "number": 1, "preset": "big-two", "finished": 0, "shown": True}
        connection.execute(sa.insert(hands), {**hand, "rated": False, "result": {}, "opening": [], "record": _record()})
        yield connection
    engine.dispose()


def _write(connection: sa.Connection, seq: int, entry: dict[str, Any], command: str | None) -> None:
    player = None if command is None else "ann"
    row = {"table_id": TABLE, "seq": seq, "at": 0, "line": json.dumps(entry), "player": player, "client_id": command}
    connection.execute(sa.insert(events), row)


def _record() -> str:
    state = dasan.deal(dasan.rules("big-two"), seed=3)
    while state.phase != "over":
        state = state.play(state.legal_moves()[0])
    return state.record()


@pytest.fixture
def notes() -> Notebook:
    """The answers that Ann got, all correct."""
    out = Notebook()
    contents = {"a": {"type": "move", "move": "3D"}, "b": {"type": "move", "move": "pass"}}
    for number, (name, command) in enumerate({**contents, "c": {"type": "chat", "text": "hello"}}.items()):
        key = (TABLE, "ann", name)
        out.sent[key] = Said(TABLE, "ann", 0, {**command, "id": name})
        out.acknowledged[key] = (1, 3, 4)[number]
    out.saw(TABLE, 0, 0, "play")
    out.saw(TABLE, 1, 1, "play")
    return out


def found(log: sa.Connection, notes: Notebook) -> set[str]:
    """The faults that the audit counts."""
    out = audit(log, notes, [TABLE])
    return {name for name in Audit.FAULTS if getattr(out, name)}


def test_the_audit_passes_a_true_log(log: sa.Connection, notes: Notebook) -> None:
    out = audit(log, notes, [TABLE])
    assert out.passed, out.examples
    assert (out.entries, out.hands, out.acknowledged, out.moves_acknowledged) == (4, 1, 3, 2)


@pytest.mark.parametrize(
    ("fault", "change"),
    [
        ("lost", 'UPDATE events SET client_id = NULL, player = NULL, line = \'{"type":"vote","seat":1}\' WHERE seq = 2'),
        ("lost", 'UPDATE events SET line = \'{"type":"move","seat":0,"move":"4C"}\' WHERE seq = 0'),
        ("doubled", "UPDATE events SET client_id = NULL, player = NULL WHERE seq = 3"),
        ("doubled", "UPDATE events SET client_id = 'z' WHERE seq = 3"),
        ("holes", "DELETE FROM events WHERE seq = 1"),
        ("holes", "UPDATE tables SET seq = 5"),
        ("shown_otherwise", 'UPDATE events SET line = \'{"type":"move","seat":1,"move":"pass"}\' WHERE seq = 1'),
        ("unproved", "UPDATE hands SET record = replace(record, '\"pass\"', '\"bid\"')"),
        ("unfinished", 'UPDATE tables SET summary = \'{"phase":"play","number":1}\''),
        ("unfinished", "DELETE FROM hands"),
    ],
)
def test_the_audit_counts_what_is_wrong_in_the_log(log: sa.Connection, notes: Notebook, fault: str, change: str) -> None:
    log.exec_driver_sql(change)
    assert fault in found(log, notes)


def test_the_audit_counts_what_people_were_told_wrongly(log: sa.Connection, notes: Notebook) -> None:
    notes.acknowledged = dict(reversed(notes.acknowledged.items()))
    assert found(log, notes) == {"misplaced"}
    notes.refused[TABLE, "ann", "a"] = "illegal"
    assert found(log, notes) == {"misplaced", "done_though_refused"}


async def test_a_fault_that_finds_nothing_to_harm_gives_way_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    async def harms(world: object, rng: object) -> bool:
        return True

    async def finds_nothing(world: object, rng: object) -> bool:
        return False

    monkeypatch.setattr(faults, "FAULTS", {"busy": (9, finds_nothing), "other": (1, harms)})
    world: Any = None
    injected = await faults.inject(
        world, random.Random(1), seconds=0.5, every=0.01, most_together=1, only=["busy", "other"]
    )
    assert set(injected) == {"other"}
    assert injected["other"] > 10


def test_an_outage_is_one_of_all_processes_at_once() -> None:
    """Else nobody could tell how long a server let people wait."""
    apps = [App("", Path(), None, {}, outages=outages) for outages in ([(1, 5), (8, 9)], [(3, 8.5)])]  # type: ignore[arg-type]
    assert longest_outage(apps) == 2
    assert longest_outage(apps[:1]) == 4
    assert longest_outage([*apps, App("", Path(), None, {})]) == 0  # type: ignore[arg-type]


def passed(report: dict[str, Any]) -> bool:
    """Whether nothing was lost; prints the findings otherwise."""
    if not report["passed"]:
        print(json.dumps(report, indent=2))
    return bool(report["passed"])


@pytest.mark.long
def test_nothing_is_lost_in_a_short_storm(tmp_path: Path) -> None:
    """Two processes on PostgreSQL and three NATS nodes; the long storm is `python -m tests.server.chaos`."""
    for module in ("nats", "asyncpg"):
        pytest.importorskip(module, reason=f"no {module}: `make test-all` installs it")
    kinds = ["terminate-backends", "kill-app", "kill-nats", "cut-people", "stall-postgres"]
    report = asyncio.run(
        run(
            tmp_path,
            seconds=0,
            tables=4,
            think=0.1,
            every=0.8,
            together=2,
            faults=kinds,
            seed=2,
            orderly=True,
            entrants=3,
            deals=2,
        )
    )
    assert passed(report)
    assert report["event"]["probes"].keys() <= {"200", "403", "503"}
    assert report["event"]["probes"]["403"] > 0, "closed deals were asked for"
    assert sorted(report["faults"]) == sorted(kinds)
    assert report["moves_acknowledged"] > 20


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("sqlite", [False, True])
def test_nothing_is_lost_in_a_long_storm(tmp_path: Path, sqlite: bool) -> None:
    report = asyncio.run(run(tmp_path, seconds=120, tables=50, sqlite=sqlite, seed=3, entrants=10, deals=6))
    assert passed(report)
    assert report["faults_in_all"] > 20
    assert report["moves_acknowledged"] > 1000


@pytest.mark.slow
@pytest.mark.parametrize(("sabotage", "fault"), [("lose", "lost"), ("double", "doubled")])
def test_a_server_that_is_broken_on_purpose_does_not_pass(tmp_path: Path, sabotage: str, fault: str) -> None:
    report = asyncio.run(
        run(tmp_path, seconds=12, tables=6, sqlite=True, think=0.1, every=3, faults=["kill-app"], sabotage=sabotage)
    )
    assert not report["passed"]
    assert report[fault] > 0

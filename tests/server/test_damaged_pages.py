"""Requests for one thing whose row is damaged: refused as damaged, logged once, and nothing else suffers."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from dasan.cli import app
from dasan.server.api.study import VERSION
from dasan.server.people.identity import Identities
from dasan.server.refusals import Refused
from dasan.server.store import Store, damage
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.schema import (
    decisions,
    duplicate_entries,
    duplicate_pars,
    duplicate_plays,
    duplicates,
    events,
    groups,
    hand_seats,
    hands,
    reviews,
    shared_reviews,
)
from dasan.server.store.schema import tables as rows
from dasan.server.times import DAY, now

from .harness import Player, Served, fast, served
from .test_damaged_rows import PEOPLE, furnish

pytestmark = pytest.mark.full

Json: TypeAlias = Any

TABLE = (
    *("GET /api/tables/bad", "GET /api/tables/bad/record", "GET /api/tables/bad/hands", "WS tables/bad"),
    *("POST /api/tables/bad/join", "POST /api/tables/bad/forget", "POST /api/tables/bad/commands"),
)
PAR = "GET /api/events/bad/deals/0/par"
EVENT = ("GET /api/events/bad", "GET /api/events/bad/standings", PAR, "POST /api/events/bad/play")
GROUP = ("GET /api/groups/bad", "POST /api/groups/bad/tables")
RECORD = (
    *("GET /api/hands/H/record", "GET /api/hands/H/picture", "GET /api/hands/H/review", "GET /api/hands/H/known"),
    *("GET /api/hands/H/turning", "GET /api/hands/H/advice?seq=3", "POST /api/hands/H/solve"),
)
PLAYER = ("GET /api/me/profile", "GET /api/people/Name p0")
LAST = -1
"""Stands for the last event of the hand."""
BODIES: Json = {
    "POST /api/tables/bad/join": {"name": "x"},
    "POST /api/tables/bad/commands": {"type": "chat", "id": "c", "text": "x"},
    "POST /api/events/bad/play": {"name": "x"},
    "POST /api/hands/H/solve": {"seq": 3, "moves": []},
    "POST /api/hands/H/notes": {"seq": LAST, "text": "x"},
}
LISTS = ("/api/tables", "/api/lobby", "/api/events", "/api/groups", "/api/me/history", "/api/account/export")
SECRET = "7S kept secret"
"""In the damaged values, and so in no answer and no line of the log."""


@dataclass(frozen=True)
class Case:
    """What is stored in a column, and the requests that it makes impossible."""

    column: sa.Column[Any]
    value: Json
    refused: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column}={json.dumps(self.value)[:20]}"


CASES = [
    Case(rows.c.rules, {"options": 7, "digest": SECRET}, TABLE),
    Case(rows.c.settings, [SECRET], TABLE),
    Case(events.c.line, f'{{"type":"{SECRET}"', TABLE),
    Case(hands.c.result, {"payments": SECRET}, ("GET /api/hands/H",)),
    Case(hands.c.record, f'{{"format":"{SECRET}"', ("GET /api/hands/H", "POST /api/hands/H/notes", *RECORD)),
    Case(hands.c.record, f'{{"rules":{{"options":{{}}}}}}\n{{"type":"{SECRET}"}}\n', RECORD),
    Case(duplicates.c.rules, {"options": [SECRET]}, EVENT),
    Case(duplicates.c.settings, SECRET, EVENT),
    Case(duplicates.c.deals, SECRET, EVENT),
    Case(duplicate_pars.c.payments, 7, (PAR,)),
    Case(duplicate_pars.c.payments, [SECRET] * 3, (PAR,)),
    Case(groups.c.options, [SECRET], GROUP),
    Case(groups.c.chairs, SECRET, GROUP),
    Case(groups.c.settings, 7, GROUP),
    Case(shared_reviews.c.place, SECRET, ("WS reviews/shared",)),
    Case(shared_reviews.c.place, {"seq": SECRET}, ("WS reviews/shared",)),
    Case(hand_seats.c.role, "rubbish", PLAYER),
    Case(decisions.c.habit, SECRET, ("GET /api/me/habits",)),
]


async def add_pages(store: Store) -> tuple[str, int]:
    """Beside what `furnish` makes, an event with a play and its par, and what is stored of a hand; the hand's id, and its last
    event.
    """
    await furnish(store)
    moment = now()

    def write(connection: sa.Connection) -> tuple[str, int]:
        hand = connection.execute(sa.select(hands).where(hands.c.table_id == "bad")).one()
        bidder = connection.execute(
            sa.select(hand_seats.c.seat, hand_seats.c.bid).where(
                hand_seats.c.hand_id == hand.id, hand_seats.c.role == "bidder"
            )
        ).one()
        connection.execute(sa.update(duplicates).values(starts=moment - DAY, ends=moment + DAY, preset="big-three"))
        rules = {"options": {}, "digest": ""}
        connection.execute(sa.update(duplicates).values(rules=rules, host=None))
        play = {"event_id": "bad", "player": "p0", "deal": 0, "since": 1, "seen": 1, "seat": 0, "hand_id": hand.id}
        connection.execute(sa.insert(duplicate_entries), {"event_id": "bad", "player": "p0", "name": "p0", "entered": 1})
        connection.execute(
            sa.insert(duplicate_plays), {**play, "table_id": "other", "finished": 2, "score": 1.0, "assisted": False}
        )
        contract = f"{bidder.seat}..{bidder.bid}"
        connection.execute(
            sa.insert(duplicate_pars), {"event_id": "bad", "deal": 0, "contract": contract, "payments": [1, 1, -2]}
        )
        shared = {"id": "shared", "hand_id": hand.id, "leader": "p0", "name": "x", "place": {}, "revision": 1}
        connection.execute(sa.insert(shared_reviews), {**shared, "touched": moment})
        decision = {"hand_id": hand.id, "seq": 3, "player": "p0", "preset": "big-three", "habit": "pass"}
        connection.execute(sa.insert(decisions), {**decision, "unit": "payment", "cost": 1.0, "mistake": True})
        return hand.id, max(json.loads(line).get("seq", 0) for line in hand.record.splitlines())

    return await store.database.write(write)


@dataclass
class Pages:
    """A server with these rows, and its file."""

    server: Served
    player: Player
    file: Path
    hand: str
    last: int

    def close_table(self) -> None:
        """Have the table read again; its clock would keep it open."""
        tables = self.server.tables
        tables._chores[0].get_loop().call_soon_threadsafe(tables.reopen, "bad")
        while "bad" in tables:
            time.sleep(0.01)

    def ask(self, request: str) -> tuple[str, str]:
        """The code of the refusal of a request, empty if it is answered, and the whole answer."""
        method, _, path = request.partition(" ")
        if method == "WS":
            what, _, which = path.partition("/")
            with self.player.connect(which, what=what) as socket:
                message = socket.receive()
            return message.get("code", ""), json.dumps(message)
        body = BODIES.get(request)
        if body is not None and body.get("seq") == LAST:
            body = {**body, "seq": self.last}
        answer = self.player.http.request(method, path.replace("/H", f"/{self.hand}"), json=body)
        assert answer.status_code != 500, (request, answer.text)
        assert (answer.status_code == 410) == ('"code":"damaged"' in answer.text), (request, answer.text)
        return answer.json()["code"] if answer.status_code >= 400 else "", answer.text


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    settings = fast(tmp_path_factory.mktemp("pages"), idle_seconds=0, quick_burst=1_000_000)
    settings.data_dir.mkdir()

    async def make() -> tuple[str, int]:
        store = await Store.open(settings.data_dir)
        made = await add_pages(store)
        await store.close()
        return made

    async def first(*_: object) -> str:
        return PEOPLE[0]

    made = asyncio.run(make())
    with pytest.MonkeyPatch.context() as patch, served(settings) as server:
        patch.setattr(Identities, "player", first)
        yield Pages(server, server.player(), settings.data_dir / DATABASE_FILE, *made)


@contextmanager
def stored(pages: Pages, cases: Sequence[Case]) -> Iterator[None]:
    """Put the values of these cases into the database, for as long as the context lasts."""
    with closing(sqlite3.connect(pages.file, isolation_level=None, timeout=60)) as connection:
        kept: list[tuple[str, list[Any]]] = []
        for case in cases:
            table, name = case.column.table.name, case.column.name
            value = json.dumps(case.value) if isinstance(case.column.type, sa.JSON) else case.value
            before = connection.execute(f'SELECT "{name}", rowid FROM "{table}"').fetchall()
            kept.append((f'UPDATE "{table}" SET "{name}" = ? WHERE rowid = ?', before))
            connection.execute(f'UPDATE "{table}" SET "{name}" = ?', (value,))
        pages.close_table()
        yield
        for statement, before in reversed(kept):
            connection.executemany(statement, before)


def test_every_page_is_answered_before_it_is_damaged(pages: Pages) -> None:
    """Else the tests below show nothing. No jobs of solvers here, which take long."""
    slow = {"GET /api/hands/H/review", "GET /api/hands/H/known", "GET /api/hands/H/turning", "POST /api/hands/H/solve"}
    once = {"POST /api/tables/bad/forget", "POST /api/events/bad/play", "POST /api/tables/bad/join"}
    for request in {one for case in CASES for one in case.refused} - slow - once - {"GET /api/hands/H/advice?seq=3"}:
        assert pages.ask(request)[0] == "", request


@pytest.mark.sampled(3, 18)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_damaged_page_is_refused_and_logged_once(case: Case, pages: Pages, caplog: pytest.LogCaptureFixture) -> None:
    with stored(pages, [case]):
        for _ in range(2):
            for request in case.refused:
                code, answer = pages.ask(request)
                assert code == "damaged", (request, answer)
                assert SECRET not in answer
                assert "please tell the server's host" in answer
        for path in LISTS:
            assert pages.player.http.get(path).status_code == 200, path
    lines = [line for line in caplog.messages if "is damaged" in line]
    assert len(lines) == len(set(lines)) >= 1
    assert not [line for line in caplog.messages if "failed" in line]
    assert not any(SECRET in str(vars(record)) for record in caplog.records)


def test_the_commands_of_the_host_work_beside_damaged_rows(pages: Pages, tmp_path: Path) -> None:
    commands = [["tables"], ["ratings"], ["reports"], ["audit"], ["fairplay"], ["backup", str(tmp_path / "backup.gz")]]
    commands += [["export", str(tmp_path / "hands")], ["export", str(tmp_path / "p0"), "--player", PEOPLE[0]]]
    commands += [["prune", "--tables", "1", "--chat", "1", "--dry-run"]]
    with stored(pages, CASES):
        for command in commands:
            done = CliRunner().invoke(app, ["admin", *command, "--data-dir", str(pages.file.parent)])
            assert done.exit_code in (0, 1), (command, done.output)
            assert done.exception is None or isinstance(done.exception, SystemExit), (command, done.exception)


async def test_a_damaged_line_or_table_does_not_hide_its_group(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    await furnish(store)
    for text in ("good", "bad"):
        await store.groups.say("bad", "p0", text, 1)
    assert len((await store.groups.load("bad", "p0")).tables) == 1
    changes = ("UPDATE group_lines SET at = 'x' WHERE text = 'bad'", "UPDATE tables SET status = 'x' WHERE id = 'bad'")
    await store.database.write(lambda c: [c.execute(sa.text(one)) for one in changes])
    group = await store.groups.load("bad", "p0")
    assert ([line.text for line in group.lines], group.tables) == (["good"], [])
    await store.close()


@pytest.mark.parametrize("text", ["{", "7\n", '{"move": null}\n['])
async def test_a_damaged_review_is_made_anew(text: str, tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    hand, _ = await add_pages(store)
    row = {"hand_id": hand, "kind": "turning", "version": VERSION["turning"]}
    await store.database.write(lambda c: c.execute(sa.insert(reviews), {**row, "lines": text}))
    assert await store.reviews.get(hand, "turning", VERSION["turning"]) is None
    await store.close()


@pytest.mark.parametrize("error", [Refused("forbidden", "this hand is secret"), MemoryError()])
def test_another_refusal_is_no_damage(error: Exception) -> None:
    with pytest.raises(type(error)), damage.intact("hand", "one"):
        raise error
    assert not damage.known


def test_the_metrics_count_damaged_rows(tmp_path: Path) -> None:
    for _ in range(2):
        damage.damaged("hand", "one", ValueError())
    damage.damaged("hand", "two", ValueError())
    token = "t" * 16
    with served(fast(tmp_path, metrics_token=token)) as server:
        text = server.player().http.get("/metrics", headers={"authorization": f"Bearer {token}"}).text
    assert re.search(r"^dasan_damaged_rows 2\.0$", text, re.MULTILINE)

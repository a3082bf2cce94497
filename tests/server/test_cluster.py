"""Two processes on PostgreSQL and NATS serve one table: either may die or pause, either may be used, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from websockets.exceptions import ConnectionClosed

from dasan.records.verify import verify
from dasan.server.study.together import LOOK_AGAIN

from .harness import SECONDS, Player, Remote
from .own_process import process
from .services import nats_cluster, postgres

pytestmark = pytest.mark.full

SECRET = "a secret of the tests, the same for every process"


@dataclass
class Services:
    database: str
    nats: str

    @contextmanager
    def process(self, folder: Path) -> Iterator[tuple[Remote, int]]:
        """One of the processes: its address and its number."""
        settings = {"DASAN_DATABASE": self.database, "DASAN_NATS": self.nats, "DASAN_SECRET": SECRET, "DASAN_WARM": "0"}
        with process(folder, **settings) as (remote, child):
            yield remote, child.pid


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    for module in ("nats", "asyncpg"):
        pytest.importorskip(module, reason=f"no {module}: `make test-all` installs it")
    with postgres() as database, nats_cluster(3) as nats:
        yield Services(database, nats.url)


def guest(server: Remote, cookies: httpx.Cookies | None = None) -> Player:
    return Player(server, httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS))


Acks = list[tuple[str, int]]
"""Commands that were acknowledged: the client's id, and the length of the log after it."""


def play(player: Player, table_id: str, rng: random.Random, moves: int = 1000) -> Acks:
    """Make this many moves, or all to the end of the hand; reconnect when the socket closes."""
    acks: Acks = []
    ends = time.monotonic() + SECONDS
    while len(acks) < moves and time.monotonic() < ends:
        try:
            with player.sit(table_id) as socket:
                while len(acks) < moves:
                    if socket.view["phase"] == "over":
                        return acks
                    if socket.view["to_act"] != socket.view["seat"]:
                        socket.receive(timeout=5)
                        continue
                    command = f"m{socket.table['seq']}-{rng.randrange(10**9)}"
                    socket.send(type="move", id=command, move=rng.choice(socket.view["legal_moves"])["move"])
                    answer = socket.answer(command)
                    if answer["type"] == "ack":
                        acks.append((command, answer["seq"]))
        except (ConnectionClosed, OSError, AssertionError, TimeoutError):
            time.sleep(0.2)
    return acks


def check(player: Player, table_id: str, services: Services, acks: Acks) -> None:
    """The record verifies, and every acknowledged command is in the log once, at the acknowledged place."""
    assert player.http.get(f"/api/tables/{table_id}").json()["view"]["phase"] == "over"
    assert verify(player.http.get(f"/api/tables/{table_id}/record").text).unproved == ()

    async def read() -> list[tuple[int, str | None]]:
        engine = create_async_engine(services.database)
        query = sa.text("SELECT seq, client_id FROM events WHERE table_id = :table ORDER BY seq")
        async with engine.connect() as connection:
            rows = (await connection.execute(query, {"table": table_id})).all()
        await engine.dispose()
        return [(row.seq, row.client_id) for row in rows]

    log = asyncio.run(read())
    assert [seq for seq, _ in log] == list(range(len(log)))
    places = {command: [seq + 1 for seq, client_id in log if client_id == command] for command, _ in acks}
    assert places == {command: [seq] for command, seq in acks}


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_table_is_played_through_both_processes_and_survives_its_owner(tmp_path: Path, services: Services) -> None:
    with ExitStack() as stack:
        one, first = stack.enter_context(services.process(tmp_path / "one"))
        two, _ = stack.enter_context(services.process(tmp_path / "two"))
        host, friend = guest(one), guest(two)
        table_id = host.open_table("big-two", seats=["me", "open", "random", "random"])
        assert host.http.get(f"/api/tables/{table_id}").json()["seq"] == 0
        joined = friend.http.post(f"/api/tables/{table_id}/join", json={"name": "Friend", "seat": 1})
        assert joined.status_code == 200, joined.text
        detail = friend.http.get(f"/api/tables/{table_id}").json()
        assert [chair["name"] for chair in detail["table"]["seats"]][1] == "Friend", detail
        moved = guest(two, host.http.cookies)
        with ThreadPoolExecutor(2) as threads:
            theirs = threads.submit(play, friend, table_id, random.Random(1))
            mine = play(host, table_id, random.Random(2), 3)
            os.kill(first, signal.SIGKILL)
            mine += play(moved, table_id, random.Random(3))
            acks = mine + theirs.result()
        assert len(acks) > 3
        check(friend, table_id, services, acks)
        for player in (host, friend, moved):
            player.http.close()


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_process_that_slept_past_its_lease_writes_nothing_more(tmp_path: Path, services: Services) -> None:
    with ExitStack() as stack:
        one, first = stack.enter_context(services.process(tmp_path / "one"))
        two, _ = stack.enter_context(services.process(tmp_path / "two"))
        host = guest(one)
        table_id = host.open_table("big-three", ["random", "random"])
        acks = play(host, table_id, random.Random(5), 2)
        os.kill(first, signal.SIGSTOP)
        elsewhere = guest(two, host.http.cookies)
        try:
            acks += play(elsewhere, table_id, random.Random(6), 2)
        finally:
            os.kill(first, signal.SIGCONT)
        acks += play(host, table_id, random.Random(7))
        assert len(acks) > 4
        check(elsewhere, table_id, services, acks)
        for player in (host, elsewhere):
            player.http.close()


@pytest.mark.timeout(240)
def test_people_at_both_processes_find_a_match_and_watch_its_review_together(tmp_path: Path, services: Services) -> None:
    with ExitStack() as stack:
        one, _ = stack.enter_context(services.process(tmp_path / "one"))
        two, _ = stack.enter_context(services.process(tmp_path / "two"))
        people = [guest(one), guest(two), guest(one)]
        wanted = {"preset": "big-three", "bots": False}
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(lambda player: seek(player, wanted), people))
            (table_id,) = {seek(player, wanted) for player in people} - {None} or {None}
            assert table_id is not None, "all three seek the same game"
            mine = [player.http.get("/api/tables").json() for player in people]
            assert [[table["id"] for table in tables] for tables in mine] == [[table_id]] * 3
            acks = list(threads.map(lambda n: play(people[n], table_id, random.Random(n)), range(3)))
        check(people[1], table_id, services, [ack for one in acks for ack in one])
        (hand,) = people[1].http.get(f"/api/tables/{table_id}/hands").json()
        assert hand["rated"]
        place = {"type": "place", "seq": None}
        shared = people[0].http.post(f"/api/hands/{hand['id']}/together", json=place).json()["id"]
        elsewhere = guest(two, people[0].http.cookies)
        leading = stack.enter_context(elsewhere.connect(shared, what="reviews"))
        followers = [stack.enter_context(player.connect(shared, what="reviews")) for player in (guest(one), people[1])]
        for socket in (leading, *followers):
            assert socket.receive()["seq"] is None
        for seq in (5, 8):
            leading.send(**{**place, "seq": seq})
            begun = time.monotonic()
            for socket in followers:
                assert socket.receive()["seq"] == seq
            assert time.monotonic() - begun < LOOK_AGAIN, "the bus tells it, not the next look at the store"
        followers[1].send(**place)
        assert followers[1].receive()["code"] == "forbidden"
        for player in (*people, elsewhere):
            player.http.close()


def seek(player: Player, wanted: dict[str, object]) -> str | None:
    answer = player.http.post("/api/quick", json=wanted)
    assert answer.status_code == 200, answer.text
    table: str | None = answer.json()["table"]
    return table

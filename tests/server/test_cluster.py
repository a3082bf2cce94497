"""Two processes on PostgreSQL and NATS serve one table: either may die, pause or be asked, and nothing is lost."""

from __future__ import annotations

import json
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
from websockets.exceptions import ConnectionClosed

from dasan.records.verify import verify

from .harness import SECONDS, Player, Remote
from .services import nats_cluster, postgres
from .test_kill import process

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
        pytest.importorskip(module, reason=f"no {module}: `make test` installs it")
    with postgres() as database, nats_cluster(3) as nats:
        yield Services(database, nats.url)


def guest(server: Remote, cookies: httpx.Cookies | None = None) -> Player:
    return Player(server, httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS))


def play(player: Player, table_id: str, rng: random.Random, moves: int = 1000) -> int:
    """Make so many moves, or all to the end of the hand; come back when the socket ends. The acknowledged moves."""
    acknowledged = 0
    ends = time.monotonic() + SECONDS
    while acknowledged < moves and time.monotonic() < ends:
        try:
            with player.sit(table_id) as socket:
                while acknowledged < moves:
                    if socket.view["phase"] == "over":
                        return acknowledged
                    if socket.view["to_act"] != socket.view["seat"]:
                        socket.receive(timeout=5)
                        continue
                    number = socket.table["seq"]
                    move = rng.choice(socket.view["legal_moves"])["move"]
                    socket.send(type="move", id=f"m{number}", move=move)
                    acknowledged += socket.answer(f"m{number}")["type"] == "ack"
        except (ConnectionClosed, OSError, AssertionError, TimeoutError):
            time.sleep(0.2)
    return acknowledged


def checked(player: Player, table_id: str) -> int:
    """The number of plays and passes in the table's record, which is true."""
    text = player.http.get(f"/api/tables/{table_id}/record").text
    assert verify(text).unproved == ()
    kinds = [json.loads(line).get("type") for line in text.splitlines()]
    return sum(kind in ("play", "pass", "bid") for kind in kinds)


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
            acknowledged = mine + theirs.result()
        assert friend.http.get(f"/api/tables/{table_id}").json()["view"]["phase"] == "over"
        assert checked(friend, table_id) >= acknowledged > 3
        for player in (host, friend, moved):
            player.http.close()


@pytest.mark.timeout(240)
def test_a_process_that_slept_past_its_lease_writes_nothing_more(tmp_path: Path, services: Services) -> None:
    with ExitStack() as stack:
        one, first = stack.enter_context(services.process(tmp_path / "one"))
        two, _ = stack.enter_context(services.process(tmp_path / "two"))
        host = guest(one)
        table_id = host.open_table("big-three", ["random", "random"])
        acknowledged = play(host, table_id, random.Random(5), 2)
        os.kill(first, signal.SIGSTOP)
        elsewhere = guest(two, host.http.cookies)
        try:
            acknowledged += play(elsewhere, table_id, random.Random(6), 2)
        finally:
            os.kill(first, signal.SIGCONT)
        acknowledged += play(host, table_id, random.Random(7))
        assert checked(elsewhere, table_id) >= acknowledged > 4
        for player in (host, elsewhere):
            player.http.close()

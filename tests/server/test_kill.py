"""kill -9 in mid-hand, then a restart: the table is exactly where it was, and every acknowledged command is in the log."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from dasan.records.verify import verify
from dasan.server.operations.folders import data_dir

from .harness import SECONDS, Json, Player, Socket, step
from .own_process import SCRIPT, process


@pytest.mark.parametrize(
    ("preset", "lives"),
    [
        pytest.param("big-three", 2, marks=pytest.mark.full),
        *(pytest.param(preset, 3, marks=pytest.mark.slow) for preset in ("big-three", "winner")),
    ],
)
def test_a_killed_server_resumes_exactly_there(tmp_path: Path, preset: str, lives: int) -> None:
    rng = random.Random(9)
    kills = 0
    cookies: httpx.Cookies = httpx.Cookies()
    table_id = ""
    before: Json = {}
    for life in range(lives):
        with process(tmp_path) as (server, child):
            player = Player(server, httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS))
            if not table_id:
                table_id = player.open_table(preset, ["random"] * (2 if preset == "big-three" else 3))
                cookies = player.http.cookies
            with player.sit(table_id) as socket:
                if before:
                    assert socket.table == before
                if life < lives - 1:
                    for _ in range(3):
                        assert step(socket, rng)
                    if not socket.my_turn():
                        break
                    before = socket.table
                    child.send_signal(signal.SIGKILL)
                    child.wait(SECONDS)
                    kills += 1
                else:
                    while step(socket, rng):
                        pass
                    text = player.http.get(f"/api/tables/{table_id}/record").text
            player.http.close()
    assert kills == lives - 1
    header, rest = text.split("\n", 1)
    assert verify(header.replace(',"view":0', "") + "\n" + rest).unproved == ()


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_killed_between_bots(tmp_path: Path) -> None:
    """Killed while bots are moving: the log has at least everything that was shown, and the hand continues."""
    rng = random.Random(4)
    cookies: httpx.Cookies = httpx.Cookies()
    table_id = ""
    seen: Json = {}
    for _ in range(3):
        with process(tmp_path) as (server, child):
            player = Player(server, httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS))
            if not table_id:
                table_id = player.open_table("big-two", ["random"] * 3)
                cookies = player.http.cookies
            with player.sit(table_id) as socket:
                if seen:
                    assert socket.table["seq"] >= seen["seq"]
                    assert socket.view["events"][: len(seen["view"]["events"])] == seen["view"]["events"]
                if not step(socket, rng):
                    break
                seen = socket.table
                child.send_signal(signal.SIGKILL)
            player.http.close()


@pytest.mark.full
def test_a_terminated_server_says_goodbye(tmp_path: Path) -> None:
    with process(tmp_path) as (server, child):
        player = Player(server, httpx.Client(base_url=server.address, timeout=SECONDS))
        table_id = player.open_table("big-two", ["random"] * 3)
        with player.sit(table_id) as socket:
            child.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed, match="1012"):
                socket.until(lambda m: False)
        player.http.close()
        child.wait(SECONDS)
        assert child.stderr is not None
        assert all(" INFO " in line for line in child.stderr)


@pytest.mark.full
def test_a_second_server_on_the_same_data_is_refused_in_one_line(tmp_path: Path) -> None:
    with data_dir(tmp_path):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode != 0
        assert done.stderr.splitlines()[-1].startswith("dasan.server.refusals.CannotServe: another dasan server")


@pytest.mark.full
@pytest.mark.long
def test_people_lose_nothing_when_the_server_is_killed(tmp_path: Path) -> None:
    """Two scripted people; every answered command is in the log once, at the acknowledged place."""
    rng = random.Random(8)
    jars: list[httpx.Cookies] = []
    table_id = ""
    acknowledged: dict[tuple[int, str], int] = {}
    unanswered: list[tuple[int, Json]] = []
    for life in range(3):
        with process(tmp_path, DASAN_BOT_DELAY="0") as (server, child), ExitStack() as stack:
            clients = [
                httpx.Client(base_url=server.address, cookies=jars[n] if jars else None, timeout=SECONDS)
                for n in range(2)
            ]
            people = [Player(server, client) for client in clients]
            if not table_id:
                table_id = people[0].open_table("big-two", seats=["me", "open", "random", "random"])
                people[1].http.post(f"/api/tables/{table_id}/join", json={})
                jars = [client.cookies for client in clients]
            sockets = [stack.enter_context(player.sit(table_id)) for player in people]
            for seat, command in unanswered:
                # It may have been carried out or not: sent again, it is carried out once.
                sockets[seat].send(**command)
                answer = sockets[seat].answer(command["id"])
                if answer["type"] == "ack":
                    acknowledged[seat, command["id"]] = answer["seq"]
            unanswered = []
            for turn in range(6 if life < 2 else 10_000):
                mover = next_to_move(sockets)
                if mover is None:
                    break
                move = rng.choice(sockets[mover].view["legal_moves"])["move"]
                command = {"type": "move", "id": f"{life}-{turn}", "move": move}
                sockets[mover].send(**command)
                if life < 2 and turn == 5:
                    unanswered = [(mover, command)]
                    child.send_signal(signal.SIGKILL)
                    break
                answer = sockets[mover].answer(command["id"])
                assert answer["type"] == "ack", answer
                acknowledged[mover, command["id"]] = answer["seq"]
            text = people[0].http.get(f"/api/tables/{table_id}/record").text if life == 2 else ""
            for client in clients:
                client.close()
    assert verify(text).unproved == ()
    connection = sqlite3.connect(tmp_path / "dasan.sqlite3")
    rows = connection.execute(
        "SELECT e.seq, s.seat, e.client_id FROM events e JOIN seats s ON s.table_id = e.table_id AND s.player = e.player "
        "WHERE e.table_id = ? ORDER BY e.seq",
        [table_id],
    ).fetchall()
    (entries, last) = connection.execute("SELECT COUNT(*), MAX(seq) FROM events").fetchone()
    connection.close()
    assert entries == last + 1, "no gap, nothing twice"
    written = {(seat, client_id): seq + 1 for seq, seat, client_id in rows}
    assert {key: written.get(key) for key in acknowledged} == acknowledged


def next_to_move(sockets: list[Socket]) -> int | None:
    """The seat of the person whose turn it is, once all sockets show it; None when the hand is over."""
    while True:
        newest = max(sockets, key=lambda socket: int(socket.table["seq"]))
        view = newest.view
        if view["phase"] == "over":
            return None
        seat = view["to_act"]
        if seat >= len(sockets):
            newest.receive()
        elif sockets[seat].table["seq"] == newest.table["seq"]:
            return int(seat)
        else:
            sockets[seat].receive()


@pytest.mark.full
def test_an_event_goes_on_after_a_kill(tmp_path: Path) -> None:
    """Kill the server in the middle of a deal of an event: the deal continues, scores stay, and nobody plays it twice."""
    rng = random.Random(4)
    cookies = httpx.Cookies()
    event, table = "", ""
    before: Json = {}
    for life in range(3):
        with process(tmp_path) as (server, child):
            player = Player(server, httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS))
            if not event:
                body = {"title": "Storm", "preset": "big-two", "deals": 2, "bot": "low"}
                event = player.http.post("/api/events", json=body).json()["id"]
                cookies = player.http.cookies
            seated = player.http.post(f"/api/events/{event}/play", json={}).json()
            assert not table or seated["table"] == table
            table = seated["table"]
            detail = player.http.get(f"/api/events/{event}").json()
            assert not before or detail == before
            with player.sit(table) as socket:
                if life == 1:
                    while step(socket, rng):
                        pass
                    socket.until_seen(lambda seen: seen["table"]["status"] == "ended")
                    table = ""
                else:
                    assert step(socket, rng)
                before = player.http.get(f"/api/events/{event}").json()
                child.send_signal(signal.SIGKILL)
                child.wait(SECONDS)
            player.http.close()
            if life == 1:
                assert [one["score"] is not None for one in before["deals"]] == [True]
                before = {}
    assert seated["deal"] == 1

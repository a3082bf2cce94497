"""Several people at one table, through real sockets: sitting, starting, leaving, returning, talking, watching, continuing."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from dasan.records.verify import verify

from .harness import SECONDS, Json, Serve, Served, Socket, fast, play_hand, served


@contextmanager
def seated(server: Served, preset: str, people: int, bots: int = 0, **settings: object) -> Iterator[list[Socket]]:
    """A table that has started, with a socket for each person."""
    players = [server.player() for _ in range(people)]
    seats = ["me", *["open"] * (people - 1), *["random"] * bots]
    body = {"preset": preset, "seats": seats, "settings": settings, "name": "Ann"}
    table_id = players[0].http.post("/api/tables", json=body).json()["id"]
    for n, player in enumerate(players[1:], 1):
        answer = player.http.post(f"/api/tables/{table_id}/join", json={"name": f"Friend {n}"})
        assert answer.json() == {"id": table_id, "seat": n}, answer.text
    with ExitStack() as stack:
        sockets = [stack.enter_context(player.sit(table_id)) for player in players]
        for socket in sockets:
            socket.until_seen(lambda table: all(one["here"] for one in table["presence"]))
        yield sockets


def done(socket: Socket, kind: str, **fields: object) -> Json:
    """Send a command and wait for its ack; the ack."""
    command_id = f"{kind}-{socket.table['seq']}-{random.randrange(1 << 30)}"
    socket.send(type=kind, id=command_id, **fields)
    answer = socket.answer(command_id)
    assert answer["type"] == "ack", answer
    return answer


def refused(socket: Socket, kind: str, **fields: object) -> Json:
    command_id = f"{kind}-{random.randrange(1 << 30)}"
    socket.send(type=kind, id=command_id, **fields)
    answer = socket.answer(command_id)
    assert answer["type"] == "error", answer
    return answer


def mover(sockets: list[Socket]) -> Socket | None:
    """The socket whose turn it is, once all sockets show it; None when the hand is over."""
    while True:
        newest = max(socket.table["seq"] for socket in sockets)
        for socket in sockets:
            while socket.table["seq"] < newest:
                socket.receive()
        view = sockets[0].view
        if view["phase"] == "over":
            return None
        if view["to_act"] < len(sockets):
            return sockets[view["to_act"]]
        sockets[0].receive()


def play_on(sockets: list[Socket], rng: random.Random, most: int = 1000) -> int:
    """Random moves by everybody until the hand is over, or this many; returns their number."""
    for made in range(most):
        socket = mover(sockets)
        if socket is None:
            return made
        done(socket, "move", move=rng.choice(socket.view["legal_moves"])["move"])
    return most


def test_three_friends_play_two_hands(server: Served) -> None:
    with seated(server, "big-three", 3) as sockets:
        names = [seat["name"] for seat in sockets[0].table["table"]["seats"]]
        assert names == ["Ann", "Friend 1", "Friend 2"]
        play_on(sockets, random.Random(1))
        first = sockets[0].table["session"]["results"]
        assert len(first) == 1
        done(sockets[0], "next")
        done(sockets[1], "next")
        assert sockets[1].table["session"]["number"] == 1, "the third is waited for"
        done(sockets[2], "next")
        for socket in sockets:
            socket.until_seen(lambda table: table["session"]["number"] == 2)
        play_on(sockets, random.Random(2))
        balances = {tuple(socket.table["session"]["balances"]) for socket in sockets}
        assert len(balances) == 1
        assert sum(balances.pop()) == 0
        table_id = sockets[0].table["table"]["id"]
        record = server.players[1].http.get(f"/api/tables/{table_id}/record").text
        assert verify(record).unproved == ()
        hand = server.players[0].http.get(f"/api/hands/{first[0]['hand']}").json()
        assert [seat["name"] for seat in hand["seats"]] == names


@pytest.mark.full
def test_who_comes_back_gets_what_was_missed(server: Served) -> None:
    with seated(server, "big-two", 2, bots=2) as sockets:
        rng = random.Random(4)
        play_on(sockets, rng, most=2)
        away, other = sockets
        before = away.table
        moved = mover(sockets)
        before = away.table
        if moved is other:
            done(other, "move", move=other.view["legal_moves"][0]["move"])
        done(other, "chat", text="where are you?")
        other.receive_all()
        player, table_id = server.players[0], before["table"]["id"]
        with player.connect(table_id, seq=before["seq"]) as back:
            back.table = before
            back.until(lambda message: message["type"] == "chat")
            assert "snapshot" not in {message["type"] for message in back.messages}
            assert [line["text"] for m in back.messages if m["type"] == "chat" for line in m["lines"]] == [
                "where are you?"
            ]
            fresh = player.http.get(f"/api/tables/{table_id}").json()
            if fresh["seq"] == back.table["seq"]:
                assert {key: back.table[key] for key in ("view", "session", "table")} == {
                    key: fresh[key] for key in ("view", "session", "table")
                }
        with player.connect(table_id, seq=10**8) as stranger:
            assert stranger.receive()["type"] == "snapshot", "a seq that never was gets everything"


@pytest.mark.full
def test_a_bot_takes_over_and_hands_back(server: Served) -> None:
    with seated(server, "big-three", 2, bots=1, grace=5) as (stays, goes):
        goes.raw.close()
        away = stays.until(lambda m: m["type"] == "presence" and not m["presence"][1]["here"])["presence"][1]
        assert away["takeover_at"] - away["since"] == 5000
        stays.until_seen(lambda table: "substitute" in table["table"]["seats"][1])
        assert stays.table["table"]["seats"][1]["substitute"] == {"bot": "greedy", "reason": "absent"}
        table_id = stays.table["table"]["id"]
        with server.players[1].sit(table_id) as back:
            back.until_seen(lambda table: "substitute" not in table["table"]["seats"][1])
            done(back, "leave")
            assert back.table["table"]["seats"][1]["substitute"]["reason"] == "left"
            assert refused(back, "move", move="pass")["message"].startswith("a bot is playing in your seat")
        with server.players[1].sit(table_id) as again:
            assert again.table["table"]["seats"][1]["substitute"]["reason"] == "left", "leaving is not absence"
            done(again, "return")
            again.until_seen(lambda table: "substitute" not in table["table"]["seats"][1])


@pytest.mark.full
def test_a_player_alone_is_never_replaced(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"], settings={"grace": 5})
    with player.sit(table_id) as socket:
        assert socket.my_turn()
    time.sleep(5.5)
    with player.sit(table_id) as socket:
        assert "substitute" not in socket.table["table"]["seats"][0]


@pytest.mark.full
def test_time_runs_out_in_front_of_everybody(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.server.tables.clocks.DEALING", 500)
    speed = {"kind": "move", "seconds": 5}
    with seated(server, "big-three", 3, speed=speed) as sockets:
        slow = mover(sockets)
        assert slow is not None
        seat = slow.view["seat"]
        clocks = slow.table["clocks"]
        assert clocks["to_act"] == seat
        assert 0 < clocks["deadline"] - clocks["now"] <= 5500
        for socket in sockets:
            socket.until_seen(lambda table: "substitute" in table["table"]["seats"][seat])
        assert sockets[0].table["table"]["seats"][seat]["substitute"]["reason"] == "time"
        done(slow, "return")


@pytest.mark.full
def test_the_host_arranges_and_everybody_sees(server: Served) -> None:
    host, friend, third = server.player(), server.player(), server.player()
    table_id = host.open_table("big-two", seats=["me", "open", "open", "open"], settings={"start": "ready"})
    with host.sit(table_id) as mine, third.sit(table_id) as watching:
        assert (watching.table["table"]["you"], watching.table["view"]) == (None, None)
        assert refused(watching, "sit")["code"] == "forbidden", "a player is known by the cookie that joining gives"
    friend.http.post(f"/api/tables/{table_id}/join", json={})
    with host.sit(table_id) as mine, friend.sit(table_id) as theirs:
        done(theirs, "sit", seat=2, name="Bo")
        theirs.until_seen(lambda table: table["table"]["you"] == 2)
        assert refused(theirs, "lock", locked=True)["code"] == "forbidden"
        done(mine, "lock", locked=True)
        answer = third.http.post(f"/api/tables/{table_id}/join", json={})
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
        done(mine, "remove", seat=2)
        theirs.until_seen(lambda table: table["table"]["you"] is None)
        done(mine, "lock", locked=False)
        done(theirs, "sit", name="Bo")
        done(mine, "seat-bot", seat=3, bot="random")
        assert refused(mine, "seat-bot", seat=3, bot="nobody")["code"] == "malformed"
        assert refused(mine, "start")["message"] == "Bo is not ready yet"
        done(theirs, "ready", ready=True)
        done(mine, "start")
        mine.until_seen(lambda table: table["table"]["status"] == "playing")
        assert [seat["kind"] for seat in mine.table["table"]["seats"]] == ["human", "human", "bot", "bot"]


@pytest.mark.full
def test_the_lobby_shows_open_and_live_tables(server: Served) -> None:
    host, friend = server.player(), server.player()
    lobby = {"visibility": "lobby", "spectators": True}
    table_id = host.open_table("big-three", seats=["me", "open", "random"], settings=lobby)
    host.open_table("big-three", seats=["me", "open", "random"])
    shown = friend.http.get("/api/lobby").json()
    assert [table["id"] for table in shown["open"]] == [table_id]
    assert shown["open"][0]["open"] == 1
    assert friend.http.post(f"/api/tables/{table_id}/join", json={"name": "Bo"}).status_code == 200
    shown = server.player().http.get("/api/lobby").json()
    assert ([table["id"] for table in shown["live"]], shown["open"]) == ([table_id], [])


def test_spectators_come_late_and_strangers_not_at_all(server: Served) -> None:
    with seated(server, "big-three", 2, bots=1, spectators=True, delay=2) as sockets:
        table_id = sockets[0].table["table"]["id"]
        guest = server.player()
        with guest.sit(table_id) as watching:
            play_on(sockets, random.Random(5), most=1)
            newest = max(socket.table["seq"] for socket in sockets)
            assert watching.table["seq"] < newest
            assert guest.http.get(f"/api/tables/{table_id}").json()["seq"] < newest
            begun = time.monotonic()
            watching.until_seen(lambda table: table["seq"] >= newest)
            assert time.monotonic() - begun > 0.5
            assert watching.view["hand"] == []
            assert refused(watching, "chat", text="hello")["code"] == "forbidden"
    with seated(server, "big-three", 2, bots=1) as sockets:
        table_id = sockets[0].table["table"]["id"]
        with server.player().connect(table_id) as socket:
            assert socket.receive()["code"] == "forbidden"


@pytest.mark.full
def test_spectators_come_late_to_a_table_that_is_read_again(tmp_path: Path) -> None:
    """After a restart they see nothing earlier than they would have without one."""
    newest: dict[int, tuple[str, int]] = {}
    with served(fast(tmp_path)) as server:
        for delay in (600, 3):
            with seated(server, "big-three", 2, bots=1, spectators=True, delay=delay) as sockets:
                play_on(sockets, random.Random(5), most=1)
                seq = max(socket.table["seq"] for socket in sockets)
                newest[delay] = (sockets[0].table["table"]["id"], seq)
    with served(fast(tmp_path)) as server:
        guest = server.player()
        table_id, _ = newest[600]
        assert guest.http.get(f"/api/tables/{table_id}").status_code == 503, "its hand has only begun"
        with guest.connect(table_id) as watching:
            watching.send(type="ping")
            watching.until(lambda m: m["type"] == "pong")
            assert not {"snapshot", "update", "table"} & {m["type"] for m in watching.messages}
        table_id, seq = newest[3]
        with guest.connect(table_id) as watching:
            watching.until_seen(lambda table: table.get("seq", 0) >= seq)
            assert watching.view["hand"] == []
            assert guest.http.get(f"/api/tables/{table_id}").json()["seq"] >= seq


@pytest.mark.full
def test_what_waits_for_spectators_is_small_and_becomes_the_players_table(server: Served) -> None:
    """Moves and take-backs without end, which each made a message of the whole table and its chat, took a gigabyte."""
    player, guest = server.player(), server.player()
    table_id = player.open_table("big-two", ["random"] * 3, settings={"spectators": True, "delay": 600})
    with player.sit(table_id) as socket, guest.sit(table_id) as watching:
        for n in range(20):
            socket.send(type="chat", id=f"c{n}", text="😀" * 280)
            socket.answer(f"c{n}")
        for n in range(20):
            assert socket.my_turn()
            socket.send(type="move", id=f"m{n}", move=socket.view["legal_moves"][0]["move"])
            socket.answer(f"m{n}")
            socket.send(type="take-back", id=f"t{n}")
            socket.answer(f"t{n}")
        socket.receive_all()
        spectators = server.tables._open[table_id]._spectators
        coming = spectators._coming
        assert len(coming) >= 60
        assert sum(sys.getsizeof(entry) for _, entry, _ in coming) < 100_000
        watching.receive_all()
        begun = watching.table["seq"]

        shown = threading.Event()

        def show_all() -> None:
            while spectators._coming:
                assert spectators._timer is not None
                spectators._timer.cancel()
                spectators._come()
            shown.set()

        assert spectators._timer is not None
        spectators._timer._loop.call_soon_threadsafe(show_all)  # type: ignore[attr-defined]
        assert shown.wait(SECONDS)
        watching.receive_all()
        assert watching.table["seq"] == socket.table["seq"] >= begun + 60
        assert watching.view["played"] == socket.view["played"]
        assert watching.view["hand"] == []


@pytest.mark.full
def test_a_hand_that_spectators_still_watch_is_not_listed_as_over(server: Served) -> None:
    player, guest = server.player(), server.player()
    table_id = player.open_table("big-two", ["random"] * 3, settings={"spectators": True, "delay": 600})
    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(3))
    path = f"/api/tables/{table_id}/hands"
    assert [hand["number"] for hand in player.http.get(path).json()] == [1]
    assert guest.http.get(path).json() == []


@pytest.mark.full
def test_who_only_looked_at_the_waiting_room_is_sent_away_at_the_start(server: Served) -> None:
    host, friend, guest = server.player(), server.player(), server.player()
    table_id = host.open_table("big-three", seats=["me", "open", "random"])
    with host.sit(table_id), guest.sit(table_id) as looking:
        friend.http.post(f"/api/tables/{table_id}/join", json={})
        with pytest.raises(ConnectionClosed, match="4403"):
            looking.until(lambda m: m["type"] == "snapshot")


@pytest.mark.full
def test_chat_reactions_and_reports(serve: Serve) -> None:
    with serve(chat_burst=4, chat_rate=0.001) as server, seated(server, "big-three", 2, bots=1, words=["rude"]) as both:
        one, two = both
        done(one, "chat", text="hello 大三 <b>")
        line = two.until(lambda m: m["type"] == "chat")["lines"][0]
        assert (line["seat"], line["name"], line["text"]) == (0, "Ann", "hello 大三 <b>")
        assert refused(one, "chat", text="so RUDE")["code"] == "forbidden"
        done(two, "react", reaction="wow")
        assert one.until(lambda m: m["type"] == "reaction")["reaction"] == "wow"
        done(two, "report", message=line["seq"], reason="tags")
        assert refused(two, "report", message=10**6)["code"] == "not-found"
        done(one, "silence", seat=1, silent=True)
        assert refused(two, "chat", text="hello?")["code"] == "forbidden"
        done(one, "chat", text="three")
        done(one, "chat", text="four")
        assert refused(one, "chat", text="five")["code"] == "too-fast"


@pytest.mark.full
def test_offers_end_a_session_and_a_rematch_follows(server: Served) -> None:
    with seated(server, "big-three", 2, bots=1) as (one, two):
        done(one, "offer", offer="end")
        two.until_seen(lambda table: table["table"]["offer"] is not None)
        done(two, "answer", accept=True)
        one.until_seen(lambda table: table["table"]["status"] == "ended")
        assert refused(one, "next")["code"] == "illegal"
        done(one, "rematch")
        done(two, "rematch")
        one.until_seen(lambda table: table["table"]["rematch"] is not None)
        with server.players[1].sit(one.table["table"]["rematch"]) as again:
            assert again.table["table"]["you"] == 1
            before, now = ([seat["name"] for seat in player.table["table"]["seats"]] for player in (one, again))
            assert now == before
            again.until_seen(lambda table: table["session"]["number"] == 1)


def ended(one: Socket, two: Socket) -> None:
    """End a session of two people."""
    done(one, "offer", offer="end")
    two.until_seen(lambda table: table["table"]["offer"] is not None)
    done(two, "answer", accept=True)
    one.until_seen(lambda table: table["table"]["status"] == "ended")


@pytest.mark.full
@pytest.mark.parametrize("wanted", [True, False])
def test_a_rematch_leaves_the_chair_of_a_player_who_has_gone_open(server: Served, wanted: bool) -> None:
    """Whether they offered one and left, or just left."""
    with seated(server, "big-three", 2, bots=1) as (one, two):
        ended(one, two)
        if wanted:
            done(one, "rematch")
        one.raw.close()
        two.until_seen(lambda table: not table["presence"][0]["here"])
        done(two, "rematch")
        two.until_seen(lambda table: table["table"]["rematch"] is not None)
        with server.players[1].sit(two.table["table"]["rematch"]) as again:
            assert [seat["kind"] for seat in again.table["table"]["seats"]] == ["open", "human", "bot"]
            assert (again.table["table"]["you"], again.table["table"]["host"]) == (1, 1)
            assert again.table["table"]["status"] == "waiting"


@pytest.mark.full
def test_every_spectator_is_counted_with_or_without_a_cookie(server: Served) -> None:
    with seated(server, "big-three", 1, bots=2, spectators=True) as (host,):
        known = server.player()
        known.open_table("big-three")
        table_id = host.table["table"]["id"]
        with known.sit(table_id), server.player().sit(table_id), server.player().sit(table_id) as last:
            assert last.table["watching"] == 3
            host.until_seen(lambda table: table["watching"] == 3)
        host.until_seen(lambda table: table["watching"] == 0)


@pytest.mark.full
def test_moves_are_taken_back_against_bots(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    with player.sit(table_id) as socket:
        assert socket.my_turn()
        before = socket.view
        done(socket, "move", move=socket.view["legal_moves"][0]["move"])
        done(socket, "take-back")
        socket.until_seen(lambda table: table["table"]["casual"] == "taken-back")
        assert socket.my_turn()
        assert socket.view == before


@pytest.mark.full
def test_commands_by_rest_alone(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"])
    url = f"/api/tables/{table_id}/commands"
    deadline = time.monotonic() + SECONDS
    while (view := player.http.get(f"/api/tables/{table_id}").json()["view"])["to_act"] != 0:
        assert time.monotonic() < deadline
    body = {"type": "move", "id": "a", "move": view["legal_moves"][0]["move"]}
    first = player.http.post(url, json=body)
    assert first.status_code == 200
    assert player.http.post(url, json=body).json() == first.json()
    assert player.http.post(url, json={"type": "fly", "id": "b"}).status_code == 400
    assert server.player().http.post(url, json=body).status_code == 403


@pytest.mark.full
def test_a_seat_is_taken_once_whoever_comes_first(server: Served) -> None:
    host = server.player()
    table_id = host.open_table("winner", seats=["me", "open", "random", "random"], options={"players": 4})
    one, two = server.player(), server.player()
    assert one.http.post(f"/api/tables/{table_id}/join", json={"name": "a\u202eb"}).status_code == 400
    assert one.http.post(f"/api/tables/{table_id}/join", json={"seat": 3}).status_code == 409
    answers = [player.http.post(f"/api/tables/{table_id}/join", json={"seat": 1}) for player in (one, two)]
    assert [answer.status_code for answer in answers] == [200, 409]
    again = one.http.post(f"/api/tables/{table_id}/join", json={})
    assert again.json() == answers[0].json(), "who sits there already keeps the seat"

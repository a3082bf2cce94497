"""`dasan join`: a program takes a seat at a real server's table and plays a hand."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.bots.programs import within
from tests.cli.running import cli
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import ClientConnection

import dasan
from dasan.bots.external import wire
from dasan.remote import program, site
from dasan.remote.program import Visit
from dasan.remote.site import Refusal, Site, address
from dasan.server.tables import showing

from .harness import SECONDS, Serve, fast, served
from .rooms import NOBODY, plays

pytestmark = pytest.mark.full

BOT = Path(__file__).parents[2] / "examples" / "bots" / "first.py"


def test_addresses() -> None:
    assert address("http://localhost:8000/t/abc") == ("http://localhost:8000", "abc")
    assert address("https://x.example/api/tables/abc/") == ("https://x.example", "abc")
    for wrong in ("localhost:8000/t/abc", "ftp://x/t/abc", "http://x/", "http:///t/abc", "file:///t/abc"):
        with pytest.raises(Refusal, match="link of a table"):
            address(wrong)
    for wrong in ("http://[::1/t/abc", "http://localhost:port/t/abc", "http://localhost:99999/t/abc"):
        with pytest.raises(Refusal, match="this is not an address"):
            address(wrong)
    for silent in (
        "http://127.0.0.1:9/t/abc",
        "http://local host/t/abc",
        "http://a..b/t/abc",
        "http://127.0.0.1:9/t/a b",
    ):
        with pytest.raises(Refusal, match="does not answer"):
            Visit(silent, [sys.executable, str(BOT)], name=None, seat=None, seconds=5)


@contextmanager
def stranger(answer: bytes) -> Iterator[str]:
    """The address of a server that answers every request alike."""

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(60)


def http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-OpenSSH\r\n", b"", http(b"[]"), http(b"{}"), http(b'{"seat":"x"}'), http(b"<p>"), http(b"[" * 100_000)],
    ids=["ssh", "silence", "list", "nothing", "text", "page", "deep"],
)
def test_a_server_of_something_else(answer: bytes) -> None:
    with stranger(answer) as address, pytest.raises(Refusal, match=r"does not answer|is not a server of dasan"):
        Visit(f"{address}/t/abc", [sys.executable, str(BOT)], name=None, seat=None, seconds=5)


def test_a_refusal_that_breaks_off() -> None:
    broken = b"HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    with stranger(broken) as address, pytest.raises(Refusal, match="the server refuses: HTTP 400"):
        Site(address).get("/api/lobby")


def test_messages_that_nobody_knows() -> None:
    """After a seat was granted the same answer comes instead of a WebSocket, or the socket sends no valid message."""
    with stranger(http(b'{"seat":1}')) as address:
        visit = Visit(f"{address}/t/abc", [sys.executable, str(BOT)], name=None, seat=None, seconds=5)
        with pytest.raises(Refusal, match=r"the connection to .* broke"):
            visit.play(1, print)
    from websockets.sync.server import ServerConnection, serve

    for said in ("[]", "{", "5", '{"type":"snapshot"}', '{"type":"probe"}', '{"type":"error"}', "[" * 100_000):

        def answer(connection: ServerConnection, said: str = said) -> None:
            connection.send(said)

        with serve(answer, "127.0.0.1", 0) as server:
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            visit._site = Site(f"http://127.0.0.1:{server.socket.getsockname()[1]}")
            with pytest.raises(Refusal, match="what this version does not know"):
                visit.play(1, print)
            server.shutdown()
            thread.join(60)


def test_a_program_that_does_not_start_again_has_moved(tmp_path: Path) -> None:
    """The first legal move is sent before the program is started again."""
    (tmp_path / "once.py").write_text(
        "import json, pathlib, sys\n"
        "pathlib.Path(__file__).with_suffix('.started').touch(exist_ok=False)\n"
        "input()\n"
        "print(json.dumps({'type': 'hello', 'protocol': 'dasan-bot/1', 'name': 'once', 'version': '1'}), flush=True)\n"
        "while json.loads(input())['type'] != 'choose': pass\n",
        encoding="utf-8",
    )
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    view = state.view(state.to_act).to_json()
    sent: list[str] = []

    class Socket:
        send = staticmethod(sent.append)

    answer = json.dumps({"seat": state.to_act}).encode()
    with stranger(http(answer)) as address:
        visit = Visit(f"{address}/t/abc", [sys.executable, str(tmp_path / "once.py")], name=None, seat=None, seconds=5)
    visit._view = view
    with pytest.raises(wire.Fault):
        visit._go_on(Socket, {"seq": 1}, print)
    assert [json.loads(text)["move"] for text in sent] == [view["legal_moves"][0]["move"]]
    assert visit.faults == {"crash": 1}


def test_a_program_plays_at_a_table(serve: Serve) -> None:
    with serve() as server:
        host = server.player()
        table = host.open_table("big-three", seats=["me", "open", "greedy"])
        url = f"{server.address}/t/{table}"
        with pytest.raises(Refusal, match="the server refuses"):
            Visit(f"{server.address}/t/nothing", [sys.executable, str(BOT)], name=None, seat=None, seconds=30)
        visit = Visit(url, [sys.executable, str(BOT)], name="Guest", seat=None, seconds=30)
        assert visit.seat == 1
        lines: list[str] = []
        thread = threading.Thread(target=visit.play, args=(1, lines.append))
        with host.sit(table) as socket:
            thread.start()
            socket.send(type="ready", id="r", ready=True)
            while (socket.table.get("view") or {"phase": ""})["phase"] != "over":
                view = socket.table.get("view")
                if view is not None and view["to_act"] == 0:
                    number = f"m{len(view['events'])}"
                    socket.send(type="move", id=number, move=view["legal_moves"][0]["move"])
                    socket.answer(number)
                else:
                    socket.receive()
            payments = socket.view["result"]["payments"]
        thread.join(60)
        assert visit.hands == 1
        assert visit.faults == {}
        assert lines == [f"hand 1: {payments[1]:+d}"]
        seats = host.http.get(f"/api/tables/{table}").json()["table"]["seats"]
        assert [seat["kind"] for seat in seats] == ["human", "program", "bot"]
        header = json.loads(host.http.get(f"/api/tables/{table}/record").text.splitlines()[0])
        assert [seat["kind"] for seat in header["seats"]] == ["human", "program", "bot"]
        (hand,) = host.http.get(f"/api/tables/{table}/hands").json()
        page = host.http.get(f"/api/hands/{hand['id']}").json()
        assert [seat["kind"] for seat in page["seats"]] == ["human", "program", "bot"]


PATIENT = """
import json, pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": "dasan-bot/1", "name": "patient", "version": "1"}), flush=True)
    elif message["type"] == "choose":
        if message["id"] == 2:
            (folder / "asked").touch()
            while not (folder / "go").exists():
                time.sleep(0.01)
        print(json.dumps({"type": "move", "id": message["id"], "move": message["view"]["legal_moves"][0]["move"]}), flush=True)
    elif message["type"] == "quit":
        break
"""


def test_a_program_plays_on_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server stops while the program thinks, so that its move is lost; and again while it asks for the next hand."""
    (tmp_path / "patient.py").write_text(PATIENT, encoding="utf-8")
    monkeypatch.setattr(site, "FIRST_PAUSE", 0.05)
    command = [sys.executable, str(tmp_path / "patient.py"), str(tmp_path)]
    lines: list[str] = []
    with served(fast(tmp_path)) as server:
        table = server.player().open_table("big-two", seats=["open", "random", "random", "random"])
        visit = Visit(f"{server.address}/t/{table}", command, name=None, seat=None, seconds=SECONDS)
        first = server.address
        thread = threading.Thread(target=visit.play, args=(2, lines.append))
        thread.start()
        assert within(SECONDS, (tmp_path / "asked").exists)
    (tmp_path / "go").touch()
    assert within(SECONDS, lambda: len(lines) == 1)
    with served(fast(tmp_path)) as server:
        visit._site.server = server.address
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert lines[0] == f"the connection to {first} broke; connecting again"
    assert [line.partition(":")[0] for line in lines[1:]] == ["hand 1", "hand 2"]
    assert (visit.hands, visit.faults) == (2, {})


@pytest.mark.parametrize("as_json", [False, True])
def test_join_prints_json_alone_on_standard_output(serve: Serve, tmp_path: Path, *, as_json: bool) -> None:
    """What it reports on the way, a fault here, goes to standard error then; without --json all goes to standard output."""
    (tmp_path / "stray.py").write_text(PATIENT.replace('"move": message', '"move": "no" or message'), encoding="utf-8")
    (tmp_path / "go").touch()
    with serve() as server:
        table = server.player().open_table("big-two", seats=["open", "random", "random", "random"])
        command = f'"{sys.executable}" "{tmp_path / "stray.py"}" "{tmp_path}"'
        result = cli("join", f"{server.address}/t/{table}", command, "--hands", 1, *["--json"] * as_json)
    assert result.exit_code == 0
    ended = json.loads(result.stdout) if as_json else None
    reported = (result.stderr if as_json else result.stdout).splitlines()
    assert reported[0] == "seat 0"
    faults = [line for line in reported if line.startswith("fault, illegal:")]
    assert faults
    assert any(line.startswith("hand 1: ") for line in reported)
    if as_json:
        assert ended == {"seat": 0, "hands": 1, "faults": {"illegal": len(faults)}}
    else:
        assert (reported[-1], result.stderr) == (f"faults: illegal {len(faults)}", "")


def test_a_lost_request_for_the_next_hand_is_sent_again_and_a_refused_move_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Site", "Program"):
        monkeypatch.setattr(program, name, Spy)
    rooms, _ = plays(dasan.rules("big-two"), 1)
    visit = Visit("http://localhost:8000/t/table", ["spy"], name=None, seat=0, seconds=5)
    socket = Spy()
    for room, after in pairwise(rooms):
        visit._heard(socket, showing.snapshot(room, 0, 0, NOBODY), print)
        if room.state is not None and room.state.to_act == 0:
            sent = socket.sent[-1]
            visit._heard(socket, {"type": "error", "id": "another", "code": "illegal", "message": "no"}, print)
            visit._heard(socket, showing.table_changed(room, 0, 0), print)
            assert socket.sent[-1] == sent
            refusal = {"type": "error", "id": sent["id"], "code": "illegal", "message": "a substitute plays"}
            visit._heard(socket, refusal, print)
            visit._heard(socket, showing.table_changed(room, 0, 0), print)
            assert {**socket.sent[-1], "id": ""} == {**sent, "id": ""}
            assert socket.sent[-1]["id"] != sent["id"]
            with pytest.raises(ConnectionError):
                visit._heard(socket, {**refusal, "code": "unavailable"}, print)
        if after.state is not None and after.state.result is not None:
            break
    for _ in range(2):
        visit._heard(socket, showing.snapshot(after, 0, 0, NOBODY), print)
    first, second = (message for message in socket.sent if message["type"] == "next")
    assert first == second
    assert visit.hands == 1


def _until_closed(connection: ClientConnection) -> None:
    with pytest.raises(ConnectionClosedError):
        connection.recv()


@pytest.mark.parametrize("code", [4403, 1012])
def test_how_often_a_broken_connection_is_opened_again(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from websockets.sync.server import ServerConnection, serve

    monkeypatch.setattr(site, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(site, "PATIENCE", 0.5)
    opened: list[None] = []
    reports: list[str] = []

    def answer(connection: ServerConnection) -> None:
        opened.append(None)
        connection.close(code)

    with serve(answer, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        sockets = Site(address).sockets("abc", reports.append)
        with pytest.raises(Refusal, match="has closed this player" if code == 4403 else "broke"):
            deque(map(_until_closed, sockets), 0)
        server.shutdown()
        thread.join(60)
    assert (len(opened) == 1) == (code == 4403)
    assert len(reports) == len(opened) - 1


class Spy:
    """In place of a program and of its server: records the messages to the program, which plays the first legal move."""

    name = "spy"

    def __init__(self, *_: object) -> None:
        self.messages: list[wire.Message] = []
        self.sent: list[Any] = []

    def join(self, table: str, name: str, seat: int) -> int:
        return seat

    def send(self, text: str) -> None:
        self.sent.append(json.loads(text))

    def tell(self, messages: list[wire.Message]) -> None:
        self.messages += messages

    def ask(self, messages: list[wire.Message], seconds: float) -> wire.Message:
        self.tell(messages)
        asked = messages[-1]
        return {"type": "move", "id": asked["id"], "move": asked["view"]["legal_moves"][0]["move"]}


@pytest.mark.parametrize(
    ("preset", "options"),
    [("winner", {}), ("winner", {"exchange": "double"}), ("big-three", {}), ("big-two", {"players": 3})],
    ids=str,
)
def test_a_program_is_told_the_hand_as_it_was_dealt(
    preset: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the hand is sent: at the deal, to a program that is started again, or to one that joins after any move.
    Otherwise each hand and each event is sent once, though a hand's end shows hidden cards.
    """
    for name in ("Site", "Program"):
        monkeypatch.setattr(program, name, Spy)
    rules = dasan.rules(preset, **options)
    rooms, log = plays(rules, 2)
    for seat in range(rules.players):
        visit = Visit("http://localhost:8000/t/table", ["spy"], name=None, seat=seat, seconds=5)
        spy: Any = visit._program
        visit._heard(Spy(), showing.snapshot(rooms[0], seat, 0, NOBODY), print)
        for (before, room), (entry, _) in zip(pairwise(rooms), log, strict=True):
            visit._heard(Spy(), showing.changed(room, before, entry["type"], seat, 0, lambda: NOBODY), print)
            if room.state is not None:
                dealt = wire.hand(room.state.view(seat))
                assert [message for message in spy.messages if message["type"] == "hand"][-1] == dealt
                now = showing.snapshot(room, seat, 0, NOBODY)
                assert visit._begun(now) == visit._beginning == dealt
        types = [message["type"] for message in spy.messages]
        assert [one for one in types if one in ("hand", "over")] == ["hand", "over"] * 2
        told = [event["seq"] for message in spy.messages if message["type"] == "events" for event in message["events"]]
        assert told == sorted(set(told))
        assert visit.hands == 2

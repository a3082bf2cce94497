"""Whatever is sent, answers follow the protocol, and the table survives (G.01)."""

from __future__ import annotations

import http.cookies
import json
import re
import socket as sockets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.uri import parse_uri

from dasan.server.connections.guard import HEALTH
from dasan.server.protocol.base import MAX_MESSAGE
from dasan.server.settings import Settings
from dasan.server.tables import showing

from .harness import SECONDS, Json, Player, Serve, Served, Socket, fast, ok, served

pytestmark = pytest.mark.full

CODES = {"malformed", "illegal", "ambiguous", "forbidden", "too-fast"}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Player, str]]:
    """One table for all attacks, at which only this test moves."""
    with served(fast(tmp_path_factory.mktemp("arena"), bot_delay=3600)) as server:
        player = server.player()
        yield player, player.open_table("big-two", ["random"] * 3)


jsons = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
almost = st.fixed_dictionaries(
    {"type": st.sampled_from(["move", "next", "ping", "contribute", "snapshot", "ack", ""]) | jsons},
    optional={
        "id": st.text(max_size=70) | jsons,
        "move": st.text(max_size=600) | st.sampled_from(["pass", "3D", "10H", "call 8C", "bid 2"]) | jsons,
        "text": st.text(max_size=140) | jsons,
        "seat": st.integers(),
    },
)
frames = st.one_of(
    st.text(),
    st.binary(),
    jsons.map(json.dumps),
    almost.map(json.dumps),
    st.sampled_from(
        [
            "[" * 10_000,
            '{"type":"move","id":"a","move":"\\ud800"}',
            '{"type":"contribute","id":"a","text":"\\ud800"}',
            '{"type":"move","id":"a","move":' + "9" * 5000 + "}",
            '{"type":"ping","type":"next","id":"a"}',
            '{"type":"move","id":"a","move":"' + "3D " * 150 + '"}',
            '{"type":"ping"}' + " " * 10_000,
        ]
    ),
)


@settings(max_examples=40)
@given(st.lists(frames, max_size=12))
def test_frames_of_any_kind(arena: tuple[Player, str], rubbish: list[str | bytes]) -> None:
    player, table_id = arena
    with player.sit(table_id) as socket:
        for frame in rubbish:
            socket.raw.send(frame)
        socket.send(type="move", id="last", move="0")
        socket.until(lambda m: m["type"] == "error" and m["id"] == "last")
        for message in socket.messages:
            assert message["type"] in ("snapshot", "presence", "probe", "update", "ack", "error", "pong")
            if message["type"] == "error":
                assert message["code"] in CODES
                assert set(message) == {"type", "id", "code", "clause", "message", "wording"}
                assert "Traceback" not in message["message"]


@settings(max_examples=40)
@given(jsons | almost, st.sampled_from(["/api/tables", "/api/tables/x", "/api/rules/big-two", "/api/health"]))
def test_bodies_of_any_kind(arena: tuple[Player, str], body: object, path: str) -> None:
    player, _ = arena
    answer = player.http.post(path, content=json.dumps(body))
    assert 400 <= answer.status_code < 500
    assert answer.json()["type"] == "error"


@settings(max_examples=40)
@given(st.text(max_size=40), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3))
def test_paths_of_any_kind(arena: tuple[Player, str], name: str, query: dict[str, str]) -> None:
    player, _ = arena
    for folder in ("/api/tables", "/api/rules", "/assets", "/t"):
        path = f"{folder}/{name.encode('utf-8', 'replace').hex()}"
        answer = player.http.get(path, params=query)
        assert answer.status_code in (200, 400, 404, 503)
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2f..%2fapp.py", "/.stamp", "/\\..\\x"):
        answer = player.http.get(path)
        assert "root:" not in answer.text
        assert "def " not in answer.text


def alive(player: Player, table_id: str) -> None:
    with player.sit(table_id) as socket:
        socket.send(type="ping")
        socket.until(lambda m: m["type"] == "pong")


def test_a_message_beyond_the_limit_closes_the_socket(arena: tuple[Player, str]) -> None:
    player, table_id = arena
    with player.sit(table_id) as socket:
        socket.raw.send("x" * (MAX_MESSAGE + 1))
        with pytest.raises(ConnectionClosed) as closed:
            socket.until(lambda m: False)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    alive(player, table_id)


def test_a_body_beyond_the_limit_is_refused(arena: tuple[Player, str]) -> None:
    player, _ = arena
    big = b" " * (MAX_MESSAGE + 1)
    assert player.http.post("/api/tables", content=big).status_code == 413

    def chunks() -> Iterator[bytes]:
        for _ in range(5):
            yield b" " * 20_000

    answer = player.http.post("/api/tables", content=chunks())
    assert answer.status_code == 413
    assert answer.json()["code"] == "too-large"


def test_a_flood_is_slowed_down_and_then_cut_off(serve: Serve) -> None:
    with serve(message_rate=1.0, message_burst=5) as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        with player.sit(table_id) as socket:
            with suppress(ConnectionClosed):
                for n in range(1000):
                    socket.send(type="next", id=f"n{n}")
            with pytest.raises(ConnectionClosed):
                socket.until(lambda m: False)
            codes = [m["code"] for m in socket.messages if m["type"] == "error"]
            assert set(codes) == {"illegal", "too-fast"}
            assert codes.count("illegal") <= 20
            assert all(m["id"] for m in socket.messages if m["type"] == "error")
        alive(player, table_id)


def test_a_player_with_many_sockets_is_no_faster(serve: Serve) -> None:
    with serve(message_rate=0.001, message_burst=4) as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        codes = []
        for n in range(6):
            with player.sit(table_id) as socket:
                socket.send(type="next", id=f"n{n}")
                codes.append(socket.answer(f"n{n}")["code"])
        assert codes == ["illegal"] * 4 + ["too-fast"] * 2
        alive(player, table_id)


def test_a_client_that_does_not_read_is_dropped(tmp_path: Path) -> None:
    """Its own queue is bounded, and the others at the table do not wait for it."""
    with served(fast(tmp_path, send_queue=20, send_seconds=1.0), send_buffer=4096) as server, sockets.socket() as deaf:
        player = server.player()
        table_id = player.open_table("big-three", ["random"] * 2)
        deaf.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        deaf.settimeout(SECONDS)
        protocol = ClientProtocol(parse_uri(f"{server.address.replace('http', 'ws')}/ws/tables/{table_id}"))
        request = protocol.connect()
        request.headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in player.http.cookies.items())
        protocol.send_request(request)
        with suppress(ConnectionError), player.sit(table_id) as other:
            deaf.connect(("127.0.0.1", int(server.address.rpartition(":")[2])))
            deaf.sendall(b"".join(protocol.data_to_send()))
            protocol.receive_data(deaf.recv(4096))
            deadline = time.monotonic() + SECONDS
            while time.monotonic() < deadline:
                for _ in range(500):
                    protocol.send_text(b'{"type":"ping"}')
                deaf.sendall(b"".join(protocol.data_to_send()))
                other.send(type="ping")
                other.until(lambda m: m["type"] == "pong")
            pytest.fail("it was never dropped")


def test_too_many_sockets_and_tables_are_refused(serve: Serve) -> None:
    with serve(sockets_each=2, table_burst=2, table_rate=0.001) as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        with player.sit(table_id), player.sit(table_id), pytest.raises(InvalidStatus), player.connect(table_id):
            pass
        player.open_table("big-two", ["random"] * 3)
        answer = server.player().http.post("/api/tables", json={"preset": "big-two"})
        assert answer.status_code == 429
        assert answer.json()["code"] == "too-fast"


def test_reads_are_limited(serve: Serve) -> None:
    """Whatever is read costs time and memory: a table or a shared review is opened."""
    with serve(read_burst=4, read_rate=0.001) as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        document = player.http.get("/api/openapi.json").json()
        read = [path for path, methods in document["paths"].items() if "get" in methods and path not in HEALTH]
        paths = [re.sub(r"{\w+}", "1", path) for path in read]
        codes = [player.http.get(f"/api/tables/{table_id}{path}").status_code for path in ("", "/hands", "/invited")]
        assert codes == [200, 200, 200]
        assert {path for path in paths if player.http.get(path).status_code != 429} == set()
        assert len(paths) > 40
        for what, one in (("tables", table_id), ("reviews", "1")):
            with player.connect(one, what=what) as socket:
                assert socket.receive()["code"] == "too-fast"
                with pytest.raises(ConnectionClosed):
                    socket.receive()
            assert socket.raw.close_code == 4429
        for path in ("/health", "/api/health", "/api/ready"):
            assert httpx.get(f"{server.address}{path}").status_code == 200


READS_WITH_A_LIMIT_OF_THEIR_OWN = {
    "/api/account/export",
    "/api/bidding/{preset}",
    "/api/bots/{name}",
    "/api/events",
    "/api/groups/{group_id}/standings",
    "/api/hands/{hand_id}/advice",
    "/api/hands/{hand_id}/picture",
    "/api/hands/{hand_id}/record",
    "/api/join/{link}",
    "/api/ladder",
    "/api/ladder/{preset}/{players}",
    "/api/me/history",
    "/api/me/history/choices",
    "/api/moderation",
    "/api/people/{name}",
    "/api/people/{name}/ratings/{preset}/{players}",
    "/api/rules/{preset}",
    "/api/tables/{table_id}/record",
}
"""Without reviews, which are limited once their hand is found, because stored ones are free."""
WRITES_OF_NO_PLAYER = {
    "/api/letters/{token}/confirm",
    "/api/letters/{token}/unsubscribe",
    "/api/me/claim",
    "/api/passkeys/sign-in",
    "/api/passkeys/sign-in/options",
    "/api/promises",
}


@pytest.mark.parametrize("of", ["address", "player"])
def test_what_costs_more_than_a_read_is_limited_before_anything_else(serve: Serve, of: str) -> None:
    """Requests of one address, and writes of one player from many addresses. Signing out, which ends its session, is not
    limited.
    """
    once = {one.name: 1 for one in fields(Settings) if one.name.endswith("_burst") and one.name != "read_burst"}
    slowly = {name.replace("_burst", "_rate"): 0.0001 for name in once}
    passed = set()
    with serve(**once, **slowly, trusted_proxies=("127.0.0.0/8",)) as server:
        http = server.player().http
        if of == "player":
            ok(http.post("/api/me"))
        document = http.get("/api/openapi.json").json()
        wanted = [("get", path) for path in sorted(READS_WITH_A_LIMIT_OF_THEIR_OWN)] if of == "address" else []
        wanted += [("post", path) for path, methods in document["paths"].items() if "post" in methods]
        wanted.remove(("post", "/api/sign-out"))
        for n, (method, path) in enumerate(wanted):
            url, body = least_request(document, path, document["paths"][path][method])
            codes = []
            for address in (f"192.0.2.{n}", f"198.51.100.{n}"):
                headers = {"x-forwarded-for": address} if of == "player" else {"cookie": ""}
                codes.append(http.request(method, url, json=body, headers=headers).status_code)
            if codes[1] != 429:
                passed.add(path)
    assert passed == (WRITES_OF_NO_PLAYER if of == "player" else set())
    assert len(wanted) > 40


def least_request(document: Json, path: str, operation: Json) -> tuple[str, object]:
    """The address and the body of a request that the document allows."""
    query = {}
    for one in operation.get("parameters", []):
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", str(least(document, one["schema"])))
        elif one["required"]:
            query[one["name"]] = least(document, one["schema"])
    body = operation.get("requestBody")
    return f"{path}?{urlencode(query)}", body and least(document, body["content"]["application/json"]["schema"])


def least(document: Json, schema: Json) -> object:
    """A small value that a schema allows."""
    match schema:
        case {"$ref": str(name)}:
            return least(document, document["components"]["schemas"][name.rpartition("/")[2]])
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"anyOf": [part, *_]} | {"oneOf": [part, *_]}:
            return least(document, part)
        case {"type": "object"}:
            inner = schema.get("properties", {})
            return {name: least(document, inner[name]) for name in schema.get("required", [])}
        case {"type": "array"}:
            return [least(document, schema["items"])] * schema.get("minItems", 0)
        case {"type": "string"}:
            texts = ("0" * schema.get("minLength", 1), "pass")
            return next(text for text in texts if re.search(schema.get("pattern", ""), text))
        case {"type": "integer"}:
            return int(schema.get("minimum", 1))
    return False


def test_other_sites_are_kept_out(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    for origin in ("https://evil.example", "null", server.address.replace("http", "https") + ".evil.example"):
        with pytest.raises(InvalidStatus, match="403"), player.connect(table_id, origin=origin):
            pass
        answer = player.http.post("/api/tables", json={"preset": "big-two"}, headers={"origin": origin})
        assert answer.status_code == 403
    answer = player.http.get("/api/tables", headers={"host": "evil.example"})
    assert answer.status_code == 403
    port = int(server.address.rpartition(":")[2])
    url = f"ws://evil.example:{port}/ws/tables/{table_id}"
    with (
        sockets.create_connection(("127.0.0.1", port)) as sock,
        pytest.raises(InvalidStatus, match="403"),
        connect(url, sock=sock),
    ):
        pass


def test_quoted_cookies_are_not_decoded(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's decoder took ten seconds for one header, in which the server did nothing else (CVE-2024-7592)."""
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    mine = "; ".join(f"{name}={value}" for name, value in player.http.cookies.items())
    decode = http.cookies._unquote
    monkeypatch.setattr(http.cookies, "_unquote", lambda text: _fail() if '"' in text else decode(text))
    for quoted in ('a="' + "\\" * 60_000 + '"', 'dasan_session="' + '\\"' * 30_000 + '"'):
        for cookie, known in ((quoted, False), (f"{quoted}; {mine}", True), (f"{mine}; b={quoted}", True)):
            answer = httpx.get(f"{server.address}/api/me", headers={"cookie": cookie})
            assert (answer.status_code, answer.json()["id"] is not None) == (200, known)
    alive(player, table_id)


def test_a_table_survives_its_own_failure(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """An internal failure closes the table's sockets; the next visitor finds it as in the log."""
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    with player.sit(table_id) as socket:
        assert socket.my_turn()
        with monkeypatch.context() as broken:
            broken.setattr(showing, "changed", _fail)
            socket.send(type="move", id="a", move=socket.view["legal_moves"][0]["move"])
            with pytest.raises(ConnectionClosed, match="1011"):
                socket.until(lambda m: False)
    with player.sit(table_id) as again:
        again.send(type="move", id="a", move=socket.view["legal_moves"][0]["move"])
        assert again.answer("a")["type"] == "ack", "it was on disk, so the same command is acknowledged"


def _fail(*_: object) -> None:
    raise RuntimeError("broken on purpose")


def test_an_idle_table_is_closed_and_comes_back(serve: Serve) -> None:
    with serve(idle_seconds=0.05) as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        with player.sit(table_id) as socket:
            socket.my_turn()
            assert len(server.tables) == 1
        deadline = time.monotonic() + SECONDS
        while len(server.tables) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(server.tables) == 0
        with player.sit(table_id) as socket_again:
            assert table_of(socket_again) == table_of(socket)


def table_of(socket: Socket) -> object:
    return socket.table

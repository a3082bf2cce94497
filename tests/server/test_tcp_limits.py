"""Limits of TCP connections: idle ones, half-sent requests, and clients that do not read their answers."""

from __future__ import annotations

import resource
import socket as sockets
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from .harness import SECONDS, Serve, Served, fast, served

pytestmark = pytest.mark.full

HALVES = (
    b"",
    b"GET /api/health HT",
    b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{",
    b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api/he",
)


@pytest.mark.parametrize("half", HALVES)
def test_a_connection_that_sends_no_whole_request_is_closed(serve: Serve, half: bytes) -> None:
    with serve(request_seconds=0.3) as server, raw(server) as connection:
        connection.sendall(half)
        while connection.recv(4096):
            pass


def test_connections_from_one_address_are_bounded(serve: Serve) -> None:
    with serve(connections_each=8, request_seconds=60.0) as server, ExitStack() as stack:
        held = [stack.enter_context(raw(server)) for _ in range(8)]
        with raw(server) as ninth:
            assert ninth.recv(1) == b"", "it is closed at once"
        for _ in range(4):
            held.pop().close()
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        with player.sit(table_id):
            pass


def test_a_thousand_idle_and_half_sent_connections_of_one_address_leave_the_others_their_answers(server: Served) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard) if hard >= 0 else 8192, hard))
    port = int(server.address.rpartition(":")[2])
    try:
        with ExitStack() as stack:
            for n in range(1000):
                held = sockets.create_connection(("127.0.0.1", port), timeout=SECONDS, source_address=("127.0.0.2", 0))
                stack.enter_context(held)
                with suppress(OSError):  # already closed: one too many from its address
                    held.sendall(HALVES[n % len(HALVES)])
            player = server.player()
            begun = time.monotonic()
            for _ in range(20):
                assert player.http.get("/api/lobby").status_code == 200
            table_id = player.open_table("big-two", ["random"] * 3)
            with player.sit(table_id) as socket:
                assert socket.my_turn()
            assert time.monotonic() - begun < SECONDS / 2
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


LISTING = b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = LISTING.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


@pytest.mark.parametrize("requests", [LISTING * 100, LAST])
def test_a_client_that_does_not_read_its_answers_is_dropped(requests: bytes, tmp_path: Path) -> None:
    with served(fast(tmp_path, send_seconds=0.3), send_buffer=4096) as server, deaf(server, "127.0.0.1") as client:
        client.sendall(requests)
        dropped_soon(client)


def test_a_client_that_reads_slowly_gets_its_whole_answer(tmp_path: Path) -> None:
    with served(fast(tmp_path, send_seconds=0.3), send_buffer=4096) as server, deaf(server, "127.0.0.1") as client:
        whole = len(httpx.get(f"{server.address}/api/openapi.json").content)
        client.sendall(LAST)
        received = 0
        begun = time.monotonic()
        while piece := client.recv(16_384):
            received += len(piece)
            if time.monotonic() - begun < 0.8:  # longer than the limit for a client that reads nothing
                time.sleep(0.1)
        assert received > whole


def test_a_client_that_reads_slowly_and_asks_for_more_stays(tmp_path: Path) -> None:
    """More waits for it than before, although it reads."""
    with served(fast(tmp_path, send_seconds=0.8), send_buffer=4096) as server, deaf(server, "127.0.0.1") as client:
        listing = httpx.get(f"{server.address}/api/openapi.json").content
        rules = httpx.get(f"{server.address}/api/rules/winner").content
        assert len(rules) < 65_536, "so few that the server does not pause"
        client.sendall(b"GET /api/rules/winner HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        while not received.endswith(rules):
            received += client.recv(4096)
        client.sendall(LAST)
        for _ in range(12):
            received += client.recv(1024)
            time.sleep(0.1)
        while piece := client.recv(65_536):
            received += piece
        assert received.endswith(listing)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much it keeps")
def test_a_client_that_reads_slowly_stays_although_the_system_keeps_much_for_it(tmp_path: Path) -> None:
    """The system takes more from the server only when a third of its buffer is free."""
    with served(fast(tmp_path, send_seconds=0.5)) as server, deaf(server, "127.0.0.1") as client:
        listing = len(httpx.get(f"{server.address}/api/openapi.json").content)
        client.sendall(LISTING * 39 + LAST)
        received = 0
        for _ in range(15):
            received += len(client.recv(4096))
            time.sleep(0.1)
        while piece := client.recv(1 << 20):
            received += len(piece)
        assert received > 40 * listing


def test_clients_that_do_not_read_have_the_share_of_idle_ones(tmp_path: Path) -> None:
    settings = fast(tmp_path, send_seconds=600.0, request_seconds=600.0, most_connections=32)
    with served(settings, send_buffer=4096) as server, ExitStack() as stack:
        held = []
        for _ in range(12):
            client = stack.enter_context(deaf(server, "127.0.0.2"))
            client.sendall(LISTING * 100)
            with suppress(ConnectionError):  # dropped already
                client.recv(16)
            held.append(client)
        dropped_soon(held[0])
        assert server.player().http.get("/api/lobby").status_code == 200


def deaf(server: Served, source: str) -> sockets.socket:
    """A connection whose system keeps little of what the server sends."""
    client = sockets.socket()
    client.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    client.settimeout(SECONDS)
    client.bind((source, 0))
    client.connect(("127.0.0.1", int(server.address.rpartition(":")[2])))
    return client


def dropped_soon(client: sockets.socket) -> None:
    """Wait until the server has closed the connection: what it is sent is refused."""
    end = time.monotonic() + SECONDS / 2
    with suppress(ConnectionError):
        while time.monotonic() < end:
            client.send(b"\r\n")
            time.sleep(0.1)
        pytest.fail("it was never dropped")


def raw(server: Served) -> sockets.socket:
    """A TCP connection on which nothing has been sent."""
    return sockets.create_connection(("127.0.0.1", int(server.address.rpartition(":")[2])), timeout=SECONDS)

"""Many addresses of one network count like one, and idle connections leave room for others."""

from __future__ import annotations

import socket as sockets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from ipaddress import IPv6Address

import httpx
import pytest

from dasan.server.connections.networks import NetworkCounts
from dasan.server.connections.rate_limits import Buckets

from .harness import SECONDS, Player, Serve, Served
from .test_tcp_limits import HALVES

pytestmark = pytest.mark.full

BODY = {"preset": "big-two"}


def opened_from(server: Served, addresses: list[str]) -> list[int]:
    """The answers to one new table from each address, as a trusted proxy names them."""
    with httpx.Client(base_url=server.address, timeout=SECONDS, verify=False) as client:
        return [
            client.post("/api/tables", json=BODY, headers={"x-forwarded-for": one, "cookie": ""}).status_code
            for one in addresses
        ]


@pytest.mark.full
def test_limits_count_a_network_of_ipv6_like_one_address(serve: Serve) -> None:
    with serve(table_burst=2, table_rate=0.0001, trusted_proxies=("127.0.0.0/8",)) as server:
        assert opened_from(server, [f"2001:db8:0:1::{host:x}" for host in range(1, 7)]) == [201, 201, 429, 429, 429, 429]
        assert opened_from(server, ["2001:db8:77:1::1"]) == [201], "another customer"
        # Of one /56, four times as many as of one /64; of one /48, sixteen times.
        codes = opened_from(server, [f"2001:db8:a:{net:x}::1" for net in range(0x100, 0x110)])
        assert codes.count(201) == 8
        codes = opened_from(server, [f"2001:db8:b:{net << 8:x}::1" for net in range(40)])
        assert codes.count(201) == 32
        assert opened_from(server, ["::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) == [201, 201, 429, 201]


@pytest.mark.parametrize(("step", "most"), [(1, 3), (1 << 64, 12), (1 << 72, 48)], ids=["/64", "/56", "/48"])
def test_sockets_and_connections_are_counted_by_network(step: int, most: int) -> None:
    counts = NetworkCounts()
    addresses = [str(IPv6Address((0x20010DB8 << 96) + n * step)) for n in range(64)]
    assert sum(counts.enter(address, 3) for address in addresses) == most
    for address in addresses:
        counts.leave(address)
    assert counts.total == 0
    assert counts.enter(addresses[0], 1)


def test_buckets_of_wide_networks_are_wider() -> None:
    buckets = Buckets(rate=1e-6, burst=5)
    assert sum(buckets.take_for(f"2001:db8::{host:x}") for host in range(100)) == 5


@contextmanager
def half_open(server: Served, addresses: int, each: int) -> Iterator[list[sockets.socket]]:
    """Connections that never send a whole request, from several addresses."""
    port = int(server.address.rpartition(":")[2])
    with ExitStack() as stack:
        held = []
        for n in range(addresses * each):
            source = f"127.0.0.{2 + n % addresses}"
            connection = sockets.create_connection(("127.0.0.1", port), timeout=SECONDS, source_address=(source, 0))
            held.append(stack.enter_context(connection))
            with suppress(OSError):
                connection.sendall(HALVES[n % len(HALVES)])
        yield held


def test_refusals_make_no_limit_drop_out() -> None:
    """Each /64 is counted, and a customer with a /48 has more of them than are remembered."""
    buckets = Buckets(rate=1e-6, burst=1, most=40)
    assert buckets.take_for("192.0.2.7")
    taken = [buckets.take_for(f"2001:db8:0:{n:x}::1") for n in range(0, 256 * 100, 256)]
    assert sum(taken) == 16, "those of a /48"
    assert not buckets.take_for("192.0.2.7")


def test_half_open_connections_keep_nobody_out(serve: Serve) -> None:
    """As many as the server accepts, from 17 addresses: everybody else is answered as if they did not exist."""
    with serve(most_connections=256, connections_each=64, request_seconds=60.0) as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        with half_open(server, addresses=17, each=16):
            begun = time.monotonic()
            for path in ("/health", "/api/ready", "/api/lobby", "/api/presets"):
                assert httpx.get(server.address + path, timeout=SECONDS).status_code == 200
            with player.sit(table_id) as socket:
                assert socket.my_turn()
            assert server.player().http.post("/api/tables", json=BODY).status_code == 201
            assert time.monotonic() - begun < SECONDS / 4


def test_connections_kept_open_after_an_answer_keep_nobody_out(serve: Serve) -> None:
    """Health checks are always answered; a connection that stays open after one is idle like any other."""
    with serve(most_connections=64, connections_each=64, request_seconds=60.0) as server, ExitStack() as stack:
        held = []
        for n in range(128):
            transport = httpx.HTTPTransport(local_address=f"127.0.0.{2 + n % 17}")
            client = stack.enter_context(httpx.Client(base_url=server.address, timeout=SECONDS, transport=transport))
            assert client.get("/health").status_code == 200
            held.append(client)
        assert server.player().http.post("/api/tables", json=BODY).status_code == 201
        assert httpx.get(f"{server.address}/api/lobby").status_code == 200
        assert all(client.get("/health").status_code == 200 for client in held[:8]), "they only connect again"


def test_the_last_room_is_for_players_and_health(serve: Serve) -> None:
    """Sockets, which are never idle connections, fill the server."""
    with serve(most_connections=16, connections_each=64) as server:
        player = server.player()
        ok = player.http.post("/api/me/name", json={"name": "Ann"})
        assert ok.status_code == 200
        cookie = "; ".join(f"{name}={value}" for name, value in player.http.cookies.items())
        table_id = player.open_table("big-two", ["random"] * 3, public=True)
        player.http.close()
        with ExitStack() as stack:
            for _ in range(14):
                stack.enter_context(Player(server, httpx.Client()).sit(table_id))
            assert httpx.get(f"{server.address}/api/me").status_code == 503
            assert httpx.get(f"{server.address}/api/me", headers={"cookie": "dasan_session=forged"}).status_code == 503
            assert httpx.get(f"{server.address}/api/me", headers={"cookie": cookie}).status_code == 200
            assert httpx.get(f"{server.address}/health").status_code == 200


def test_a_request_with_two_lengths_ends_its_connection(server: Served) -> None:
    """RFC 9112, section 6.3: whatever the answer, the connection is closed after it."""
    port = int(server.address.rpartition(":")[2])
    smuggled = b"GET /api/lobby HTTP/1.1\r\nHost: localhost\r\n\r\n"
    request = (
        b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    )
    with sockets.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:
        connection.sendall(request + smuggled)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.lower().count(b"connection: close") == 1
    assert answer.count(b"HTTP/1.1 ") == 1, "what follows is not read"

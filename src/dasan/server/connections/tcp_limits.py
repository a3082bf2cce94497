"""Limits of TCP connections: how many from one address, how long a request may take to arrive, and who goes first.

uvicorn waits for a request without a limit, and counts a connection that never sends one like any other, so that strangers with
a few addresses could fill the server with connections that ask for nothing. Here connections that wait for a request, their
first or another, have a part of the room; when it is full, the network with the most of them loses its oldest. The last eighth
of all room is for players whom the server knows, and health checks are always answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import h11
from starlette.datastructures import Headers
from uvicorn.protocols.http.h11_impl import H11Protocol

from dasan.server.connections.networks import NetworkCounts, networks
from dasan.server.settings import Settings

HEALTH = frozenset({"/health", "/ready", "/api/health", "/api/ready", "/metrics"})
"""Paths that are answered however many connections there are: a supervisor would restart a server that is well."""
WAITING = 4
"""One in so many connections may wait for a request."""
RESERVED = 8
"""One in so many connections is for players whom the server knows."""

Known: TypeAlias = Callable[[Headers], bool]
"""Whether the headers of a request have a player's cookie."""


class Gate:
    """Counts connections that are not sockets yet, by network."""

    def __init__(self, settings: Settings, known: Known) -> None:
        self._settings = settings
        self._known = known
        self._counts = NetworkCounts()
        self._waiting: dict[str, dict[BoundedHttp, None]] = {}
        """Connections that wait for a request, by network, the oldest first."""
        self._waiting_total = 0

    @property
    def seconds(self) -> float:
        """The longest time in which a request must arrive."""
        return self._settings.request_seconds

    def enter(self, address: str) -> bool:
        """Whether one more connection from ``address`` may stay; it is counted in any case, until it leaves."""
        return self._counts.enter(address, self._settings.connections_each) or self._settings.trusts(address)

    def leave(self, address: str) -> None:
        self._counts.leave(address)

    def waits(self, connection: BoundedHttp, address: str) -> None:
        """The connection waits for a request. If too many do, the network that has the most loses its oldest."""
        if self._settings.trusts(address):
            return
        mine = self._waiting.setdefault(networks(address)[0][0], {})
        if connection not in mine:
            mine[connection] = None
            self._waiting_total += 1
        if self._waiting_total > max(1, self._settings.most_connections // WAITING):
            network, most = max(self._waiting.items(), key=lambda item: len(item[1]))
            oldest = next(iter(most))
            self._remove(oldest, network)
            oldest.transport.abort()

    def stops_waiting(self, connection: BoundedHttp, address: str) -> None:
        """The connection has a whole request, or ends."""
        self._remove(connection, networks(address)[0][0])

    def _remove(self, connection: BoundedHttp, network: str) -> None:
        mine = self._waiting.get(network, {})
        if connection in mine:
            del mine[connection]
            self._waiting_total -= 1
            if not mine:
                del self._waiting[network]

    def most(self, scope: Any) -> int | None:
        """The number of connections from which on this request is answered 503; None: it is always carried out."""
        if scope["path"] in HEALTH:
            return None
        most = self._settings.most_connections
        return most if self._known(Headers(scope=scope)) else most - most // RESERVED


class BoundedHttp(H11Protocol):
    """uvicorn's HTTP over one connection, within the limits of ``gate``."""

    gate: ClassVar[Gate]

    _address: str | None = None
    _late: asyncio.TimerHandle | None = None

    @property
    def limit_concurrency(self) -> int | None:
        """The most connections with which a request is carried out; the base class asks once it knows the request."""
        return self.gate.most(self.scope)

    @limit_concurrency.setter
    def limit_concurrency(self, value: int | None) -> None:
        """The base class sets one number for all requests, which is not used."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or close it if the address has too many."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self.gate.enter(self._address):
            self._wait()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        super().connection_lost(exc)
        self._leave()

    def data_received(self, data: bytes) -> None:
        """Read on; the time for a request runs from its first byte to its last."""
        super().data_received(data)
        if self._address is None:
            return
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            if self._late is None:
                self._wait()
        else:
            self._arrived()

    def on_response_complete(self) -> None:
        """The answer is sent; a connection that stays open waits for its next request, unless that is here already."""
        super().on_response_complete()
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._address is not None and not self.transport.is_closing():
            self.gate.waits(self, self._address)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """The connection becomes a socket, which is counted as such."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def _wait(self) -> None:
        self._late = self.loop.call_later(self.gate.seconds, self._hang_up)
        if self._address is not None:
            self.gate.waits(self, self._address)

    def _arrived(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        if self._address is not None:
            self.gate.stops_waiting(self, self._address)

    def _leave(self) -> None:
        self._arrived()
        if self._address is not None:
            self.gate.leave(self._address)
            self._address = None

    def _hang_up(self) -> None:
        self._late = None
        # An answer that is being sent is not cut off: only the rest of the request is missing then.
        if self.cycle is None or self.cycle.response_complete or self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()


def bounded(settings: Settings, known: Known) -> type[BoundedHttp]:
    """The protocol class of one server. known: whether a request comes from a player whom the server knows."""
    return type("ServerHttp", (BoundedHttp,), {"gate": Gate(settings, known)})

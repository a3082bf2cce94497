"""Limits of TCP connections: how many from one address, and how long a request may take to arrive.

uvicorn waits for a request without a limit, and counts a connection that never sends one like any other.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dasan.server.settings import Settings


class Gate:
    """Counts connections that are not sockets yet, by address."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: Counter[str] = Counter()

    @property
    def seconds(self) -> float:
        """The longest time in which a request must arrive."""
        return self._settings.request_seconds

    def enter(self, address: str) -> bool:
        """Whether one more connection from ``address`` may stay; it is counted in any case, until it leaves."""
        self._open[address] += 1
        return self._open[address] <= self._settings.connections_each or self._settings.trusts(address)

    def leave(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


class BoundedHttp(H11Protocol):
    """uvicorn's HTTP over one connection, within the limits of ``gate``."""

    gate: ClassVar[Gate]

    _address: str | None = None
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or hang up where the address has too many connections."""
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

    def handle_websocket_upgrade(self, event: Any) -> None:
        """The connection becomes a socket, which is counted as such."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def _wait(self) -> None:
        self._late = self.loop.call_later(self.gate.seconds, self._hang_up)

    def _arrived(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

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


def bounded(settings: Settings) -> type[BoundedHttp]:
    """The protocol class of one server."""
    return type("ServerHttp", (BoundedHttp,), {"gate": Gate(settings)})

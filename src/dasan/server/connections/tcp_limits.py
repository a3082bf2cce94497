"""Limits of TCP connections: number per address, time for a request to arrive, and priorities.

uvicorn waits without a limit for a request to arrive and for an answer to be read, so that strangers with a few
addresses could fill the server with idle connections. Here idle connections, which wait for a first or a later request
or for their client to read, have a share of the capacity; when it is full, the network with the most of them loses its
oldest. The last eighth of the capacity is reserved for known players, and health checks are always answered.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import h11
from starlette.datastructures import Headers
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from dasan.server.connections.guard import HEALTH
from dasan.server.connections.networks import NetworkCounts, networks
from dasan.server.settings import Settings

if sys.platform == "linux":
    import fcntl
    import termios

WAITING = 4
"""The share of connections that may be idle: one in this many."""
RESERVED = 8
"""The share of connections reserved for known players: one in this many."""

Known: TypeAlias = Callable[[Headers], bool]
"""Whether a request's headers contain a known player's cookie."""


class Gate:
    """Counts HTTP connections, before they become WebSockets, by network."""

    def __init__(self, settings: Settings, known: Known) -> None:
        self._settings = settings
        self._known = known
        self.seconds = settings.request_seconds
        """The time limit for a request to arrive."""
        self.send_seconds = settings.send_seconds
        """The time limit for a client to read more of an answer."""
        self._counts = NetworkCounts()
        self._waiting: dict[str, dict[BoundedHttp, None]] = {}
        """Idle connections by network, the oldest first."""
        self._waiting_total = 0

    def enter(self, address: str) -> bool:
        """Whether one more connection from ``address`` may stay; it counts in any case, until it leaves."""
        return self._counts.enter(address, self._settings.connections_each) or self._settings.trusts(address)

    def leave(self, address: str) -> None:
        self._counts.leave(address)

    def waits(self, connection: BoundedHttp, address: str) -> None:
        """Mark the connection as idle. If too many are, the network with the most loses its oldest."""
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
        """The connection has received a complete request, its client reads again, or it ends."""
        self._remove(connection, networks(address)[0][0])

    def _remove(self, connection: BoundedHttp, network: str) -> None:
        mine = self._waiting.get(network, {})
        if connection in mine:
            del mine[connection]
            self._waiting_total -= 1
            if not mine:
                del self._waiting[network]

    def most(self, scope: Any) -> int | None:
        """The number of connections from which this request is answered 503; None: never."""
        if scope["path"] in HEALTH:
            return None
        most = self._settings.most_connections
        return most if self._known(Headers(scope=scope)) else most - most // RESERVED


class _Counted(h11.Connection):
    """Counts the bytes of the answers."""

    written = 0

    def send_with_data_passthrough(self, event: h11.Event) -> list[bytes] | None:
        """The parts that `send` joins."""
        data = super().send_with_data_passthrough(event)
        self.written += sum(map(len, data or ()))
        return data


class BoundedHttp(H11Protocol):
    """uvicorn's HTTP over one connection, within the limits of ``gate``."""

    gate: ClassVar[Gate]

    _address: str | None = None
    _late: asyncio.TimerHandle | None = None
    _slow: asyncio.TimerHandle | None = None
    _taken = 0
    """The bytes that the client had read when it was last checked."""

    def __init__(self, config: Config, *args: Any, **options: Any) -> None:
        super().__init__(config, *args, **options)
        most = config.h11_max_incomplete_event_size
        self.conn: _Counted = _Counted(h11.SERVER, *(() if most is None else (most,)))

    @property
    def limit_concurrency(self) -> int | None:
        """The number of connections from which a request is refused; the base class reads it after parsing the
        request.
        """
        return self.gate.most(self.scope)

    @limit_concurrency.setter
    def limit_concurrency(self, value: int | None) -> None:
        """Ignore the one number that the base class sets for all requests."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or close it if the address has too many."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self.gate.enter(self._address):
            self._wait()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        super().connection_lost(exc)
        self._leave()

    def pause_writing(self) -> None:
        """The client reads too slowly: until it has caught up, the connection counts as idle."""
        super().pause_writing()
        if self._address is not None:
            self.gate.waits(self, self._address)
            self._check_reading()

    def resume_writing(self) -> None:
        """The client has caught up: an answer in progress continues."""
        super().resume_writing()
        if self._address is not None and self.cycle is not None and not self.cycle.response_complete:
            self.gate.stops_waiting(self, self._address)

    def data_received(self, data: bytes) -> None:
        """Read data; the time limit runs from a request's first byte to its last."""
        super().data_received(data)
        if self._address is None:
            return
        self._check_reading()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            if self._late is None:
                self._wait()
        else:
            self._arrived()

    def on_response_complete(self) -> None:
        """After the answer, an open connection is idle again, unless its next request has already arrived."""
        super().on_response_complete()
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._address is not None and not self.transport.is_closing():
            self.gate.waits(self, self._address)
        self._check_reading()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """The connection becomes a WebSocket, which is counted elsewhere."""
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
        if self._address is not None and not self.flow.write_paused:
            self.gate.stops_waiting(self, self._address)

    def _leave(self) -> None:
        self._arrived()
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None
        if self._address is not None:
            self.gate.stops_waiting(self, self._address)
            self.gate.leave(self._address)
            self._address = None

    def _check_reading(self) -> None:
        """Check from time to time, while anything waits for the client, that it reads."""
        if self._slow is None and self._address is not None and self.transport.get_write_buffer_size():
            self._taken = self._read_by_client()
            self._slow = self.loop.call_later(self.gate.send_seconds, self._check_again)

    def _check_again(self) -> None:
        self._slow = None
        if self.transport.get_write_buffer_size() and self._read_by_client() <= self._taken:
            self.transport.abort()
        else:
            self._check_reading()

    def _read_by_client(self) -> int:
        """The bytes of all answers that wait neither here nor, as far as that is known, in the system."""
        return self.conn.written - self.transport.get_write_buffer_size() - _in_system(self.transport)

    def _hang_up(self) -> None:
        self._late = None
        # Do not cut off an answer in progress: only the rest of the request is missing then.
        if self.cycle is None or self.cycle.response_complete or self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()


def _in_system(transport: asyncio.Transport) -> int:
    """The bytes that the system keeps until the client has confirmed them; 0 where it does not tell.

    The system takes more from us only when a third of its buffer is free, for which a slow client may need minutes.
    """
    if sys.platform != "linux":
        return 0
    size = bytearray(4)
    try:
        fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, size)
    except OSError:
        return 0
    return int.from_bytes(size, sys.byteorder)


def bounded(settings: Settings, known: Known) -> type[BoundedHttp]:
    """The protocol class of one server. known: whether a request comes from a known player."""
    return type("ServerHttp", (BoundedHttp,), {"gate": Gate(settings, known)})

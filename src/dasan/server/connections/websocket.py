"""The WebSocket: a player's commands in, a table's updates out."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import cast

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState
from uvicorn.protocols.utils import ClientDisconnected

from dasan.errors import DasanError
from dasan.reasons import reason
from dasan.server.connections.networks import NetworkCounts, address_of
from dasan.server.connections.rate_limits import Bucket, limit
from dasan.server.connections.send_queues import Connection
from dasan.server.connections.uvicorn_protocol import writer
from dasan.server.operations.metrics import Metrics
from dasan.server.operations.reporting import report
from dasan.server.people.identity import Identities
from dasan.server.protocol.commands import Ping, ProbeReply, id_of, read_client
from dasan.server.protocol.messages import Ack, Hint, Pong, Probe, error_message
from dasan.server.refusals import STATUS, Banned, ErrorCode, Refused
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.tables.clocks import Lag
from dasan.server.tables.commands import Commands
from dasan.server.tables.directory import Tables
from dasan.server.times import now

POLICY_VIOLATION = 1008
TRY_AGAIN_LATER = 1013
SIGNED_OUT = 4403
PATIENCE = 100
"""The number of messages over the limit that closes a connection."""
PROBE_EVERY = 10.0
"""Seconds between measurements of a connection's delay."""

router = APIRouter()


class Live:
    """The sockets of this process, by player."""

    def __init__(self) -> None:
        self._clients: dict[str | None, set[SocketClient]] = {}
        self._touched: set[str] = set()

    @contextmanager
    def joined(self, player: str | None, client: SocketClient) -> Iterator[None]:
        """Count ``client`` among the player's sockets during the context. player: None for a browser without a cookie."""
        self._clients.setdefault(player, set()).add(client)
        try:
            yield
        finally:
            self._clients[player].discard(client)
            if not self._clients[player]:
                del self._clients[player]

    def touch(self, player: str) -> None:
        """Count a player whose page polls without a socket as online for a moment."""
        self._touched.add(player)

    def here(self) -> frozenset[str]:
        """The players with a socket, and those touched since the last call."""
        touched, self._touched = self._touched, set()
        return frozenset(touched.union(player for player in self._clients if player is not None))

    def recheck(self, player: str | None) -> None:
        """Make the player's sockets check now whether they may stay."""
        for client in tuple(self._clients.get(player, ())):
            client.recheck()

    def recheck_all(self) -> None:
        """Make all sockets check now whether they may stay."""
        for player in tuple(self._clients):
            self.recheck(player)


async def admit(websocket: WebSocket, serve: Callable[[str | None], Awaitable[None]], what: str) -> None:
    """Serve a socket for its browser's player, unless its address has too many or the player is banned.

    what: its name in the log if it fails.
    """
    state = websocket.app.state
    address = address_of(websocket)
    sockets: NetworkCounts = state.sockets
    fits = sockets.enter(address, state.settings.sockets_each)
    try:
        if not fits:
            await websocket.close(POLICY_VIOLATION)
            return
        state.metrics.sockets_opened.inc()
        try:
            player = await state.identities.player(websocket)
        except Banned:
            await websocket.accept()
            await websocket.close(SIGNED_OUT)
            return
        except Refused:
            await websocket.close(TRY_AGAIN_LATER)
            return
        if player is not None:
            state.sightings.add(player, address)
        await serve(player)
    except (WebSocketDisconnect, ClientDisconnected):
        pass
    except Exception as error:
        report(f"{what} failed", error)
    finally:
        sockets.leave(address)


@router.websocket("/ws/tables/{table_id}")
async def table(websocket: WebSocket, table_id: str) -> None:
    """A table's live updates. Refused sockets are accepted, sent the reason, and closed with 4000 + the HTTP status."""
    await admit(websocket, lambda player: _Player(websocket, player, table_id).serve(), f"socket at table {table_id}")


async def send_all(websocket: WebSocket, connection: Connection, seconds: float) -> None:
    """Send queued texts until either side closes the connection. seconds: the time limit per message.

    A client that exceeds it is disconnected without a close frame, which it could not receive.
    """
    while True:
        item = await connection.next()
        try:
            async with asyncio.timeout(seconds):
                if isinstance(item, str):
                    await websocket.send_text(item)
                elif websocket.application_state is WebSocketState.CONNECTED:
                    await websocket.close(item)
        except TimeoutError:
            return
        if isinstance(item, int):
            return


class SocketClient(ABC):
    """One socket, with three tasks: send queued texts; check that its player may stay; read messages, up to the rate limit.

    Subclasses implement the other methods for a table or a shared review.
    """

    def __init__(self, websocket: WebSocket, connection: Connection) -> None:
        state = websocket.app.state
        self._websocket = websocket
        self._address = address_of(websocket)
        self._connection = connection
        self._settings: Settings = state.settings
        self._identities: Identities = state.identities
        self._live: Live = state.live
        self._store: Store = state.store
        self._again = asyncio.Event()

    @abstractmethod
    async def join(self) -> None:
        """Subscribe the socket to its table or review. ``Refused``: the player may not see it."""

    @abstractmethod
    async def leave(self) -> None:
        """End what `join` began."""

    @abstractmethod
    async def handle(self, text: str | None) -> None:
        """Handle a message; None: it is not text."""

    @abstractmethod
    def probe(self) -> None:
        """Called whenever the player may stay, every ``PROBE_EVERY`` seconds or more often."""

    def recheck(self) -> None:
        """Check now whether the socket's session is still valid."""
        self._again.set()

    async def serve(self) -> None:
        """Serve the socket until it closes."""
        await self._websocket.accept()
        with self._live.joined(self._connection.player, self):
            try:
                limit(self._websocket, "reads")
                await self.join()
            except Refused as refused:
                self.refuse(refused)
                self._connection.close(4000 + STATUS[refused.code])
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = [group.create_task(self._read()), group.create_task(self._watch())]
                    await send_all(self._websocket, self._connection, self._settings.send_seconds)
                    for task in tasks:
                        task.cancel()
            except* WebSocketDisconnect:
                pass
            finally:
                with suppress(Refused):
                    await self.leave()

    def refuse(self, error: DasanError | Refused, command_id: str | None = None) -> None:
        """Send an error."""
        clause = error.clause if isinstance(error, DasanError) else None
        code = cast("ErrorCode", error.code)
        self._connection.offer(error_message(code, error.message, clause, command_id).wire())

    def _banned(self) -> bool:
        """Whether the socket's address has been banned since."""
        return self._store.people.restrictions.bans(self._address, now())

    async def _watch(self) -> None:
        while not self._banned() and not await self._identities.left(self._websocket, self._connection.player):
            self.probe()
            with suppress(TimeoutError):
                async with asyncio.timeout(PROBE_EVERY):
                    await self._again.wait()
            self._again.clear()
        self._connection.close(SIGNED_OUT)

    async def _read(self) -> None:
        bucket = Bucket(self._settings.message_rate, self._settings.message_burst)
        over = 0
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1000))
            if bucket.take():
                over = 0
                await self.handle(message.get("text"))
                continue
            over += 1
            self.refuse(Refused("too-fast", reason("messages")), id_of(message.get("text") or ""))
            if over > PATIENCE:
                self._connection.close(POLICY_VIOLATION)
                return


class _Player(SocketClient):
    """A socket at a table, which also measures its delay."""

    def __init__(self, websocket: WebSocket, player: str | None, table_id: str) -> None:
        state = websocket.app.state
        super().__init__(websocket, Connection(state.settings.send_queue, player, writer(websocket.scope)))
        self._tables: Tables = state.tables
        self._commands: Commands = state.commands
        self._metrics: Metrics = state.metrics
        self._table_id = table_id
        self._lag = Lag()
        self._probed: tuple[int, float] = (0, 0.0)

    async def join(self) -> None:
        await self._tables.join(self._table_id, self._connection.player, self._connection, self._seen())

    async def leave(self) -> None:
        await self._tables.leave(self._table_id, self._connection)

    def _seen(self) -> int | None:
        """The last ``seq`` that the client reports."""
        text = self._websocket.query_params.get("seq", "")
        return int(text) if text.isdecimal() and len(text) < 10 else None

    def probe(self) -> None:
        if self._connection.timed:
            n = self._probed[0] + 1
            self._probed = (n, time.monotonic())
            self._connection.offer(Probe(type="probe", n=n).wire())

    async def handle(self, text: str | None) -> None:
        """Answer one message, always with a message of the protocol."""
        command_id: str | None = None
        try:
            if text is None:
                raise Refused("malformed", "messages are text, not bytes")
            command = read_client(text)
            if isinstance(command, Ping):
                self._connection.offer(Pong(type="pong").wire())
                return
            if isinstance(command, ProbeReply):
                n, sent = self._probed
                if command.n == n and sent:
                    self._lag.measured(int((time.monotonic() - sent) * 1000))
                    self._probed = (n, 0.0)
                return
            command_id = command.id
            lag = self._lag.forgiven() if command.type == "move" else 0
            begun = time.monotonic()
            outcome = "refused"
            try:
                player = self._connection.player
                done = await self._commands.carry_out(self._table_id, player, command, self._address, lag)
                outcome = "done"
            finally:
                self._metrics.commands.labels(command.type, outcome).observe(time.monotonic() - begun)
            if isinstance(done, Hint):
                self._connection.offer(done.wire())
            else:
                self._connection.offer(Ack(type="ack", id=command.id, seq=done).wire())
        except (DasanError, Refused) as error:
            self.refuse(error, command_id or id_of(text or ""))

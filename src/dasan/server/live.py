"""The WebSocket: a player's commands in, a table's updates out."""

from __future__ import annotations

import asyncio
from collections import Counter

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from dasan.errors import DasanError
from dasan.server.hub import Connection
from dasan.server.identity import Identities
from dasan.server.limits import Bucket
from dasan.server.protocol import Ack, ErrorMessage, Ping, Pong, read_client
from dasan.server.refusals import STATUS, Refused
from dasan.server.tables import Tables, report

POLICY_VIOLATION = 1008
PATIENCE = 100
"""So many messages over the limit, and the connection is closed."""

router = APIRouter()


@router.websocket("/ws/tables/{table_id}")
async def table(websocket: WebSocket, table_id: str) -> None:
    """A table, live. Refused sockets are accepted first, told why, and closed with 4000 + the HTTP status."""
    state = websocket.app.state
    address = websocket.client.host if websocket.client else ""
    sockets: Counter[str] = state.sockets
    if sockets[address] >= state.settings.sockets_each:
        await websocket.close(POLICY_VIOLATION)
        return
    sockets[address] += 1
    try:
        await _Client(websocket, state.tables, state.identities, table_id).serve()
    except WebSocketDisconnect:
        pass
    except Exception as error:
        report(f"socket at table {table_id} failed", error)
    finally:
        sockets[address] -= 1
        if not sockets[address]:
            del sockets[address]


class _Client:
    """One socket: a task that writes what is queued, and the one that reads."""

    def __init__(self, websocket: WebSocket, tables: Tables, identities: Identities, table_id: str) -> None:
        settings = tables.settings
        self._websocket = websocket
        self._tables = tables
        self._table_id = table_id
        self._player = identities.player(websocket)
        self._connection = Connection(settings.send_queue)
        self._bucket = Bucket(settings.message_rate, settings.message_burst)
        self._send_seconds = settings.send_seconds

    async def serve(self) -> None:
        await self._websocket.accept()
        try:
            await self._tables.join(self._table_id, self._player, self._connection)
        except Refused as refused:
            self._refuse(None, refused)
            self._connection.close(4000 + STATUS[refused.code])
        try:
            async with asyncio.TaskGroup() as group:
                reader = group.create_task(self._read())
                await self._write()
                reader.cancel()
        except* WebSocketDisconnect:
            pass
        finally:
            self._tables.leave(self._table_id, self._connection)

    async def _write(self) -> None:
        """Send what is queued until the connection is closed, by either side.

        A client that does not take it in time is left without a word: it would not take that either.
        """
        while True:
            item = await self._connection.next()
            try:
                async with asyncio.timeout(self._send_seconds):
                    if isinstance(item, str):
                        await self._websocket.send_text(item)
                    elif self._websocket.application_state is WebSocketState.CONNECTED:
                        await self._websocket.close(item)
            except TimeoutError:
                return
            if isinstance(item, int):
                return

    async def _read(self) -> None:
        over = 0
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1000))
            if self._bucket.take():
                over = 0
                await self._handle(message.get("text"))
                continue
            over += 1
            self._refuse(_id_of(message.get("text")), Refused("too-fast", "too many messages; slow down"))
            if over > PATIENCE:
                self._connection.close(POLICY_VIOLATION)
                return

    async def _handle(self, text: str | None) -> None:
        """Answer one message; whatever is in it, the answer is one of the protocol's."""
        command_id: str | None = None
        try:
            if text is None:
                raise Refused("malformed", "messages are text, not bytes")
            command = read_client(text)
            if isinstance(command, Ping):
                self._connection.offer(Pong(type="pong").wire())
                return
            command_id = command.id
            seq = await self._tables.command(self._table_id, self._player, command)
            self._connection.offer(Ack(type="ack", id=command.id, seq=seq).wire())
        except (DasanError, Refused) as error:
            self._refuse(command_id, error)

    def _refuse(self, command_id: str | None, error: DasanError | Refused) -> None:
        clause = error.clause if isinstance(error, DasanError) else None
        message = ErrorMessage.model_validate(
            {"type": "error", "id": command_id, "code": error.code, "clause": clause, "message": error.message}
        )
        self._connection.offer(message.wire())


def _id_of(text: str | None) -> str | None:
    """The command's id, so that whoever sent it need not wait for an answer."""
    try:
        return getattr(read_client(text or ""), "id", None)
    except Refused:
        return None

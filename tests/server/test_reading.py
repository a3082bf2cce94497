"""The server reads only as fast as the application accepts, and disconnects floods that never reach the application."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

import dasan.server.connections.uvicorn_protocol as sockets_module
from dasan.server.connections.uvicorn_protocol import AT_ONCE, FRAME_BURST, MOST_WAITING, Socket
from dasan.server.main import listen

from .harness import SECONDS

pytestmark = pytest.mark.full

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Receive, Send], Awaitable[None]]


class Line:
    """A connection: the client's end, which sends and reads only at the test's request, and the server's end."""

    def __init__(self, client: socket.socket, server: uvicorn.Server) -> None:
        self._client = client
        self._server = server

    @property
    def there(self) -> Socket:
        """The server's end."""
        (one,) = self._server.server_state.connections
        assert isinstance(one, Socket)
        return one

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._client, data)

    async def read(self, size: int = 65_536) -> bytes:
        return await asyncio.get_running_loop().sock_recv(self._client, size)


@asynccontextmanager
async def connected(serve: Application, **changes: Any) -> AsyncIterator[Line]:
    """A client connected to ``serve`` in this event loop, with small system buffers on both sides."""

    async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "websocket.connect"
        await send({"type": "websocket.accept"})
        await serve(receive, send)

    config = uvicorn.Config(
        app, ws=Socket, ws_per_message_deflate=False, lifespan="off", log_config=None, log_level="critical", **changes
    )
    server = uvicorn.Server(config)
    listener = listen("127.0.0.1", 0)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    port = listener.getsockname()[1]
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        client.setblocking(False)
        try:
            async with asyncio.timeout(SECONDS):
                await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", port))
                protocol = ClientProtocol(parse_uri(f"ws://127.0.0.1:{port}/"))
                protocol.send_request(protocol.connect())
                line = Line(client, server)
                await line.send(b"".join(protocol.data_to_send()))
                assert b"101 Switching Protocols" in await line.read()
                yield line
        finally:
            server.should_exit = True
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            await serving
            listener.close()


def frame(kind: Opcode, data: bytes = b"", *, whole: bool = True) -> bytes:
    """A client's frame."""
    return Frame(kind, data, whole).serialize(mask=True)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.timeout(180)
async def test_no_more_is_read_than_is_taken_and_nothing_is_lost() -> None:
    messages = [f"{n} ".ljust(4000, "x") for n in range(2000)]
    taken: list[str] = []
    go_on, over = asyncio.Event(), asyncio.Event()

    async def serve(receive: Receive, send: Send) -> None:
        await go_on.wait()
        while (message := await receive())["type"] == "websocket.receive":
            taken.append(message["text"])
            if len(taken) == len(messages):
                over.set()

    async with connected(serve) as line:
        sending = asyncio.create_task(line.send(b"".join(frame(Opcode.TEXT, text.encode()) for text in messages)))
        there = line.there
        await until(lambda: there.read_paused)
        waiting = there.queue.qsize()
        assert waiting >= MOST_WAITING, "a few may wait"
        assert waiting * 4000 <= 3 * AT_ONCE
        assert len(there._unread) <= 16 * AT_ONCE, "what the system gives at once"
        assert not sending.done(), "the client is held up"
        go_on.set()
        await over.wait()
        await sending
        assert taken == messages
        assert not there.read_paused


@pytest.mark.parametrize(
    ("first", "flood"),
    [
        (b"", frame(Opcode.PING, b"?" * 100)),
        (b"", frame(Opcode.PONG)),
        (frame(Opcode.TEXT, b"", whole=False), frame(Opcode.CONT, whole=False)),
    ],
    ids=["pings", "pongs", "pieces"],
)
async def test_a_flood_of_frames_that_are_no_messages_ends_the_connection(first: bytes, flood: bytes) -> None:
    ended = asyncio.Event()

    async def serve(receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "websocket.disconnect":
            pass
        ended.set()

    async with connected(serve, ws_ping_interval=None) as line:  # the flood ends it, not an unanswered ping
        with contextlib.suppress(ConnectionError):
            await line.send(first + flood * 20 * FRAME_BURST)
        await ended.wait()


async def test_a_flood_of_messages_after_the_close_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets_module, "PATIENCE", 2 * SECONDS)

    async def serve(receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.close", "code": 4404})

    async with connected(serve, ws_ping_interval=None) as line:
        there = line.there
        there.close_timeout = 2 * SECONDS
        await line.send(frame(Opcode.TEXT))
        assert await line.read() == Frame(Opcode.CLOSE, (4404).to_bytes(2)).serialize(mask=False)
        with contextlib.suppress(ConnectionError):
            await line.send(frame(Opcode.TEXT) * 20 * FRAME_BURST)
        await until(lambda: there.disconnected)


async def test_pings_are_answered() -> None:
    async def serve(receive: Receive, send: Send) -> None:
        await receive()

    async with connected(serve) as line:
        for n in range(50):
            await line.send(frame(Opcode.PING, b"%02d" % n))
            assert await line.read() == Frame(Opcode.PONG, b"%02d" % n).serialize(mask=False)


async def test_a_client_that_takes_nothing_and_answers_no_ping_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets_module, "PATIENCE", 0.05)
    ended = asyncio.Event()

    async def serve(receive: Receive, send: Send) -> None:
        await send({"type": "websocket.send", "text": "x" * 8_000_000})
        assert (await receive())["type"] == "websocket.disconnect"
        ended.set()

    async with connected(serve, ws_ping_interval=0.05, ws_ping_timeout=0.05):
        await ended.wait()

"""WebSockets of a benchmark's people: only what a server of dasan sends, so that the load costs as little as possible."""

from __future__ import annotations

import asyncio
import base64
import os
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
CONNECTS_IN = 60.0
"""Seconds that a server may take to answer a handshake."""


class ClientSocket(asyncio.Protocol):
    """One connection. heard: gets each text. lost: called when the connection ends, unless it was closed here."""

    def __init__(self, request: bytes, heard: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._request = request
        self._heard = heard
        self._lost = lost
        self._received = b""
        self._transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        """Whether the server has accepted the connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask the server for a WebSocket."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def connection_lost(self, exc: Exception | None) -> None:
        """The server has hung up."""
        lost = self._transport is not None and self.opened.done() and self.opened.result()
        self._transport = None
        self._settle(False)
        if lost:
            self._lost()

    def data_received(self, data: bytes) -> None:
        """Some frames, or parts of one."""
        if self._received:
            data = self._received + data
        at = 0
        if not self.opened.done():
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._received = data
                return
            if not data.startswith(b"HTTP/1.1 101"):
                self.close()
                return
            self._settle(True)
            at = end + 4
        while len(data) >= at + 2 and self._transport is not None:
            begin, size = at + 2, data[at + 1]
            if size > 125:
                begin += 2 if size == 126 else 8
                size = int.from_bytes(data[at + 2 : begin], "big")
            if len(data) < begin + size:
                break
            kind, at = data[at] & 15, begin + size
            if kind == TEXT:
                self._heard(data[begin:at])
            elif kind == PING:
                self._send(PONG, data[begin:at])
            elif kind == CLOSE:
                self._transport.close()
        self._received = data[at:]

    def send(self, text: str) -> None:
        """Send a text, if the connection is still open."""
        self._send(TEXT, text.encode())

    def _send(self, kind: int, payload: bytes) -> None:
        if self._transport is None:
            return
        size = len(payload)
        length = bytes((128 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        # The mask is zero: it protects proxies between strangers, and there are none here.
        self._transport.write(bytes((128 | kind,)) + length + b"\0\0\0\0" + payload)

    def close(self) -> None:
        """End the connection."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()
        self._settle(False)

    def _settle(self, opened: bool) -> None:
        if not self.opened.done():
            self.opened.set_result(opened)


async def connect(
    url: str, cookie: str, heard: Callable[[ClientSocket, bytes], None], lost: Callable[[], None]
) -> ClientSocket:
    """A WebSocket at an `http` or `https` address. `OSError`: there is none."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    lines = [
        f"GET {parts.path} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        "Sec-WebSocket-Version: 13",
        *([f"Cookie: {cookie}"] if cookie else []),
    ]
    request = "".join(f"{line}\r\n" for line in [*lines, ""]).encode()

    def hear(text: bytes) -> None:
        heard(socket, text)

    socket = ClientSocket(request, hear, lost)
    port = parts.port or (443 if secure else 80)
    async with asyncio.timeout(CONNECTS_IN):
        await asyncio.get_running_loop().create_connection(
            lambda: socket, parts.hostname or "", port, ssl=ssl.create_default_context() if secure else None
        )
        if not await socket.opened:
            raise ConnectionError(f"{url} is no WebSocket")
    return socket

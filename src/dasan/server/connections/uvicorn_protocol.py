"""uvicorn's WebSocket with less work for each message.

Through ASGI each text takes a step of a task, several calls and a write to the network. `Socket` offers the application an
extension that writes several texts at once; and it goes on reading while a few messages wait, where uvicorn stops reading
and begins again around every message. It also limits what no application sees: pings, pongs, pieces of messages, and messages
that come after the server's close.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import Frame

from dasan.server.connections.rate_limits import Bucket

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveEvent

PATIENCE = 3
"""Seconds that open requests have when the server stops, and connections for their last messages."""
EXTENSION = "dasan.texts"
MOST_WAITING = 4
"""Messages from the client that wait before no more are read."""
FRAME_RATE, FRAME_BURST = 20.0, 1000
"""Frames for no application that a client may send, a second and at once."""
AT_ONCE = 16_384
"""Bytes that are read before reading can pause or the connection can end. The system gives up to 16 times as many at a time; in
frames of a few bytes they would take a third of a second.
"""

WriteTexts: TypeAlias = Callable[[Sequence[str]], bool]


class Socket(WebSocketsSansIOProtocol):
    """Closes a connection soon after its application has ended or its client has fallen silent, even if the client no longer
    reads; and at once if the client floods it with frames for no application.
    """

    _limit: Bucket | None = None
    _unread = b""
    """What the system has given already while reading pauses."""

    async def run_asgi(self) -> None:
        self.scope["extensions"][EXTENSION] = {"write": self.write_texts}
        await super().run_asgi()
        self.loop.call_later(PATIENCE, self.transport.abort)

    def write_texts(self, texts: Sequence[str]) -> bool:
        """Send the texts now; False, with nothing sent, if the connection is not open or its client reads too slowly."""
        if self.disconnected or self.close_sent or not self.handshake_complete or not self.writable.is_set():
            return False
        encoded = [text.encode() for text in texts]
        try:
            for text in encoded:
                self.conn.send_text(text)
        except InvalidState:
            return False
        self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    def send_receive_event_to_app(self) -> None:
        """Queue a message; after the server's close it is dropped, and only counted."""
        if self.close_sent and not self._takes_frame():
            return
        paused, self.read_paused = self.read_paused, True  # so that the base class does not stop reading
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not paused and not self.close_sent and self.queue.qsize() >= MOST_WAITING:
            self.read_paused = True
            self.transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        """Read on, a piece at a time, while the application keeps up."""
        data, self._unread = self._unread + data, b""
        while data and not self.transport.is_closing():
            piece, data = data[:AT_ONCE], data[AT_ONCE:]
            super().data_received(piece)
            if self.read_paused:
                self._unread = data
                return

    async def receive(self) -> ASGIReceiveEvent:
        """The next message; when none waits any more, reading goes on."""
        event = await super().receive()
        if self._unread and not self.read_paused:
            self.data_received(b"")
        return event

    def handle_ping(self) -> None:
        """Answer a ping."""
        if self._takes_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Measure the delay, if this answers a ping of ours."""
        if self._takes_frame():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Take one more piece of a message."""
        if self._takes_frame():
            super().handle_cont(event)

    def _takes_frame(self) -> bool:
        """Whether one more frame for no application is within the limit; if not, the connection ends."""
        if self._limit is None:
            self._limit = Bucket(FRAME_RATE, FRAME_BURST)
        if self._limit.take():
            return True
        self.transport.abort()
        return False

    def keepalive_timeout(self) -> None:
        """Close the connection of a client that answers no ping, without waiting until it has read what was sent."""
        super().keepalive_timeout()
        self.loop.call_later(PATIENCE, self.transport.abort)


def writer(scope: Mapping[str, Any]) -> WriteTexts | None:
    """The function with which the application of this scope writes several texts at once; None if its server has
    none.
    """
    write: WriteTexts | None = scope.get("extensions", {}).get(EXTENSION, {}).get("write")
    return write

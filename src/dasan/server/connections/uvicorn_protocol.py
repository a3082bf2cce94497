"""uvicorn's WebSocket protocol with less work per message.

Through ASGI each text costs a task switch, several calls and a network write. `Socket` offers the application an
extension that writes several texts at once. It keeps reading while a few messages wait, whereas uvicorn pauses and
resumes reading around every message. It also limits frames that never reach the application: pings, pongs, fragments,
and messages after the server's close.
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
"""Seconds at shutdown for open requests, and for connections to send their last messages."""
EXTENSION = "dasan.texts"
MOST_WAITING = 4
"""The number of unread client messages at which reading pauses."""
FRAME_RATE, FRAME_BURST = 20.0, 1000
"""Limits of frames that do not reach the application: per second, and burst."""
AT_ONCE = 16_384
"""Bytes to process before reading can pause or the connection can end. The system delivers up to 16 times as many at
once, which takes a third of a second to process in tiny frames.
"""

WriteTexts: TypeAlias = Callable[[Sequence[str]], bool]


class Socket(WebSocketsSansIOProtocol):
    """Closes a connection soon after its application has ended or its client has gone silent, even if the client no
    longer reads, and at once if the client floods it with frames that do not reach the application.
    """

    _limit: Bucket | None = None
    _unread = b""
    """Data received while reading is paused."""

    async def run_asgi(self) -> None:
        self.scope["extensions"][EXTENSION] = {"write": self.write_texts}
        await super().run_asgi()
        self.loop.call_later(PATIENCE, self.transport.abort)

    def write_texts(self, texts: Sequence[str]) -> bool:
        """Send the texts now; False, sending nothing, if the connection is not open or its client reads too slowly."""
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
        """Queue a message; after the server's close, only count it."""
        if self.close_sent and not self._takes_frame():
            return
        paused, self.read_paused = self.read_paused, True  # so that the base class does not stop reading
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not paused and not self.close_sent and self.queue.qsize() >= MOST_WAITING:
            self.read_paused = True
            self.transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        """Process data piece by piece while the application keeps up."""
        data, self._unread = self._unread + data, b""
        while data and not self.transport.is_closing():
            piece, data = data[:AT_ONCE], data[AT_ONCE:]
            super().data_received(piece)
            if self.read_paused:
                self._unread = data
                return

    async def receive(self) -> ASGIReceiveEvent:
        """The next message; reading resumes when the queue is empty."""
        event = await super().receive()
        if self._unread and not self.read_paused:
            self.data_received(b"")
        return event

    def handle_ping(self) -> None:
        """Answer a ping."""
        if self._takes_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Measure the delay if this answers one of our pings."""
        if self._takes_frame():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Accept another fragment of a message."""
        if self._takes_frame():
            super().handle_cont(event)

    def _takes_frame(self) -> bool:
        """Whether one more frame that does not reach the application is within the limit; if not, the connection
        ends.
        """
        if self._limit is None:
            self._limit = Bucket(FRAME_RATE, FRAME_BURST)
        if self._limit.take():
            return True
        self.transport.abort()
        return False

    def keepalive_timeout(self) -> None:
        """Close the connection of a client that does not answer pings, without waiting for it to read."""
        super().keepalive_timeout()
        self.loop.call_later(PATIENCE, self.transport.abort)


def writer(scope: Mapping[str, Any]) -> WriteTexts | None:
    """The scope's function for writing several texts at once; None if the server has no such extension."""
    write: WriteTexts | None = scope.get("extensions", {}).get(EXTENSION, {}).get("write")
    return write

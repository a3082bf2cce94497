"""uvicorn's WebSocket with less work for each message.

Through ASGI each text takes a step of a task, several calls and a write to the network. `Socket` offers the application an
extension that writes several texts at once; and it goes on reading while a few messages wait, where uvicorn stops reading
and begins again around every message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

PATIENCE = 3
"""Seconds that open requests have when the server stops, and connections for their last messages."""
EXTENSION = "dasan.texts"
MOST_WAITING = 4
"""Messages from the client that wait before no more are read."""

WriteTexts: TypeAlias = Callable[[Sequence[str]], bool]


class Socket(WebSocketsSansIOProtocol):
    """Closes a connection soon after its application has ended, even if the client no longer reads."""

    async def run_asgi(self) -> None:
        self.scope["extensions"][EXTENSION] = {"write": self.write_texts}
        await super().run_asgi()
        self.loop.call_later(PATIENCE, self.transport.abort)

    def write_texts(self, texts: Sequence[str]) -> bool:
        """Send the texts now; False, and nothing is sent, where the connection is not open or its client reads too slowly."""
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
        paused, self.read_paused = self.read_paused, True  # so that the base class does not stop reading
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not paused and not self.close_sent and self.queue.qsize() >= MOST_WAITING:
            self.read_paused = True
            self.transport.pause_reading()


def writer(scope: Mapping[str, Any]) -> WriteTexts | None:
    """The function with which the application of this scope writes texts at once; None where its server has none."""
    write: WriteTexts | None = scope.get("extensions", {}).get(EXTENSION, {}).get("write")
    return write

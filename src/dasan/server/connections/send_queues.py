"""The connections of this process to a table, with their send queues."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

TOO_SLOW = 4408
"""Our close codes: 4000 + the corresponding HTTP status."""
MOST_BYTES = 1 << 20
"""The bytes of memory that queued texts may take, beyond which a slow reader is dropped; a single text may be longer."""


class Connection:
    """One socket's side of a hub: a bounded queue of texts to send, then the code to close with.

    A client that reads too slowly is dropped; it can reconnect and gets what it missed. player: None for a client
    without a cookie. write: sends several texts at once, or returns False if it cannot; then, and without it, they wait
    for a call of `next`.
    """

    def __init__(
        self, most: int, player: str | None = None, write: Callable[[Sequence[str]], bool] | None = None
    ) -> None:
        self.player = player
        self.timed = True
        """Whether its delay is measured; not at tables whose clocks do not compensate delay."""
        self._write = write
        self._writes_soon = False
        self._sending = False
        """Whether a text returned by `next` is still being sent."""
        self._texts: deque[str | int] = deque()
        self._bytes = 0
        """The memory of the queued texts."""
        self._wake = asyncio.Event()
        self._most = most
        self._closed = False

    def offer(self, text: str) -> None:
        """Queue ``text`` without waiting."""
        if self._closed:
            return
        size = sys.getsizeof(text)
        if len(self._texts) >= self._most or (self._texts and self._bytes + size > MOST_BYTES):
            self.close(TOO_SLOW)
        else:
            self._texts.append(text)
            self._bytes += size
            if self._write is None or self._sending:
                self._wake.set()
            elif not self._writes_soon:
                self._writes_soon = True
                asyncio.get_running_loop().call_soon(self._write_all)

    def _write_all(self) -> None:
        """Write the queued texts with one call."""
        self._writes_soon = False
        if self._sending or self._closed or self._write is None:
            self._wake.set()
            return
        try:
            written = self._write([text for text in self._texts if isinstance(text, str)])
        except Exception:
            self._write = None  # from now on `next` returns the texts
            self._wake.set()
            raise
        if written:
            self._texts.clear()
            self._bytes = 0
        else:
            self._wake.set()

    def close(self, code: int) -> None:
        """Close the socket with ``code`` after the queued texts, or without sending them if the client is too slow."""
        if self._closed:
            return
        self._closed = True
        if code == TOO_SLOW:
            self._texts.clear()
        self._texts.append(code)
        self._wake.set()

    async def next(self) -> str | int:
        """The next text to send, or the code to close with. Call it again when the text has been sent."""
        self._sending = False
        while not self._texts:
            self._wake.clear()
            await self._wake.wait()
        self._sending = True
        item = self._texts.popleft()
        if isinstance(item, str):
            self._bytes -= sys.getsizeof(item)
        return item


class Hub:
    """The connections at one table. The publisher looks up each player's seat, which determines what they may see."""

    def __init__(self) -> None:
        self._connections: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._connections)

    def __iter__(self) -> Iterator[Connection]:
        return iter(tuple(self._connections))

    def join(self, connection: Connection) -> None:
        self._connections.add(connection)

    def leave(self, connection: Connection) -> None:
        self._connections.discard(connection)

    @property
    def players(self) -> frozenset[str]:
        """The connected players."""
        return frozenset(c.player for c in self._connections if c.player is not None)

    def publish(
        self, viewer_of: Callable[[str | None], int | None], text_for: Callable[[int | None], str | None]
    ) -> None:
        """Send each connection the text for its viewer, computed once per viewer; None: send nothing."""
        texts: dict[int | None, str | None] = {}
        for connection in self:
            viewer = viewer_of(connection.player)
            if viewer not in texts:
                texts[viewer] = text_for(viewer)
            text = texts[viewer]
            if text is not None:
                connection.offer(text)

    def close(self, code: int) -> None:
        """Close every connection."""
        for connection in self:
            connection.close(code)
        self._connections.clear()

"""Who is watching a table, and what is on its way to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

TOO_SLOW = 4408
"""Close codes of our own; 4000 + the HTTP status that says the same."""


class Connection:
    """One socket's side of a hub: a bounded queue of texts to send, and in the end the code to close with.

    A client that reads too slowly to keep up is dropped; it can connect again and gets a snapshot.
    """

    def __init__(self, most: int) -> None:
        self._texts: asyncio.Queue[str | int] = asyncio.Queue()
        self._most = most
        self._closed = False

    def offer(self, text: str) -> None:
        """Queue ``text``; never waits."""
        if self._closed:
            return
        if self._texts.qsize() >= self._most:
            self.close(TOO_SLOW)
        else:
            self._texts.put_nowait(text)

    def close(self, code: int) -> None:
        """Close the socket with ``code`` after what is queued; of a client that is too slow, instead of it."""
        if self._closed:
            return
        self._closed = True
        if code == TOO_SLOW:
            self._texts = _emptied(self._texts)
        self._texts.put_nowait(code)

    async def next(self) -> str | int:
        """The next text to send, or the code to close with."""
        return await self._texts.get()


def _emptied(queue: asyncio.Queue[str | int]) -> asyncio.Queue[str | int]:
    while not queue.empty():
        queue.get_nowait()
    return queue


class Hub:
    """The connections at one table, by what they may see. Other processes' viewers will hang on the same seam."""

    def __init__(self) -> None:
        self._connections: dict[Connection, int | None] = {}

    def __len__(self) -> int:
        return len(self._connections)

    def __iter__(self) -> Iterator[Connection]:
        return iter(tuple(self._connections))

    def join(self, connection: Connection, viewer: int | None) -> None:
        self._connections[connection] = viewer

    def leave(self, connection: Connection) -> None:
        self._connections.pop(connection, None)

    def publish(self, text_for: Callable[[int | None], str]) -> None:
        """Send each connection the text for its viewer, made once a viewer."""
        texts: dict[int | None, str] = {}
        for connection, viewer in tuple(self._connections.items()):
            if viewer not in texts:
                texts[viewer] = text_for(viewer)
            connection.offer(texts[viewer])

    def close(self, code: int) -> None:
        """Close every connection."""
        for connection in self:
            connection.close(code)
        self._connections.clear()

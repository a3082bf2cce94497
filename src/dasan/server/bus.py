"""How processes that share a database talk about a table: to its owner, and to all who show it.

``publish`` reaches every process that has subscribed to a table, at most once: a message may be lost, and who sees a gap
reads the store. ``request`` asks the table's owner. A process alone needs neither, and ``LocalBus`` delivers within it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

Listener: TypeAlias = Callable[[bytes], None]
Answerer: TypeAlias = Callable[[bytes], Awaitable[bytes]]


class NoOwner(Exception):
    """Nobody answered for the table in time."""


class Bus(Protocol):
    """What tables need of a bus. Table ids are letters, digits, ``-`` and ``_``."""

    @property
    def connected(self) -> bool:
        """Whether others can be reached just now."""
        ...

    async def subscribe(self, table_id: str, listener: Listener) -> Callable[[], Awaitable[None]]:
        """Have ``listener`` called with what others publish about the table; call the result to end it."""
        ...

    async def publish(self, table_id: str, message: bytes) -> None:
        """Tell every other subscriber of the table."""
        ...

    async def serve(self, table_id: str, answerer: Answerer) -> Callable[[], Awaitable[None]]:
        """Answer requests to the table, as its owner; call the result to end it."""
        ...

    async def request(self, table_id: str, message: bytes, seconds: float) -> bytes:
        """The answer of the table's owner; ``NoOwner`` where none comes in time."""
        ...

    async def close(self) -> None: ...


class LocalBus:
    """The bus of a process alone. Several of them can be joined, as tests do: each is then one process."""

    def __init__(self, joined: LocalBus | None = None) -> None:
        self._listeners: dict[str, list[tuple[LocalBus, Listener]]] = (
            defaultdict(list) if joined is None else joined._listeners
        )
        self._answerers: dict[str, tuple[LocalBus, Answerer]] = {} if joined is None else joined._answerers

    @property
    def connected(self) -> bool:
        return True

    async def subscribe(self, table_id: str, listener: Listener) -> Callable[[], Awaitable[None]]:
        entry = (self, listener)
        self._listeners[table_id].append(entry)

        async def end() -> None:
            self._listeners[table_id].remove(entry)
            if not self._listeners[table_id]:
                del self._listeners[table_id]

        return end

    async def publish(self, table_id: str, message: bytes) -> None:
        for bus, listener in tuple(self._listeners.get(table_id, ())):
            if bus is not self:
                listener(message)

    async def serve(self, table_id: str, answerer: Answerer) -> Callable[[], Awaitable[None]]:
        entry = (self, answerer)
        self._answerers[table_id] = entry

        async def end() -> None:
            if self._answerers.get(table_id) is entry:
                del self._answerers[table_id]

        return end

    async def request(self, table_id: str, message: bytes, seconds: float) -> bytes:
        found = self._answerers.get(table_id)
        if found is None:
            raise NoOwner(table_id)
        try:
            async with asyncio.timeout(seconds):
                return await found[1](message)
        except TimeoutError:
            raise NoOwner(table_id) from None

    async def close(self) -> None:
        return None

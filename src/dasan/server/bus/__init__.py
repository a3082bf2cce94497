"""Messages between processes that share a database.

Messages have a subject: a table's id, a process, or ``reviews`` for shared reviews. ``publish`` delivers to every
subscribed process at most once: messages may be lost, and a receiver that sees a gap reads the store. ``request`` asks
the one process that serves the subject, such as a table's owner. A single process uses ``LocalBus``.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

Listener: TypeAlias = Callable[[bytes], None]
Answerer: TypeAlias = Callable[[bytes], Awaitable[bytes]]


class NoOwner(Exception):
    """No process that serves the subject answered in time."""


class Bus(Protocol):
    """A bus between processes. Subjects are letters, digits, ``-`` and ``_``."""

    @property
    def connected(self) -> bool:
        """Whether other processes can be reached now."""
        ...

    async def subscribe(self, subject: str, listener: Listener) -> Callable[[], Awaitable[None]]:
        """Call ``listener`` with what others publish on the subject; the result unsubscribes."""
        ...

    async def publish(self, subject: str, message: bytes) -> None:
        """Send to every other subscriber of the subject."""
        ...

    async def serve(self, subject: str, answerer: Answerer) -> Callable[[], Awaitable[None]]:
        """Answer requests on the subject, as its only server; the result stops serving."""
        ...

    async def request(self, subject: str, message: bytes, seconds: float) -> bytes:
        """The answer of the subject's server. ``NoOwner``: none came in time."""
        ...

    async def close(self) -> None: ...


class LocalBus:
    """The bus of a single process. Tests join several, each for one process."""

    def __init__(self, joined: LocalBus | None = None) -> None:
        self._listeners: dict[str, list[tuple[LocalBus, Listener]]] = (
            defaultdict(list) if joined is None else joined._listeners
        )
        self._answerers: dict[str, tuple[LocalBus, Answerer]] = {} if joined is None else joined._answerers

    @property
    def connected(self) -> bool:
        return True

    async def subscribe(self, subject: str, listener: Listener) -> Callable[[], Awaitable[None]]:
        entry = (self, listener)
        self._listeners[subject].append(entry)

        async def end() -> None:
            self._listeners[subject].remove(entry)
            if not self._listeners[subject]:
                del self._listeners[subject]

        return end

    async def publish(self, subject: str, message: bytes) -> None:
        for bus, listener in tuple(self._listeners.get(subject, ())):
            if bus is not self:
                listener(message)

    async def serve(self, subject: str, answerer: Answerer) -> Callable[[], Awaitable[None]]:
        entry = (self, answerer)
        self._answerers[subject] = entry

        async def end() -> None:
            if self._answerers.get(subject) is entry:
                del self._answerers[subject]

        return end

    async def request(self, subject: str, message: bytes, seconds: float) -> bytes:
        answerer = self._answerers.get(subject)
        if answerer is None:
            raise NoOwner(subject)
        try:
            async with asyncio.timeout(seconds):
                return await answerer[1](message)
        except TimeoutError:
            raise NoOwner(subject) from None

    async def close(self) -> None:
        return None

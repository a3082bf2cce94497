"""A bus without a server, for tests with several processes' parts in one process."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

from dasan.server.bus import Answerer, Listener, NoOwner


class LocalBus:
    """A bus within this process. Several joined ones stand for those of several processes."""

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

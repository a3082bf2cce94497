"""The queue of passwords to hash: two at a time, round-robin over networks.

Hashing is slow and takes much memory on purpose. With a FIFO queue one address could block everybody.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dasan.reasons import reason
from dasan.server.refusals import Refused

AT_ONCE = 2
MOST, MOST_EACH = 32, 4
"""The most waiting passwords: in total, and per network."""
FIRST_GUESS = 0.1
"""The initial estimate of the seconds that hashing takes."""


class HashQueue:
    """Gives turns to networks in rotation, however many requests each has waiting."""

    def __init__(self) -> None:
        self._running = 0
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._seconds = FIRST_GUESS

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, network: str) -> AsyncIterator[None]:
        """Wait for a turn and hold it. ``Refused``, with the seconds to wait: the queue is full.

        When the queue is full, a network without waiting requests displaces the last one of the network with the most.
        """
        await self._wait(network)
        begun = time.monotonic()
        try:
            yield
        finally:
            self._seconds += (time.monotonic() - begun - self._seconds) / 8
            self._running -= 1
            self._next()

    async def _wait(self, network: str) -> None:
        if self._running < AT_ONCE and not self._waiting:
            self._running += 1
            return
        mine = self._waiting.get(network, ())
        if len(mine) >= MOST_EACH:
            raise self._refusal()
        if len(self) >= MOST:
            longest = max(self._waiting.values(), key=len)
            if len(longest) <= len(mine) + 1:
                raise self._refusal()
            longest[-1].set_exception(self._refusal())
            longest.pop()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(network, deque()).append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._running -= 1
                self._next()
            else:
                self._drop(network, future)
            raise

    def _next(self) -> None:
        """Give free turns to the networks that have waited longest, and move each to the end of the rotation."""
        while self._running < AT_ONCE and self._waiting:
            network, futures = self._waiting.popitem(last=False)
            future = futures.popleft()
            if futures:
                self._waiting[network] = futures
            if not future.done():
                self._running += 1
                future.set_result(None)

    def _drop(self, network: str, future: asyncio.Future[None]) -> None:
        """Remove a request whose client has disconnected."""
        futures = self._waiting.get(network)
        if futures is not None and future in futures:
            futures.remove(future)
            if not futures:
                del self._waiting[network]

    def _refusal(self) -> Refused:
        seconds = max(1, round(len(self) * self._seconds / AT_ONCE))
        return Refused("too-fast", reason("sign-in.queue" if seconds > 1 else "sign-in.queue.one", n=seconds))

"""Two processes of a server that change one PostgreSQL database at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from dasan.server.store import Store
from dasan.server.store.database import ENGINE, T
from dasan.server.store.server_database import ServerDatabase

Change: TypeAlias = Callable[[Store], Coroutine[Any, Any, Any]]


class Held(ServerDatabase):
    """A database whose changes are not committed before ``commit`` is set."""

    def __init__(self, url: str) -> None:
        super().__init__(create_async_engine(url, **ENGINE))
        self.changed, self.commit = asyncio.Event(), asyncio.Event()

    async def _write(self, change: Callable[[sa.Connection], T]) -> T:
        async with self._engine.begin() as connection:
            done = await connection.run_sync(change)
            self.changed.set()
            await self.commit.wait()
        return done


@dataclass
class TwoProcesses:
    url: str
    store: Store
    """The store of the process that is late."""

    async def overtake(self, first: Change, second: Change) -> tuple[Any, Any]:
        """The results of two changes, or their errors. The second begins when the first has written and not yet committed."""
        held = Held(self.url)
        elsewhere = Store(held)
        one: asyncio.Task[Any] = asyncio.create_task(first(elsewhere))
        changed = asyncio.create_task(held.changed.wait())
        await asyncio.wait([one, changed], return_when=asyncio.FIRST_COMPLETED)
        other: asyncio.Task[Any] = asyncio.create_task(second(self.store))
        await asyncio.wait([other], timeout=0.5)
        held.commit.set()
        results = await asyncio.gather(one, other, return_exceptions=True)
        changed.cancel()
        await elsewhere.close()
        return results[0], results[1]

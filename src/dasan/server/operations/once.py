"""Deduplication of concurrent requests for the same work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Running work by key.

    >>> async def main():
    ...     done = []
    ...     async def work():
    ...         await asyncio.sleep(0)
    ...         done.append("worked")
    ...         return len(done)
    ...     once = Once()
    ...     return await asyncio.gather(once.do("hand", work), once.do("hand", work))
    >>> asyncio.run(main())
    [1, 1]
    """

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[T]] = {}

    async def do(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the work running for ``key``, or else of ``work``. The work continues if the caller is
        cancelled.
        """
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(work(), name=f"once {key}")
            task.add_done_callback(lambda _: self._running.pop(key, None))
        return await asyncio.shield(task)

    def __contains__(self, key: str) -> bool:
        """Whether work runs for ``key``."""
        return key in self._running

    def close(self) -> None:
        """Cancel running work."""
        for task in self._running.values():
            task.cancel()

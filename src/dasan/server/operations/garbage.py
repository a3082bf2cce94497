"""When Python looks for cyclic garbage: a full collection stops the whole process, for 0.5 s at 1,000 tables.

Python begins one when many objects have outlived two collections of young ones. Each move replaces a table's state, and
the old state counts among those objects, though it is freed without any collection: a busy server stopped every few
seconds and found nothing. Here a full collection begins when more is in memory than after the last one. Young objects are
collected less often than Python would, and once only: the next collection of those that remain is a full one.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dasan.server.operations.background import repeat

NEVER = 1 << 30
YOUNG = 10_000
"""Objects more than at the last collection of young ones at which the next one begins."""
GROWTH = 1.5
"""A full collection begins when memory holds this many times what it held after the last one."""
LOOK_EVERY = 1.0


class Garbage:
    """Full collections of this process, by the size of its memory."""

    def __init__(self) -> None:
        self._blocks = sys.getallocatedblocks()

    async def look(self) -> bool:
        """Collect if memory has grown; whether it had."""
        if sys.getallocatedblocks() < GROWTH * self._blocks:
            return False
        gc.collect()
        self._blocks = sys.getallocatedblocks()
        return True


@asynccontextmanager
async def collected_by_size() -> AsyncIterator[None]:
    """In this context Python collects only young objects by itself; objects that exist already, such as modules, are in none."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, NEVER, NEVER)
    task = asyncio.create_task(repeat("looking for garbage", Garbage().look, LOOK_EVERY), name="garbage")
    try:
        yield
    finally:
        task.cancel()
        gc.set_threshold(*before)
        gc.unfreeze()

"""Scheduling of Python's cyclic garbage collector: a full collection stops the process, for 0.5 s at 1,000 tables.

Python begins a full collection when many objects have survived two young collections. Each move replaces a table's
state, and the old state counts among those objects although reference counting frees it: a busy server stopped every
few seconds and found nothing. Here a full collection begins when memory has grown since the last one. Young collections
are rarer than Python's default, and survivors wait for the next full collection.
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
"""New objects since the last young collection that start the next one."""
GROWTH = 1.5
"""A full collection begins when memory has grown by this factor since the last one."""
LOOK_EVERY = 1.0


class Garbage:
    """Full collections of this process, triggered by memory size."""

    def __init__(self) -> None:
        self._blocks = sys.getallocatedblocks()

    async def collect_if_grown(self) -> bool:
        """Collect if memory has grown; returns whether it did."""
        if sys.getallocatedblocks() < GROWTH * self._blocks:
            return False
        gc.collect()
        self._blocks = sys.getallocatedblocks()
        return True


@asynccontextmanager
async def collected_by_size() -> AsyncIterator[None]:
    """In this context Python runs only young collections by itself, and objects that exist already, such as modules,
    are frozen.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, NEVER, NEVER)
    task = asyncio.create_task(repeat("looking for garbage", Garbage().collect_if_grown, LOOK_EVERY), name="garbage")
    try:
        yield
    finally:
        task.cancel()
        gc.set_threshold(*before)
        gc.unfreeze()

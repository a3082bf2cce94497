"""Background tasks that survive errors: a failure is reported, and the task continues."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

from dasan.server.operations.reporting import report

AFTER_ERROR = 1.0
"""The minimum pause after an error in seconds, so that a persistent error does not flood the processor or the log."""


async def guarded(what: str, work: Awaitable[object]) -> bool:
    """Run ``work`` and return whether it succeeded. An error is reported. what: the name of the work in the log."""
    try:
        await work
    except Exception as error:
        report(f"{what} failed", error)
        return False
    return True


async def repeat(what: str, work: Callable[[], Awaitable[object]], every: float = 0.0) -> NoReturn:
    """Repeat ``work`` until cancelled, with pauses of ``every`` seconds. An error ends only one round.

    >>> done = []
    >>> async def work():
    ...     done.append(len(done))
    ...     if len(done) == 3:
    ...         raise asyncio.CancelledError
    >>> asyncio.run(repeat("count", work))
    Traceback (most recent call last):
    asyncio.exceptions.CancelledError
    >>> done
    [0, 1, 2]
    """
    while True:
        done = await guarded(what, work())
        await asyncio.sleep(every if done else max(every, AFTER_ERROR))

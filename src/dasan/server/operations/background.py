"""Background tasks that outlive their errors: one that fails is reported and goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

from dasan.server.operations.reporting import report

AFTER_ERROR = 1.0
"""The least pause after an error, in seconds, so that one that persists does not fill the processor or the log."""


async def guarded(what: str, work: Awaitable[object]) -> bool:
    """Run ``work`` and return whether it succeeded. An error is reported. what: the name of the work in the log."""
    try:
        await work
    except Exception as error:
        report(f"{what} failed", error)
        return False
    return True


async def repeat(what: str, work: Callable[[], Awaitable[object]], every: float = 0.0) -> NoReturn:
    """Do ``work`` again and again until cancelled, with pauses of ``every`` seconds. An error ends one round only.

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

"""Messages between processes that share a database.

Messages have a subject: a table's id, a process, or ``reviews`` for shared reviews. ``publish`` delivers to every
subscribed process at most once: messages may be lost, and a receiver that sees a gap reads the store. ``request`` asks
the one process that serves the subject, such as a table's owner. A single process needs no bus.
"""

from __future__ import annotations

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

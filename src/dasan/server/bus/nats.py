"""The bus over NATS, between processes on several machines.

Core NATS delivers at most once. ``publish`` may therefore lose a message, and a receiver that sees a gap reads the
store again; ``request`` without an answer raises ``NoOwner``. The client reconnects by itself, to any server of the
cluster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from dasan.server.bus import Answerer, Listener, NoOwner
from dasan.server.operations.reporting import report
from dasan.server.refusals import CannotServe

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

PATIENCE = 5.0
"""The timeout of the first connection in seconds."""
TABLE, OWNER = "dasan.table.", "dasan.owner."


class NatsBus:
    """One connection to a NATS server or cluster. Create it with ``connect`` and ``close`` it at the end."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @staticmethod
    async def connect(url: str) -> NatsBus:
        """Connect to the servers in ``url``, separated by commas. ``CannotServe``: none answers."""
        try:
            import nats
            from nats.errors import Error
        except ModuleNotFoundError:
            raise CannotServe("NATS needs the extra postgres: pip install 'dasan[postgres]'") from None
        try:
            async with asyncio.timeout(PATIENCE):
                client = await nats.connect(
                    url.split(","),
                    name="dasan",
                    no_echo=True,
                    allow_reconnect=True,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.25,
                    ping_interval=5,
                    max_outstanding_pings=2,
                    error_cb=_ignore,
                )
        except (Error, OSError, TimeoutError, ValueError) as error:
            raise CannotServe(f"no NATS server answers: {type(error).__name__}") from None
        return NatsBus(client)

    @property
    def connected(self) -> bool:
        return self._client.is_connected

    async def subscribe(self, subject: str, listener: Listener) -> Callable[[], Awaitable[None]]:
        async def heard(message: Msg) -> None:
            try:
                listener(message.data)
            except Exception as error:
                report(f"handling a message on {subject} failed", error)

        return (await self._client.subscribe(TABLE + subject, cb=heard)).unsubscribe

    async def publish(self, subject: str, message: bytes) -> None:
        from nats.errors import Error

        try:
            await self._client.publish(TABLE + subject, message)
        except Error as error:
            report("publishing a message failed", error)

    async def serve(self, subject: str, answerer: Answerer) -> Callable[[], Awaitable[None]]:
        async def asked(message: Msg) -> None:
            try:
                await message.respond(await answerer(message.data))
            except Exception as error:
                report(f"answering a request to {subject} failed", error)

        return (await self._client.subscribe(OWNER + subject, cb=asked)).unsubscribe

    async def request(self, subject: str, message: bytes, seconds: float) -> bytes:
        from nats.errors import Error

        try:
            answer = await self._client.request(OWNER + subject, message, timeout=seconds)
        except (Error, TimeoutError):
            raise NoOwner(subject) from None
        return answer.data

    async def close(self) -> None:
        from nats.errors import Error

        try:
            async with asyncio.timeout(PATIENCE):
                await self._client.close()
        except (Error, TimeoutError):
            return


async def _ignore(_: Exception) -> None:
    """Do nothing: the client reconnects by itself, and lost messages show as gaps."""

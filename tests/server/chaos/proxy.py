"""A TCP proxy whose connections can be cut, or stalled, and healed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

CHUNK = 1 << 16


class Proxy:
    """Listens at ``port`` and passes everything on to ``target``: a port of this machine, or a socket file."""

    port: int

    def __init__(self, target: int | Path | None) -> None:
        self.target = target
        self._refusing = False
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> Proxy:
        """Begin to listen, at any port that is free."""
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def cut(self) -> None:
        """Reset every connection, and refuse new ones until healed."""
        self._refusing = True
        self.drop()

    def stall(self) -> None:
        """Forward nothing until healed, without closing anything."""
        self._flowing.clear()

    def heal(self) -> None:
        """Work again, and forward what was stalled."""
        self._refusing = False
        self._flowing.set()

    def drop(self) -> None:
        """Reset every connection."""
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def close(self) -> None:
        """Stop listening, and reset every connection."""
        if self._server is not None:
            self._server.close()
        self.drop()
        self.heal()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._writers.add(writer)
        there: asyncio.StreamWriter | None = None
        try:
            await self._flowing.wait()
            if self._refusing or self.target is None:
                return
            if isinstance(self.target, Path):
                answers, there = await asyncio.open_unix_connection(str(self.target))
            else:
                answers, there = await asyncio.open_connection("127.0.0.1", self.target)
            self._writers.add(there)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(reader, there))
                group.create_task(self._pump(answers, writer))
        except* (OSError, asyncio.CancelledError):
            pass
        finally:
            for one in (writer, there):
                if one is not None:
                    self._writers.discard(one)
                    one.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            await self._flowing.wait()
            writer.write(data)
            await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.write_eof()

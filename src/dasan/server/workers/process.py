"""One worker process, and the server's end of the socket to it.

A job is a function of ``jobs`` by name. The values that it yields come back one by one; a job that exceeds its time
limit ends the process.
"""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import dasan
from dasan.server.refusals import Refused

METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
MOST_RULES = 32
"""The most rules that a cache of a process keeps. The catalogue of Big Two takes 10 MB, and house rules allow a thousand more."""
SPARE = 8
"""A process ends after a job that leaves less than 1/SPARE of its memory: what it caches for the rules of many tables must not
end the job of another.
"""
START_SECONDS = 60.0
NEEDED = ("numpy", "dasan.bots.greedy")
"""Modules that the first move of any bot needs. They are loaded before the process is ready, because on a busy machine that takes
seconds of the bot's time limit.
"""
LENGTH, LONG_LENGTH = struct.Struct("!i"), struct.Struct("!Q")
"""``multiprocessing``'s length prefixes: the second, after -1, for messages longer than 2 GiB."""


class JobError(Exception):
    """The job has no result."""


class JobFailed(JobError):
    """The job raised an error. The message is only its type, because its text could name hidden cards."""


class JobTimeout(JobError):
    """The job exceeded its time limit, and its process was killed."""


class JobCrashed(JobError):
    """The process ended before the job did."""


@dataclass(eq=False)
class Job:
    """A waiting or running job. part: called with each value that it yields. stopped: whether its reader has left."""

    name: str
    given: tuple[object, ...]
    seconds: float
    part: Callable[[object], None] | None = None
    future: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    stopped: bool = False
    worker: Worker | None = None

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for it."""
        return not (self.stopped or self.future.done())

    def stop(self) -> None:
        """End the job, or do not start it, because its reader has left."""
        self.stopped = True
        if self.worker is not None:
            self.worker.end()
        else:
            self.future.cancel()


class Worker(asyncio.Protocol):
    """A process that runs one job at a time. Messages have ``multiprocessing``'s framing, which the other end uses."""

    def __init__(self, memory_mb: int) -> None:
        self._memory_mb = memory_mb
        self._ended = False
        self._process: Any = None
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._answer: asyncio.Future[Any] | None = None
        self._answers: deque[tuple[str, Any]] = deque()
        self._sent: OrderedDict[str, None] = OrderedDict()

    async def start(self) -> None:
        """Start the process, outside the job's time limit: on a busy machine it takes seconds. ``JobCrashed``: it did
        not start.
        """
        here, there = socket.socketpair()
        try:
            await asyncio.to_thread(self._spawn, there)
            there.close()
            self._transport, _ = await asyncio.get_running_loop().create_connection(lambda: self, sock=here)
            async with asyncio.timeout(START_SECONDS):
                await self._next()
        except Exception:
            self.end()
            raise JobCrashed("a worker process did not start") from None
        except asyncio.CancelledError:
            self.end()
            raise
        finally:
            there.close()
            if self._transport is None:
                here.close()

    def _spawn(self, there: socket.socket) -> None:
        context: Any = multiprocessing.get_context(METHOD)
        if METHOD == "forkserver":
            context.set_forkserver_preload(["dasan.server.workers.jobs"])
        process = context.Process(target=work, args=(there, self._memory_mb), daemon=True, name="dasan-worker")
        process.start()
        self._process = process
        if self._ended:
            process.kill()

    @property
    def alive(self) -> bool:
        return not self._ended

    async def do(self, job: Job) -> Any:
        """Run the job and return its result; None if its reader has left."""
        job.worker = self
        try:
            async with asyncio.timeout(job.seconds):
                self._send(self._pack((job.name, job.given)))
                while True:
                    kind, value = await self._next()
                    if kind == "last":
                        self.end()
                    if kind in ("done", "last"):
                        return value
                    if kind == "refused":
                        raise value
                    if kind == "failed":
                        raise JobFailed(value)
                    if job.part is not None:
                        job.part(value)
        except TimeoutError:
            self.end()
            raise JobTimeout(f"{job.name} took more than {job.seconds:g} seconds") from None
        except (EOFError, OSError):
            self.end()
            if job.stopped:
                return None
            raise JobCrashed(f"the process of {job.name} ended") from None
        except asyncio.CancelledError:
            self.end()
            raise
        finally:
            job.worker = None

    def _send(self, message: bytes) -> None:
        if self._ended or self._transport is None:
            raise EOFError
        long = len(message) > 0x7FFFFFFF
        before = LENGTH.pack(-1) + LONG_LENGTH.pack(len(message)) if long else LENGTH.pack(len(message))
        self._transport.write(before + message)

    async def _next(self) -> tuple[str, Any]:
        """The next message from the process; EOFError if it has ended."""
        while not self._answers:
            if self._ended:
                raise EOFError
            self._answer = asyncio.get_running_loop().create_future()
            await self._answer
        return self._answers.popleft()

    def data_received(self, data: bytes) -> None:
        """Receive part of a message, or several messages."""
        received = self._received
        received += data
        while len(received) >= LENGTH.size:
            begin = LENGTH.size
            (size,) = LENGTH.unpack_from(received)
            if size < 0:
                begin += LONG_LENGTH.size
                if len(received) < begin:
                    break
                (size,) = LONG_LENGTH.unpack_from(received, LENGTH.size)
            if len(received) < begin + size:
                break
            self._answers.append(pickle.loads(received[begin : begin + size]))
            del received[: begin + size]
        self._woken()

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the end of the process."""
        self.end()

    def _woken(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None)

    def _pack(self, value: object) -> bytes:
        """Pickle a message, with known rules by reference, because rules are most of every view."""
        buffer = io.BytesIO()
        pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        pickler.dispatch_table = {dasan.Rules: self._reduce}
        pickler.dump(value)
        return buffer.getvalue()

    def _reduce(self, rules: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        name = f"{rules.name} {rules.digest} {rules.settings}"
        if name in self._sent:
            return _rules, (name, None)
        if len(self._sent) >= MOST_RULES:
            self._sent.clear()
        self._sent[name] = None
        return _rules, (name, rules.to_json())

    def end(self) -> None:
        """Kill the process."""
        if self._ended:
            return
        self._ended = True
        if self._process is not None:
            self._process.kill()
        if self._transport is not None:
            self._transport.abort()
        self._woken()


_known: OrderedDict[str, dasan.Rules] = OrderedDict()
"""In a worker process: the latest rules that it has received."""


def _rules(name: str, value: object) -> dasan.Rules:
    if value is None:
        return _known[name]
    # The sender's latest rules must be the last to go, also those that it sends again.
    _known.pop(name, None)
    while len(_known) >= MOST_RULES * 2:
        _known.popitem(last=False)
    rules = _known[name] = dasan.Rules.from_json(value)
    return rules


def work(there: socket.socket, memory_mb: int) -> None:
    """The main loop of a worker process: jobs in, answers out, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Before NumPy is imported: OpenBLAS allocates about 40 MB per processor of the machine, even if unused.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from dasan.server.workers import jobs

    for name in NEEDED:
        import_module(name)
    pipe = Connection(there.detach())
    _limit(memory_mb)
    try:
        pipe.send(("ready", None))
    except OSError:
        return
    while True:
        try:
            job, given = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            value = jobs.JOBS[job](*given)
            if hasattr(value, "__next__"):
                for part in value:
                    pipe.send(("part", part))
                value = None
            answer: tuple[str, object] = ("last" if _nearly_full() else "done", value)
        except (dasan.DasanError, Refused) as error:
            answer = ("refused", error)
        except MemoryError:
            return
        except Exception as error:
            answer = ("failed", type(error).__qualname__)
        try:
            pipe.send(answer)
        except (BrokenPipeError, OSError):
            return


def _limit(memory_mb: int) -> None:
    """Limit the memory of this process, if the system supports that."""
    if sys.platform != "win32" and memory_mb:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = memory_mb << 20
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))


def _nearly_full() -> bool:
    """Whether this process has used most of the memory that it may use, if the system tells."""
    if sys.platform != "linux":
        return False
    import resource

    try:
        data = int(Path("/proc/self/statm").read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return False
    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return 0 < most * (SPARE - 1) <= data * SPARE

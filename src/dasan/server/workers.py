"""Worker processes for what would hold up the event loop: bots, the solver, reviews, records.

The event loop itself hands each process one job at a time, over a socket. A job that takes longer than it may, or more
memory, costs its process, which is replaced; nothing else notices. A job is a function of ``jobs`` by name; what it
yields comes back part by part.
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
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import dasan
from dasan.sentences import said
from dasan.server.refusals import Refused

METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
MOST_RULES = 256
START_SECONDS = 60.0
FAILING = 3
"""Processes that crash in a row after which the pool counts as not working."""
LENGTH, LONG_LENGTH = struct.Struct("!i"), struct.Struct("!Q")
"""How ``multiprocessing`` writes the length of a message before it: -1 and the second one if it is longer than 2 GiB."""


class JobFailed(Exception):
    """The job raised; the message is the error's type alone, for its text could name hidden cards."""


class JobTimeout(Exception):
    """The job took longer than it may, and its process was ended."""


class PoolBusy(Refused):
    """Too many jobs are waiting already."""

    def __init__(self) -> None:
        super().__init__("unavailable", said("study.busy"))


class JobCrashed(Exception):
    """The process ended before the job did."""


@dataclass(frozen=True)
class Limits:
    """seconds: for a whole job. memory_mb: of a process."""

    seconds: float
    memory_mb: int


@dataclass(eq=False)
class _Job:
    """A job that waits or runs. part: gets what it yields. stopped: its reader has left."""

    name: str
    given: tuple[object, ...]
    seconds: float
    part: Callable[[object], None] | None = None
    future: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    stopped: bool = False
    worker: _Worker | None = None

    def stop(self) -> None:
        """End the job, or never begin it: its reader has left."""
        self.stopped = True
        if self.worker is not None:
            self.worker.end()


class Workers:
    """A pool of processes under the same limits, used by one event loop. ``counts`` says how jobs ended."""

    def __init__(self, processes: int, limits: Limits, name: str, most_waiting: int | None = None) -> None:
        """most_waiting: jobs that are done or wait; more are refused. None: no limit."""
        self._processes = processes
        self._limits = limits
        self._most_waiting = most_waiting
        self._waiting = 0
        self._jobs: deque[_Job] = deque()
        self._tasks: set[asyncio.Task[None] | None] = set()
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []
        self._crashes = 0
        self.name = name
        self.counts: Counter[str] = Counter()

    @property
    def working(self) -> bool:
        """Whether its processes do their jobs, as far as is known."""
        return self._crashes < FAILING

    async def run(self, job: str, *given: object, seconds: float | None = None) -> Any:
        """What the job returns. Raises ``JobFailed``, ``JobTimeout`` or ``JobCrashed``, and the engine's own errors;
        ``PoolBusy`` where too many wait.
        """
        return await self._submit(_Job(job, given, seconds or self._limits.seconds))

    def stream(self, job: str, *given: object, seconds: float | None = None) -> Parts:
        """What the job yields, as it comes. ``PoolBusy`` at once where too many wait."""
        parts: asyncio.Queue[tuple[bool, Any]] = asyncio.Queue()
        made = _Job(job, given, seconds or self._limits.seconds, lambda value: parts.put_nowait((False, value)))
        self._submit(made).add_done_callback(lambda done: parts.put_nowait((True, done)))
        return Parts(parts, made)

    def _submit(self, job: _Job) -> asyncio.Future[Any]:
        if self._most_waiting is not None and self._waiting >= self._most_waiting:
            self.counts["PoolBusy"] += 1
            raise PoolBusy
        self._waiting += 1
        job.future.add_done_callback(self._done)
        self._jobs.append(job)
        if len(self._tasks) < self._processes:
            self._tasks.add(asyncio.get_running_loop().create_task(self._work(), name=f"{self.name} worker"))
        return job.future

    def _done(self, future: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        # A reader who has left does not ask for the error, and asyncio would report it as lost.
        if not future.cancelled():
            future.exception()

    async def _work(self) -> None:
        """Do waiting jobs, one after the other, in one process."""
        worker: _Worker | None = self._idle.pop() if self._idle else None
        try:
            while self._jobs:
                job = self._jobs.popleft()
                if job.stopped or job.future.done():
                    # A job that nobody waits for any more is not begun.
                    job.future.cancel()
                    continue
                try:
                    if worker is None or not worker.alive:
                        worker = await self._start()
                    value = await worker.do(job)
                except asyncio.CancelledError:
                    job.future.cancel()
                    raise
                except Exception as error:
                    self.counts[type(error).__name__] += 1
                    self._crashes = self._crashes + 1 if isinstance(error, JobCrashed) else 0
                    if not job.future.done():
                        # The frames of the error hold this job, whose future holds the error: a cycle, with a process's pipes.
                        error.__context__ = None
                        job.future.set_exception(error.with_traceback(None))
                else:
                    self._crashes = 0
                    self.counts["done"] += 1
                    if not job.future.done():
                        job.future.set_result(value)
        finally:
            # In the same step as the last look at what waits: the next job begins another task.
            self._tasks.discard(asyncio.current_task())
            if worker is not None and worker.alive:
                self._idle.append(worker)

    async def _start(self) -> _Worker:
        self._all = [worker for worker in self._all if worker.alive]
        worker = _Worker(self._limits.memory_mb)
        self._all.append(worker)
        await worker.start()
        return worker

    def close(self) -> None:
        """End all processes, whatever they do."""
        for task in tuple(self._tasks):
            if task is not None:
                task.cancel()
        for job in self._jobs:
            job.future.cancel()
        for worker in self._all:
            worker.end()


class Parts:
    """The parts that a job yields, for one reader. The job ends when its reader leaves, or never begins to read."""

    def __init__(self, parts: asyncio.Queue[tuple[bool, Any]], job: _Job) -> None:
        self._parts = parts
        self._job = job

    def __aiter__(self) -> Parts:
        return self

    async def __anext__(self) -> Any:
        try:
            over, value = await self._parts.get()
        except asyncio.CancelledError:
            self._job.stop()
            raise
        if over:
            value.result()
            raise StopAsyncIteration
        return value

    async def aclose(self) -> None:
        """End the job."""
        self._job.stop()

    def __del__(self) -> None:
        # Memory may be collected in any thread.
        self._job.stopped = True
        with suppress(RuntimeError):
            self._job.future.get_loop().call_soon_threadsafe(self._job.stop)


class _Worker(asyncio.Protocol):
    """One process, and this side of the socket to it. Messages are framed as ``multiprocessing`` does at the other side."""

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
        """Start the process, which is not the job's time: on a busy machine it takes seconds. ``JobCrashed``: it did not."""
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
            context.set_forkserver_preload(["dasan.server.jobs"])
        process = context.Process(target=work, args=(there, self._memory_mb), daemon=True, name="dasan-worker")
        process.start()
        self._process = process
        if self._ended:
            process.kill()

    @property
    def alive(self) -> bool:
        return not self._ended

    async def do(self, job: _Job) -> Any:
        """What the job returns, or None once its reader has left."""
        job.worker = self
        try:
            async with asyncio.timeout(job.seconds):
                self._send(self._pack((job.name, job.given)))
                while True:
                    kind, value = await self._next()
                    if kind == "done":
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
        """A part of a message, or several."""
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
        """The process has ended, or was."""
        self.end()

    def _woken(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None)

    def _pack(self, value: object) -> bytes:
        """Pickled, with rules by name where the process knows them: they are most of every view."""
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
"""In a worker process: the rules it has been sent, the last ones."""


def _rules(name: str, value: object) -> dasan.Rules:
    if value is None:
        return _known[name]
    while len(_known) >= MOST_RULES * 2:
        _known.popitem(last=False)
    rules = _known[name] = dasan.Rules.from_json(value)
    return rules


def work(there: socket.socket, memory_mb: int) -> None:
    """A worker process's life: jobs in, answers out, until the other side closes."""
    # Before NumPy is loaded: OpenBLAS takes some 40 MB for each processor of the machine, whatever is done with it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from dasan.server import jobs

    pipe = Connection(there.detach())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
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
            answer: tuple[str, object] = ("done", value)
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
    """Bound what this process may allocate, where the system can."""
    if sys.platform != "win32" and memory_mb:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = memory_mb << 20
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))

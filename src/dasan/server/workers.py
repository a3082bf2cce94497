"""Worker processes for what would hold up the event loop: bots, the solver, reviews, records.

Each thread of a pool owns one process and hands it one job at a time. A job that takes longer than it may, or more
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
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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


class Workers:
    """A pool of processes under the same limits. ``counts`` says how jobs ended."""

    def __init__(self, processes: int, limits: Limits, name: str, most_waiting: int | None = None) -> None:
        """most_waiting: jobs that are done or wait; more are refused. None: no limit."""
        self._limits = limits
        self._most_waiting = most_waiting
        self._waiting = 0
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix=f"dasan-{name}")
        self._own = threading.local()
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
        return await self._submit(lambda: self._run(job, given, seconds, None))

    def _submit(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        if self._most_waiting is not None and self._waiting >= self._most_waiting:
            self.counts["PoolBusy"] += 1
            raise PoolBusy
        self._waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(self._done)
        return future

    def _done(self, future: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        # A reader who has left does not ask for the error, and asyncio would report it as lost.
        if not future.cancelled():
            future.exception()

    def stream(self, job: str, *given: object, seconds: float | None = None) -> Parts:
        """What the job yields, as it comes. ``PoolBusy`` at once where too many wait."""
        loop = asyncio.get_running_loop()
        parts: asyncio.Queue[tuple[bool, Any]] = asyncio.Queue()
        stop = threading.Event()

        def part(value: object) -> bool:
            loop.call_soon_threadsafe(parts.put_nowait, (False, value))
            return not stop.is_set()

        # A job that nobody waits for any more is not begun.
        future = self._submit(lambda: None if stop.is_set() else self._run(job, given, seconds, part))
        future.add_done_callback(lambda done: parts.put_nowait((True, done)))
        return Parts(parts, stop)

    def _run(
        self, job: str, given: tuple[object, ...], seconds: float | None, part: Callable[[object], bool] | None
    ) -> Any:
        try:
            worker = getattr(self._own, "worker", None)
            if worker is None or not worker.alive:
                worker = self._own.worker = _Worker(self._limits.memory_mb)
                self._all = [w for w in self._all if w.alive] + [worker]
            value = worker.do(job, given, seconds or self._limits.seconds, part)
        except Exception as error:
            self.counts[type(error).__name__] += 1
            self._crashes = self._crashes + 1 if isinstance(error, JobCrashed) else 0
            raise
        self._crashes = 0
        self.counts["done"] += 1
        return value

    def close(self) -> None:
        """End all processes, whatever they do."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.end()


class Parts:
    """The parts that a job yields, for one reader. The job ends when its reader leaves, or never begins to read."""

    def __init__(self, parts: asyncio.Queue[tuple[bool, Any]], stop: threading.Event) -> None:
        self._parts = parts
        self._stop = stop

    def __aiter__(self) -> Parts:
        return self

    async def __anext__(self) -> Any:
        try:
            over, value = await self._parts.get()
        except asyncio.CancelledError:
            self._stop.set()
            raise
        if over:
            value.result()
            raise StopAsyncIteration
        return value

    async def aclose(self) -> None:
        """End the job."""
        self._stop.set()

    def __del__(self) -> None:
        self._stop.set()


class _Worker:
    """One process, from the thread that owns it."""

    def __init__(self, memory_mb: int) -> None:
        context: Any = multiprocessing.get_context(METHOD)
        if METHOD == "forkserver":
            context.set_forkserver_preload(["dasan.server.jobs"])
        self._here, there = context.Pipe()
        self._ended = False
        self._process = context.Process(target=work, args=(there, memory_mb), daemon=True, name="dasan-worker")
        # Starting a process is not the job's time: on a busy machine it takes seconds.
        try:
            self._process.start()
            there.close()
            started = self._here.poll(START_SECONDS) and self._here.recv()
        except (EOFError, OSError):
            started = False
        if not started:
            self.end()
            raise JobCrashed("a worker process did not start")
        self._sent: OrderedDict[str, None] = OrderedDict()

    @property
    def alive(self) -> bool:
        running: bool = not self._ended and self._process.is_alive()
        return running

    def do(self, job: str, given: tuple[object, ...], seconds: float, part: Callable[[object], bool] | None) -> Any:
        deadline = time.monotonic() + seconds
        try:
            self._here.send_bytes(self._pack((job, given)))
            while True:
                if not self._here.poll(max(0.0, min(0.5, deadline - time.monotonic()))):
                    if time.monotonic() >= deadline:
                        self.end()
                        raise JobTimeout(f"{job} took more than {seconds:g} seconds")
                    continue
                kind, value = self._here.recv()
                if kind == "done":
                    return value
                if kind == "refused":
                    raise value
                if kind == "failed":
                    raise JobFailed(value)
                if part is not None and not part(value):
                    self.end()
                    return None
        except (EOFError, OSError):
            self.end()
            raise JobCrashed(f"the process of {job} ended") from None

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
        self._ended = True  # a process that has been killed counts as alive until it is waited for
        if self._process.pid is not None:
            self._process.kill()
        self._here.close()


_known: OrderedDict[str, dasan.Rules] = OrderedDict()
"""In a worker process: the rules it has been sent, the last ones."""


def _rules(name: str, value: object) -> dasan.Rules:
    if value is None:
        return _known[name]
    while len(_known) >= MOST_RULES * 2:
        _known.popitem(last=False)
    rules = _known[name] = dasan.Rules.from_json(value)
    return rules


def work(pipe: Connection, memory_mb: int) -> None:
    """A worker process's life: jobs in, answers out, until the pipe closes."""
    # Before NumPy is loaded: OpenBLAS takes some 40 MB for each processor of the machine, whatever is done with it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from dasan.server import jobs

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

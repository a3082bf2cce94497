"""Pools of worker processes for work that would block the event loop: bots, the solver, reviews, records.

The event loop gives each process one job at a time. A job that exceeds its time or memory limit loses its process,
which is replaced without affecting others.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.workers.process import Job, JobCrashed, JobError, Worker

FAILING = 3
"""Consecutive crashes after which the pool counts as broken."""
BROKEN_FOR = 60.0
"""Seconds after its last crash until a broken pool counts as working: it gets no jobs that could show that it works again."""


class PoolBusy(Refused):
    """Too many jobs are waiting."""


@dataclass(frozen=True)
class Limits:
    """seconds: for a whole job. memory_mb: of a process."""

    seconds: float
    memory_mb: int


class Workers:
    """A pool of processes with the same limits, used by one event loop. ``counts`` has the outcomes of jobs."""

    def __init__(
        self,
        processes: int,
        limits: Limits,
        name: str,
        most_waiting: int | None = None,
        busy: str = "study.busy",
        reserved: int = 0,
    ) -> None:
        """most_waiting: the most jobs running or waiting, urgent and quick ones aside; more are refused. None: no limit.
        busy: the id of the sentence that refuses them. reserved: the number of processes that run only
        quick jobs, if there are several.
        """
        self._processes = processes
        self._most_slow = max(1, processes - reserved)
        """The most jobs that run at once, quick ones aside. `_slow` counts them."""
        self._slow = 0
        self._limits = limits
        self._most_waiting = most_waiting
        self._busy = busy
        self._waiting = 0
        self._quick: deque[Job] = deque()
        self._urgent: deque[Job] = deque()
        self._jobs: deque[Job] = deque()
        self._tasks: set[asyncio.Task[None] | None] = set()
        self._idle: list[Worker] = []
        self._all: list[Worker] = []
        self._crashes = 0
        self._crashed_at = 0.0
        self.name = name
        self.counts: Counter[str] = Counter()

    @property
    def working(self) -> bool:
        """Whether its processes work, as far as is known."""
        return self._crashes < FAILING or time.monotonic() - self._crashed_at > BROKEN_FOR

    async def run(
        self, job: str, *given: object, seconds: float | None = None, urgent: bool = False, quick: bool = False
    ) -> Any:
        """Run a job and return its result. Raises ``JobError`` or the engine's errors. ``PoolBusy``: too many jobs wait.

        urgent: whether it begins before jobs that are not. quick: whether it begins before all others, also in a reserved
        process. Neither kind is refused.
        """
        made = Job(job, given, seconds or self._limits.seconds)
        if quick or urgent:
            return await self._enqueue(self._quick if quick else self._urgent, made)
        return await self._submit(made)

    async def ask(self, otherwise: str, job: str, *given: object) -> Any:
        """Run a job for a player. ``Refused``, with the sentence ``otherwise``, if the job has no result."""
        try:
            return await self.run(job, *given)
        except JobError:
            raise Refused("unavailable", reason(otherwise)) from None

    def stream(self, job: str, *given: object, seconds: float | None = None) -> JobParts:
        """Stream the parts that the job yields. ``PoolBusy``, raised immediately: too many jobs wait."""
        parts: asyncio.Queue[tuple[bool, Any]] = asyncio.Queue()
        made = Job(job, given, seconds or self._limits.seconds, lambda value: parts.put_nowait((False, value)))
        self._submit(made).add_done_callback(lambda done: parts.put_nowait((True, done)))
        return JobParts(parts, made)

    def _submit(self, job: Job) -> asyncio.Future[Any]:
        if self._most_waiting is not None and self._waiting >= self._most_waiting:
            self.counts["PoolBusy"] += 1
            raise PoolBusy("unavailable", reason(self._busy))
        self._waiting += 1
        job.future.add_done_callback(self._no_longer_waiting)
        return self._enqueue(self._jobs, job)

    def _no_longer_waiting(self, _: asyncio.Future[Any]) -> None:
        self._waiting -= 1

    def _enqueue(self, jobs: deque[Job], job: Job) -> asyncio.Future[Any]:
        job.future.add_done_callback(_retrieve)
        jobs.append(job)
        if len(self._tasks) < self._processes:
            self._tasks.add(asyncio.get_running_loop().create_task(self._work(), name=f"{self.name} worker"))
        return job.future

    async def _work(self) -> None:
        """Run waiting jobs one after another in one process."""
        worker: Worker | None = self._idle.pop() if self._idle else None
        try:
            while jobs := self._next():
                job, quick = jobs.popleft(), jobs is self._quick
                self._slow += not quick
                try:
                    if job.wanted and (worker is None or not worker.alive):
                        worker = await self._start()
                    if worker is None or not job.wanted:  # its reader may have left while the process started
                        job.future.cancel()
                        continue
                    value = await worker.do(job)
                except asyncio.CancelledError:
                    job.future.cancel()
                    raise
                except Exception as error:
                    self._fail(job, error)
                else:
                    self._crashes = 0
                    self.counts["done"] += 1
                    if not job.future.done():
                        job.future.set_result(value)
                finally:
                    self._slow -= not quick
        finally:
            # In the same event-loop step as the last check of the queue: the next job starts a new task.
            self._tasks.discard(asyncio.current_task())
            if worker is not None and worker.alive:
                self._idle.append(worker)

    def _next(self) -> deque[Job]:
        """The queue whose first job a free process runs next; an empty one if there is no such job."""
        if self._quick or self._slow >= self._most_slow:
            return self._quick
        return self._urgent or self._jobs

    def _fail(self, job: Job, error: Exception) -> None:
        """Count an error, and give it to the job's reader."""
        self.counts[type(error).__name__] += 1
        if isinstance(error, JobCrashed):
            self._crashes += 1
            self._crashed_at = time.monotonic()
        else:
            self._crashes = 0
        if not job.future.done():
            # Break a reference cycle: the error's frames hold this job, whose future holds the error, and a process's pipes.
            error.__context__ = None
            job.future.set_exception(error.with_traceback(None))

    async def _start(self) -> Worker:
        self._all = [worker for worker in self._all if worker.alive]
        worker = Worker(self._limits.memory_mb)
        self._all.append(worker)
        await worker.start()
        return worker

    def close(self) -> None:
        """Kill all processes."""
        for task in tuple(self._tasks):
            if task is not None:
                task.cancel()
        for job in (*self._quick, *self._urgent, *self._jobs):
            job.future.cancel()
        for worker in self._all:
            worker.end()


def _retrieve(future: asyncio.Future[Any]) -> None:
    """Retrieve a job's error: asyncio would report one that a reader who has left does not retrieve."""
    if not future.cancelled():
        future.exception()


class JobParts:
    """A job's stream of parts, for one reader. The job ends if its reader leaves or never starts to read."""

    def __init__(self, parts: asyncio.Queue[tuple[bool, Any]], job: Job) -> None:
        self._parts = parts
        self._job = job

    def __aiter__(self) -> JobParts:
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
        # Finalizers may run in any thread.
        self._job.stopped = True
        with suppress(RuntimeError):
            self._job.future.get_loop().call_soon_threadsafe(self._job.stop)

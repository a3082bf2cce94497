"""Worker processes: a job that fails, stalls or crashes costs its process and nothing else."""

from __future__ import annotations

import asyncio
import gc
import pickle
import socket
import sys
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
import pytest_asyncio
from tests.server.harness import fast

import dasan
from dasan.ruleset import catalogue
from dasan.server.app import create_app
from dasan.server.settings import LEAST_MEMORY_MB
from dasan.server.workers import process
from dasan.server.workers.jobs import choose
from dasan.server.workers.pools import Limits, PoolBusy, Workers
from dasan.server.workers.process import LENGTH, LONG_LENGTH, Job, JobCrashed, JobFailed, JobTimeout, Worker
from dasan.server.workers.warming import PARTS, Part, Warming, warm_solver

pytestmark = pytest.mark.full


@pytest_asyncio.fixture
async def workers() -> AsyncIterator[Workers]:
    pool = Workers(1, Limits(60.0, 0), "test")
    yield pool
    pool.close()


def hand() -> dasan.State:
    state = dasan.deal(dasan.rules("big-three"), seed=3)
    while state.to_act is not None:
        state = state.play(state.legal_moves()[0])
    return state


async def test_a_job_is_done_and_rules_are_sent_once(workers: Workers) -> None:
    for preset in ("big-three", "big-three", "winner"):
        view = dasan.deal(dasan.rules(preset), seed=1)
        seen = view.view(view.to_act)
        move, _ = await workers.run("choose", "greedy", seen)
        assert move == str(dasan.bot("greedy").choose(seen))
    assert workers.counts == {"done": 3}


def test_compiling_rules_does_not_count_as_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables with many different house rules would make a quick bot count as slow."""
    compiled, clock = catalogue.compile, [0.0]

    def compile(rules: dasan.Rules) -> catalogue.Catalogue:
        clock[0] += 1.0
        return compiled(rules)

    state = dasan.deal(dasan.rules("big-two"), seed=1)
    view = state.view(state.to_act)
    choose("greedy", view)
    monkeypatch.setattr(catalogue, "compile", compile)
    monkeypatch.setattr("dasan.server.workers.jobs.time.perf_counter", lambda: clock[0])
    _, seconds = choose("greedy", replace(view, rules=dasan.Rules.from_json(view.rules.to_json())))
    assert (seconds, clock) == (0.0, [1.0])


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_rules_that_are_sent_by_reference_are_known(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Those of the game in most use are sent in full again and again, while the rules of many others pass."""
    monkeypatch.setattr(process, "MOST_RULES", most)
    monkeypatch.setattr(process, "_known", OrderedDict())
    worker = Worker(0)
    usual, *others = (dasan.rules("big-three", stake_chips=n) for n in range(20))
    for other in others:
        for rules in (usual, other, usual):
            assert pickle.loads(worker._pack(rules)) == rules
        assert len(process._known) <= 2 * most


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_process_that_is_ready_has_loaded_what_bots_need() -> None:
    worker = Worker(0)
    await worker.start()
    try:
        assert "_multiarray_umath" in await asyncio.to_thread(Path(f"/proc/{worker._process.pid}/maps").read_text)
    finally:
        worker.end()


@pytest.mark.parametrize("preset", ["big-three-4p", "big-two", "winner"])
def test_a_view_arrives_as_it_was_sent(preset: str) -> None:
    state = dasan.deal(dasan.rules(preset), seed=2)
    for _ in range(12):
        state = state.play(state.legal_moves()[-1])
        seen = state.view(state.to_act)
        arrived = pickle.loads(pickle.dumps(seen))
        assert arrived == seen
        assert arrived.legal_moves() == seen.legal_moves()
        # Equality of moves ignores their combinations.
        assert [move.combination for move in arrived.legal_moves()] == [m.combination for m in seen.legal_moves()]


async def test_errors_come_back_without_their_texts(workers: Workers) -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=1)
    with pytest.raises(JobFailed, match=r"^ValueError$"):
        await workers.run("choose", "nobody", state.view(state.to_act))
    with pytest.raises(dasan.Malformed, match="no move of this hand"):
        await workers.run("solve", hand().record(), 10**6, [], 1.0, 16.0)


async def test_a_stalled_job_is_ended_and_the_next_one_done(workers: Workers) -> None:
    with pytest.raises(JobTimeout):
        await workers.run("review", hand().record(), 60.0, 60.0, 16.0, seconds=0.01)
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    assert await workers.run("choose", "random", state.view(state.to_act))


def threads_of(process: int | None) -> int | None:
    """The number of threads of a process, if the system reports it."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    return int(status.read_text().partition("\nThreads:")[2].split()[0])


async def test_the_least_memory_that_can_be_set_is_enough() -> None:
    pool = Workers(1, Limits(120.0, LEAST_MEMORY_MB), "test")
    state = dasan.deal(dasan.rules("big-three"), seed=1)
    try:
        assert await pool.run("choose", "strong", state.view(state.to_act))
        moves = [move async for move in pool.stream("known", hand().record(), 2.0)]
        assert moves[-1]["type"] == "known"
        # One thread per processor would exceed this on a machine with many of them.
        assert threads_of(pool._all[0]._process.pid) in (1, None)
    finally:
        pool.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell how much memory a process has used")
async def test_a_process_that_is_nearly_full_ends_after_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """It caches what it computes for the rules of each table; a job that needs more memory than is left would fail."""
    for most, full in ((1 << 20, True), (1 << 50, False), (-1, False)):
        monkeypatch.setattr("resource.getrlimit", lambda _, most=most: (most, -1))
        assert process._nearly_full() == full
    with monkeypatch.context() as patch:
        patch.setattr("resource.getrlimit", lambda _: (1 << 20, -1))
        patch.setattr(Path, "read_text", lambda _: "0 0")
        assert not process._nearly_full(), "nor does a job fail where the system does not tell"
    worker = Worker(0)
    here, there = socket.socketpair()
    worker._transport, _ = await asyncio.get_running_loop().create_connection(lambda: worker, sock=here)
    for kind, alive in (("done", True), ("last", False)):
        worker._answers.append((kind, 5))
        assert await worker.do(Job("choose", (), 60.0)) == 5
        assert worker.alive == alive
    there.close()


async def test_a_process_that_dies_is_replaced(workers: Workers) -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    view = state.view(state.to_act)
    await workers.run("choose", "random", view)
    for worker in workers._all:
        worker._process.kill()
        worker._process.join()
    with suppress(JobCrashed):
        await workers.run("choose", "random", view)
    assert await workers.run("choose", "random", view)


async def test_a_listener_who_leaves_ends_the_job(workers: Workers) -> None:
    await workers.run("warm", seconds=600.0)
    parts = workers.stream("review", hand().record(), 5.0, 60.0, 16.0)
    first = await anext(parts)
    assert first["type"] == "move"
    await parts.aclose()
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    assert await workers.run("choose", "random", state.view(state.to_act))


async def test_an_error_that_no_reader_asks_for_is_not_reported_as_lost(workers: Workers) -> None:
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    parts = workers.stream("review", "no record", 5.0, 60.0, 16.0)
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    await workers.run("choose", "random", state.view(state.to_act))
    await asyncio.sleep(0)
    assert sum(workers.counts.values()) == 2
    await parts.aclose()
    del parts
    gc.collect()
    assert not reported


class Held:
    """Stands for every process of a pool: jobs begin, and end when `release` is set; quick ones at once."""

    alive = True

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.first, self.release = asyncio.Event(), asyncio.Event()
        monkeypatch.setattr("dasan.server.workers.pools.Worker", lambda memory_mb: self)

    async def start(self) -> None: ...

    async def do(self, job: Job) -> None:
        self.begun.append(job.name)
        self.first.set()
        if job.name != "quick":
            await self.release.wait()

    def end(self) -> None: ...


@pytest.mark.parametrize("urgent", [False, True])
async def test_quick_moves_wait_for_nothing_slow(monkeypatch: pytest.MonkeyPatch, urgent: bool) -> None:
    """Those take seconds: however many are asked for, a process stays free for quick moves."""
    held = Held(monkeypatch)
    pool = Workers(2, Limits(60.0, 0), "test", reserved=1)
    slow = [asyncio.create_task(pool.run("slow", urgent=urgent)) for _ in range(3)]
    await held.first.wait()
    for _ in range(5):
        await asyncio.wait_for(pool.run("quick", urgent=True, quick=True), 10)
    assert held.begun == ["slow", *["quick"] * 5]
    held.release.set()
    await asyncio.gather(*slow)
    assert held.begun.count("slow") == 3
    pool.close()


async def test_jobs_that_would_wait_too_long_are_refused_and_those_nobody_waits_for_are_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Held(monkeypatch)
    pool = Workers(1, Limits(60.0, 0), "test", most_waiting=2)
    stalled = asyncio.create_task(pool.run("stalled"))
    await held.first.wait()

    async def read() -> None:
        async for _ in pool.stream("left"):
            pass

    reading = asyncio.create_task(read())
    await asyncio.sleep(0)
    with pytest.raises(PoolBusy):
        await pool.run("one too many")
    with pytest.raises(PoolBusy):
        pool.stream("one too many, before anything is read")
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await asyncio.sleep(0)
    await pool.stream("in the place of the one that left").aclose()
    held.release.set()
    await stalled
    pool.stream("never read")
    await pool.run("next")
    assert held.begun == ["stalled", "next"]
    pool.close()


@pytest.mark.parametrize("leaves", ["stream", "run"])
async def test_a_job_that_is_stopped_while_its_process_starts_is_not_begun(
    monkeypatch: pytest.MonkeyPatch, leaves: str
) -> None:
    begun: list[str] = []
    starting, started = asyncio.Event(), asyncio.Event()

    class Slow:
        alive = True

        def __init__(self, memory_mb: int) -> None: ...

        async def start(self) -> None:
            starting.set()
            await started.wait()

        async def do(self, job: Job) -> None:
            begun.append(job.name)

        def end(self) -> None: ...

    monkeypatch.setattr("dasan.server.workers.pools.Worker", Slow)
    pool = Workers(1, Limits(60.0, 0), "test")
    if leaves == "stream":
        parts = pool.stream("left")
        await starting.wait()
        await parts.aclose()
    else:
        reader = asyncio.create_task(pool.run("left"))
        await starting.wait()
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
    started.set()
    await pool.run("next")
    assert begun == ["next"]
    pool.close()


async def test_a_job_that_comes_as_the_last_one_ends_is_begun(workers: Workers) -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    view = state.view(state.to_act)
    for _ in range(20):
        assert all(await asyncio.gather(*(workers.run("choose", "random", view) for _ in range(3))))
    assert len([worker for worker in workers._all if worker.alive]) == 1


async def test_a_reader_who_leaves_in_the_middle_of_a_part_does_not_hold_its_process(workers: Workers) -> None:
    await workers.run("warm", seconds=600.0)
    parts = workers.stream("review", hand().record(), 600.0, 600.0, 16.0)
    await anext(parts)
    (worker,) = workers._all
    await parts.aclose()
    assert not worker.alive or workers.counts["done"] == 2  # unless the review was over first
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    assert await workers.run("choose", "random", state.view(state.to_act))
    assert workers.counts["JobCrashed"] == 0


async def test_messages_of_any_length_come_whole(workers: Workers) -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=1)
    view = state.view(state.to_act)
    with pytest.raises(dasan.Malformed):
        await workers.run("solve", hand().record(), 10**6, ["x" * 100] * 100_000, 1.0, 16.0)
    assert await workers.run("choose", "random", view)
    worker = Worker(0)
    sent = [b"", b"a" * 70_000, b"b"]
    stream = b"".join(LENGTH.pack(len(text)) + text for text in (pickle.dumps(("done", text)) for text in sent))
    stream += LENGTH.pack(-1) + LONG_LENGTH.pack(4) + pickle.dumps(1, protocol=0)[:4]
    for begin in range(0, len(stream), 997):
        worker.data_received(stream[begin : begin + 997])
    received: list[object] = list(worker._answers)
    assert received == [*(("done", text) for text in sent), 1]


@pytest.mark.parametrize("compiled", [False, True])
async def test_a_server_loads_what_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    """Also the solvers of games without sides, and the compiled parts for hints: the first request for a review or a
    hint does not wait.
    """
    loaded: asyncio.Queue[object] = asyncio.Queue()

    async def run(self: Workers, job: str, *given: object, seconds: float, urgent: bool = False) -> None:
        loaded.put_nowait((self.name, seconds, job, *given))

    def start(self: Warming, parts: object = PARTS, done: Callable[[Part], object] | None = None) -> None:
        assert done is not None
        self._ready.update(PARTS if compiled else ())
        Thread(target=lambda: [done(part) for part in PARTS]).start()

    monkeypatch.setattr(Workers, "run", run)
    monkeypatch.setattr(Warming, "start", start)
    app = create_app(fast(tmp_path, warm=1))
    async with app.router.lifespan_context(app):
        each = [("study", 300, "warm", part) for part in PARTS for _ in range(app.state.tables.settings.study_processes)]
        each += [("bot", 300, "warm_hints", part) for part in PARTS if compiled and part != "solve"]
        assert Counter([await loaded.get() for _ in each]) == Counter(each)
        assert loaded.empty()


def test_every_game_without_sides_has_a_position_to_load_its_solver_with(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[str] = []
    monkeypatch.setattr(dasan, "solve", lambda state, **budget: solved.append(state.rules.name))
    for part in PARTS:
        warm_solver(part)
    assert solved == ["big-three", "big-two", "winner", "dou-dizhu"]

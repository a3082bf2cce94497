"""Every background task continues after an error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import dasan.server.operations.background as background
import dasan.server.operations.chores as chores_module
import dasan.server.tables.directory as tables_module
import dasan.server.tables.relays as relays_module
from dasan.server.app import create_app
from dasan.server.connections.send_queues import Connection
from dasan.server.operations.background import guarded, repeat
from dasan.server.store import Store
from dasan.server.store.log import Unwritten
from dasan.server.tables.open_table import RESTART
from dasan.server.tables.relays import Relays, _Here, _Relayed

from .harness import SECONDS, fast
from .local_bus import LocalBus
from .rooms import moved, open_table
from .test_owners import _Table

pytestmark = pytest.mark.full


class Flaky:
    """Fails on its first call, and counts the later ones."""

    def __init__(self, work: Callable[..., Awaitable[Any]]) -> None:
        self._work = work
        self.failed = False
        self.calls = asyncio.Semaphore(0)

    async def __call__(self, *given: Any, **named: Any) -> Any:
        if not self.failed:
            self.failed = True
            raise RuntimeError("broken on purpose")
        self.calls.release()
        return await self._work(*given, **named)

    async def called_again(self, times: int = 1) -> None:
        async with asyncio.timeout(SECONDS):
            for _ in range(times):
                await self.calls.acquire()


async def until(true: Callable[[], bool]) -> None:
    for _ in range(int(SECONDS * 100)):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it does not come true")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "AFTER_ERROR", 0.01)
    monkeypatch.setattr(relays_module, "KEEP_EVERY", 0.01)
    monkeypatch.setattr(tables_module, "SWEEP", 0.01)
    monkeypatch.setattr(tables_module, "LEASE", 0.03)
    for name in ("BEAT_EVERY", "READ_EVERY", "PRUNE_EVERY"):
        monkeypatch.setattr(chores_module, name, 0.01)


@pytest_asyncio.fixture
async def running() -> AsyncIterator[Callable[[Awaitable[Any]], None]]:
    """Runs something until the test ends."""
    tasks: list[asyncio.Task[Any]] = []
    yield lambda work: tasks.append(asyncio.ensure_future(work))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_an_error_ends_one_round_and_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    assert not await guarded("sweeping", Flaky(asyncio.sleep)())
    assert [record.getMessage() for record in caplog.records] == ["sweeping failed: RuntimeError"]
    work = Flaky(asyncio.sleep)
    task = asyncio.create_task(repeat("sweeping", lambda: work(0)))
    await work.called_again(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_owner_that_cannot_forget_a_connection_keeps_the_others_alive(
    running: Callable[[Awaitable[Any]], None],
) -> None:
    bus = LocalBus()
    owner, here = Relays(bus, "owner"), Relays(LocalBus(bus), "here")
    broken, table = _Table(), _Table()
    broken.id = "broken"
    broken.ask = Flaky(broken.ask)  # type: ignore[method-assign]
    for one in (broken, table):
        await owner.opened(one)  # type: ignore[arg-type]
    silent, other = _Relayed(owner, "gone", 0, "p0"), _Relayed(owner, "here", 1, "p1")
    silent.kept_until = 0
    for one, relayed in ((broken, silent), (table, other)):
        owner._there[one.id][relayed.address] = relayed
        one.hub.join(relayed)
    here._here[1] = _Here("t", Connection(8, "p1"))
    running(owner.run())
    running(here.run())
    first = other.kept_until
    await until(lambda: other.kept_until > first and silent not in broken.hub)
    another = _Relayed(owner, "gone", 2, "p2")
    another.kept_until = 0
    owner._there["broken"][another.address] = another
    await until(lambda: not owner._there["broken"])


@pytest.mark.parametrize("answer", [b"{", b"{}", b'{"done": null}'])
async def test_an_answer_that_nobody_can_read_ends_the_connections_it_is_about(
    running: Callable[[Awaitable[Any]], None], answer: bytes
) -> None:
    bus = LocalBus()
    here = Relays(LocalBus(bus), "here")

    async def nonsense(_: bytes) -> bytes:
        return answer

    await bus.serve("t", nonsense)
    connection = Connection(8, "p0")
    here._here[1] = _Here("t", connection)
    running(here.run())
    async with asyncio.timeout(SECONDS):
        assert await connection.next() == RESTART
    assert here._keeping == set()


async def test_a_text_that_cannot_be_published_does_not_hold_up_those_after_it(
    running: Callable[[Awaitable[Any]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = LocalBus()
    owner, heard = Relays(bus, "owner"), asyncio.Queue[bytes]()
    await LocalBus(bus).subscribe("process-here", heard.put_nowait)
    publish = Flaky(bus.publish)
    monkeypatch.setattr(bus, "publish", publish)
    running(owner.run())
    owner.send("here", {"text": "lost"})
    await until(lambda: publish.failed)
    owner.send("here", {"text": "sent"})
    async with asyncio.timeout(SECONDS):
        assert b"sent" in await heard.get()


async def test_the_event_log_answers_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    monkeypatch.setattr(store.log, "_write", Flaky(store.log._write))
    async with asyncio.timeout(SECONDS):
        with pytest.raises(Unwritten):
            await store.log.append(moved(room, fence, "a"))
        await store.log.append(moved(room, fence, "a"))
    await store.close()


@pytest.mark.parametrize("broken", ["due.tables", "processes.beat", "processes.notices", "metrics.measure_delay"])
async def test_what_a_server_does_by_itself_goes_on(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(fast(tmp_path))
    holder, _, name = broken.partition(".")
    flaky: list[Flaky] = []

    def breaks(owner: object) -> None:
        flaky.append(Flaky(getattr(owner, name)))
        monkeypatch.setattr(owner, name, flaky[0])

    if holder == "metrics":
        breaks(app.state.metrics)
    async with app.router.lifespan_context(app):
        if holder != "metrics":
            breaks(getattr(app.state.store, holder))
        await flaky[0].called_again(2)

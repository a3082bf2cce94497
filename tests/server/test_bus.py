"""One suite for the bus within a process and the bus over NATS."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from dasan.server.bus import Bus, NoOwner
from dasan.server.bus.nats import NatsBus
from dasan.server.refusals import CannotServe

from .harness import SECONDS
from .local_bus import LocalBus
from .services import free_port, nats_cluster

pytestmark = pytest.mark.full

Pair = Callable[[], AbstractAsyncContextManager[tuple[Bus, Bus]]]


@pytest.fixture(scope="module", params=["local", "nats"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Two buses of one kind that reach each other."""
    if request.param == "local":

        @asynccontextmanager
        async def local() -> AsyncIterator[tuple[Bus, Bus]]:
            one = LocalBus()
            yield one, LocalBus(one)

        yield local
        return
    pytest.importorskip("nats", reason="no NATS client: `make test-all` installs it")
    with nats_cluster() as cluster:

        @asynccontextmanager
        async def over_nats() -> AsyncIterator[tuple[Bus, Bus]]:
            one, other = await NatsBus.connect(cluster.url), await NatsBus.connect(cluster.url)
            try:
                yield one, other
            finally:
                await one.close()
                await other.close()

        yield over_nats


async def heard(queue: asyncio.Queue[bytes]) -> bytes:
    async with asyncio.timeout(SECONDS):
        return await queue.get()


async def test_what_is_published_reaches_the_others_in_order(pair: Pair) -> None:
    async with pair() as (one, other):
        mine: asyncio.Queue[bytes] = asyncio.Queue()
        theirs: asyncio.Queue[bytes] = asyncio.Queue()
        await one.subscribe("a", mine.put_nowait)
        end = await other.subscribe("a", theirs.put_nowait)
        await other.subscribe("b", mine.put_nowait)
        await asyncio.sleep(0.1)  # subscriptions of NATS travel, too
        for number in range(50):
            await one.publish("a", b"%d" % number)
        assert [await heard(theirs) for _ in range(50)] == [b"%d" % number for number in range(50)]
        assert mine.empty()
        await end()
        await one.publish("a", b"late")
        await one.publish("b", b"last")
        assert await heard(mine) == b"last"
        assert theirs.empty()


async def test_a_request_is_answered_by_the_owner_alone(pair: Pair) -> None:
    async with pair() as (one, other):

        async def answer(message: bytes) -> bytes:
            return b"yes " + message

        with pytest.raises(NoOwner):
            await other.request("a", b"?", 1)
        end = await one.serve("a", answer)
        await asyncio.sleep(0.1)
        assert await other.request("a", b"now", SECONDS) == b"yes now"
        await end()
        await asyncio.sleep(0.1)
        with pytest.raises(NoOwner):
            await other.request("a", b"?", 1)


async def test_an_owner_that_fails_counts_as_none(pair: Pair) -> None:
    async with pair() as (one, other):

        async def answer(message: bytes) -> bytes:
            await asyncio.sleep(30)
            return message

        await one.serve("a", answer)
        await asyncio.sleep(0.1)
        with pytest.raises(NoOwner):
            await other.request("a", b"?", 0.3)


async def test_no_nats_server_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nats", reason="no NATS client: `make test-all` installs it")
    monkeypatch.setattr("dasan.server.bus.nats.PATIENCE", 0.5)
    with pytest.raises(CannotServe, match="no NATS server answers"):
        await NatsBus.connect(f"nats://127.0.0.1:{free_port()}")

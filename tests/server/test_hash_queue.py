"""Passwords are hashed two at a time, round-robin over networks, and nobody waits forever."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from dasan.server.people import hash_queue
from dasan.server.people.hash_queue import AT_ONCE, MOST, MOST_EACH, HashQueue
from dasan.server.refusals import Refused

from .harness import SECONDS

pytestmark = pytest.mark.full


class Work:
    """Requests that take turns, in the order of their turns."""

    def __init__(self) -> None:
        self.queue = HashQueue()
        self.order: list[str] = []
        self.running = 0
        self.go_on = asyncio.Event()

    async def one(self, network: str) -> None:
        async with self.queue.turn(network):
            self.running += 1
            assert self.running <= AT_ONCE
            try:
                await self.go_on.wait()
                await asyncio.sleep(0)
                self.order.append(network)
            finally:
                self.running -= 1


async def test_a_network_with_many_requests_holds_up_no_other() -> None:
    work = Work()
    tasks = [asyncio.create_task(work.one("flood")) for _ in range(AT_ONCE + MOST_EACH)]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(work.one(name)) for name in ("ann", "bo")]
    await asyncio.sleep(0)
    work.go_on.set()
    await asyncio.gather(*tasks)
    assert max(map(work.order.index, ("ann", "bo"))) <= AT_ONCE + 2
    assert work.running == len(work.queue) == 0


async def test_the_queue_is_bounded_and_says_how_long_to_wait() -> None:
    """Sixty logins from sixty addresses: those that would wait long are refused at once."""
    work = Work()
    tasks = [asyncio.create_task(work.one(f"network {n}")) for n in range(60)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    refused = [task for task in tasks if task.done()]
    assert len(refused) == 60 - AT_ONCE - MOST
    for task in refused:
        error = task.exception()
        assert isinstance(error, Refused)
        assert (error.code, "try again in" in error.message) == ("too-fast", True)
    work.go_on.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(work.order) == AT_ONCE + MOST
    assert len(work.queue) == 0


async def test_one_network_waits_with_few_and_gives_way_when_the_queue_is_full() -> None:
    work = Work()
    flood = [asyncio.create_task(work.one(f"flood {n % 8}")) for n in range(AT_ONCE + MOST + 8)]
    await asyncio.sleep(0)
    ann = asyncio.create_task(work.one("ann"))
    await asyncio.sleep(0)
    work.go_on.set()
    await asyncio.gather(*flood, ann, return_exceptions=True)
    assert "ann" in work.order
    done = Counter(work.order)
    assert max(done[f"flood {n}"] for n in range(8)) <= MOST_EACH + AT_ONCE
    assert sum(done.values()) == AT_ONCE + MOST


async def test_a_client_that_goes_away_frees_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_queue, "MOST_EACH", 100)
    work = Work()
    tasks = [asyncio.create_task(work.one("ann")) for _ in range(8)]
    await asyncio.sleep(0)
    for task in tasks[1:5]:
        task.cancel()
    work.go_on.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(work.order) == 4
    async with asyncio.timeout(SECONDS):
        await work.one("bo")
    assert work.queue._running == 0


async def test_a_client_that_goes_away_while_it_is_refused_frees_no_turn() -> None:
    work = Work()
    flood = [asyncio.create_task(work.one(f"flood {n % 8}")) for n in range(AT_ONCE + MOST)]
    await asyncio.sleep(0)
    ann = asyncio.create_task(work.one("ann"))
    await asyncio.sleep(0)
    for task in flood[AT_ONCE:]:
        task.cancel()
    await asyncio.sleep(0)
    assert work.queue._running == AT_ONCE
    work.go_on.set()
    await asyncio.gather(*flood, ann, return_exceptions=True)
    assert work.order[-1] == "ann"
    assert work.queue._running == 0

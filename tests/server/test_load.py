"""The simulated people of `dasan bench server` play on a real server."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.server.harness import SECONDS, fast, served

from dasan.bench import players
from dasan.bench.players import Crowd
from dasan.bench.server import measure_server

pytestmark = pytest.mark.full


async def test_people_play_and_see_each_other_move(tmp_path: Path) -> None:
    with served(fast(tmp_path)) as server:
        crowd = Crowd([server.address], preset="big-three", bots=["random"], think=0.01, watched=1, seed=1, people=2)
        try:
            await crowd.open(2)
            assert crowd.connected == 6
            noted = crowd.noted
            end = asyncio.get_running_loop().time() + SECONDS
            while noted.own < 20 or noted.moves < 40 or len(noted.seen) < 20:
                assert asyncio.get_running_loop().time() < end
                await asyncio.sleep(0.05)
            assert len(noted.acknowledged) == noted.own
            assert noted.failed == 0
        finally:
            await crowd.leave()
        assert (crowd.connected, noted.failed) == (0, 0), "who leaves has not failed"


async def test_connections_that_the_server_ends_have_failed(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(served(fast(tmp_path)))
        crowd = Crowd([server.address], preset="big-three", bots=["random"] * 2, think=60, watched=1, seed=1)
        await crowd.open(2)
        assert (crowd.connected, crowd.noted.failed) == (4, 0)
        await asyncio.to_thread(stack.close)
        end = asyncio.get_running_loop().time() + SECONDS
        while crowd.connected:
            assert asyncio.get_running_loop().time() < end
            await asyncio.sleep(0.05)
        assert crowd.noted.failed == 4
        await crowd.leave()


async def test_connections_that_never_opened_have_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted before the measurement begins."""

    async def connect(*_: object, **__: object) -> None:
        raise OSError("refused")

    monkeypatch.setattr(players, "connect", connect)
    monkeypatch.setattr(players, "_create", lambda *_: players._WatchedTable("t", ["cookie"]))
    measured = measure_server([1, 2], seconds=0.01, think=0.01, watched=1, urls=["http://nowhere.invalid"])
    assert [(row.connected, row.failed, row.good) async for row in measured] == [(0, 2, False), (0, 4, False)]

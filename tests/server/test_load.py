"""The people of `dasan bench server`: they play at a real server, and read frames however these arrive."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest
from tests.server.harness import SECONDS, fast, served

from dasan.bench.players import Crowd
from dasan.bench.sockets import ClientSocket


class Line(asyncio.Transport):
    """The transport of a socket that is connected to nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.ended = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)

    def close(self) -> None:
        self.ended = True

    def abort(self) -> None:
        self.ended = True


FRAMES = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
    b"\x81\x05short"
    b"\x81\x7e\x00\xc8"
    + b"m" * 200
    + b"\x81\x7f\x00\x00\x00\x00\x00\x01\x11\x70"
    + b"l" * 70_000
    + b"\x89\x02hi\x88\x00"
)


@pytest.mark.parametrize("piece", [1, 7, 1_000, 100_000])
async def test_frames_are_read_in_whatever_pieces_they_come(piece: int) -> None:
    heard: list[bytes] = []
    socket, line = ClientSocket(b"", heard.append, lambda: None), Line()
    socket.connection_made(cast("asyncio.BaseTransport", line))
    for at in range(0, len(FRAMES), piece):
        socket.data_received(FRAMES[at : at + piece])
    assert await socket.opened
    assert heard == [b"short", b"m" * 200, b"l" * 70_000]
    assert line.written == b"\x8a\x82\0\0\0\0hi", "the answer to the ping"
    assert line.ended


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

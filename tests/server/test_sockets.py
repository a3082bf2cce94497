"""Texts to a client: written at once where possible, and always once and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from dasan.server.connections.send_queues import MOST_BYTES, TOO_SLOW, Connection

pytestmark = pytest.mark.full


class Line:
    """A client's side: it accepts texts while it is open."""

    def __init__(self) -> None:
        self.open = True
        self.pieces: list[tuple[str, ...]] = []

    def write(self, texts: Sequence[str]) -> bool:
        if self.open:
            self.pieces.append(tuple(texts))
        return self.open


async def settle() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_texts_of_one_moment_are_written_in_one_piece() -> None:
    line = Line()
    connection = Connection(8, write=line.write)
    connection.offer("a")
    connection.offer("b")
    await settle()
    connection.offer("c")
    await settle()
    assert line.pieces == [("a", "b"), ("c",)]


async def test_no_text_overtakes_another_that_is_still_being_sent() -> None:
    line = Line()
    connection = Connection(8, write=line.write)
    line.open = False
    connection.offer("a")
    connection.offer("b")
    await settle()
    assert await connection.next() == "a"
    line.open = True
    connection.offer("c")
    await settle()
    assert line.pieces == [], "the first is still being sent"
    assert await connection.next() == "b"
    assert await connection.next() == "c"
    waiting = asyncio.ensure_future(connection.next())
    await settle()
    connection.offer("d")
    await settle()
    assert line.pieces == [("d",)]
    connection.close(1000)
    assert await waiting == 1000


async def test_what_was_offered_before_the_end_is_sent_before_it() -> None:
    line = Line()
    connection = Connection(8, write=line.write)
    connection.offer("a")
    connection.close(1000)
    connection.offer("b")
    await settle()
    assert line.pieces == []
    assert [await connection.next(), await connection.next()] == ["a", 1000]


async def test_a_client_that_takes_nothing_is_dropped() -> None:
    line = Line()
    line.open = False
    connection = Connection(8, write=line.write)
    for _ in range(9):
        connection.offer("a")
        await settle()
    assert await connection.next() == 4408
    assert line.pieces == []


async def test_queued_texts_take_bounded_memory_however_few_they_are() -> None:
    line = Line()
    line.open = False
    connection = Connection(256, write=line.write)
    text = "x" * (MOST_BYTES // 8)
    for _ in range(7):
        connection.offer(text)
    await settle()
    for _ in range(3):  # what has been sent makes room
        assert await connection.next() == text
        connection.offer(text)
    connection.offer(text)
    assert await connection.next() == TOO_SLOW


async def test_a_text_longer_than_the_queue_is_sent_alone() -> None:
    connection = Connection(256)
    connection.offer("x" * 2 * MOST_BYTES)
    assert len(str(await connection.next())) == 2 * MOST_BYTES
    connection.offer("y")
    assert await connection.next() == "y"


async def test_texts_that_cannot_be_written_at_once_are_sent_one_by_one() -> None:
    def fail(texts: Sequence[str]) -> bool:
        raise AttributeError("the server has changed")

    connection = Connection(8, write=fail)
    loop, written = asyncio.get_running_loop(), list[str]()
    loop.set_exception_handler(lambda _, about: written.append(str(about["exception"])))
    connection.offer("a")
    await settle()
    assert await connection.next() == "a"
    connection.offer("b")
    assert await connection.next() == "b"
    assert written == ["the server has changed"]

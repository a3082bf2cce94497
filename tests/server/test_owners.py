"""A table's owner while relays connect, leave and fall silent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import dasan.server.tables.relays as relays_module
from dasan.server.compact import compact
from dasan.server.connections.send_queues import Connection, Hub
from dasan.server.refusals import OwnedElsewhere, Refused
from dasan.server.tables.open_table import RESTART
from dasan.server.tables.relays import MOST_TOGETHER, Relays, _Here, _Relayed
from dasan.server.times import now

from .harness import SECONDS
from .local_bus import LocalBus

pytestmark = pytest.mark.full


class _Table:
    """The part of a table that relays use; `attended` yields to other tasks."""

    id = "t"

    def __init__(self, *, timed: bool = True) -> None:
        self.hub = Hub()
        self.timed = timed
        self.meanwhile: Callable[[], None] = lambda: None

    async def ask(self, action: Callable[[Any], Awaitable[Any]]) -> Any:
        return await action(self)

    async def show(self, player: str | None, connection: Connection, seen: int | None) -> None:
        connection.timed = self.timed

    async def attended(self) -> None:
        await asyncio.sleep(0)
        self.meanwhile()


async def joined(*players: str, timed: bool = True) -> tuple[Relays, Relays, list[Connection]]:
    """A table's owner, another process, and its connections of these players at the table, numbered from 1."""
    bus = LocalBus()
    owner, socket = Relays(bus, "owner"), Relays(LocalBus(bus), "socket")
    await owner.opened(_Table(timed=timed))  # type: ignore[arg-type]
    connections = [Connection(8, player) for player in players]
    for connection in connections:
        await socket.join("t", connection.player, connection, None)
    return owner, socket, connections


async def test_a_relayed_connection_that_leaves_while_silent_ones_are_dropped_harms_nobody() -> None:
    relays, table = Relays(LocalBus(), "me"), _Table()
    silent = [_Relayed(relays, "other", number, f"p{number}") for number in range(3)]
    for relayed in silent:
        relayed.kept_until = 0
        relays._there["t"][relayed.address] = relayed
        table.hub.join(relayed)

    def leave_and_renew() -> None:
        relays._there["t"].pop(("other", 1), None)
        silent[2].kept_until = 1 << 60

    table.meanwhile = leave_and_renew
    await relays._drop_silent(table)  # type: ignore[arg-type]
    assert list(relays._there["t"]) == [("other", 2)]


async def test_a_request_to_a_table_that_has_just_closed_is_not_refused_but_asked_again() -> None:
    bus = LocalBus()
    owner, asker = Relays(bus, "owner"), Relays(LocalBus(bus), "asker")
    table = _Table()

    async def ask(action: object) -> None:
        raise OwnedElsewhere

    table.ask = ask  # type: ignore[method-assign]
    await owner.opened(table)  # type: ignore[arg-type]
    with pytest.raises(OwnedElsewhere):
        await asker.detail("t", "p0")


async def test_an_owner_that_is_silent_costs_no_other_owner_its_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays_module, "KEEP_EVERY", 0.02)

    class Silent(LocalBus):
        async def request(self, subject: str, message: bytes, seconds: float) -> bytes:
            if subject == "silent":
                await asyncio.sleep(10 * SECONDS)
            asked.release()
            return await super().request(subject, message, seconds)

    asked = asyncio.Semaphore(0)
    bus = LocalBus()
    owner, here = Relays(bus, "owner"), Relays(Silent(bus), "here")
    table = _Table()
    await owner.opened(table)  # type: ignore[arg-type]
    for number, table_id in enumerate(["silent", "t"]):
        here._here[number] = _Here(table_id, Connection(8, "p0"))
    relayed = _Relayed(owner, "here", 1, "p0")
    owner._there["t"][relayed.address] = relayed
    running = asyncio.create_task(here.run())
    async with asyncio.timeout(SECONDS):
        for _ in range(3):
            await asked.acquire()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_texts_of_a_relayed_connection_are_numbered_and_a_gap_ends_it() -> None:
    bus = LocalBus()
    owner, socket = Relays(bus, "owner"), Relays(LocalBus(bus), "socket")
    here = Connection(8, "p0")
    socket._here[1] = _Here("t", here)
    there = _Relayed(owner, "socket", 1, "p0")
    there.offer("first")
    there.offer("lost")
    there.offer("third")
    first, _, third = owner._out["socket"]
    socket._heard(b"[%b]" % first)
    socket._heard(b"[%b]" % third)
    assert [await here.next(), await here.next()] == ["first", RESTART]
    assert socket._here == {}


@pytest.mark.parametrize("character", ["a", "好", "\N{GRINNING FACE}", '"'])
async def test_texts_for_another_process_fit_into_messages_of_nats(character: str) -> None:
    received: list[bytes] = []
    bus = LocalBus()
    await LocalBus(bus).subscribe("process-socket", received.append)
    owner = Relays(bus, "owner")
    chat = [{"seq": n, "at": now(), "seat": 0, "name": character * 32, "text": character * 280} for n in range(100)]
    snapshot = compact({"type": "snapshot", "chat": chat})
    for number in range(8):
        _Relayed(owner, "socket", number, None).offer(snapshot)
    await owner._pump()
    assert [what["to"] for message in received for what in json.loads(message)] == list(range(8))
    assert all(json.loads(message)[0]["text"] == snapshot for message in received)
    assert max(map(len, received)) <= MOST_TOGETHER + 100 < 1_000_000


async def test_an_owner_does_not_keep_a_connection_that_it_has_closed() -> None:
    owner, socket, connections = await joined("p0", "p1")
    owner._there["t"]["socket", 1].close(RESTART)
    owner._out.clear()  # the message with the close is lost
    await socket._keep_at("t", list(socket._here))
    assert await connections[0].next() == RESTART
    assert list(socket._here) == [2]


async def test_a_lost_text_ends_its_connection_even_if_no_other_text_follows() -> None:
    owner, socket, connections = await joined("p0", "p1")
    owner._there["t"]["socket", 1].offer("your turn")
    owner._out.clear()
    slow = owner._there["t"]["socket", 2]
    slow.offer("also sent")
    for _ in range(2):
        await socket._keep_at("t", list(socket._here))
        assert list(socket._here) == [1, 2], "a text may still be on its way"
    socket._heard(b"[%b]" % b",".join(owner._out.pop("socket")))
    slow.offer("sent since")
    await socket._keep_at("t", list(socket._here))
    assert list(socket._here) == [2]
    assert await connections[0].next() == RESTART


async def test_keeping_alive_looks_at_each_connection_once() -> None:
    """However many tables there are: thousands of connections are looked at every two seconds."""
    looks = 0

    class Counted(dict[int, _Here]):
        def items(self) -> Any:
            nonlocal looks
            for pair in super().items():
                looks += 1
                yield pair

        values = items

    relays = Relays(LocalBus(), "here")
    relays._here = Counted({number: _Here(f"t{number}", Connection(8, "p0")) for number in range(50)})
    async with asyncio.TaskGroup() as group:
        await relays._keep(group)
    assert looks == 50
    assert relays._here == {}, "nobody owns these tables"


async def test_a_process_that_reports_no_received_texts_is_kept() -> None:
    bus = LocalBus()
    owner, table = Relays(bus, "owner"), _Table()
    await owner.opened(table)  # type: ignore[arg-type]
    relayed = _Relayed(owner, "older", 1, "p0")
    owner._there["t"][relayed.address] = relayed
    relayed.offer("text")
    asked = {"do": "keep", "process": "older", "numbers": [1], "until": 1 << 60}
    for _ in range(3):
        relayed.kept_until = 0
        assert json.loads(await bus.request("t", json.dumps(asked).encode(), 5.0)) == {"done": [1]}
        assert not relayed.silent


@pytest.mark.parametrize("timed", [True, False])
async def test_a_socket_at_another_process_is_asked_for_its_delay_where_clocks_count_it(timed: bool) -> None:
    _, _, (connection,) = await joined("p0", timed=timed)
    assert connection.timed is timed


async def test_what_waits_for_another_process_takes_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A take-back sends every spectator the whole table with its chat."""
    monkeypatch.setattr(relays_module, "MOST_WAITING_BYTES", 100_000)
    bus = LocalBus()
    owner, heard = Relays(bus, "owner"), list[bytes]()
    await LocalBus(bus).subscribe("process-here", heard.append)
    for times in 1, 2:  # what has been sent makes room
        for number in range(500):
            owner.send("here", {"to": number, "n": 0, "text": "x" * 1000})
        assert 90_000 < sum(map(len, owner._out["here"])) <= 100_000
        await owner._pump()
        assert 90_000 * times < sum(map(len, heard)) < 110_000 * times


async def test_whoever_closes_a_socket_leaves_the_others_where_they_are() -> None:
    owner, socket, (_, second) = await joined("p0", "p1")
    assert await socket.leave(second)
    assert (list(socket._here), list(owner._there["t"])) == ([1], [("socket", 1)])
    assert not await socket.leave(Connection(8, "p1")), "its table is open here"


async def test_a_connection_that_fell_silent_before_its_table_answered_does_not_join_it() -> None:
    """Nothing would ever remove it: its player would stay present, and the table open."""
    bus, table, asked, answers = LocalBus(), _Table(), asyncio.Event(), asyncio.Event()
    owner, socket = Relays(bus, "owner"), Relays(LocalBus(bus), "socket")

    async def ask(action: Callable[[Any], Awaitable[Any]]) -> Any:
        asked.set()
        await answers.wait()
        return await action(table)

    async def show(player: str | None, connection: Connection, seen: int | None) -> None:
        table.hub.join(connection)

    table.ask, table.show = ask, show  # type: ignore[method-assign]
    await owner.opened(table)  # type: ignore[arg-type]
    joining = asyncio.create_task(socket.join("t", "p0", Connection(8, "p0"), None))
    await asked.wait()
    owner._there["t"]["socket", 1].kept_until = 0
    await owner._drop_silent(table)  # type: ignore[arg-type]
    answers.set()
    with pytest.raises(Refused, match="timed out"):
        await joining
    assert list(table.hub) == []

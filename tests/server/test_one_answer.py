"""A command has one answer: it is in the log and acknowledged, or refused and not in the log, whoever owns the table.

``too-fast`` and ``unavailable`` are not answers: the sender asks again with the same id.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

import dasan
import dasan.server.tables.answers as answers_module
import dasan.server.tables.directory as tables_module
from dasan.server.connections.send_queues import Connection
from dasan.server.operations.background import repeat
from dasan.server.protocol.commands import ChatCommand, LeaveCommand, MoveCommand, ReturnCommand, SitCommand
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.database import Unreachable
from dasan.server.tables.directory import Tables
from dasan.server.tables.open_table import RESTART

from .conftest import new_database
from .harness import RATED, SECONDS, chores_of, fast
from .local_bus import LocalBus

pytestmark = pytest.mark.full

PEOPLE = ("ann", "bo", "cy")


@asynccontextmanager
async def process(
    folder: Path, url: str, bus: LocalBus, *, renews: bool = True, bot_delay: float = 0
) -> AsyncIterator[Tables]:
    """One of the processes that share the database. renews: whether it extends its leases by itself."""
    settings = fast(folder, database=url, bot_delay=bot_delay)
    store = await Store.open(folder, url)
    tables = Tables(store, settings, bus)
    if not renews:
        tables._renew = _nothing  # type: ignore[method-assign]
    try:
        async with tables:
            yield tables
    finally:
        await store.close()


async def _nothing() -> None:
    return None


@pytest_asyncio.fixture
async def two(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Tables, Tables]]:
    """Two processes; the first extends no lease by itself, like one that is paused or cut off from its database."""
    monkeypatch.setattr(tables_module, "LEASE", 0.5)
    url, bus = await new_database(postgres_url), LocalBus()
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(process(tmp_path, url, bus, renews=False))
        second = await stack.enter_async_context(process(tmp_path, url, LocalBus(bus)))
        yield first, second


async def three(tables: Tables) -> str:
    """A table of three people, its first hand dealt."""
    table_id, _ = await tables.create("ann", "big-three", {}, ["me", "open", "open"])
    for player in PEOPLE[1:]:
        await tables.command(table_id, player, SitCommand(type="sit", id="sit"))
    return table_id


async def left_behind(first: Tables, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table of three people, its first hand dealt. The first process has it open, and its lease is over."""
    table_id = await three(first)
    for _ in range(int(SECONDS * 20)):
        if await first.store.leases.owner_of(table_id, 500) is None:
            break
        await asyncio.sleep(0.05)
    monkeypatch.setattr(tables_module, "LEASE", 30.0)
    return table_id


async def next_move(tables: Tables, table_id: str, name: str) -> tuple[str, MoveCommand]:
    """A legal move, and whose it is."""
    room = await tables.look(table_id)
    assert room.state is not None
    assert room.to_act is not None
    return PEOPLE[room.to_act], MoveCommand(type="move", id=name, move=str(room.state.legal_moves()[0]))


@pytest.mark.timeout(120)
async def test_an_owner_whose_lease_is_over_refuses_nothing_by_what_it_remembers(
    two: tuple[Tables, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two
    table_id = await left_behind(first, monkeypatch)
    for name in ("a", "b"):
        player, command = await next_move(second, table_id, name)
        done = await second.command(table_id, player, command)
    assert await first.command(table_id, player, command) == done, "it is in the log: the sender did not hear the answer"


@pytest.mark.timeout(120)
async def test_an_owner_whose_lease_is_over_has_others_judge_what_comes(
    two: tuple[Tables, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two
    table_id = await left_behind(first, monkeypatch)
    player, command = await next_move(second, table_id, "a")
    done = await second.command(table_id, player, command)
    player, command = await next_move(second, table_id, "b")
    assert (await first.detail(table_id, player))["seq"] == done
    assert await first.command(table_id, player, command) == done + 1, "it is this player's turn by now"


@pytest.mark.timeout(120)
async def test_a_process_cut_off_from_the_database_past_its_lease_leaves_nobody_at_an_old_table(
    two: tuple[Tables, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(change: object) -> None:
        raise Unreachable

    first, _ = two
    table_id = await left_behind(first, monkeypatch)
    connection = Connection(64, "ann")
    await first.join(table_id, "ann", connection, None)
    monkeypatch.setattr(first.store.database, "write", unreachable)
    with pytest.raises(Unreachable):
        await Tables._renew(first)
    assert not first._open[table_id]._stopping, "its lease goes on"
    first._open[table_id].trusted = 0.0
    with pytest.raises(Unreachable):
        await Tables._renew(first)
    async with asyncio.timeout(SECONDS):
        while isinstance(text := await connection.next(), str):
            pass
    assert text == RESTART


@pytest.mark.timeout(120)
async def test_nobody_is_left_at_an_old_table_while_the_database_is_silent(
    two: tuple[Tables, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = asyncio.Event()

    async def silent(change: object) -> None:
        await asyncio.wait([asyncio.ensure_future(heard.wait())], timeout=SECONDS)
        raise Unreachable

    first, _ = two
    table_id = await left_behind(first, monkeypatch)
    connection = Connection(64, "ann")
    await first.join(table_id, "ann", connection, None)
    table = first._open[table_id]
    monkeypatch.setattr(first.store.database, "write", silent)
    monkeypatch.setattr(tables_module, "LEASE", 0.5)
    with pytest.raises(TimeoutError):
        await Tables._renew(first)
    assert not table._stopping, "its lease goes on"
    table.trusted = 0.0
    waiting = asyncio.create_task(first.detail(table_id, "ann"))
    await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        await Tables._renew(first)
    async with asyncio.timeout(SECONDS):
        while isinstance(text := await connection.next(), str):
            pass
    assert text == RESTART
    assert not waiting.done(), "the table still waits for the database"
    heard.set()
    with pytest.raises(Unreachable):
        await waiting


async def test_a_copy_of_a_refused_command_is_refused_also_when_it_has_become_legal(tables: Tables) -> None:
    table_id = await three(tables)
    player, command = await next_move(tables, table_id, "held-up")
    await tables.command(table_id, player, LeaveCommand(type="leave", id="leave"))
    with pytest.raises(Refused) as first:
        await tables.command(table_id, player, command)
    await tables.command(table_id, player, ReturnCommand(type="return", id="return"))
    before = (await tables.look(table_id)).seq
    with pytest.raises(Refused) as copy:
        await tables.command(table_id, player, command)
    assert (copy.value.code, copy.value.message) == (first.value.code, first.value.message)
    assert (await tables.look(table_id)).seq == before


async def test_who_has_no_seat_makes_nobody_be_told_otherwise_and_costs_no_look_up(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked(*given: object) -> None:
        raise AssertionError(given)

    monkeypatch.setattr(answers_module, "REMEMBERED", 4)
    table_id = await three(tables)
    player, command = await next_move(tables, table_id, "held-up")
    for n in range(4):
        await tables.command(table_id, player, ChatCommand(type="chat", id=f"c{n}", text=f"line {n}"))
    await tables.command(table_id, player, LeaveCommand(type="leave", id="leave"))
    with pytest.raises(Refused):
        await tables.command(table_id, player, command)
    await tables.command(table_id, player, ReturnCommand(type="return", id="return"))
    with monkeypatch.context() as during:
        during.setattr(tables.store.log, "done", asked)
        for n in range(6):
            for stranger in (ChatCommand(type="chat", id=f"c{n}", text="hello"), SitCommand(type="sit", id=f"s{n}")):
                with pytest.raises(Refused):
                    await tables.command(table_id, "dee", stranger)
    with pytest.raises(Refused):
        await tables.command(table_id, player, command)


async def test_a_command_that_is_older_than_memory_is_acknowledged_again(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_module, "REMEMBERED", 4)
    table_id = await three(tables)
    player, command = await next_move(tables, table_id, "old")
    done = await tables.command(table_id, player, command)
    for n in range(6):
        await tables.command(table_id, "ann", ChatCommand(type="chat", id=f"c{n}", text=f"line {n}"))
    assert await tables.command(table_id, player, command) == done
    with pytest.raises(dasan.IllegalPlay):
        await tables.command(table_id, player, command.model_copy(update={"id": "new"}))


@pytest.mark.timeout(120)
async def test_a_table_whose_owner_the_bus_does_not_reach_goes_on_elsewhere(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both processes reach the database, but not each other."""
    monkeypatch.setattr(tables_module, "LEASE", 3.0)
    url = await new_database(postgres_url)
    async with process(tmp_path, url, LocalBus()) as first, process(tmp_path, url, LocalBus()) as second:
        table_id = await three(first)
        socket = Connection(8, "ann")
        await first.join(table_id, "ann", socket, None)
        chores = [chores_of(one) for one in (first, second)]
        reading = asyncio.create_task(repeat("reading notices", chores[0]._notices, 0.05))
        said = await second.command(table_id, "bo", ChatCommand(type="chat", id="hello", text="hello"))
        async with asyncio.timeout(SECONDS):
            while isinstance(item := await socket.next(), str):
                pass
        assert item == RESTART
        await chores[1]._notices()
        assert await second.command(table_id, "bo", ChatCommand(type="chat", id="hello", text="hello")) == said
        assert await second.store.leases.owner_of(table_id, 3000) == second.process, "it keeps what it asked for"
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


@pytest.mark.timeout(120)
async def test_a_rated_hand_of_bots_whose_owner_is_gone_goes_on_elsewhere(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its player has left, and nobody is connected."""
    monkeypatch.setattr(tables_module, "LEASE", 1.0)
    monkeypatch.setattr("dasan.server.tables.room.STALLED", 0)
    url, rated = await new_database(postgres_url), TableSettings.model_validate(RATED)
    async with (
        process(tmp_path, url, LocalBus(), renews=False, bot_delay=60) as gone,
        process(tmp_path, url, LocalBus()) as other,
    ):
        table_id, _ = await gone.create("ann", "big-three", {}, ["me", "random", "random"], settings=rated)
        await gone.command(table_id, "ann", LeaveCommand(type="leave", id="leave"))
        async with asyncio.timeout(SECONDS):
            while (room := (await other.store.log.load(table_id)).room).status != "ended":
                await other._due.sweep()
                await asyncio.sleep(0.05)
        assert (len(room.results), room.number) == (1, 1)

"""A table that a process has open: when it wakes, and when it is read again."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa

import dasan.server.operations.chores as chores_module
from dasan.ruleset import catalogue
from dasan.ruleset.fields import RulesFields
from dasan.server.compact import compact
from dasan.server.connections.send_queues import Connection
from dasan.server.protocol.commands import ChatCommand, LeaveCommand, MoveCommand, NextCommand, ReturnCommand, SitCommand
from dasan.server.protocol.moderation import BanNetwork
from dasan.server.protocol.table import Correspondence, PerMove, Speed, TableSettings
from dasan.server.refusals import Refused
from dasan.server.store import Store, log
from dasan.server.store.moderation import HOST
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import events
from dasan.server.store.schema import tables as rows
from dasan.server.tables import directory, shared_rules
from dasan.server.tables.chairs import Chair
from dasan.server.tables.decisions import MOST_HANDS, substitute
from dasan.server.tables.directory import Tables, check_bot, check_seats
from dasan.server.tables.facts import facts
from dasan.server.tables.open_table import Table
from dasan.server.tables.presence import Attendance
from dasan.server.times import DAY, HOUR, now
from dasan.server.workers.process import MOST_RULES

from .conftest import only_process
from .harness import chores_of

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("substitute", "number", "due"), [(None, 1, True), (("greedy", "left"), 1, False), (None, MOST_HANDS, False)]
)
def test_a_table_does_not_wake_for_a_hand_that_nobody_will_get(
    substitute: tuple[str, Any] | None, number: int, due: bool
) -> None:
    """It would have nothing to do, and wake again at once."""
    table = Table(SimpleNamespace(choices=None), "t")
    chair = Chair("human", "Ann", player="ann", substitute=substitute)
    table.room = SimpleNamespace(  # type: ignore[assignment]
        chairs=(chair,), humans=(0,), deadline=None, next_at=123, number=number, status="playing", over=True
    )
    table._attendance = Attendance(0)
    table._attendance.update({"ann"}, 0)
    assert (123 in table._times()) is due


async def test_a_command_to_a_table_that_is_read_again_is_carried_out(tables: Tables) -> None:
    table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"])

    async def say(text: str) -> int:
        return await tables.command(table_id, "ann", ChatCommand(type="chat", id=text, text=text))

    await say("first")
    tables.reopen(table_id)
    await asyncio.gather(say("second"), say("third"))
    await prune(tables.store.database, tables.store.people, Keep(chat=1), now() + 3 * DAY)
    assert await say("fourth") == await say("fourth")
    assert [line.text for line in (await tables.look(table_id)).chat] == ["…", "…", "…", "fourth"]
    assert ("reopen", table_id) in {
        (notice.kind, notice.subject) for notice in await tables.store.processes.notices(now())
    }


async def test_a_table_is_read_again_once_after_a_change_to_its_log(tables: Tables) -> None:
    chores = chores_of(tables)
    table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"], name="Ann")
    await tables.command(table_id, "bo", SitCommand(type="sit", id="sit", name="Bo"))

    async def names() -> list[str]:
        return [chair.name for chair in (await tables.look(table_id)).chairs[:2]]

    for changed in await tables.store.people.delete("ann", now()):
        tables.reopen(changed)
    assert await names() == ["Former player", "Bo"]
    open_here = tables._open[table_id]
    await chores._notices()
    assert await names() == ["Former player", "Bo"]
    assert tables._open[table_id] is open_here, "this process has read it since"
    await tables.store.people.delete("bo", now())
    assert await names() == ["Former player", "Bo"], "another process, or an administrator, has deleted them"
    await chores._notices()
    assert await names() == ["Former player", "Former player"]


SIX_HUNDRED = TableSettings(speed=PerMove(kind="move", seconds=600))


async def timed_table(tables: Tables, settings: TableSettings = SIX_HUNDRED) -> str:
    """A table at which Ann, Bo and Cy play Big Three, with ten minutes for every move."""
    table_id, _ = await tables.create("ann", "big-three", {}, ["me", "open", "open"], settings=settings)
    for player in ("bo", "cy"):
        await tables.command(table_id, player, SitCommand(type="sit", id="sit"))
    return table_id


async def move_once(tables: Tables, table_id: str) -> None:
    room = await tables.look(table_id)
    assert room.state is not None
    assert room.to_act is not None
    player = room.chairs[room.to_act].player
    assert player is not None
    move = MoveCommand(type="move", id=f"{room.seq}", move=str(room.state.legal_moves()[0]))
    await tables.command(table_id, player, move)


async def test_who_is_here_again_may_move_at_once(tmp_path: Path) -> None:
    """Their return is written before anything else that waits."""
    async with only_process(tmp_path, bot_delay=10) as tables:
        table_id = await timed_table(tables)
        room = await tables.look(table_id)
        seat = room.to_act
        assert seat is not None
        player = room.chairs[seat].player or ""
        absent = substitute(room, seat, "absent")
        assert room.state is not None
        move = MoveCommand(type="move", id="m", move=str(room.state.legal_moves()[0]))
        await asyncio.gather(
            tables._open[table_id].ask(lambda table: table.write([absent])),
            tables.join(table_id, player, Connection(9, player), None),
            tables.command(table_id, player, move),
        )
        assert (await tables.look(table_id)).moves


async def seconds_left(tables: Tables, table_id: str) -> float:
    """The time of the player to act."""
    clocks = (await tables.detail(table_id, "ann"))["clocks"]
    return float(clocks["left"][clocks["to_act"]]) / 1000


@pytest.mark.parametrize("step", [HOUR, -HOUR])
async def test_turns_last_as_long_as_they_should_when_the_clock_is_set(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    table_id = await timed_table(tables)
    await move_once(tables, table_id)
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + step * 1_000_000)
    for reopened in (False, True):
        if reopened:
            tables.reopen(table_id)
        for _ in range(2):
            room = await tables.look(table_id)
            assert [chair.substitute for chair in room.chairs] == [None] * 3
            left = await seconds_left(tables, table_id)
            await asyncio.sleep(0.02)
            assert 590 < await seconds_left(tables, table_id) < left <= 600, "it stands still"
            await move_once(tables, table_id)


async def test_spectators_wait_no_longer_than_the_delay_after_the_clock_was_set_back(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a table that is read again: its hand was dealt twenty seconds ago, and a move of it was made just now."""
    settings = SIX_HUNDRED.model_copy(update={"spectators": True, "delay": 10})
    table_id = await timed_table(tables, settings)
    dealt = (await tables.look(table_id)).seq
    passed, real = time.monotonic_ns, time.time_ns
    monkeypatch.setattr(time, "monotonic_ns", lambda: passed() + 20_000_000_000)
    await move_once(tables, table_id)
    monkeypatch.setattr(time, "time_ns", lambda: real() - HOUR * 1_000_000)
    tables.reopen(table_id)
    assert (await tables.look(table_id)).seq > dealt
    assert (await tables.detail(table_id, None))["seq"] == dealt
    coming = [when - asyncio.get_running_loop().time() for when, *_ in tables._open[table_id]._spectators._coming]
    assert coming
    assert max(coming) <= 10


async def test_a_table_follows_a_clock_that_was_set_ahead_when_a_hand_is_dealt(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_id = await timed_table(tables)
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + HOUR * 1_000_000)
    while not (await tables.look(table_id)).over:
        await move_once(tables, table_id)
    assert (await tables.look(table_id)).at < now() - HOUR // 2
    for player in ("ann", "bo", "cy"):
        await tables.command(table_id, player, NextCommand(type="next", id="next"))
    room = await tables.look(table_id)
    assert (room.number, room.over) == (2, False)
    assert room.at > now() - HOUR // 2


@pytest.mark.parametrize("speed", [PerMove(kind="move", seconds=60), Correspondence(kind="correspondence", days=1)])
async def test_the_turn_of_a_bot_lasts_no_longer_while_its_table_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speed: Speed
) -> None:
    """Whoever takes the seat back in it would have no time left."""
    async with only_process(tmp_path, bot_delay=10) as tables:
        table_id = await timed_table(tables, TableSettings(speed=speed))
        room = await tables.look(table_id)
        assert room.to_act is not None
        player = room.chairs[room.to_act].player or ""
        await tables.command(table_id, player, LeaveCommand(type="leave", id="leave"))
        real = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: real() + 2 * DAY * 1_000_000)
        tables.reopen(table_id)
        await tables.command(table_id, player, ReturnCommand(type="return", id="return"))
        assert (await tables.look(table_id)).chairs[room.to_act].substitute is None


@pytest_asyncio.fixture
async def few(tmp_path: Path) -> AsyncIterator[Tables]:
    """The tables of a process that opens no more than three at a time."""
    async with only_process(tmp_path, most_tables=3) as one:
        yield one


async def test_idle_tables_make_room_and_clocks_stop_last(few: Tables) -> None:
    seats = ["me", "open", "open", "open"]
    idle, idle_too, new = [(await few.create("ann", "big-two", {}, seats))[0] for _ in range(3)]
    await few.look(idle_too)
    clock = await timed_table(few)
    await asyncio.sleep(0.01)
    await few.look(idle)
    await few.look(new)
    assert set(few._open) == {clock, idle, new}
    watched = Connection(9, "ann")
    await few.join(new, "ann", watched, None)
    await few.look(idle_too)
    assert set(few._open) == {clock, idle_too, new}
    await few.join(idle_too, "ann", watched, None)
    await few.look(idle)
    assert set(few._open) == {idle_too, idle, new}
    moment = now()
    assert (await few.look(clock)).clock.since >= moment, "a clock stops while its table is closed"


async def test_tables_that_are_opened_at_once_close_one_each(few: Tables) -> None:
    seats = ["me", "open", "open", "open"]
    ids = [(await few.create("ann", "big-two", {}, seats))[0] for _ in range(5)]
    for table_id in ids[:3]:
        await few.look(table_id)
        await asyncio.sleep(0.01)
    await asyncio.gather(*map(few.look, ids[3:]))
    assert set(few._open) == set(ids[2:])


async def test_tables_with_people_leave_no_room(few: Tables) -> None:
    seats = ["me", "open", "open", "open"]
    *full, another = [(await few.create("ann", "big-two", {}, seats))[0] for _ in range(4)]
    connections = [Connection(9, "ann") for _ in full]
    for table_id, connection in zip(full, connections, strict=True):
        await few.join(table_id, "ann", connection, None)
    with pytest.raises(Refused, match="too many tables are open"):
        await few.look(another)
    await few.leave(full[0], connections[0])
    assert (await few.look(another)).head.id == another
    assert set(few._open) == {*full[1:], another}


async def test_tables_of_many_rules_make_room_and_keep_nobody_out(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers choose house rules, and the catalogue of each may take 10 MB."""
    seats = ["me", "open", "open", "open"]
    idle, new, another = [(await tables.create("ann", "big-two", {}, seats))[0] for _ in range(3)]
    await tables.look(idle)
    await asyncio.sleep(0.01)
    monkeypatch.setattr(directory, "MOST_CATALOGUES", 0)
    with pytest.raises(Refused):
        await tables.look("none")
    assert set(tables._open) == {idle}, "a table that does not exist needs no room"
    await tables.join(new, "ann", Connection(9, "ann"), None)
    assert set(tables._open) == {new}
    await tables.look(another)
    assert set(tables._open) == {new, another}


def test_rules_of_closed_tables_do_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(rules: RulesFields) -> catalogue.Catalogue:
        return catalogue.Catalogue(catalogue.CardRules.of(rules), (), "complete")

    monkeypatch.setattr(catalogue, "compile", compiled)
    before = shared_rules.catalogues()
    names = ("triples", "fours", "two_pairs", "flushes", "four_plus_one", "pass_is_final", "show_hands_after")
    for values in product((True, False), repeat=len(names)):
        rules = shared_rules.kept_rules("big-two", dict(zip(names, values, strict=True)))
        shared_rules.compile_rules(rules)
        facts(rules)
    gc.collect()
    assert shared_rules.catalogues() <= before + MOST_RULES
    shared_rules._cached.cache_clear()


async def test_a_process_that_has_not_read_notices_for_long_misses_none(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was suspended, or did not reach the database."""
    chores = chores_of(tables)
    identities = chores._identities
    table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"], name="Ann")
    assert (await tables.look(table_id)).chairs[0].name == "Ann"
    await identities._valid("ann", None)
    await chores._notices()
    other = await Store.open(tables.settings.data_dir)
    await other.moderation.carry_out(BanNetwork(type="ban-network", network="192.0.2.0/24", days=1), HOST, now())
    await other.people.delete("ann", now())
    await prune(other.database, other.people, Keep(), now() + HOUR)
    await other.close()
    later = now() + HOUR
    monkeypatch.setattr(chores_module, "now", lambda: later)
    await chores._notices()
    assert tables.store.people.restrictions.bans("192.0.2.7", later)
    assert not await identities._valid("ann", None)
    assert (await tables.look(table_id)).chairs[0].name == "Former player"


async def test_a_table_is_not_released_while_it_is_read(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next owner would take as long, and be asked to release it in turn."""
    table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"])
    load, reading, going_on = tables.store.log.load, asyncio.Event(), asyncio.Event()

    async def slow(table_id: str) -> log.Loaded:
        reading.set()
        await going_on.wait()
        return await load(table_id)

    monkeypatch.setattr(tables.store.log, "load", slow)
    looking = asyncio.create_task(tables.look(table_id))
    await reading.wait()
    table = tables._open[table_id]
    tables.release(f"{tables.process} {table_id}")
    going_on.set()
    await looking
    tables.release(f"another {table_id}")
    assert not table._stopping
    tables.release(f"{tables.process} {table_id}")
    assert table._stopping


async def test_rules_are_compiled_beside_the_event_loop(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules with other combinations take up to a second, which would stop every table."""
    threads: list[threading.Thread] = []
    compile = catalogue.compile

    def noted(rules: RulesFields) -> catalogue.Catalogue:
        threads.append(threading.current_thread())
        return compile(rules)

    monkeypatch.setattr(catalogue, "compile", noted)
    shared_rules._cached.cache_clear()
    table_id, _ = await tables.create("ann", "big-two", {"straights": "no-twos"}, ["me", *["random"] * 3])
    await tables.join(table_id, "ann", Connection(9, "ann"), None)
    assert (await tables.look(table_id)).number == 1
    assert len(threads) == 1
    assert threading.main_thread() not in threads


async def test_a_long_log_is_read_in_pieces(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player could make one in an hour whose reading stopped every table for seconds."""
    entries = 5000
    table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"])
    written = [
        {"table_id": table_id, "seq": seq, "at": 1, "line": compact({"type": "ready", "seat": 0, "ready": seq % 2 == 0})}
        for seq in range(entries)
    ]

    def write(connection: sa.Connection) -> None:
        connection.execute(sa.insert(events), written)
        connection.execute(sa.update(rows).values(seq=entries))

    await tables.store.database.write(write)
    monkeypatch.setattr(log, "FOLDED_FOR", 0.0)
    turns = 0
    read = tables.store.database.read
    alone: list[bool] = []

    async def noted(query: Any) -> Any:
        found = await read(query)
        if len(found[1]) > log.LONG + 1:
            alone.append(tables.store.log._long.locked())
        return found

    monkeypatch.setattr(tables.store.database, "read", noted)

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    beside = asyncio.create_task(others())
    loaded = await asyncio.gather(*(tables.store.log.load(table_id) for _ in range(2)))
    beside.cancel()
    assert [one.room.seq for one in loaded] == [entries] * 2
    assert alone == [True, True], "a long log that waits is in memory"
    assert turns > 2 * entries, "both were read at the same time"


@pytest.mark.parametrize("name", ["net:winner", "net:/etc/passwd", "cmd:true", "greedy "])
def test_nobody_seats_a_file_or_a_program(name: str) -> None:
    """`dasan.bot` and the arena take networks by their files, and programs by their commands; a server takes neither."""
    with pytest.raises(Refused, match="there is no bot"):
        check_bot(name)
    for words, settings in ((["me", name], TableSettings()), (["me", "greedy"], TableSettings(substitute=name))):
        with pytest.raises(Refused, match="there is no bot"):
            check_seats(words, 2, settings)

"""Former defects: an event log that stopped writing, a table that spun, one that blocked the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa

from dasan.server.app import create_app
from dasan.server.connections.websocket import Live
from dasan.server.operations.chores import Chores
from dasan.server.operations.metrics import Metrics
from dasan.server.people.identity import Identities, fingerprint
from dasan.server.people.sightings import Sightings
from dasan.server.protocol.commands import ChatCommand, SilenceCommand, SitCommand
from dasan.server.protocol.moderation import BanNetwork
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.database import Database
from dasan.server.store.log import EventLog
from dasan.server.store.moderation import HOST
from dasan.server.store.processes import Notice, Processes
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import tables as rows
from dasan.server.tables.chairs import Chair
from dasan.server.tables.decisions import MOST_HANDS
from dasan.server.tables.directory import Tables
from dasan.server.tables.open_table import Table
from dasan.server.times import DAY, now

from .harness import fast
from .test_every_store import moved, open_table

pytestmark = pytest.mark.full

T = TypeVar("T")


class _Breaking:
    """A database in which one write fails, and the query for its cause too."""

    shared = False

    def __init__(self, database: Database) -> None:
        self._database = database
        self.broken = 2

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        if self.broken:
            self.broken -= 1
            raise RuntimeError("broken on purpose")
        return await self._database.read(query)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        if self.broken:
            self.broken -= 1
            raise sa.exc.IntegrityError("", {}, Exception("broken on purpose"))
        return await self._database.write(change)

    async def scrub(self) -> None: ...

    async def close(self) -> None: ...


async def test_the_event_log_goes_on_after_an_error_that_it_cannot_explain(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    room, fence = await open_table(store)
    log = EventLog(_Breaking(store.database))
    writing = asyncio.create_task(log.run())
    with pytest.raises(RuntimeError, match="on purpose"):
        await asyncio.wait_for(log.append(moved(room, fence, "a")), 20)
    await asyncio.wait_for(log.append(moved(room, fence, "a")), 20)
    assert (log.counts.writes, log.counts.failures) == (1, 1)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await store.close()


@pytest.mark.parametrize(
    ("substitute", "number", "due"), [(None, 1, True), (("greedy", "left"), 1, False), (None, MOST_HANDS, False)]
)
def test_a_table_does_not_wake_for_a_hand_that_nobody_will_get(
    substitute: tuple[str, Any] | None, number: int, due: bool
) -> None:
    """It would have nothing to do, and wake again at once."""
    table = Table(SimpleNamespace(), "t")
    chair = Chair("human", "Ann", player="ann", substitute=substitute)
    table.room = SimpleNamespace(  # type: ignore[assignment]
        chairs=(chair,), humans=(0,), deadline=None, next_at=123, number=number, status="playing", over=True
    )
    table._attendance.update({"ann"}, 0)
    assert (123 in table._times()) is due


async def test_a_command_to_a_table_that_is_read_again_is_carried_out(tmp_path: Path) -> None:
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    async with Tables(store, settings) as tables:
        table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"])

        async def say(text: str) -> int:
            return await tables.command(table_id, "ann", ChatCommand(type="chat", id=text, text=text))

        await say("first")
        tables.reopen(table_id)
        await asyncio.gather(say("second"), say("third"))
        await prune(store.database, store.people, Keep(chat=1), now() + 3 * DAY)
        assert await say("fourth") == await say("fourth")
        assert [line.text for line in (await tables.look(table_id)).chat] == ["…", "…", "…", "fourth"]
        assert ("reopen", table_id) in {(notice.kind, notice.subject) for notice in await store.processes.notices(now())}
    await store.close()


async def test_a_table_is_read_again_once_after_a_change_to_its_log(tmp_path: Path) -> None:
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    async with Tables(store, settings) as tables:
        chores = Chores(tables, Identities(b"k" * 32, store.people, 1), Live(), Metrics(settings), Sightings())
        table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"], name="Ann")
        await tables.command(table_id, "bo", SitCommand(type="sit", id="sit", name="Bo"))

        async def names() -> list[str]:
            return [chair.name for chair in (await tables.look(table_id)).chairs[:2]]

        for changed in await store.people.delete("ann", now()):
            tables.reopen(changed)
        assert await names() == ["Former player", "Bo"]
        open_here = tables._open[table_id]
        await chores._notices()
        assert await names() == ["Former player", "Bo"]
        assert tables._open[table_id] is open_here, "this process has read it since"
        await store.people.delete("bo", now())
        assert await names() == ["Former player", "Bo"], "another process, or an administrator, has deleted them"
        await chores._notices()
        assert await names() == ["Former player", "Former player"]
    await store.close()


async def test_a_ban_that_is_made_while_the_server_starts_counts(tmp_path: Path) -> None:
    """By another process, right before this one begins to read notices."""
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    app = create_app(settings)
    other = await Store.open(settings.data_dir)
    notices = Processes.notices

    async def late(self: Processes, moment: int) -> tuple[Notice, ...]:
        await other.moderation.carry_out(BanNetwork(type="ban-network", network="192.0.2.0/24", days=1), HOST, now())
        return await notices(self, moment)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Processes, "notices", late)
        async with app.router.lifespan_context(app):
            assert app.state.store.people.restrictions.bans("192.0.2.7", now())
    await other.close()


async def test_who_signs_out_while_the_store_is_asked_is_not_remembered_as_signed_in(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    people = store.people
    await people.register("ann", "Ann", "x", 0)
    await people.sign_in(fingerprint("s"), "ann", "", now())
    identities = Identities(b"k" * 32, people, 1)
    whole, asked, go_on = people.is_signed_in, asyncio.Event(), asyncio.Event()

    async def slowly(*given: Any) -> bool:
        session = await whole(*given)
        asked.set()
        await go_on.wait()
        return session

    people.is_signed_in = slowly  # type: ignore[method-assign,assignment]
    first = asyncio.create_task(identities._valid("ann", "s"))
    await asked.wait()
    await people.sign_out("ann", None, now())
    identities.forget()
    go_on.set()
    assert await first, "it was asked before"
    assert not await identities._valid("ann", "s")
    await store.close()


async def test_a_damaged_table_that_is_due_does_not_stop_the_others(tmp_path: Path) -> None:
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    await open_table(store)
    await store.database.write(lambda c: c.execute(sa.update(rows).values(rules={"options": {}, "digest": "damaged"})))
    async with Tables(store, settings) as tables:
        await tables._open_due("table")
        await tables._open_due("another that is gone")
        with pytest.raises(Refused):
            await tables.look("table")
    await store.close()


async def test_a_rematch_keeps_whom_the_host_has_silenced(tmp_path: Path) -> None:
    """Also who takes an open chair of it; and the deletion of a player finds the rematch that only names them."""
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    async with Tables(store, settings) as tables:
        table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"], name="Ann")
        for seat, player in enumerate(("bob", "cyd", "dee"), 1):
            if player == "dee":
                for one in (1, 2):
                    silence = SilenceCommand(type="silence", id=f"s{one}", seat=one, silent=True)
                    await tables.command(table_id, "ann", silence)
            await tables.command(table_id, player, SitCommand(type="sit", id="sit", seat=seat, name=player.title()))
        before = await tables.look(table_id)
        await tables.open_rematch(before, [0, 1])
        again = before.head.rematch
        assert [chair.silent for chair in (await tables.look(again)).chairs] == [False, True, False, False]
        for seat, player in ((3, "cyd"), (2, "dee")):
            await tables.command(again, player, SitCommand(type="sit", id="sit", seat=seat, name=player.title()))
        assert [chair.silent for chair in (await tables.look(again)).chairs] == [False, True, False, True]
    await store.close()


async def test_a_silent_player_is_not_the_host_of_a_rematch_if_another_can_be(tmp_path: Path) -> None:
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    async with Tables(store, settings) as tables:
        for stay, host in (([1, 2], "cyd"), ([1], "bob"), ([0, 1], "ann")):
            table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"], name="Ann")
            for seat, player in enumerate(("bob", "cyd"), 1):
                await tables.command(table_id, player, SitCommand(type="sit", id="sit", seat=seat, name=player.title()))
            await tables.command(table_id, "ann", SilenceCommand(type="silence", id="s", seat=1, silent=True))
            before = await tables.look(table_id)
            await tables.open_rematch(before, stay)
            assert (await tables.look(before.head.rematch)).host == host
    await store.close()


async def test_a_deletion_finds_the_tables_that_name_a_player_without_a_seat(tmp_path: Path) -> None:
    """Who opened a table without sitting down, and who is silent at a rematch without having joined it."""
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    async with Tables(store, settings) as tables:
        table_id, _ = await tables.create("opener-id", "big-two", {}, ["open"] * 4)
    room = (await store.log.load(table_id)).room
    await store.log.create(
        replace(room, head=replace(room.head, id="again"), host=None, silenced=frozenset({"silent-id"}))
    )
    assert (await store.log.load("again")).room.silenced == {"silent-id"}
    for player in ("opener-id", "silent-id"):
        await store.people.delete(player, now())
        opened = await store.database.read(lambda c: str(c.execute(sa.select(rows.c.opened)).all()))
        assert player not in opened
    await store.close()

"""All tables of this process, opened on demand and closed when idle."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, TypeVar

import dasan
from dasan import bots
from dasan.play import fairness
from dasan.reasons import reason
from dasan.server.bus import Bus, NoOwner
from dasan.server.connections.send_queues import Connection
from dasan.server.new_ids import new_id
from dasan.server.operations.background import guarded, repeat
from dasan.server.operations.once import Once
from dasan.server.operations.reporting import report
from dasan.server.people.chosen_names import chosen_name
from dasan.server.people.reserved_names import GUEST
from dasan.server.protocol.commands import ReactCommand, RoomCommand
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import OwnedElsewhere, Refused
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.store.damage import damaged
from dasan.server.store.database import Unreachable
from dasan.server.tables.bot_choices import DEFAULT_BOT, BotChoices
from dasan.server.tables.chairs import OPEN, Chair, Head, bot_chairs, next_host
from dasan.server.tables.decisions import check_contribution
from dasan.server.tables.due_tables import LOOK_OVER, SWEEP, DueTables
from dasan.server.tables.open_table import RESTART, Table
from dasan.server.tables.relays import Relays
from dasan.server.tables.room import Room
from dasan.server.tables.shared_rules import MOST_CATALOGUES, catalogues, chosen_rules
from dasan.server.times import now
from dasan.server.workers.pools import Limits, Workers
from dasan.server.workers.warming import Part

T = TypeVar("T")

ME, FREE = "me", "open"
LEASE = 8.0
"""The length of a lease in seconds."""
HELD = 3600.0
"""The length of a lease in seconds in a database of a single process. No other process waits for its end: it only tells
retention, in this process or in ``dasan admin prune``, that the table is open. Each renewal writes the rows of all open tables.
"""
TRUSTED = 0.75
"""The share of a lease in which its owner trusts it without asking the database. The rest allows for clocks that run at other
speeds.
"""
MOST_HINTS = 4
"""The most hints running or waiting for each process of bots, beyond which more are refused. Moves do not wait for them."""
MOST_STUDIES = 16
"""The most reviews and puzzles running or waiting, beyond which more are refused."""
TRY_AGAIN = 0.2
"""Seconds between lookups of a table's owner while a dead owner's lease is still running."""


class Tables:
    """The tables of this process. An async context manager; leaving it stops every table's task."""

    def __init__(self, store: Store, settings: Settings, bus: Bus | None = None) -> None:
        self.store = store
        self.settings = settings
        self.process = secrets.token_hex(8)
        self.relays = None if bus is None else Relays(bus, self.process)
        bots = Limits(settings.bot_seconds, settings.bot_memory_mb)
        # Hints and strong bots take seconds, in all processes but one: the moves of quick bots do not wait for them.
        self.bots = Workers(
            settings.bot_processes, bots, "bot", MOST_HINTS * settings.bot_processes, "hints", reserved=1
        )
        self.choices = BotChoices(self.bots, settings)
        study = Limits(settings.study_seconds, settings.study_memory_mb)
        self.study = Workers(settings.study_processes, study, "study", MOST_STUDIES * settings.study_processes)
        self.turning: Once[dict[str, Any]] = Once()
        self._group = asyncio.TaskGroup()
        self._open: dict[str, Table] = {}
        self._due = DueTables(self)
        self._closing = False
        self._chores: list[asyncio.Task[bool]] = []

    async def __aenter__(self) -> Tables:
        await self._group.__aenter__()
        self.chore(repeat("checking for due tables", self._due.sweep, SWEEP), "sweep")
        self.chore(repeat("checking for tables that everybody has left", self._due.look_over, LOOK_OVER), "look over")
        self.chore(repeat("renewing leases", self._renew, self._own_lease / 4000), "leases")
        if self.relays is not None:
            self.chore(repeat("listening to other processes", self.relays.run), "relays")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        self.choices.close()
        for chore in self._chores:
            chore.cancel()
        self.turning.close()
        for table in self._open.values():
            table.stop()
        await self._group.__aexit__(kind, error, trace)
        self.bots.close()
        self.study.close()

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, table_id: str) -> bool:
        """Whether the table is open here."""
        return table_id in self._open

    @property
    def _own_lease(self) -> int:
        """The length of this process's leases in milliseconds."""
        return _lease() if self.store.database.shared else int(HELD * 1000)

    @property
    def closing(self) -> bool:
        """Whether the server is stopping."""
        return self._closing

    def reopen(self, table_id: str) -> None:
        """Reload the table if it is open here, because its stored log has changed."""
        table = self._open.get(table_id)
        if table is not None:
            table.stop()

    async def reopen_changed(self, table_ids: Collection[str] | None = None) -> None:
        """Reload those of these tables (None: of all) that are open here and whose stored logs have changed."""
        wanted = self._open if table_ids is None else table_ids
        fences = await self.store.leases.fences([table_id for table_id in wanted if table_id in self._open])
        for table_id, fence in fences.items():
            table = self._open.get(table_id)
            if table is not None and table.claimed and table.fence != fence:
                table.stop()

    async def create(
        self,
        player: str,
        preset: str,
        options: dict[str, bool | int | str],
        seats: Sequence[str],
        *,
        name: str | None = None,
        settings: TableSettings | None = None,
        seed: bytes | None = None,
        contribution: str | None = None,
        group: str | None = None,
    ) -> tuple[str, int | None]:
        """Create a table; returns (id, seat of ``player``). ``Refused``: there is no such game or bot, or a rated
        table has no time limit, so that a player could leave a lost hand unfinished.

        seats: ``me``, ``open`` or a bot's name for each seat; empty: me and bots. seed: a promised seed.
        group: the id of the group that opens the table.
        """
        rules = await chosen_rules(preset, options)
        words = list(seats) or [ME, *[DEFAULT_BOT] * (rules.players - 1)]
        chosen = settings or TableSettings()
        check_seats(words, rules.players, chosen)
        head = Head(new_id(), rules, chosen, seed or fairness.new_secret())
        chairs = [bot or OPEN for bot in bot_chairs([None if word in (ME, FREE) else word for word in words], head.id)]
        seat = words.index(ME) if ME in words else None
        if seat is not None:
            shown, person = await chosen_name(self.store.people, player, name, f"{GUEST} {seat + 1}")
            chairs[seat] = Chair("human", shown, player=player, account=person is not None)
        given: dict[int, str] = {}
        if contribution is not None and seat is not None:
            check_contribution(contribution)
            given[seat] = contribution
        room = Room.create(head, tuple(chairs), player, now(), given)
        if group is None:
            await self.store.log.create(room)
        else:
            await self.store.groups.open_table(group, player, room, now())
        if FREE not in words and chosen.start == "full":
            await self.open(head.id)
        return head.id, seat

    async def open_rematch(self, room: Room, seats: Collection[int]) -> None:
        """Create the rematch of ``room``'s table unless it exists: with the bots, the people in ``seats``, and open
        chairs. A player whom a host has silenced stays silent, also in an open chair, and is the new host only if all
        who stay are silent.
        """
        head = Head(room.head.rematch, room.head.rules, room.head.settings, fairness.new_secret())
        chairs = tuple(
            replace(chair, ready=False, substitute=None) if chair.kind != "human" or seat in seats else OPEN
            for seat, chair in enumerate(room.chairs)
        )
        people = [chair for chair in chairs if chair.kind == "human"]
        staying = [chair.player for chair in people]
        host = room.host if room.host in staying else next_host(people).player
        silenced = frozenset(chair.player for chair in room.chairs if chair.silent and chair.player) - set(staying)
        again = Room.create(head, chairs, host, now(), silenced=silenced)
        await self.store.groups.open_rematch(room.head.id, again)

    async def open(self, table_id: str) -> None:
        """Open the table in this process. ``OwnedElsewhere``: another one has it open."""
        await self._ask(table_id, Table.look)

    async def is_open(self, table_id: str) -> bool:
        """Whether any process has the table open."""
        if table_id in self._open:
            return True
        # In a database of a single process, the lease of another has outlived it.
        return self.store.database.shared and await self.store.leases.owner_of(table_id, _lease()) is not None

    async def look(self, table_id: str) -> Room:
        """The table's current room."""

        async def elsewhere(_: Relays) -> Room:
            return await self._stored(table_id)

        return await self._anywhere(table_id, lambda: self._ask(table_id, Table.look), elsewhere)

    async def room_for(self, table_id: str, player: str | None) -> Room:
        """The room as far as the player may see it. ``Refused``: they may not."""

        async def elsewhere(relays: Relays) -> Room:
            return await self._stored(table_id, await relays.seen_by(table_id, player))

        return await self._anywhere(
            table_id, lambda: self._ask(table_id, lambda table: table.seen_by(player)), elsewhere
        )

    async def _stored(self, table_id: str, until: int | None = None) -> Room:
        """The latest stored room of a table that another process owns, or the one after ``until`` entries."""
        try:
            return (await self.store.log.load(table_id, until)).room
        except dasan.DasanError as error:
            raise damaged("table", table_id, error) from None

    async def detail(self, table_id: str, player: str | None) -> dict[str, Any]:
        """The table for the player, as REST sends it."""
        return await self._anywhere(
            table_id,
            lambda: self._ask(table_id, lambda table: table.detail(player)),
            lambda relays: relays.detail(table_id, player),
        )

    async def react(self, table_id: str, player: str, command: ReactCommand) -> None:
        """Show everybody a reaction."""
        await self._anywhere(
            table_id,
            lambda: self._ask(table_id, lambda table: table.react(player, command)),
            lambda relays: relays.react(table_id, player, command),
        )

    async def command(self, table_id: str, player: str, command: RoomCommand, lag: int = 0) -> int:
        """Carry out a player's command; returns the length of the log after it, once it is on disk."""
        return await self._anywhere(
            table_id,
            lambda: self._ask(table_id, lambda table: table.carry_out(player, command, lag)),
            lambda relays: relays.command(table_id, player, command, lag),
        )

    async def join(self, table_id: str, player: str | None, connection: Connection, seen: int | None) -> None:
        """Send ``connection`` the table, from the ``seen`` entry on."""
        await self._anywhere(
            table_id,
            lambda: self._ask(table_id, lambda table: table.show(player, connection, seen)),
            lambda relays: relays.join(table_id, player, connection, seen),
        )

    async def leave(self, table_id: str, connection: Connection) -> None:
        """Remove a closed connection."""
        if self.relays is not None and await self.relays.leave(connection):
            return
        table = self._open.get(table_id)
        if table is not None and connection in table.hub:
            table.hub.leave(connection)
            if not self._closing:
                await table.ask(Table.attended)

    async def _anywhere(
        self, table_id: str, here: Callable[[], Awaitable[T]], elsewhere: Callable[[Relays], Awaitable[T]]
    ) -> T:
        """Run an action at a table: here if this process owns or can claim it, otherwise through its owner.

        Waits for the lease of a dead owner to expire, and for a silent one to release the table. A command may thus be tried
        twice, which its id makes harmless.
        """
        begun, asked = _clock(), False
        while True:
            try:
                if self.relays is None or await self._may_run(table_id):
                    return await here()
                return await elsewhere(self.relays)
            except (OwnedElsewhere, NoOwner):
                waited = _clock() - begun
                if self._closing or waited > LEASE * 1.5:
                    raise Refused("unavailable", reason("stopping" if self._closing else "silent")) from None
            if waited > LEASE and not asked and self.relays is not None and self.relays.connected:
                asked = True
                await self._ask_to_release(table_id)
            await asyncio.sleep(TRY_AGAIN)

    async def _ask_to_release(self, table_id: str) -> None:
        """Ask an owner that lives longer than a lease without an answer, because the bus does not reach it, to release the
        table.
        """
        owner = await self.store.leases.owner_of(table_id, _lease())
        if owner not in (None, self.process):
            await self.store.processes.leave("release", f"{owner} {table_id}", now())

    def release(self, subject: str) -> None:
        """Close the table of a notice, if it names this process as its owner, so that another can claim the table. One that
        is still being read stays: the other process would have to read it anew.
        """
        owner, _, table_id = subject.partition(" ")
        if owner == self.process and (table := self._open.get(table_id)) is not None and table.loaded:
            table.stop()

    async def _may_run(self, table_id: str) -> bool:
        return table_id in self._open or await self.store.leases.owner_of(table_id, _lease()) in (None, self.process)

    async def _ask(self, table_id: str, action: Callable[[Table], Awaitable[T]]) -> T:
        if self._closing:
            raise Refused("unavailable", reason("stopping"))
        table = self._open.get(table_id)
        if table is None:
            if len(self._open) >= self.settings.most_tables and not self._make_room():
                raise Refused("unavailable", reason("busy"))
            table = self._open[table_id] = Table(self, table_id)
            self._group.create_task(guarded(f"table {table_id}", table.run()), name=f"table {table_id}")
        return await table.ask(action)

    def _make_room(self) -> bool:
        """Close the table that has been idle longest, if possible one without a running clock. False: none is idle."""
        idle = [(table.idle, table_id) for table_id, table in self._open.items() if table.idle is not None]
        if not idle:
            return False
        _, longest = min(idle)
        self._open[longest].stop()
        return True

    def forget(self, table: Table) -> None:
        if self._open.get(table.id) is table:
            del self._open[table.id]

    async def claim(self, table: Table) -> int:
        """The fence for writing the table's log. ``Refused``: another process owns the table."""
        asked = _clock()
        fence = await self.store.leases.claim(table.id, self.process, self._own_lease)
        if fence is None:
            raise OwnedElsewhere
        table.trusted = asked + LEASE * TRUSTED
        return fence

    async def owns(self, table: Table) -> bool:
        """Whether no other process has claimed the table, so that its room is current. After `trusted` this asks the
        database, whose answer holds for a moment from the time of the request.
        """
        if not self.store.database.shared or _clock() < table.trusted:
            return True
        return table.id in await self._extend([table])

    async def _extend(self, mine: Sequence[Table]) -> frozenset[str]:
        """Extend the leases of these tables; return the ids of those still owned."""
        asked = _clock()
        renewed = await self.store.leases.renew(self.process, [t.id for t in mine], self._own_lease)
        for table in mine:
            if table.id in renewed:
                table.trusted = asked + LEASE * TRUSTED
        return renewed

    async def opened(self, table: Table) -> None:
        """Start to answer other processes for the table, whose rules may be one more catalogue in memory."""
        if catalogues() > MOST_CATALOGUES:
            self._make_room()
        if self.relays is not None:
            await self.relays.opened(table)

    async def closed(self, table: Table, fence: int) -> None:
        """Stop answering for the table, and release its lease."""
        if self.relays is not None:
            await self.relays.closed(table)
        if fence and self.store.database.shared:
            try:
                await self.store.leases.release(table.id, self.process, fence)
            except Exception as error:
                report(f"releasing the lease of table {table.id} failed", error)

    def warm_up(self, part: Part, compiled: bool) -> None:
        """Make the study processes load a part's code in the background. If it is compiled, one of several bot
        processes loads the code for hints, for which moves of slow bots wait; a single bot process does not, because all
        moves would wait.
        """
        self.choices.compiling.discard(part)
        if not self._closing:
            self.chore(self._warm_up(part, compiled), f"loading the code for {part}")

    def chore(self, work: Coroutine[Any, Any, object], name: str) -> None:
        """Run this in the background until the tables close; errors are reported."""
        self._chores.append(self._group.create_task(guarded(name, work), name=name))

    async def _warm_up(self, part: Part, compiled: bool) -> None:
        jobs = [self.study.run("warm", part, seconds=300) for _ in range(self.settings.study_processes)]
        if compiled and part != "solve" and self.settings.bot_processes > 1:
            jobs.append(self.bots.run("warm_hints", part, seconds=300, urgent=True))
        await asyncio.gather(*jobs)

    async def _renew(self) -> None:
        """Renew the leases of open tables, and stop tables that another process has claimed."""
        mine = [table for table in self._open.values() if table.claimed]
        try:
            async with asyncio.timeout(LEASE / 4):
                renewed = await self._extend(mine)
        except (Unreachable, TimeoutError):
            # Another process may reach the database and continue these tables, while people here see stale ones.
            for table in mine:
                if self.relays is not None and _clock() >= table.trusted:
                    table.stop()
                    table.hub.close(RESTART)  # pending work may wait for the database long past the lease
            raise
        for table in mine:
            if table.id not in renewed:
                table.stop()


def _lease() -> int:
    """The length of a lease in milliseconds."""
    return int(LEASE * 1000)


def _clock() -> float:
    """Seconds of a monotonic clock; on Linux one that also runs while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


def check_seats(words: Sequence[str], players: int, settings: TableSettings) -> None:
    """``Refused``: these words do not seat a game for `players`, or the table is rated and has no time limit."""
    if settings.rated and not settings.counts:
        raise Refused("malformed", reason("rated.untimed"))
    if len(words) != players:
        raise Refused("malformed", f"this game has {players} seats, not {len(words)}")
    if words.count(ME) > 1:
        raise Refused("malformed", "you can take only one seat")
    if not {ME, FREE} & set(words):
        raise Refused("malformed", "a table needs a seat for a person: say me or open")
    for name in {*words, settings.substitute} - {ME, FREE}:
        check_bot(name)


def check_bot(name: str) -> None:
    """``Refused``: there is no bot with this name."""
    if name not in bots.BOTS:
        raise Refused("malformed", f"there is no bot {name!r}")

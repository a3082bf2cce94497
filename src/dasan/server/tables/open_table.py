"""An open table: one task that owns its room, writes the log before it answers, and runs the bots.

Callers put requests into the table's inbox, so that requests are serialized and a disconnecting client cannot interrupt
a write. An idle table is closed, and the next request reloads it from the log. So is a table whose task fails: the log
is the truth.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from hashlib import blake2b
from itertools import pairwise
from typing import Protocol, TypeVar

import dasan
from dasan.reasons import reason
from dasan.server.compact import compact
from dasan.server.connections.send_queues import Connection, Hub
from dasan.server.operations.reporting import report
from dasan.server.people.chosen_names import chosen_name
from dasan.server.protocol.commands import ReactCommand, RoomCommand, SitCommand
from dasan.server.protocol.messages import Reaction
from dasan.server.refusals import Failed, OwnedElsewhere, Refused
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.store.damage import damaged
from dasan.server.store.database import Unreachable
from dasan.server.store.hand import finished
from dasan.server.store.log import Cause, Conflict, Done, Repeated, Unwritten, Write, WrittenEntry
from dasan.server.tables import showing
from dasan.server.tables.answers import Answers, same
from dasan.server.tables.bot_turns import Bots, BotTurns
from dasan.server.tables.decisions import MOST_HANDS, by_itself, entries, substitute
from dasan.server.tables.presence import Attendance
from dasan.server.tables.room import Entry, Room, fold, full_text, listed
from dasan.server.tables.showing import Mark
from dasan.server.tables.spectators import Spectators
from dasan.server.times import SteadyTime

T = TypeVar("T")

RESTART = 1012
FAILED = 1011
FORBIDDEN = 4403
MARKS = 512
"""The most entries that a client can have missed and still get as a difference."""
RESEATING = frozenset({"sit", "stand", "bots"})
RETURNING = frozenset({"sit", "return"})
COUNT_EVERY = 0.5
"""Seconds between updates of the number of spectators."""


class TableHost(Protocol):
    """The interface of the process in which a table is open."""

    store: Store
    settings: Settings

    @property
    def choices(self) -> Bots:
        """The bots of the process."""
        ...

    async def claim(self, table: Table) -> int:
        """The fence for writing the table's log. ``OwnedElsewhere``: another process owns the table."""
        ...

    async def owns(self, table: Table) -> bool:
        """Whether this process still owns the table. ``Unreachable``: the store does not answer."""
        ...

    async def opened(self, table: Table) -> None:
        """The table is loaded: start to answer other processes for it."""
        ...

    def forget(self, table: Table) -> None:
        """The table accepts no more requests."""
        ...

    async def closed(self, table: Table, fence: int) -> None:
        """The table is closed: another process may claim it."""
        ...

    async def open_rematch(self, room: Room, seats: Collection[int]) -> None:
        """Create the rematch of ``room``'s table for the people in ``seats``, unless it exists."""
        ...


class Table:
    """One open table. Only its task ``run`` changes ``room``."""

    room: Room
    _time: SteadyTime
    _attendance: Attendance

    def __init__(self, process: TableHost, table_id: str) -> None:
        self.id = table_id
        self.hub = Hub()
        self.trusted = 0.0
        """The time, by the clock of `Tables`, until which no other process can have claimed the table."""
        self.fence = 0
        """The fence of the log's lease, once this process owns the table."""
        self.loaded = False
        """Whether the log has been read, so that requests are answered."""
        self._process = process
        self._answers = Answers()
        self._marks: deque[Mark] = deque(maxlen=MARKS)
        self._present: showing.Json = {"presence": [], "watching": 0}
        """The presence that was published last."""
        self._counting: asyncio.TimerHandle | None = None
        self._spectators = Spectators(self.hub, lambda player: self.room.seat_of(player), self.presence)
        self._inbox: deque[Callable[[], Awaitable[None]]] = deque()
        self._waiting: set[asyncio.Future[object]] = set()
        self._wake = asyncio.Event()
        self._bots = BotTurns(process.choices, lambda: self.room, self.write, self.wake)
        self._stopping = False
        self._ended = False
        self._idle: tuple[bool, int] | None = None

    def stop(self) -> None:
        """Finish pending work, then close."""
        self._stopping = True
        self._wake.set()

    @property
    def claimed(self) -> bool:
        """Whether this process owns the table, as far as it knows."""
        return self.fence > 0

    @property
    def idle(self) -> tuple[bool, int] | None:
        """(whether a clock runs, the time of the last request), if the table has no connection, bot's turn or request;
        otherwise None. An idle table can be closed at any time: the next request opens it from the log, and the turn of a
        running clock begins again then.
        """
        return None if self._wake.is_set() else self._idle

    def wake(self) -> None:
        """Wake the task to check for work."""
        self._wake.set()

    async def ask(self, action: Callable[[Table], Awaitable[T]]) -> T:
        """Run ``action`` in the table's task, and wait for its result."""
        if self._ended:
            raise OwnedElsewhere
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def do() -> None:
            try:
                value = await action(self)
            except (dasan.DasanError, Refused) as error:
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(value)

        self._waiting.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._waiting.discard)
        self._inbox.append(do)
        self._wake.set()
        return await future

    # The following methods run only in the table's task.

    async def look(self) -> Room:
        return self.room

    def viewer(self, player: str | None) -> int | None:
        """The player's seat, None for a spectator. ``Refused``: the player may not watch."""
        seat = self.room.seat_of(player)
        if seat is None and self.room.status != "waiting" and not self.room.head.settings.spectators:
            raise Refused("forbidden", reason("private"))
        return seat

    def room_for(self, viewer: int | None) -> Room:
        """The room that a viewer may see now: spectators see it with the host's delay."""
        if viewer is not None:
            return self.room
        if self._spectators.room is None:
            raise Refused("unavailable", reason("late"))
        return self._spectators.room

    async def seen_by(self, player: str | None) -> Room:
        """The room as far as the player may see it. ``Refused``: they may not."""
        return self.room_for(self.viewer(player))

    async def show(self, player: str | None, connection: Connection, seen: int | None) -> None:
        """Send ``connection`` the table, from the ``seen`` entry on."""
        viewer = self.viewer(player)
        self.hub.join(connection)
        connection.timed = self.room.head.settings.speed.kind == "clock"
        self._attendance.update(self.hub.players, self._time.now())
        presence = self.presence()
        mark = next((m for m in self._marks if m.seq == seen), None)
        if mark is not None and viewer is not None:
            messages = showing.missed(self.room, mark, viewer, self._time.now(), presence)
        elif viewer is None and self._spectators.room is None:
            messages = []  # spectators get the table when the delay has passed
        else:
            messages = [showing.snapshot(self.room_for(viewer), viewer, self._time.now(), presence)]
        for message in messages:
            connection.offer(compact(message))
        await self.attended()

    async def detail(self, player: str | None) -> showing.Json:
        """The table for the player, as REST sends it."""
        viewer = self.viewer(player)
        return {**showing.detail(self.room_for(viewer), viewer, self._time.now()), **self.presence()}

    def presence(self) -> showing.Json:
        watching = sum(self.room.seat_of(connection.player) is None for connection in self.hub)
        return self._attendance.shown(self.room, watching)

    async def attended(self) -> None:
        """Handle a connection or disconnection. Who was absent and is here again returns before the next command is decided."""
        self._attendance.update(self.hub.players, self._time.now())
        await self.write([])
        if self.presence()["presence"] != self._present["presence"]:
            self._publish_presence()
        elif self._counting is None:
            # Thousands may watch: their number is published at most once per interval.
            self._counting = asyncio.get_running_loop().call_later(COUNT_EVERY, self._publish_presence)

    def _publish_presence(self) -> None:
        """Send the players present and the number of spectators, if either has changed."""
        if self._counting is not None:
            self._counting.cancel()
            self._counting = None
        present = self.presence()
        if present != self._present:
            self._present = present
            text = compact({"type": "presence", **present})
            self.hub.publish(lambda _: None, lambda _: text)

    async def carry_out(self, player: str, command: RoomCommand, lag: int = 0) -> int:
        """Let the room decide, write the log, then notify everybody; returns the length of the log after the command.

        A repeated command gets its first answer, so that a delayed copy is not carried out after a refusal. Refusals of
        players without a seat are not stored, because they would displace others' answers.
        """
        key = (player, command.id)
        digest = blake2b(command.wire().encode(), digest_size=12).hexdigest()
        given = self._answers.given(key, digest)
        if given is not None:
            return given
        try:
            named = await self._named(player, command)
            await self.write(entries(self.room, player, command, lag, named), Cause(player, command.id, digest))
        except Repeated as repeated:
            return same(Done(repeated.digest, repeated.seq), digest)
        except (dasan.DasanError, Refused) as refusal:
            if refusal.code == "unavailable" or self.room.seat_of(player) is None:
                raise
            done = await self._process.store.log.done(self.id, *key) if self._answers.full else None
            if done is not None:
                return same(done, digest)
            self._answers.refused(key, digest, refusal)
            raise
        given = self._answers.given(key, digest)
        assert given is not None
        return given

    async def _named(self, player: str, command: RoomCommand) -> tuple[str, bool]:
        """(displayed name of a player who sits down, empty for a default one; whether it is their account's)."""
        if not isinstance(command, SitCommand):
            return "", False
        people = self._process.store.people
        seat = self.room.seat_of(player)
        usual = "" if seat is None else self.room.chairs[seat].name
        name, person = await chosen_name(people, player, command.name, usual, program=command.program)
        others = [chair.name for chair in self.room.chairs if chair.kind == "human" and chair.player != player]
        if person is None and name and (others or usual):
            name = await people.name_beside(name, others, usual)
        return name, person is not None

    async def react(self, player: str | None, command: ReactCommand) -> None:
        """Show everybody a reaction, without storing it."""
        seat = self.room.own_seat(player)
        if self.room.chairs[seat].silent or not self.room.head.settings.chat:
            raise Refused("forbidden", reason("reactions"))
        text = Reaction(type="reaction", seat=seat, reaction=command.reaction).wire()
        self.hub.publish(lambda _: None, lambda _: text)

    async def write(self, entries: list[Entry], cause: Cause | None = None) -> None:
        """Write ``entries`` and the automatic entries that follow, then notify everybody."""
        moment = self._time.now()
        here, gone = self._attendance.seats(self.room), self._attendance.gone(self.room)
        rooms = [self.room]
        written: list[WrittenEntry] = []
        pending = deque(entries)
        while (entry := pending.popleft() if pending else by_itself(rooms[-1], moment, here, gone)) is not None:
            room = rooms[-1]
            if entry["type"] == "deal":
                # Now no clock runs, so the log can follow the machine's clock.
                self._time.catch_up()
                moment = self._time.now()
            if entry["type"] == "rematch":
                await self._process.open_rematch(room, entry["seats"])
            after = fold(room, listed(room, entry), moment)
            if entry["type"] == "move":
                entry = {**entry, "move": full_text(after, room)}
            written.append(WrittenEntry(room.seq, moment, entry, None if written else cause))
            rooms.append(after)
        if not written:
            return
        over = next((after for before, after in pairwise(rooms) if after.over and not before.over), None)
        types = [w.entry["type"] for w in written]
        back = (rooms[-1].chairs[w.entry["seat"]].player for w in written if w.entry["type"] in RETURNING)
        await self._process.store.log.append(
            Write(
                room=rooms[-1],
                fence=self.fence,
                entries=tuple(written),
                reseated=not RESEATING.isdisjoint(types),
                dealt=types[-1] == "deal",
                finished=None if over is None else finished(over),
                awaited=self._awaited(rooms[0], rooms[-1]),
                returned=tuple(filter(None, back)),
            )
        )
        if cause is not None:
            self._answers.done((cause.player, cause.client_id), Done(cause.digest, written[0].seq + 1))
        for (before, after), one in zip(pairwise(rooms), written, strict=True):
            self._tell(before, after, one.entry, one.at)
        self._wake.set()

    def _awaited(self, before: Room, room: Room) -> str | None:
        """The player of a slow game whose turn it has become, and who is not here to see it."""
        seat = room.to_act
        if seat is None or room.head.settings.speed.kind != "correspondence" or room.chairs[seat].plays is not None:
            return None
        if (before.number, before.moves, before.to_act) == (room.number, room.moves, seat):
            return None
        player = room.chairs[seat].player
        return None if seat in self._attendance.seats(room) else player

    def _tell(self, before: Room, room: Room, entry: Entry, at: int) -> None:
        """Make ``room`` the table's room, and send everybody the changes by ``entry``, written at the time ``at``."""
        self.room = room
        entry_type = entry["type"]
        if entry_type == "undo":
            self._marks.clear()
        self._marks.append(Mark.of(room))
        settings = room.head.settings
        if entry_type == "deal" and before.status == "waiting" and not settings.spectators:
            for connection in self.hub:
                if room.seat_of(connection.player) is None:
                    connection.close(FORBIDDEN)
                    self.hub.leave(connection)
        moment = self._time.now()
        late = settings.delay if before.status != "waiting" else 0

        def text_for(viewer: int | None) -> str | None:
            if viewer is None and late:
                return None
            return compact(showing.changed(room, before, entry_type, viewer, moment, self.presence))

        self.hub.publish(room.seat_of, text_for)
        if late:
            self._spectators.follow(entry, at, late)
        else:
            self._spectators.room = room
        if entry_type in RESEATING:
            # A player who has just sat down or stood up has a different view.
            for connection in self.hub:
                if before.seat_of(connection.player) != room.seat_of(connection.player):
                    viewer = room.seat_of(connection.player)
                    connection.offer(compact(showing.snapshot(room, viewer, moment, self.presence())))

    async def run(self) -> None:
        """Run the table until it closes; however it ends, every request gets an answer."""
        end: Exception = OwnedElsewhere()
        code = RESTART
        try:
            self.fence = await self._process.claim(self)
            loaded = await self._process.store.log.load(self.id)
            self.room = loaded.room
            self._time = SteadyTime(self.room.at)
            self._attendance = Attendance(self._time.now())
            self.loaded = True
            await self._process.opened(self)
            self._answers.load(loaded.done)
            self._marks.append(Mark.of(self.room))
            await self._spectators.open(self.room, self._process.store.log, self._time.now())
            # Clocks were stopped while the table was closed, except that of a person with days for a move.
            speed = self.room.head.settings.speed.kind
            runs_on = speed == "correspondence" and self.room.deadline is not None
            stopped = self.room.to_act is not None and speed != "untimed" and not runs_on
            # What follows without a command comes before the first one: a player who leaves a table that was never open, because
            # of a crash, would leave an open seat instead of a bot in it.
            await self.write([{"type": "resume"}] if stopped else [])
            await self._live()
        except (Unwritten, Unreachable):
            end = Unreachable()
        except Refused as error:
            end, code = error, FAILED
        except Conflict:
            pass  # another process has the table, or the store has changed: the table is reloaded
        except dasan.DasanError as error:
            end, code = damaged("table", self.id, error), FAILED
        except Exception as error:
            report(f"table {self.id} failed", error)
            end, code = Failed(), FAILED
        finally:
            self._ended = True
            self._process.forget(self)
            for future in tuple(self._waiting):
                if not future.done():
                    future.set_exception(end)
            self.hub.close(code)
            await self._process.closed(self, self.fence)

    async def _live(self) -> None:
        idle_since = self._time.now()
        idle = int(self._process.settings.idle_seconds * 1000)
        while not self._stopping:
            self._wake.clear()
            while self._inbox:
                # Writes are fenced; answers without a write are not, and may be stale if another process owns the
                # table.
                if not await self._process.owns(self):
                    return
                await self._inbox.popleft()()
                idle_since = self._time.now()
            await self._bots.go_on()
            await self._absent()
            await self.write([])
            if self._inbox or self._wake.is_set():
                continue
            times = self._times()
            used = self._bots.under_way or len(self.hub) > 0
            timed = bool(times) and self._clock_runs()
            live = used or timed
            if not live and self._time.now() - idle_since >= idle:
                return
            if not live:
                times.append(idle_since + idle)
            timer = None
            if times:
                loop = asyncio.get_running_loop()
                timer = loop.call_later(max(0, min(times) - self._time.now()) / 1000, self._wake.set)
            self._idle = None if used else (timed, idle_since)
            await self._wake.wait()
            self._idle = None
            if timer is not None:
                timer.cancel()

    def _clock_runs(self) -> bool:
        """Whether a timed action is due that only this task can do."""
        return self.room.head.settings.speed.kind != "correspondence" and self.room.status == "playing"

    def _times(self) -> list[int]:
        """The times of the next automatic actions."""
        room = self.room
        waited = any(room.chairs[seat].substitute is None for seat in self._attendance.seats(room))
        times = [room.deadline, room.next_at if waited and room.number < MOST_HANDS else None]
        times += [self._attendance.takeover_at(room, seat) for seat in room.humans]
        if (wait := self._bots.wait) is not None:
            times.append(self._time.now() + wait)
        return [t for t in times if t is not None]

    async def _absent(self) -> None:
        """Let bots play for players who have been away too long."""
        moment = self._time.now()
        late = [
            seat
            for seat in self.room.humans
            if (at := self._attendance.takeover_at(self.room, seat)) is not None and moment >= at
        ]
        if late:
            await self.write([substitute(self.room, seat, "absent") for seat in late])
            self._publish_presence()

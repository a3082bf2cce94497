"""The event log: every table's entries. A command's entries are on disk before the command is answered.

An entry's number is its index in its table's log, and the primary key prevents a second entry with that index. Only the
owner of a table writes to its log: each write names the fence of the owner's lease (``leases``) and the length of the
log that it extends. A process that was paused past its lease has an outdated fence, and its write fails. Waiting
entries of several tables share one transaction.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from dasan.errors import BadRecord
from dasan.reasons import reason
from dasan.server.compact import compact
from dasan.server.operations.background import repeat
from dasan.server.operations.reporting import log
from dasan.server.refusals import Refused
from dasan.server.store.damage import json_value
from dasan.server.store.database import Database, StorePart, Unreachable
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hands import insert_hands
from dasan.server.store.notifications import put_out
from dasan.server.store.schema import events, forgotten, seats, tables
from dasan.server.store.table_rows import insert_room, insert_seats, opened, summary
from dasan.server.tables.checkpoints import checkpoint
from dasan.server.tables.room import Entry, Room, fold
from dasan.server.tables.shared_rules import compile_rules, is_compiled, kept_rules

REMEMBERED = 512
"""The number of a table's last commands that are loaded, to answer repeated ones without a query."""
MOST_IN_A_BATCH = 256
TRIED_FOR = 10.0
"""Seconds for which a write is retried while the database does not answer."""
TRY_AGAIN = 0.2
GATHERED_FOR = 0.02
"""Seconds between the starts of transactions while several tables write: in SQLite a transaction costs as much
processor time as three writes in it.
"""
LONG = 1000
"""The most entries of a log that is read and folded beside others. Players can make a log longer than any game: by toggling
whether they are ready, or by taking moves back.
"""
FOLDED_FOR = 0.005
"""Seconds after which a table that folds its log lets the others go on."""


class Conflict(Exception):
    """The table has another owner, or its log is longer than the writer assumed."""


class Repeated(Exception):
    """The log already contains this player's command with this id; it ends at ``seq`` and has this digest."""

    def __init__(self, seq: int, digest: str) -> None:
        super().__init__(seq)
        self.seq = seq
        self.digest = digest


class Unwritten(Exception):
    """The database did not answer: the entries may or may not be in the log."""


@dataclass(frozen=True)
class Cause:
    """The command that caused an entry: its player, its id, and a digest of its contents."""

    player: str
    client_id: str
    digest: str


@dataclass(frozen=True)
class WrittenEntry:
    """One entry of a write, with its index and time."""

    seq: int
    at: int
    entry: Entry
    cause: Cause | None = None


@dataclass(frozen=True)
class Write:
    """New entries of a table, the ``room`` after them, and the owner's ``fence``.

    reseated: whether seats have changed. dealt: whether a hand was dealt. finished: the hand that ended. awaited:
    the player to notify that it is their turn. returned: players who sat down or returned, whose lists show the table
    again.
    """

    room: Room
    fence: int
    entries: tuple[WrittenEntry, ...]
    reseated: bool = False
    dealt: bool = False
    finished: FinishedHand | None = None
    awaited: str | None = None
    returned: tuple[str, ...] = ()


@dataclass(frozen=True)
class Done:
    """A completed command: a digest of its contents, and the length of the log after it."""

    digest: str
    seq: int


@dataclass(frozen=True)
class Loaded:
    """A table's latest stored room, and its last commands by player and id."""

    room: Room
    done: Mapping[tuple[str, str], Done] = field(repr=False)


@dataclass
class WriteTotals:
    """Totals since the start. transactions: each has one write or more. seconds: the sum of the times that callers of ``append``
    waited.
    """

    writes: int = 0
    transactions: int = 0
    entries: int = 0
    hands: int = 0
    failures: int = 0
    seconds: float = 0.0


class EventLog(StorePart):
    """Reads and writes the logs of tables. The task ``run`` does the writing."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._waiting: list[tuple[Write, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._begun = float("-inf")
        """The start of the last transaction."""
        self._last = ""
        """The table of its last write."""
        self._compiling = asyncio.Lock()
        self._long = asyncio.Lock()
        """Held while a long log is read and folded: one at a time, for it takes memory too."""
        self.counts = WriteTotals()

    async def run(self) -> None:
        """Repeatedly write all waiting entries in one transaction, until cancelled."""
        await repeat("writing to the event log", self._write_waiting)

    async def _write_waiting(self) -> None:
        """Wait for entries and write them. Every caller of ``append`` gets an answer, whatever fails."""
        if not self._waiting:
            await self._wake.wait()
        self._wake.clear()
        while self._waiting:
            pause = self._begun + GATHERED_FOR - time.monotonic()
            # A single active table need not wait for others.
            if pause > 0 and self._waiting[0][0].room.head.id != self._last:
                await asyncio.sleep(pause)
            self._begun, self._last = time.monotonic(), self._waiting[-1][0].room.head.id
            batch, self._waiting = self._waiting[:MOST_IN_A_BATCH], self._waiting[MOST_IN_A_BATCH:]
            try:
                await self._write(batch)
            finally:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(Unwritten())

    async def _write(self, batch: Sequence[tuple[Write, asyncio.Future[None]]]) -> None:
        unsure, error = await self._try([write for write, _ in batch])
        for write, future in batch:
            cause = error
            if error is not None and not isinstance(error, Unwritten):
                # One write of the batch fails; the others must still be written.
                cause = await self._alone(write, error if len(batch) == 1 else None, unsure)
            if future.done():
                continue
            if cause is None:
                future.set_result(None)
            else:
                future.set_exception(cause)

    async def _alone(self, write: Write, error: Exception | None, unsure: bool) -> Exception | None:
        """Write one entry of a failed batch alone, and return the reason if that fails. error: the error of an attempt
        already made.
        """
        if error is None:
            again, error = await self._try([write])
            unsure = unsure or again
        try:
            return error and await self._cause_of(write, error, unsure)
        except Unreachable:
            return Unwritten()
        except Exception as unknown:
            return unknown

    async def _try(self, writes: Sequence[Write]) -> tuple[bool, Exception | None]:
        """Write a batch; retry while the database does not answer.

        Returns whether an answer was lost, so that the log may already contain the batch, and the error if there was one.
        """
        unsure = False
        end = time.monotonic() + TRIED_FOR
        while True:
            try:
                await self._database.write(lambda connection: _append(connection, writes))
            except Unreachable:
                unsure = True
                if time.monotonic() > end:
                    return unsure, Unwritten()
                await asyncio.sleep(TRY_AGAIN)
            except Exception as error:
                return unsure, error
            else:
                self.counts.transactions += 1
                return unsure, None

    async def _cause_of(self, write: Write, error: Exception, unsure: bool) -> Exception | None:
        """Interpret an error: ``Repeated`` if the command was carried out before, ``Conflict`` if the table has another
        owner, or None if an earlier answer was lost (``unsure``) and the log contains exactly these entries.
        """
        if unsure and isinstance(error, Conflict | sa.exc.IntegrityError) and await self._is_written(write):
            return None
        if not isinstance(error, sa.exc.IntegrityError):
            return error
        for cause in [w.cause for w in write.entries if w.cause is not None]:
            done = await self.done(write.room.head.id, cause.player, cause.client_id)
            if done is not None:
                return Repeated(done.seq, done.digest)
        return Conflict(write.room.head.id)

    async def done(self, table_id: str, player: str, client_id: str) -> Done | None:
        """The outcome of a player's command, if it is in the table's log."""
        query = sa.select(events.c.seq, events.c.digest).where(
            events.c.table_id == table_id, events.c.player == player, events.c.client_id == client_id
        )
        row = await self._row(query)
        return None if row is None else Done(row.digest, row.seq + 1)

    async def _is_written(self, write: Write) -> bool:
        """Whether the log contains exactly these entries at their indices."""
        mine = [_row(write.room.head.id, written) for written in write.entries]
        columns = [events.c[name] for name in mine[0]]
        query = sa.select(*columns).where(
            events.c.table_id == write.room.head.id, events.c.seq.between(mine[0]["seq"], mine[-1]["seq"])
        )
        return [row._asdict() for row in await self._rows(query.order_by(events.c.seq))] == mine

    async def append(self, write: Write) -> None:
        """Write entries; when this returns, they are on disk. ``Conflict``: the table has another owner. ``Repeated``:
        the command was carried out before. ``Unwritten``: the database does not answer.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        begun = time.monotonic()
        self._waiting.append((write, future))
        self._wake.set()
        try:
            await future
        except Exception:
            self.counts.failures += 1
            raise
        self.counts.seconds += time.monotonic() - begun
        self.counts.writes += 1
        self.counts.entries += len(write.entries)
        self.counts.hands += write.finished is not None

    async def create(self, room: Room) -> bool:
        """Insert a new table with an empty log. False if the table exists already."""
        return await self._database.write(lambda connection: insert_room(connection, room))

    async def load(self, table_id: str, until: int | None = None) -> Loaded:
        """A table's latest stored room, or the one after ``until`` entries. Where the checkpoint is damaged, the log is read from
        its start.

        ``Refused``: there is no such table. ``BadRecord``: it is damaged.
        """
        try:
            return await self._load(table_id, until)
        except BadRecord as error:
            try:
                loaded = await self._load(table_id, until, whole=True)
            except BadRecord:
                raise error from None
        log.warning("the checkpoint of table %s is damaged: its log is read from the start", table_id)
        return loaded

    async def _load(self, table_id: str, until: int | None, *, whole: bool = False) -> Loaded:
        """As `load`. whole: read the log from its start."""

        def read(connection: sa.Connection, most: int | None = None) -> tuple[Any, Sequence[Any], Sequence[Any]]:
            table = connection.execute(sa.select(tables).where(tables.c.id == table_id)).one_or_none()
            if table is None:
                raise Refused("not-found", reason("no-table"))
            dealt = None if whole else _dealt_at(table, until)
            since = 0 if dealt is None else dealt - 1
            mine = events.c.table_id == table_id
            lines = connection.execute(
                sa.select(events.c.seq, events.c.at, events.c.line)
                .where(mine, events.c.seq >= since, sa.true() if until is None else events.c.seq < until)
                .order_by(events.c.seq)
                .limit(most)
            ).all()
            commands = connection.execute(
                sa.select(events.c.seq, events.c.player, events.c.client_id, events.c.digest)
                .where(mine, events.c.client_id.is_not(None))
                .order_by(events.c.seq.desc())
                .limit(REMEMBERED)
            ).all()
            return table, lines, commands

        table, lines, commands = await self._database.read(lambda connection: read(connection, LONG + 1))
        await self._compile(table)
        long = len(lines) > LONG
        async with self._long if long else nullcontext():
            if long:
                table, lines, commands = await self._database.read(read)
            from_the_start = whole or _dealt_at(table, until) is None
            room = opened(table, from_the_start=from_the_start)
            if not from_the_start:
                lines = _after_deal(table, lines)
            begun = time.monotonic()
            for row in lines:
                room = _folded(room, row)
                if time.monotonic() >= begun + FOLDED_FOR:
                    await asyncio.sleep(0)
                    begun = time.monotonic()
        if until is None:
            await self._check_length(table, room)
        done = {(row.player, row.client_id): Done(row.digest, row.seq + 1) for row in reversed(commands)}
        return Loaded(room, done)

    async def _check_length(self, row: Any, room: Room) -> None:
        """``BadRecord``: the log is not as long as the row of its table says, so that nobody could extend it."""
        length: int | None = row.seq
        if room.seq > row.seq:  # its owner may have extended it after the row was read
            length = await self._value(sa.select(tables.c.seq).where(tables.c.id == row.id))
        if length is not None and not row.seq <= room.seq <= length:
            raise BadRecord("the table's log is not as long as its row says")

    async def _compile(self, row: Any) -> None:
        """Compile the rules in a row of ``tables`` off the event loop, one after the other, unless they are known."""
        with suppress(Exception):  # `opened` refuses such a row
            rules = kept_rules(row.preset, row.rules["options"])
            if not is_compiled(rules):
                async with self._compiling:
                    await asyncio.to_thread(compile_rules, rules)

    async def as_it_was(self, table_id: str, at: int) -> Room:
        """A table's room at the time ``at``, or right after its last deal if that came later."""
        last = sa.select(sa.func.max(events.c.seq)).where(events.c.table_id == table_id, events.c.at <= at)
        row = sa.select(tables.c.seq, tables.c.checkpoint).where(tables.c.id == table_id)
        entry = sa.select(events.c.line).where(events.c.table_id == table_id)

        def read(connection: sa.Connection) -> int:
            seq, table = connection.scalar(last), connection.execute(row).one_or_none()
            dealt = 0 if table is None else _dealt_at(table) or 0
            known = _is_deal(connection.scalar(entry.where(events.c.seq == dealt - 1)))
            return max(0 if seq is None else seq + 1, dealt if known else 0)

        return (await self.load(table_id, await self._database.read(read))).room

    async def since(self, table_id: str, seq: int) -> tuple[tuple[Entry, int], ...]:
        """(entry, time) from index ``seq``, for a process that has missed some."""
        query = sa.select(events.c.line, events.c.at).where(events.c.table_id == table_id, events.c.seq >= seq)
        return tuple((_read(row.line), row.at) for row in await self._rows(query.order_by(events.c.seq)))


def _dealt_at(row: Any, until: int | None = None) -> int | None:
    """The length of the log at the last deal, from the checkpoint in the table's row. None if there is none within ``until``
    entries, or it is damaged, so that the log must be read from its start.
    """
    seq = row.checkpoint.get("seq") if isinstance(row.checkpoint, dict) else None
    known = type(seq) is int and 0 < seq <= (row.seq if until is None else min(until, row.seq))
    return seq if known else None


def _after_deal(row: Any, lines: Sequence[Any]) -> Sequence[Any]:
    """The rows of a log after that of the last deal, which is the first. ``BadRecord``: there is no deal, so the checkpoint has a
    wrong length of the log, and moves would be left out.
    """
    if not lines or lines[0].seq != row.checkpoint["seq"] - 1 or not _is_deal(lines[0].line):
        raise BadRecord("the table's checkpoint is not of a deal in its log")
    return lines[1:]


def _is_deal(line: str | None) -> bool:
    return line is not None and line.startswith('{"type":"deal"')


def _folded(room: Room, row: Any) -> Room:
    """The room after the entry in a row of ``events``. ``BadRecord``: it is damaged, or one is missing before it."""
    if row.seq != room.seq:
        raise BadRecord(f"entry {room.seq} of the table's log is missing")
    try:
        return fold(room, _read(row.line), row.at)
    except BadRecord:
        raise
    except Exception as error:  # a damaged entry may lack anything, or be a move that is not legal
        raise BadRecord(f"entry {row.seq} of the table's log is damaged") from error


def _advance(*columns: str) -> sa.Update:
    """The statement that extends a table's log if the fence is current. Built once: building costs more than
    running.
    """
    mine = sa.and_(
        tables.c.id == sa.bindparam("own_id"),
        tables.c.fence == sa.bindparam("own_fence"),
        tables.c.seq == sa.bindparam("seq_before"),
    )
    return sa.update(tables).where(mine).values({name: sa.bindparam(name) for name in columns})


_ADVANCED = _advance("seq", "status", "summary", "deadline", "touched")
_DEALT = _advance("seq", "status", "summary", "deadline", "touched", "checkpoint")
_ENTRIES = sa.insert(events)


def _append(connection: sa.Connection, batch: Sequence[Write]) -> None:
    """Write all of ``batch``, or raise and write nothing."""
    rows = []
    together: list[dict[str, Any]] = []
    many = connection.dialect.supports_sane_multi_rowcount
    for write in sorted(batch, key=lambda one: one.room.head.id):  # see `as_python_sorts`
        room, head = write.room, write.room.head
        values: dict[str, Any] = {
            "seq": room.seq,
            "status": room.status,
            "summary": summary(room),
            "deadline": room.due,
            "touched": room.at,
        }
        if write.dealt:
            values["checkpoint"] = checkpoint(room)
        mine = {"own_id": head.id, "own_fence": write.fence, "seq_before": room.seq - len(write.entries)}
        if many and not write.dealt:
            together.append({**values, **mine})
        elif connection.execute(_DEALT if write.dealt else _ADVANCED, {**values, **mine}).rowcount != 1:
            raise Conflict(head.id)
    for write in batch:
        room, head = write.room, write.room.head
        if write.reseated:
            connection.execute(sa.delete(seats).where(seats.c.table_id == head.id))
            insert_seats(connection, room)
        if write.returned:
            theirs = sa.and_(forgotten.c.table_id == head.id, forgotten.c.player.in_(write.returned))
            connection.execute(sa.delete(forgotten).where(theirs))
        if write.awaited is not None:
            put_out(connection, [write.awaited], "turn", head.id, room.at)
        rows += [_row(head.id, written) for written in write.entries]
    insert_hands(connection, [write.finished for write in batch if write.finished is not None])
    # If one table has another owner, all writes are retried one by one.
    if together and connection.execute(_ADVANCED, together).rowcount != len(together):
        raise Conflict(*(params["own_id"] for params in together))
    connection.execute(_ENTRIES, rows)


def _row(table_id: str, written: WrittenEntry) -> dict[str, Any]:
    cause = written.cause
    return {
        "table_id": table_id,
        "seq": written.seq,
        "at": written.at,
        "line": compact(written.entry),
        "player": None if cause is None else cause.player,
        "client_id": None if cause is None else cause.client_id,
        "digest": None if cause is None else cause.digest,
    }


def _read(line: str) -> Entry:
    entry = json_value(line)
    if not isinstance(entry, dict):
        raise BadRecord("an entry of the table's log is damaged")
    return entry

"""Retention periods, and the deletion of older data."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import sqlalchemy as sa

from dasan.errors import BadRecord
from dasan.play.phases import Phase
from dasan.server.compact import compact
from dasan.server.operations.reporting import report
from dasan.server.refusals import Refused
from dasan.server.settings import Settings
from dasan.server.store.damage import json_value
from dasan.server.store.database import Database, among
from dasan.server.store.event_plays import NOT_OVER
from dasan.server.store.forgetting import NOTHING
from dasan.server.store.friends import OPEN
from dasan.server.store.hands import fill_facts
from dasan.server.store.leases import lease_time
from dasan.server.store.log import EventLog
from dasan.server.store.people import People
from dasan.server.store.processes import NOTICE_LIFE, leave_notice
from dasan.server.store.schema import (
    addresses,
    bid_answers,
    duplicate_plays,
    duplicates,
    ended_sessions,
    events,
    group_lines,
    hand_seats,
    hands,
    invitations,
    network_bans,
    notices,
    notification_settings,
    outbox,
    players,
    promises,
    reports,
    seats,
    sign_ins,
    tables,
)
from dasan.server.times import DAY

AT_ONCE = 200
"""The most rows that one transaction deletes, so that moves are not delayed."""
UNSEEN_DAYS = 401
"""Days after which cookies have expired: older sign-ins and ended sessions are deleted."""

ADDRESSES_DAYS = 30
"""Days for which players' addresses are kept."""


@dataclass(frozen=True)
class Keep:
    """Retention periods in days; 0: forever.

    tables: unused tables. hands: unrated hands, except those of events that are not over. guests: players without
    an account who have not played, except players and hosts of such events. chat: messages, and reports of them.
    """

    tables: int = 0
    hands: int = 0
    guests: int = 0
    chat: int = 0

    @staticmethod
    def of(settings: Settings) -> Keep:
        """The host's retention periods."""
        return Keep(
            tables=settings.keep_tables_days,
            hands=settings.keep_hands_days,
            guests=settings.keep_guests_days,
            chat=settings.keep_chat_days,
        )


async def prune(database: Database, people: People, keep: Keep, now: int, *, dry: bool = False) -> Counter[str]:
    """Delete data older than its period, and return the counts by kind. Also finish interrupted deletions of players, which do
    not count. dry: only count.
    """
    removed: Counter[str] = Counter()
    if keep.tables:
        unused = await _unused_tables(database, now - keep.tables * DAY)
        removed["tables"] = await _remove(
            database, lambda connection: sa.select(tables.c.id).where(unused(connection)), tables.c.id, dry=dry
        )
    if keep.hands:
        unrated = hands.c.finished < now - keep.hands * DAY, sa.not_(hands.c.rated)
        old = sa.select(hands.c.id).where(*unrated, ~_of_an_event_not_over())
        removed["hands"] = await _remove(database, lambda _: old, hands.c.id, dry=dry)
    if keep.guests:
        removed["guests"] = await _forget_guests(database, people, now - keep.guests * DAY, now, dry=dry)
    if keep.chat:
        removed["chat"] = await _unsay(database, now - keep.chat * DAY, now, dry=dry)
    if not dry:
        interrupted = await people.forget_interrupted(now)
        await database.write(lambda connection: _tidy(connection, now))
        await fill_facts(database, AT_ONCE)
        if interrupted or any(removed.values()):
            await database.scrub()
    return removed


Query: TypeAlias = Callable[[sa.Connection], sa.Select[Any]]
Condition: TypeAlias = Callable[[sa.Connection], sa.ColumnElement[bool]]
"""A query, or a condition, that depends on the kind of database."""


async def _unused_tables(database: Database, cutoff: int) -> Condition:
    """Whether a table has not been used since ``cutoff``, no process has it open now, and nothing goes on there: before a
    deadline, in an event, or in a rated hand, which counts once it is dealt and is finished by bots, whoever comes.
    """
    moment = await database.read(lambda connection: connection.scalars(sa.select(lease_time(connection))).one())
    plays, c = duplicate_plays.c, tables.c
    in_an_event = sa.exists().where(plays.table_id == c.id, plays.finished.is_(None))
    old = sa.and_(c.touched < cutoff, sa.func.coalesce(c.deadline, 0) < cutoff, ~in_an_event, c.lease_until < moment)
    binding = await _in_binding_hands(database, old)
    return lambda connection: sa.and_(old, sa.not_(among(connection, c.id, binding)))


async def _in_binding_hands(database: Database, old: sa.ColumnElement[bool]) -> list[str]:
    """The ids of those ``old`` tables where a hand that counts for ratings is under way, see `Room.in_binding_hand`. A damaged
    table is none of them: nobody can finish its hand, and the hands that are finished do not go with it.
    """
    c, found, last = tables.c, list[str](), ""
    query = sa.select(c.id, c.settings, c.summary).where(old, c.status == "playing").order_by(c.id).limit(AT_ONCE)

    def page(connection: sa.Connection) -> Sequence[Any]:
        return connection.execute(query.where(c.id > last)).all()

    while rows := await database.read(page):
        last = rows[-1].id
        for table_id in [row.id for row in rows if _may_bind(row)]:
            try:
                if (await EventLog(database).load(table_id)).room.in_binding_hand:
                    found.append(table_id)
            except Refused as refused:
                if refused.code != "not-found":
                    raise
            except BadRecord as error:
                report(f"table {table_id} is damaged, and its rated hand counts as abandoned", error)
    return found


def _may_bind(row: Any) -> bool:
    """Whether a hand that counts may be under way, by a row of ``tables``. Python asks, because a query would fail for all tables
    where one has damaged JSON.
    """
    rated = isinstance(row.settings, dict) and bool(row.settings.get("rated"))
    over = isinstance(row.summary, dict) and row.summary.get("phase") == Phase.OVER.value
    return rated and not over


def _of_an_event_not_over() -> sa.Exists:
    """Whether a hand was played in an event that is not over: its players are compared, and may review it."""
    plays = sa.join(duplicate_plays, duplicates)
    mine = sa.and_(duplicate_plays.c.table_id == hands.c.table_id, NOT_OVER)
    return sa.exists().select_from(plays).where(mine).correlate(hands)


async def _remove(database: Database, old: Query, key: sa.Column[Any], *, dry: bool) -> int:
    """Delete rows by id, ``AT_ONCE`` at a time, with the rows that refer to them. A row that another transaction changes stays:
    a process may be claiming its table.
    """

    def count(connection: sa.Connection) -> int:
        return connection.scalar(sa.select(sa.func.count()).select_from(old(connection).subquery())) or 0

    def delete(connection: sa.Connection, ids: list[str]) -> int:
        still = old(connection).where(key.in_(ids)).with_for_update(skip_locked=True)
        if ids := list(connection.scalars(still)):
            connection.execute(sa.delete(key.table).where(key.in_(ids)))
        return len(ids)

    async def some() -> int:
        # A reader looks for them: moves would wait for a writer that looks at all rows.
        async with database.scans:
            ids = await database.read(lambda connection: list(connection.scalars(old(connection).limit(AT_ONCE))))
        return await database.write(lambda connection: delete(connection, ids)) if ids else 0

    if dry:
        return await database.read(count)
    total = 0
    while deleted := await some():
        total += deleted
    return total


async def _forget_guests(database: Database, people: People, cutoff: int, now: int, *, dry: bool) -> int:
    unused = await _unused_tables(database, cutoff)
    async with database.scans:
        guests = await database.read(lambda connection: _old_guests(connection, unused, cutoff))
    if dry:
        return len(guests)
    gone = 0
    for guest in guests:
        # Many take minutes: whoever has come back since then stays, above all one who has opened an account.
        if await database.read(partial(_old_guests, unused=unused, cutoff=cutoff, only=guest)):
            await people.forget(guest, now)
            gone += 1
    return gone


def _old_guests(connection: sa.Connection, unused: Condition, cutoff: int, only: str | None = None) -> list[str]:
    """The guests who have not played since ``cutoff``. unused: see `_unused_tables`. only: look at this guest alone."""

    def of(column: sa.Column[Any]) -> sa.Select[Any]:
        return sa.select(column).where(column.is_not(None) if only is None else column == only)

    played = of(hand_seats.c.player)
    sitting = of(seats.c.player).join_from(seats, tables)
    named = of(players.c.id)
    known = sa.union(played, sitting, named.where(players.c.account.is_(None), sa.not_(players.c.banned))).subquery()
    recent = sa.union(
        played.where(hand_seats.c.finished >= cutoff),
        sitting.where(sa.not_(unused(connection))),
        of(duplicate_plays.c.player).join_from(duplicate_plays, duplicates).where(NOT_OVER),
        of(duplicates.c.host).where(NOT_OVER),
        named.where(sa.or_(players.c.account.is_not(None), players.c.banned, players.c.created >= cutoff)),
    )
    return list(connection.scalars(sa.select(known.c[0]).where(known.c[0].not_in(recent))))


async def _unsay(database: Database, cutoff: int, now: int, *, dry: bool) -> int:
    """Delete the text of old chat. The entries stay in the log, so that it still folds to the same room."""
    old_reports = reports.c.at < cutoff
    old_lines = sa.select(group_lines.c.id).where(group_lines.c.at < cutoff)
    total = await _remove(database, lambda _: old_lines, group_lines.c.id, dry=dry)
    async for places in _old_chat(database, cutoff):
        total += len(places)
        for first in range(0, 0 if dry else len(places), AT_ONCE):
            some = places[first : first + AT_ONCE]
            await database.write(lambda connection, some=some: _unsay_lines(connection, some, cutoff, now))  # type: ignore[misc]
    if not dry:
        await database.write(lambda connection: connection.execute(sa.delete(reports).where(old_reports)))
    return total


async def _old_chat(database: Database, cutoff: int) -> AsyncIterator[Sequence[tuple[str, int]]]:
    """The places, (table, seq), of messages from before ``cutoff``, those of some tables at a time.

    No index finds them. One query would read the whole log: for longer than PostgreSQL has to answer, or while moves wait.
    """
    chat = sa.and_(
        events.c.at < cutoff,
        events.c.line.startswith('{"type":"chat"', autoescape=True),
        sa.not_(events.c.line.endswith(f'"text":"{NOTHING}"}}', autoescape=True)),
    )
    old = sa.select(tables.c.id).where(tables.c.created < cutoff).order_by(tables.c.id).limit(AT_ONCE)
    last = ""

    def page(connection: sa.Connection) -> tuple[str | None, Sequence[tuple[str, int]]]:
        ids = connection.scalars(old.where(tables.c.id > last)).all()
        if not ids:
            return None, ()
        theirs = events.c.table_id.in_(ids)
        found = connection.execute(sa.select(events.c.table_id, events.c.seq).where(theirs, chat)).all()
        return ids[-1], [(row.table_id, row.seq) for row in found]

    while True:
        end, places = await database.read(page)
        if end is None:
            return
        last = end
        yield places


def _unsay_lines(connection: sa.Connection, places: Sequence[tuple[str, int]], cutoff: int, now: int) -> None:
    # The rows of tables first, as in the deletion of a player: else the two could wait for each other.
    for table_id in sorted({table_id for table_id, _ in places}):
        _unsay_checkpoint(connection, table_id, cutoff)
        leave_notice(connection, "reopen", table_id, now)
    for table_id, seq in places:
        place = sa.and_(events.c.table_id == table_id, events.c.seq == seq)
        line = connection.scalar(sa.select(events.c.line).where(place))
        if line is not None:  # else the table has been deleted in the meantime
            # A digest of the command tells whoever guesses the text that the guess is right.
            unsaid = {"line": compact(_unsaid(line)), "client_id": None, "digest": None}
            connection.execute(sa.update(events).where(place).values(**unsaid))


def _unsaid(line: str) -> dict[str, Any]:
    """An entry of chat with nothing as its text, at its end, by which it is known; without the rest if it is damaged."""
    entry = json_value(line)
    rest = entry if isinstance(entry, dict) else {}
    return {"type": "chat", **{key: value for key, value in rest.items() if key != "text"}, "text": NOTHING}


def _unsay_checkpoint(connection: sa.Connection, table_id: str, cutoff: int) -> None:
    """Delete old chat from a table's checkpoint, or all of one that is damaged; the table's owner reads the table again."""
    mine = tables.c.id == table_id
    checkpoint: Any = connection.scalar(sa.select(tables.c.checkpoint).where(mine))
    try:
        after = {**checkpoint, "chat": [line for line in checkpoint["chat"] if line["at"] >= cutoff]}
    except Exception:  # there is none, or it may lack anything: then the log is read from its start
        after = None
    connection.execute(
        sa.update(tables).where(mine).values(checkpoint=sa.null() if after is None else after, fence=tables.c.fence + 1)
    )


def _tidy(connection: sa.Connection, now: int) -> None:
    """Delete expired data: promises, sign-ins, bans of networks, invitations, old sessions, addresses, e-mail addresses that
    nobody has confirmed, notices, and the bidding trainer's hands of guests without a name.
    """
    connection.execute(sa.delete(promises).where(promises.c.at < now - DAY))
    unseen = now - UNSEEN_DAYS * DAY
    connection.execute(sa.delete(sign_ins).where(sign_ins.c.seen < unseen))
    connection.execute(sa.delete(ended_sessions).where(ended_sessions.c.at < unseen))
    nameless = bid_answers.c.player.not_in(sa.select(players.c.id))
    connection.execute(sa.delete(bid_answers).where(bid_answers.c.at < unseen, nameless))
    connection.execute(sa.delete(addresses).where(addresses.c.seen < now - ADDRESSES_DAYS * DAY))
    connection.execute(sa.delete(network_bans).where(network_bans.c.until < now))
    connection.execute(sa.delete(invitations).where(invitations.c.at < now - OPEN))
    connection.execute(sa.delete(outbox).where(outbox.c.at < now - DAY))
    letters = notification_settings.c
    late = sa.and_(letters.address.is_not(None), sa.not_(letters.confirmed), letters.asked < now - DAY)
    connection.execute(sa.update(notification_settings).where(late).values(address=None, token=None))
    connection.execute(sa.delete(notices).where(notices.c.at < now - 2 * NOTICE_LIFE))

"""Retention periods, and the deletion of older data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dasan.play.phases import Phase
from dasan.server.compact import compact
from dasan.server.settings import Settings
from dasan.server.store.database import Database
from dasan.server.store.event_plays import NOT_OVER
from dasan.server.store.forgetting import NOTHING
from dasan.server.store.friends import OPEN
from dasan.server.store.hands import fill_facts
from dasan.server.store.leases import lease_time
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
    """Delete data older than its period; return the counts by kind. dry: only count."""
    removed: Counter[str] = Counter()
    if keep.tables:
        moment = await database.read(lambda connection: connection.scalars(sa.select(lease_time(connection))).one())
        removed["tables"] = await _remove(database, _old_tables(now - keep.tables * DAY, moment), tables.c.id, dry=dry)
    if keep.hands:
        unrated = hands.c.finished < now - keep.hands * DAY, sa.not_(hands.c.rated)
        old = sa.select(hands.c.id).where(*unrated, ~_of_an_event_not_over())
        removed["hands"] = await _remove(database, old, hands.c.id, dry=dry)
    if keep.guests:
        removed["guests"] = await _forget_guests(database, people, now - keep.guests * DAY, now, dry=dry)
    if keep.chat:
        removed["chat"] = await _unsay(database, now - keep.chat * DAY, now, dry=dry)
    if not dry:
        await database.write(lambda connection: _tidy(connection, now))
        await database.write(lambda connection: fill_facts(connection, AT_ONCE))
        if any(removed.values()):
            await database.scrub()
    return removed


def _old_tables(cutoff: int, moment: int) -> sa.Select[tuple[str]]:
    """Unused tables that no process had open at the ``moment``, by the clock of leases."""
    return sa.select(tables.c.id).where(_unused(cutoff), tables.c.lease_until < moment)


def _unused(cutoff: int) -> sa.ColumnElement[bool]:
    """Whether a table has not been used since ``cutoff`` and nothing goes on there: before a deadline, in an event, or in a
    rated hand, which counts once it is dealt and is finished by bots, whoever comes.
    """
    plays = duplicate_plays.c
    in_an_event = sa.exists().where(plays.table_id == tables.c.id, plays.finished.is_(None))
    deadline = sa.func.coalesce(tables.c.deadline, 0)
    return sa.and_(tables.c.touched < cutoff, deadline < cutoff, ~in_an_event, ~_in_a_rated_hand())


def _in_a_rated_hand() -> sa.ColumnElement[bool]:
    """Whether a hand that counts for ratings is under way, see `Room.in_binding_hand`; never null, whatever a row lacks."""
    settings, phase = tables.c.settings, tables.c.summary["phase"].as_string()
    rated = sa.func.coalesce(settings["rated"].as_boolean(), sa.false())
    timed = sa.func.coalesce(settings["speed", "kind"].as_string(), "untimed") != "untimed"
    under_way = sa.func.coalesce(phase, Phase.OVER.value) != Phase.OVER.value
    return sa.and_(tables.c.status == "playing", rated, timed, under_way)


def _of_an_event_not_over() -> sa.Exists:
    """Whether a hand was played in an event that is not over: its players are compared, and may review it."""
    plays = sa.join(duplicate_plays, duplicates)
    mine = sa.and_(duplicate_plays.c.table_id == hands.c.table_id, NOT_OVER)
    return sa.exists().select_from(plays).where(mine).correlate(hands)


async def _remove(database: Database, old: sa.Select[Any], key: sa.Column[Any], *, dry: bool) -> int:
    """Delete rows by id, ``AT_ONCE`` at a time, with the rows that refer to them. A row that another transaction changes stays:
    a process may be claiming its table.
    """
    if dry:
        count = sa.select(sa.func.count()).select_from(old.subquery())
        return await database.read(lambda connection: connection.scalar(count) or 0)

    def some(connection: sa.Connection) -> int:
        ids = list(connection.scalars(old.limit(AT_ONCE).with_for_update(skip_locked=True)))
        if ids:
            connection.execute(sa.delete(key.table).where(key.in_(ids)))
        return len(ids)

    return await _all(database, some)


async def _all(database: Database, some: Callable[[sa.Connection], int]) -> int:
    total = 0
    while count := await database.write(some):
        total += count
    return total


async def _forget_guests(database: Database, people: People, cutoff: int, now: int, *, dry: bool) -> int:
    played = sa.select(hand_seats.c.player).where(hand_seats.c.player.is_not(None))
    sitting = sa.select(seats.c.player).join_from(seats, tables)
    entered = sa.select(duplicate_plays.c.player).join_from(duplicate_plays, duplicates).where(NOT_OVER)
    known = sa.union(
        played,
        sitting,
        sa.select(players.c.id).where(players.c.account.is_(None), sa.not_(players.c.banned)),
    ).subquery()
    recent = sa.union(
        played.where(hand_seats.c.finished >= cutoff),
        sitting.where(sa.not_(_unused(cutoff))),
        entered,
        sa.select(duplicates.c.host).where(duplicates.c.host.is_not(None), NOT_OVER),
        sa.select(players.c.id).where(
            sa.or_(players.c.account.is_not(None), players.c.banned, players.c.created >= cutoff)
        ),
    )
    old = sa.select(known.c[0]).where(known.c[0].not_in(recent))
    guests = await database.read(lambda connection: list(connection.scalars(old)))
    if not dry:
        for guest in guests:
            await people.forget(guest, now)
    return len(guests)


async def _unsay(database: Database, cutoff: int, now: int, *, dry: bool) -> int:
    """Delete the text of old chat. The entries stay in the log, so that it still folds to the same room."""
    chat = sa.and_(
        events.c.at < cutoff,
        events.c.line.startswith('{"type":"chat"', autoescape=True),
        sa.not_(events.c.line.endswith(f'"text":"{NOTHING}"}}', autoescape=True)),
    )
    old_reports = reports.c.at < cutoff
    old_lines = sa.select(group_lines.c.id).where(group_lines.c.at < cutoff)
    total = await _remove(database, old_lines, group_lines.c.id, dry=dry)
    if dry:
        count = sa.select(sa.func.count()).select_from(events).where(chat)
        return total + await database.read(lambda connection: connection.scalar(count) or 0)

    def some(connection: sa.Connection) -> int:
        query = sa.select(events.c.table_id, events.c.seq, events.c.line).where(chat).limit(AT_ONCE)
        rows = connection.execute(query).all()
        for row in rows:
            line = compact({**json.loads(row.line), "text": NOTHING})
            place = sa.and_(events.c.table_id == row.table_id, events.c.seq == row.seq)
            connection.execute(sa.update(events).where(place).values(line=line))
        for table_id in sorted({row.table_id for row in rows}):
            _unsay_checkpoint(connection, table_id, cutoff)
            leave_notice(connection, "reopen", table_id, now)
        return len(rows)

    total += await _all(database, some)
    await database.write(lambda connection: connection.execute(sa.delete(reports).where(old_reports)))
    return total


def _unsay_checkpoint(connection: sa.Connection, table_id: str, cutoff: int) -> None:
    """Delete old chat from a table's checkpoint; the table's owner reads the table again."""
    mine = tables.c.id == table_id
    checkpoint = connection.scalar(sa.select(tables.c.checkpoint).where(mine))
    values = {"fence": tables.c.fence + 1}
    if checkpoint is not None:
        chat = [line for line in checkpoint["chat"] if line["at"] >= cutoff]
        connection.execute(sa.update(tables).where(mine).values(checkpoint={**checkpoint, "chat": chat}, **values))
    else:
        connection.execute(sa.update(tables).where(mine).values(**values))


def _tidy(connection: sa.Connection, now: int) -> None:
    """Delete expired data: promises, sign-ins, bans of networks, invitations, old sessions, addresses, notices, and the
    bidding trainer's hands of guests without a name.
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
    connection.execute(sa.delete(notices).where(notices.c.at < now - 2 * NOTICE_LIFE))

"""Duplicate events in the database: the events, their entrants, and the plays.

A play is a player's attempt at one deal: first it waits for a table, then it has one, then it has a score. Its primary
key is (event, player, deal), so nobody plays a deal twice. Transactions that seat players of an event are serialized
across processes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.events.event import DuplicateEvent
from dasan.server.events.scoring import Play
from dasan.server.protocol.events import EventPlayed
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store.damage import intact, undamaged
from dasan.server.store.database import Lock, StorePart, put_row, recent, serialize, writing
from dasan.server.store.event_plays import NOT_OVER
from dasan.server.store.friends import blocked_pairs
from dasan.server.store.people import marked, names_apart
from dasan.server.store.ratings import BOT
from dasan.server.store.schema import duplicate_entries, duplicate_pars, duplicate_plays, duplicates, hands
from dasan.server.store.sessions import check_not_deleted
from dasan.server.store.table_rows import insert_room
from dasan.server.tables.room import Room
from dasan.server.tables.shared_rules import kept_rules

PRESENT = 6_000
"""Milliseconds since their last request for which waiting players count as present."""
AWAY = 10_000
"""Milliseconds after which a waiting player who has not repeated the request begins to wait anew."""
MOST_OPEN = 20
"""The most events of one host that are not over."""
MOST_LISTED = 50
MOST_CLOSING = 50


@dataclass(frozen=True)
class Guest:
    """A player to seat at an event's table, and the displayed name. account: whether the name is their account's."""

    player: str
    name: str
    seat: int
    account: bool


Make = Callable[[int, Sequence[Guest]], Room]
"""Makes a table's room from its deal and its people."""


@dataclass(frozen=True)
class Mine:
    """One of a player's plays. seen: the time of the last request for a table. score, hand: None until it is finished. hand: None
    also when the hand has been deleted.
    """

    deal: int
    table: str | None
    seat: int | None
    seen: int
    finished: int | None
    score: float | None
    assisted: bool
    hand: str | None

    @property
    def begun(self) -> bool:
        """Whether the player has had a table for the deal."""
        return self.table is not None or self.finished is not None

    def waits(self, now: int) -> bool:
        """Whether the player waits for a table."""
        return not self.begun and abs(now - self.seen) <= PRESENT


class Duplicates(StorePart):
    """Reads and writes duplicate events."""

    async def create(self, event: DuplicateEvent) -> bool:
        """Insert an event. False if its id or its day exists already.

        ``Refused``: its host has just been deleted, or has ``MOST_OPEN`` events that are not over.
        """
        row = {column.name: getattr(event, column.name) for column in duplicates.c if column.name != "preset"}
        rules = {"options": event.rules.options, "digest": event.rules.digest}
        row |= {"preset": event.rules.name, "rules": rules, "settings": event.settings.model_dump()}

        def write(connection: sa.Connection) -> bool:
            if connection.execute(sa.select(duplicates.c.id).where(duplicates.c.id == event.id)).first() is not None:
                return False
            if event.host is not None:
                serialize(connection, Lock.EVENTS)
                check_not_deleted(connection, event.host)
                hosted = sa.and_(duplicates.c.host == event.host, NOT_OVER)
                if (connection.scalar(sa.select(sa.func.count()).where(hosted)) or 0) >= MOST_OPEN:
                    raise Refused("illegal", reason("event.most", n=MOST_OPEN))
            connection.execute(sa.insert(duplicates), row)
            return True

        try:
            return await self._database.write(write)
        except sa.exc.IntegrityError:
            return False

    @writing
    def cancel(self, connection: sa.Connection, event_id: str, host: str, now: int) -> None:
        """Delete an event that has not begun. ``Refused``: there is none, another player opened it, or it has begun."""
        serialize(connection, Lock.EVENTS)
        query = sa.select(duplicates.c.host, duplicates.c.starts).where(duplicates.c.id == event_id)
        row = connection.execute(query).one_or_none()
        if row is None:
            raise Refused("not-found", reason("event.none"))
        if row.host != host:
            raise Refused("forbidden", reason("event.host"))
        # The request may have waited until somebody played.
        played = sa.select(duplicate_entries.c.player).where(duplicate_entries.c.event_id == event_id).limit(1)
        if row.starts <= now or connection.scalar(played) is not None:
            raise Refused("illegal", reason("event.begun"))
        connection.execute(sa.delete(duplicates).where(duplicates.c.id == event_id))

    async def load(self, event_id: str) -> DuplicateEvent:
        """The event with this id. ``Refused``: there is none."""
        return await self._one(duplicates.c.id == event_id)

    async def of_day(self, day: str) -> DuplicateEvent:
        """The deal of the day of a date like 2026-11-25. ``Refused``: there is none."""
        return await self._one(duplicates.c.day == day)

    async def listed(self, since: int, now: int) -> tuple[DuplicateEvent, ...]:
        """Listed events that end after ``since``, except deals of the day: first those that have not ended, the next to end
        first; then the others, the last to end first.
        """
        ends = duplicates.c.ends
        shown = sa.and_(duplicates.c.listed, duplicates.c.day.is_(None), ends > since)
        order = sa.case((ends > now, 0), else_=1), sa.case((ends > now, ends), else_=-ends)
        return await self._read(sa.select(duplicates).where(shown).order_by(*order).limit(MOST_LISTED))

    async def of_player(self, player: str) -> tuple[DuplicateEvent, ...]:
        """Events that the player has entered or opened, the newest first."""
        entered = sa.select(duplicate_entries.c.event_id).where(duplicate_entries.c.player == player)
        mine = sa.or_(duplicates.c.id.in_(entered), duplicates.c.host == player)
        return await self._read(
            sa.select(duplicates).where(mine).order_by(duplicates.c.starts.desc()).limit(MOST_LISTED)
        )

    async def closing(self, now: int) -> tuple[str, ...]:
        """The ids of events that have ended and are not over, at most ``MOST_CLOSING``, chosen at random: one that is not over
        for a long time does not keep others out. They end even if the rest of their rows is damaged.
        """
        query = sa.select(duplicates.c.id).where(NOT_OVER, duplicates.c.ends <= now)
        rows = await self._rows(query.order_by(sa.func.random()).limit(MOST_CLOSING))
        return tuple(row.id for row in rows)

    async def _one(self, which: sa.ColumnElement[bool]) -> DuplicateEvent:
        row = await self._row(sa.select(duplicates).where(which))
        if row is None:
            raise Refused("not-found", reason("event.none"))
        with intact("event", row.id):
            return _event(row)

    async def _read(self, query: sa.Select[Any]) -> tuple[DuplicateEvent, ...]:
        """The events of a query, without those whose rows are damaged, which are logged."""
        return tuple(undamaged("event", await self._rows(query), _event))

    @writing
    def seat(
        self, connection: sa.Connection, event: DuplicateEvent, player: str, name: str, now: int, make: Make
    ) -> EventPlayed:
        """The player's table for their current or next deal, or a place in the queue for one.

        ``Refused``: the event has not begun or has ended, they have played every deal, or have just been deleted.
        """
        serialize(connection, Lock.EVENTS)
        check_not_deleted(connection, player)
        plays = duplicate_plays.c
        mine = sa.and_(plays.event_id == event.id, plays.player == player)
        rows = connection.execute(sa.select(duplicate_plays).where(mine).order_by(plays.deal)).all()
        going = next((row for row in rows if row.finished is None), None)
        if going is not None and going.table_id is not None:
            return EventPlayed(deal=going.deal, table=going.table_id, waiting=0)
        # The request may have waited until the event was over, whatever the time at which it came.
        over = connection.scalar(sa.select(sa.not_(NOT_OVER)).where(duplicates.c.id == event.id))
        if over is None:
            raise Refused("not-found", reason("event.none"))
        if over:
            raise Refused("illegal", reason("event.ended"))
        if not event.starts <= now < event.ends:
            raise Refused("illegal", reason("event.early" if now < event.starts else "event.ended"))
        left = sorted({*range(event.deals)} - {row.deal for row in rows if row.finished is not None})
        if not left:
            raise Refused("illegal", reason("event.played"))
        deal = left[0] if going is None else going.deal
        _enter(connection, event.id, player, name, now)
        # After a step back of the machine's clock, requests from before it are in the future.
        since = now if going is None or abs(now - going.seen) > AWAY else going.since
        if going is None:
            row = {"event_id": event.id, "player": player, "deal": deal, "assisted": False, "since": now}
            connection.execute(sa.insert(duplicate_plays), {**row, "seen": now})
        else:
            connection.execute(sa.update(duplicate_plays).where(mine, plays.deal == deal).values(since=since, seen=now))
        party = _party(connection, event, deal, player, name, now)
        late = event.fill is not None and now - since >= event.fill * 1000
        if len(party) < event.people and not late:
            return EventPlayed(deal=deal, table=None, waiting=len(party))
        return EventPlayed(deal=deal, table=_open_table(connection, event, deal, party, make), waiting=0)

    async def plays(self, event_id: str) -> tuple[Play, ...]:
        """All finished plays of an event, by one indexed query."""
        plays = duplicate_plays.c
        query = sa.select(plays.player, plays.deal, plays.seat, plays.score, plays.assisted).where(
            plays.event_id == event_id, plays.finished.is_not(None)
        )
        return tuple(Play(row.player, row.deal, row.seat, row.score, row.assisted) for row in await self._rows(query))

    async def mine(self, event_id: str, player: str) -> tuple[Mine, ...]:
        """The player's plays of an event, in order of the deals."""
        plays = duplicate_plays.c
        # A hand may have been deleted when its retention period ended.
        query = (
            sa.select(duplicate_plays, hands.c.id.label("hand"))
            .outerjoin(hands, hands.c.id == plays.hand_id)
            .where(plays.event_id == event_id, plays.player == player)
        )
        rows = await self._rows(query.order_by(plays.deal))
        return tuple(
            Mine(row.deal, row.table_id, row.seat, row.seen, row.finished, row.score, row.assisted, row.hand)
            for row in rows
        )

    async def of_table(self, table_id: str) -> str | None:
        """The event of a table; None if it is of none."""
        plays = duplicate_plays.c
        query = sa.select(plays.event_id).where(plays.table_id == table_id).limit(1)
        return await self._value(query)

    async def check_going_on(self, table_id: str, now: int) -> None:
        """``Refused``: the table belongs to an event that has ended."""
        plays = duplicate_plays.c
        ends: int | None = await self._value(
            sa.select(duplicates.c.ends)
            .join_from(duplicates, duplicate_plays)
            .where(plays.table_id == table_id)
            .limit(1)
        )
        if ends is not None and now >= ends:
            raise Refused("illegal", reason("event.ended"))

    async def names(self, event_id: str, players: Sequence[str]) -> dict[str, str]:
        """The names of entrants, by player."""
        entries = duplicate_entries.c
        query = sa.select(entries.player, entries.name).where(
            entries.event_id == event_id, entries.player.in_(list(players))
        )
        return {row.player: row.name for row in await self._rows(query)}

    async def entered(self, event_id: str) -> int:
        """The number of people who have entered."""
        entries = duplicate_entries.c
        query = sa.select(sa.func.count()).where(entries.event_id == event_id, entries.player.not_like(f"{BOT}%"))
        return await self._value(query) or 0

    @writing
    def add_bots(
        self, connection: sa.Connection, event_id: str, plays: Sequence[Play], names: dict[str, str], now: int
    ) -> None:
        """Store the scores of the bots in the standings. Idempotent; nothing is stored once the event is over."""
        fresh = sa.and_(duplicates.c.id == event_id, NOT_OVER, sa.not_(duplicates.c.bots_played))
        if connection.execute(sa.update(duplicates).where(fresh).values(bots_played=True)).rowcount != 1:
            return
        for player, name in names.items():
            _enter(connection, event_id, player, name, now)
        if plays:
            moments = {"since": now, "seen": now, "finished": now}
            rows = [{"event_id": event_id, **asdict(play), **moments} for play in plays]
            connection.execute(sa.insert(duplicate_plays), rows)

    async def par(self, event_id: str, deal: int, contract: str) -> tuple[bool, tuple[int, ...] | None]:
        """Whether the payments of best play are stored for a contract of a deal, and these by seat; None if not proved."""
        c = duplicate_pars.c
        query = sa.select(c.payments).where(c.event_id == event_id, c.deal == deal, c.contract == contract)
        row = await self._row(query)
        with intact("event", event_id):
            return row is not None, None if row is None or row.payments is None else tuple(row.payments)

    async def keep_par(self, event_id: str, deal: int, contract: str, payments: Sequence[int] | None) -> None:
        """Store the payments of best play, unless they are stored already."""
        row = {"event_id": event_id, "deal": deal, "contract": contract}
        c = duplicate_pars.c
        same = sa.and_(c.event_id == event_id, c.deal == deal, c.contract == contract)

        def write(connection: sa.Connection) -> None:
            if connection.execute(sa.select(c.deal).where(same)).first() is None:
                value = None if payments is None else list(payments)
                connection.execute(sa.insert(duplicate_pars), {**row, "payments": value})

        with suppress(sa.exc.IntegrityError):  # another process was first
            await self._database.write(write)

    async def under_way(self, event_id: str) -> tuple[tuple[str, str], ...]:
        """(table, player) of the unfinished plays."""
        plays = duplicate_plays.c
        query = sa.select(plays.table_id, plays.player).where(
            plays.event_id == event_id, plays.finished.is_(None), plays.table_id.is_not(None)
        )
        return tuple((row.table_id, row.player) for row in await self._rows(query.order_by(plays.table_id)))

    @writing
    def reveal(self, connection: sa.Connection, event_id: str, now: int, *, stuck: bool = False) -> None:
        """End an event without unfinished plays: reveal its deals, and clear the queue for tables.

        stuck: whether to abandon unfinished plays.
        """
        serialize(connection, Lock.EVENTS)  # nobody is seated between the look at open plays and the end
        plays = duplicate_plays.c
        open_plays = sa.and_(plays.event_id == event_id, plays.finished.is_(None))
        gone = open_plays if stuck else sa.and_(open_plays, plays.table_id.is_(None))
        connection.execute(sa.delete(duplicate_plays).where(gone))
        if connection.execute(sa.select(plays.deal).where(open_plays)).first() is None:
            mine = sa.and_(duplicates.c.id == event_id, NOT_OVER)
            connection.execute(sa.update(duplicates).where(mine).values(revealed=now))


def _enter(connection: sa.Connection, event_id: str, player: str, name: str, now: int) -> None:
    key = {"event_id": event_id, "player": player}
    put_row(connection, duplicate_entries, key, {"name": name}, {"entered": now})


def _party(
    connection: sa.Connection, event: DuplicateEvent, deal: int, player: str, name: str, now: int
) -> list[tuple[str, str]]:
    """The player, and those who wait longest for the same deal, without blocks among them, at most ``event.people``:
    (player, name).
    """
    plays = duplicate_plays.c
    waiting = connection.execute(
        sa.select(plays.player, duplicate_entries.c.name)
        .join_from(
            duplicate_plays,
            duplicate_entries,
            sa.and_(duplicate_entries.c.event_id == plays.event_id, duplicate_entries.c.player == plays.player),
        )
        .where(
            plays.event_id == event.id,
            plays.deal == deal,
            plays.table_id.is_(None),
            plays.finished.is_(None),
            recent(plays.seen, now, PRESENT),
            plays.player != player,
        )
        .order_by(plays.since)
    ).all()
    blocked = blocked_pairs(connection, [player, *(row.player for row in waiting)])
    party = [(player, name)]
    for other in waiting:
        apart = blocked.isdisjoint(frozenset((other.player, one)) for one, _ in party)
        if apart and len(party) < event.people:
            party.append((other.player, other.name))
    return party


def _open_table(
    connection: sa.Connection, event: DuplicateEvent, deal: int, party: Sequence[tuple[str, str]], make: Make
) -> str:
    """Make a table of the deal for the party, in random seats; return its id."""
    plays = duplicate_plays.c
    seats = list(event.seats(deal))
    secrets.SystemRandom().shuffle(seats)
    accounts = marked(connection, dict(party))
    named = names_apart(connection, party, accounts)
    guests = [Guest(one, named[one], seat, one in accounts) for (one, _), seat in zip(party, seats, strict=False)]
    room = make(deal, guests)
    insert_room(connection, room)
    for guest in guests:
        theirs = sa.and_(plays.event_id == event.id, plays.player == guest.player, plays.deal == deal)
        connection.execute(sa.update(duplicate_plays).where(theirs).values(table_id=room.head.id, seat=guest.seat))
    return room.head.id


def _event(row: Any) -> DuplicateEvent:
    values = row._asdict()
    values["rules"] = kept_rules(values.pop("preset"), row.rules["options"])
    values["settings"] = TableSettings.model_validate(row.settings)
    if not all(isinstance(values[name], int) for name in ("deals", "people", "starts", "ends")):
        raise ValueError("numbers of an event are whole")
    return DuplicateEvent(**values)

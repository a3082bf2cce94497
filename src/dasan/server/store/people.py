"""Players: guests who have chosen a name, accounts, signed-in browsers, personal links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.new_ids import stranger
from dasan.server.people.names import keys, numbered
from dasan.server.people.restrictions import Restrictions
from dasan.server.protocol.people import folded
from dasan.server.refusals import Refused
from dasan.server.store.damage import json_value
from dasan.server.store.database import Database, Lock, StorePart, among, put_row, reading, scanning, serialize, writing
from dasan.server.store.forgetting import forget_at, forget_everywhere, tables_of
from dasan.server.store.friends import friends_of
from dasan.server.store.group_people import groups_of
from dasan.server.store.known import identified, with_account
from dasan.server.store.notifications import notifications_of
from dasan.server.store.processes import leave_notice
from dasan.server.store.schema import (
    addresses,
    audit,
    bid_answers,
    decisions,
    departures,
    duplicate_entries,
    duplicate_plays,
    duplicates,
    events,
    hand_seats,
    hands,
    links,
    name_keys,
    passkeys,
    players,
    rating_points,
    ratings,
    reports,
    review_notes,
    seats,
    seekers,
    shared_reviews,
    sign_ins,
)
from dasan.server.store.sessions import (
    begin_again,
    check_going_on,
    check_not_deleted,
    end_sessions,
    has_ended,
    locked_account,
    signed_in,
)
from dasan.server.times import HOUR

SEEN_EVERY = 60 * 1000
"""The minimum milliseconds between updates of the time when a browser was last seen."""
MOST_SIGN_INS = 100
"""The most signed-in browsers of one account."""
INTERRUPTED = HOUR
"""Milliseconds after which a deletion that is not finished is no longer under way."""
ENDED_AT_ONCE = 10
"""The most of them that one sign-in ends: an account of an earlier version may have had many more."""
BID_ANSWER = [bid_answers.c[name] for name in ("preset", "at", "bid", "best", "habit", "cost", "mistake")]
"""The columns of the bidding trainer's hands in an export, without the seed, which reveals the cards of unanswered
ones."""


class Taken(Exception):
    """The account name, or a confusable one, belongs to somebody else; or the player already has an account."""


class AccountChanged(Exception):
    """The account has changed since it was checked: it has another password, is banned or deleted, or its session has
    ended.
    """


@dataclass(frozen=True)
class Person:
    """A player with a name. account: the folded name to sign in with; None for guests."""

    id: str
    name: str
    created: int
    account: str | None
    password: str | None = field(repr=False)
    banned: bool = False
    moderator: bool = False


class People(StorePart):
    """Reads and writes players."""

    def __init__(self, database: Database, restrictions: Restrictions) -> None:
        super().__init__(database)
        self.restrictions = restrictions

    async def find(self, player: str) -> Person | None:
        """The player with this id; None if the player has no row."""
        return await self._database.read(lambda connection: _person(connection, player))

    async def account(self, player: str | None) -> Person | None:
        """The player's account; None if they have none."""
        person = None if player is None else await self.find(player)
        return None if person is None or person.account is None else person

    async def by_account(self, account: str) -> Person | None:
        """The player with this account; None if there is none."""
        return await self._database.read(lambda connection: _person(connection, with_account(connection, account)))

    async def identify(self, who: str) -> str | None:
        """The id of the player whose id or account is ``who``; None if there is none."""
        return await self._database.read(lambda connection: identified(connection, who))

    async def name_owner(self, keys: Iterable[str]) -> str | None:
        """A player whose account's name has one of these keys; None if there is none."""
        query = sa.select(name_keys.c.player).where(name_keys.c.key.in_(sorted(keys))).limit(1)
        owner: str | None = await self._value(query)
        return owner

    @reading
    def name_beside(self, connection: sa.Connection, name: str, others: Sequence[str], usual: str = "") -> str:
        """The displayed name of a guest who sits down where people have the names ``others``, see `names_apart`.

        usual: the guest's name in the seat that they leave. Its number stays: others may have muted it, or the name with
        a number that is free again.
        """
        taken = {key for other in others for key in keys(other)}
        stays = usual in numbered(name) and taken.isdisjoint(keys(usual)) and not _owned(connection, usual)
        return usual if stays else _apart(connection, name, taken)

    @writing
    def index_names(self, connection: sa.Connection) -> int:
        """Store the keys of earlier versions' accounts that have none; returns their number."""
        known = sa.select(name_keys.c.player)
        query = sa.select(players.c.id, players.c.name).where(players.c.account.is_not(None), players.c.id.not_in(known))
        rows = connection.execute(query).all()
        for row in rows:
            put_keys(connection, row.id, row.name)
        return len(rows)

    @writing
    def rename(self, connection: sa.Connection, player: str, name: str, now: int) -> None:
        """Change a guest's name. ``Refused``: the player has an account or was deleted, perhaps since the request began."""
        check_not_deleted(connection, player)
        if locked_account(connection, player) is not None:
            raise Refused("illegal", reason("account.name"))
        put(connection, player, now, name=name)

    @writing
    def register(self, connection: sa.Connection, player: str, account: str, password: str, now: int) -> None:
        """Open an account (password: a hash) for a guest, whose sessions end. ``Taken``: somebody else has the name."""
        open_account(connection, player, account, now, password=password)

    @writing
    def set_password(
        self,
        connection: sa.Connection,
        player: str,
        password: str,
        now: int,
        before: Person | None = None,
        session: str | None = None,
    ) -> None:
        """Change the password (a hash) and sign every browser out.

        ``AccountChanged``: the account differs from ``before``, or ``session`` is no longer signed in.
        """
        _hold_unchanged(connection, before, session)
        connection.execute(sa.update(players).where(players.c.id == player).values(password=password))
        end_sessions(connection, player, now)

    @writing
    def sign_in(
        self, connection: sa.Connection, session: str, player: str, agent: str, now: int, before: Person | None = None
    ) -> None:
        """Sign a browser in. session: a hash of its cookie's token.

        ``AccountChanged``: the account differs from ``before``, so that a ban or a new password also stops sign-ins in
        progress.
        """
        _hold_unchanged(connection, before)
        put_session(connection, session, player, agent, now)

    async def is_signed_in(self, session: str, player: str, now: int) -> bool:
        """Whether the browser is still signed in. Updates the time when it was last seen, at most once in
        ``SEEN_EVERY``.
        """
        mine = signed_in(player, session)
        query = sa.select(sign_ins.c.seen).where(mine)
        seen: int | None = await self._value(query)
        if seen is None or now - seen < SEEN_EVERY:
            return seen is not None
        return await self._change(sa.update(sign_ins).where(mine).values(seen=now)) == 1

    async def sign_ins(self, player: str) -> list[Any]:
        """Rows of the player's signed-in browsers, the most recently seen first."""
        query = sa.select(sign_ins).where(sign_ins.c.player == player).order_by(sign_ins.c.seen.desc())
        return list(await self._rows(query))

    async def has_ended(self, player: str, session: str | None) -> bool:
        """Whether the session of a guest has ended."""
        return await self._database.read(lambda connection: has_ended(connection, player, session))

    async def sign_out(self, player: str, session: str | None, now: int) -> None:
        """Sign out one of the player's browsers (None: all), which also ends all personal links."""
        await self._database.write(lambda connection: end_sessions(connection, player, now, session))

    @writing
    def make_link(
        self, connection: sa.Connection, link: str, player: str, session: str | None, now: int, until: int
    ) -> None:
        """Store a personal link, as a hash. ``Refused``: the session that makes it has just ended."""
        check_going_on(connection, player, session)
        connection.execute(sa.delete(links).where(links.c.until < now))
        connection.execute(sa.insert(links), {"id": link, "player": player, "until": until})

    @writing
    def take_link(
        self, connection: sa.Connection, link: str, now: int, session: str = "", agent: str = ""
    ) -> str | None:
        """Remove a personal link and return its player; None if it does not exist, was used or has expired.

        session: of the browser that takes it, which is signed in if the player has an account.
        """
        player = connection.scalar(sa.select(links.c.player).where(links.c.id == link, links.c.until >= now))
        account = None if player is None else locked_account(connection, player)
        taken = connection.execute(sa.delete(links).where(links.c.id == link)).rowcount
        if player is None or not taken:
            return None
        if session and account is not None:
            put_session(connection, session, player, agent, now)
        return str(player)

    @scanning
    def export(self, connection: sa.Connection, player: str) -> dict[str, Any]:
        """All data stored about a player."""
        own = {
            "ratings": ratings.c.player,
            "rating_points": rating_points.c.player,
            "reports": reports.c.by,
            "addresses": addresses.c.player,
            "notes": review_notes.c.player,
            "decisions": decisions.c.player,
            "events": duplicate_plays.c.player,
            "events_entered": duplicate_entries.c.player,
            "moderated": audit.c.by,
            "quick_match": seekers.c.player,
            "shared_reviews": shared_reviews.c.leader,
        }
        hosted = (duplicates.c.id, duplicates.c.title, duplicates.c.starts, duplicates.c.ends)
        chat = sa.select(events.c.table_id, events.c.at, events.c.line).where(
            # By table, which is indexed; players may have left some tables before a hand was over.
            among(connection, events.c.table_id, tables_of(connection, player)),
            events.c.player == player,
            events.c.line.startswith('{"type":"chat"', autoescape=True),
        )
        queries: dict[str, sa.Select[Any]] = {
            "player": sa.select(*(column for column in players.c if column is not players.c.password)).where(
                players.c.id == player
            ),
            "sessions": sa.select(sign_ins.c.created, sign_ins.c.seen, sign_ins.c.agent).where(
                sign_ins.c.player == player
            ),
            "tables": sa.select(seats.c.table_id, seats.c.seat).where(seats.c.player == player),
            "hands": sa.select(hand_seats, hands.c.table_id)
            .join_from(hand_seats, hands)
            .where(hand_seats.c.player == player)
            .order_by(hand_seats.c.finished),
            "chat": chat.order_by(events.c.at),
            "passkeys": sa.select(passkeys.c.name, passkeys.c.created, passkeys.c.used).where(
                passkeys.c.player == player
            ),
            "bids": sa.select(*BID_ANSWER).where(bid_answers.c.player == player),
            "events_hosted": sa.select(*hosted).where(duplicates.c.host == player),
            "moderation": sa.select(audit.c.at, audit.c.action, audit.c.detail).where(audit.c.subject == player),
            **{name: sa.select(column.table).where(column == player) for name, column in own.items()},
            **friends_of(player),
            **notifications_of(player),
            **groups_of(player),
        }
        data = {name: [dict(row) for row in connection.execute(query).mappings()] for name, query in queries.items()}
        for line in data["chat"]:
            line["text"] = _text(line.pop("line"))
        return data

    async def delete(
        self, player: str, now: int, before: Person | None = None, session: str | None = None
    ) -> tuple[str, ...]:
        """Delete a player; hands and logs stay, without the name. Returns the tables that must be read again.

        No data of the player stays in the files of an SQLite database. ``AccountChanged``, before anything is deleted: the
        account differs from ``before``, or ``session`` is no longer signed in.
        """
        await self.check_unchanged(before, session)
        known = await self.forget(player, now)
        await self._database.scrub()
        return known

    async def check_unchanged(self, before: Person | None, session: str | None = None) -> None:
        """``AccountChanged``: the account differs from ``before`` or is banned, or ``session``, if given, is not signed in."""
        await self._database.read(lambda connection: _check_unchanged(connection, before, session))

    async def forget(self, player: str, now: int) -> tuple[str, ...]:
        """Delete a player from the database's rows; `Database.scrub` then erases deleted data from its files.

        Each table has its own transaction, so that nobody waits for a long one. Idempotent: where a crash has interrupted it, the
        next call goes on with the same id in place of the player's.
        """
        mine = {"player": player}

        def begin(connection: sa.Connection) -> str:
            begun: str | None = connection.scalar(sa.select(departures.c.stranger).filter_by(**mine))
            if begun is None:
                begun = stranger()
                connection.execute(sa.insert(departures), {**mine, "stranger": begun, "at": now})
            return begun

        other = await self._database.write(begin)
        known = await self._forget_at_tables(player, other, now)
        await self._database.write(lambda connection: forget_everywhere(connection, player, other, now))
        # A request under way may have seated the player until then.
        late = await self._forget_at_tables(player, other, now)
        await self._change(sa.delete(departures).filter_by(**mine))
        return tuple(dict.fromkeys((*known, *late)))

    async def forget_interrupted(self, now: int) -> int:
        """Finish the deletions that crashes have interrupted; return their number."""
        begun = sa.select(departures.c.player).where(departures.c.at < now - INTERRUPTED).order_by(departures.c.at)
        players = [row.player for row in await self._rows(begun)]
        for player in players:
            await self.forget(player, now)
        return len(players)

    async def _forget_at_tables(self, player: str, other: str, now: int) -> list[str]:
        async with self._database.scans:
            known = await self._database.read(lambda connection: tables_of(connection, player))
        for table_id in known:
            await self._database.write(
                lambda connection, table_id=table_id: forget_at(connection, table_id, player, other, now)  # type: ignore[misc]
            )
        return known


def _text(line: str) -> str:
    """The text of an entry of chat; the entry itself if it is damaged."""
    try:
        return str(json_value(line)["text"])
    except Exception:  # a damaged entry may lack anything
        return line


def set_banned(connection: sa.Connection, player: str, now: int, *, banned: bool) -> None:
    """Ban a player, or lift the ban, and leave a notice for every process."""
    put(connection, player, now, banned=banned)
    if banned:
        end_sessions(connection, player, now)
    else:
        begin_again(connection, player)
        leave_notice(connection, "recheck", player, now)


def _person(connection: sa.Connection, player: str | None) -> Person | None:
    row = None if player is None else connection.execute(sa.select(players).where(players.c.id == player)).first()
    if row is None:
        return None
    return Person(row.id, row.name, row.created, row.account, row.password, row.banned, row.moderator)


def open_account(connection: sa.Connection, player: str, account: str, now: int, *, password: str | None = None) -> None:
    """Open an account for a guest, whose sessions end. ``Taken``: the name is taken. ``AccountChanged``: the guest is banned.

    The transaction compares the names of all accounts; such transactions are serialized.
    """
    serialize(connection, Lock.NAMES)
    mine = connection.execute(sa.select(players.c.account, players.c.banned).where(players.c.id == player)).one_or_none()
    if mine is not None and mine.banned:
        raise AccountChanged
    same = sa.select(players.c.id).where(players.c.account == folded(account))
    alike = sa.select(name_keys.c.player).where(name_keys.c.key.in_(sorted(keys(account))))
    others = {*connection.scalars(same), *connection.scalars(alike)} - {player}
    if others or (mine is not None and mine.account is not None):
        raise Taken
    put(connection, player, now, name=account, account=folded(account), password=password)
    put_keys(connection, player, account)
    end_sessions(connection, player, now)


def marked(connection: sa.Connection, names: Mapping[str, str]) -> frozenset[str]:
    """The players, by id, whose displayed name is their account's."""
    query = sa.select(players.c.id, players.c.name).where(players.c.id.in_(list(names)), players.c.account.is_not(None))
    return frozenset(row.id for row in connection.execute(query) if names[row.id] == row.name)


def names_apart(
    connection: sa.Connection, party: Sequence[tuple[str, str]], accounts: Collection[str]
) -> dict[str, str]:
    """The displayed names, by player, of people at one table: (player, name) each. accounts: the players whose names stay.

    A name that looks like another one there gets a number: people are told apart, and muted, by their names. No numbered
    name looks like an account's.
    """
    shown = {player: name for player, name in party if player in accounts}
    taken = {key for name in shown.values() for key in keys(name)}
    for player, name in party:
        if player not in shown:
            shown[player] = _apart(connection, name, taken)
            taken |= keys(shown[player])
    return shown


def _apart(connection: sa.Connection, name: str, taken: AbstractSet[str]) -> str:
    """The name, or the first of it with a number, that has none of these keys; the name itself if there is none."""
    apart = (other for other in (name, *numbered(name)) if taken.isdisjoint(keys(other)))
    return next((other for other in apart if other == name or not _owned(connection, other)), name)


def _owned(connection: sa.Connection, name: str) -> bool:
    """Whether the name looks like an account's."""
    alike = sa.select(name_keys.c.player).where(name_keys.c.key.in_(sorted(keys(name))))
    return connection.scalar(alike.limit(1)) is not None


def _check_unchanged(connection: sa.Connection, before: Person | None, session: str | None) -> None:
    """See `People.check_unchanged`."""
    if before is None:
        return
    row = connection.execute(sa.select(players).where(players.c.id == before.id)).one_or_none()
    if row is None or row.banned or (row.account, row.password) != (before.account, before.password):
        raise AccountChanged
    if session is not None and connection.scalar(sa.select(sign_ins.c.id).where(signed_in(before.id, session))) is None:
        raise AccountChanged


def _hold_unchanged(connection: sa.Connection, before: Person | None, session: str | None = None) -> None:
    """As `_check_unchanged`; the account then stays unchanged until the transaction ends."""
    if before is not None:
        locked_account(connection, before.id)
    _check_unchanged(connection, before, session)


def put_session(connection: sa.Connection, session: str, player: str, agent: str, now: int) -> None:
    """Insert a signed-in browser's session. Beyond ``MOST_SIGN_INS``, those that were last seen longest ago end."""
    row = {"id": session, "player": player, "created": now, "seen": now, "agent": agent[:200]}
    connection.execute(sa.insert(sign_ins), row)
    latest = sa.select(sign_ins.c.id).where(sign_ins.c.player == player)
    latest = latest.order_by(sa.case((sign_ins.c.id == session, 0), else_=1), sign_ins.c.seen.desc(), sign_ins.c.id)
    for old in connection.scalars(latest.offset(MOST_SIGN_INS).limit(ENDED_AT_ONCE)).all():
        end_sessions(connection, player, now, old)


def put_keys(connection: sa.Connection, player: str, name: str) -> None:
    """Store the keys of an account's name."""
    connection.execute(sa.delete(name_keys).where(name_keys.c.player == player))
    connection.execute(sa.insert(name_keys), [{"key": key, "player": player} for key in sorted(keys(name))])


def put(connection: sa.Connection, player: str, now: int, **values: object) -> None:
    """Set columns of a player's row; insert the row if there is none."""
    guest = {"name": "", "created": now, "banned": False, "account": None, "password": None}
    put_row(connection, players, {"id": player}, values, guest)

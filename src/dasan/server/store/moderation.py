"""Moderators' actions, each in one transaction with its line in the audit log, and the data of their page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.people.restrictions import Restrictions, network_named, network_of_address
from dasan.server.protocol.moderation import (
    Action,
    AddWords,
    Ban,
    BanNetwork,
    Dismiss,
    Mute,
    RemoveWords,
    Unban,
    UnbanNetwork,
    Unmute,
)
from dasan.server.refusals import Refused
from dasan.server.store.database import Database, StorePart, put_row, reading, writing
from dasan.server.store.known import identified
from dasan.server.store.people import put, set_banned
from dasan.server.store.processes import leave_notice
from dasan.server.store.schema import (
    addresses,
    audit,
    network_bans,
    players,
    refused_words,
    reports,
    seats,
    tables,
)
from dasan.server.store.sessions import deleted
from dasan.server.store.table_rows import names_of
from dasan.server.times import DAY, HOUR

HOST = "host"
"""The name of the actor behind ``dasan admin``."""
RESTRICTIONS = (BanNetwork, UnbanNetwork, AddWords, RemoveWords)
"""Actions that change data cached in every process."""
MOST_SHOWN = 50
NETWORKS_SHOWN = 5
LONGEST_LISTED = 300
"""The most characters of words that the audit log repeats."""


class Moderation(StorePart):
    """Reads and writes moderation."""

    def __init__(self, database: Database, restrictions: Restrictions) -> None:
        super().__init__(database)
        self._restrictions = restrictions
        self._kept_out: frozenset[tuple[str, int]] = frozenset()

    async def reload(self) -> bool:
        """Load banned networks and blocked words into memory. Returns whether a network's ban is new or longer."""

        def read(connection: sa.Connection) -> tuple[list[tuple[str, int]], list[str]]:
            networks = connection.execute(sa.select(network_bans.c.network, network_bans.c.until)).all()
            return [(row.network, row.until) for row in networks], list(
                connection.scalars(sa.select(refused_words.c.word))
            )

        networks, words = await self._database.read(read)
        before, self._kept_out = self._kept_out, frozenset(networks)
        self._restrictions.set(networks, words)
        return not self._kept_out <= before

    @writing
    def appoint(self, connection: sa.Connection, player: str, now: int, *, moderator: bool = True) -> None:
        """Appoint or remove a moderator. ``Refused``: there is no such account."""
        known = sa.and_(players.c.id == player, players.c.account.is_not(None))
        if connection.execute(sa.update(players).where(known).values(moderator=moderator)).rowcount == 0:
            raise Refused("not-found", reason("nobody.such"))
        _log(connection, HOST, "appoint" if moderator else "depose", player, now)

    async def muted(self, player: str, now: int) -> bool:
        """Whether the player is muted now."""
        query = sa.select(players.c.muted_until).where(players.c.id == player)
        until: int | None = await self._value(query)
        return until is not None and now < until

    async def check_said(self, player: str, text: str, now: int) -> None:
        """``Refused``: the player is muted, or the text, which others see, has a blocked word."""
        if await self.muted(player, now):
            raise Refused("forbidden", reason("muted"))
        if self._restrictions.refuses(text):
            raise Refused("forbidden", reason("chat.word"))

    async def saw(self, seen: Iterable[tuple[str, str]], now: int) -> None:
        """Store players' addresses, as pairs (player, address), except those of deleted players."""
        rows = {(player, network_of_address(address)) for player, address in seen}

        def write(connection: sa.Connection) -> None:
            gone = deleted(connection, {player for player, _ in rows})
            for player, network in sorted(rows):
                if player not in gone:
                    put_row(connection, addresses, {"player": player, "network": network}, {"seen": now})

        if rows := {(player, network) for player, network in rows if network}:
            await self._database.write(write)

    async def carry_out(self, action: Action, by: str, now: int, address: str = "") -> str:
        """Carry out an action of a moderator or ``HOST``. ``Refused``: they may not, or there is nothing to act on.

        Returns the id of the affected player, else the network or the language. address: the moderator's, which no
        banned network may contain.
        """

        def write(connection: sa.Connection) -> str:
            if by != HOST:
                _check_moderator(connection, by)
            detail: dict[str, Any] = {}
            match action:
                case Dismiss():
                    subject = _answer(connection, action.report, by, detail) or ""
                case Mute() | Ban():
                    subject = _player(connection, action.player, by)
                    if action.report is not None:
                        _answer(connection, action.report, by, detail, subject)
                    if isinstance(action, Ban):
                        set_banned(connection, subject, now, banned=True)
                    else:
                        detail["hours"] = action.hours
                        put(connection, subject, now, muted_until=now + action.hours * HOUR)
                case Unmute():
                    subject = _player(connection, action.player, by)
                    put(connection, subject, now, muted_until=None)
                case Unban():
                    subject = _player(connection, action.player, by)
                    set_banned(connection, subject, now, banned=False)
                case BanNetwork() | UnbanNetwork():
                    subject = _change_network(connection, action, now, address)
                    if isinstance(action, BanNetwork):
                        detail["days"] = action.days
                case AddWords() | RemoveWords():
                    subject = action.language
                    detail |= _named(_change_words(connection, action))
            if isinstance(action, RESTRICTIONS):
                leave_notice(connection, "restrict", subject, now)
            _log(connection, by, action.type, subject, now, detail)
            return subject

        subject = await self._database.write(write)
        if isinstance(action, RESTRICTIONS):
            await self.reload()
        return subject

    @reading
    def queue(self, connection: sa.Connection) -> tuple[list[dict[str, Any]], int]:
        """(the oldest reports, each with the number of others against the same player; the number of open reports)."""
        others = (
            sa.select(reports.c.against, sa.func.count().label("number"))
            .where(reports.c.against.is_not(None))
            .group_by(reports.c.against)
            .subquery()
        )
        query = (
            sa.select(reports, sa.func.coalesce(others.c.number - 1, 0).label("others"))
            .outerjoin(others, others.c.against == reports.c.against)
            .order_by(reports.c.at, reports.c.id)
            .limit(MOST_SHOWN)
        )
        waiting = connection.scalar(sa.select(sa.func.count()).select_from(reports)) or 0
        return [dict(row) for row in connection.execute(query).mappings()], waiting

    @reading
    def restricted(self, connection: sa.Connection, now: int) -> tuple[list[str], int]:
        """(ids of muted or banned players, the latest first, at most ``MOST_SHOWN``; their total number)."""
        restricted = sa.or_(players.c.banned, players.c.muted_until > now)
        since = (
            sa.select(sa.func.max(audit.c.at))
            .where(audit.c.subject == players.c.id, audit.c.action.in_(["ban", "mute"]))
            .scalar_subquery()
        )
        query = sa.select(players.c.id).where(restricted).order_by(sa.func.coalesce(since, 0).desc(), players.c.id)
        number = connection.scalar(sa.select(sa.func.count()).select_from(players).where(restricted)) or 0
        return list(connection.scalars(query.limit(MOST_SHOWN))), number

    @reading
    def people(self, connection: sa.Connection, wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
        """These players by id: their row and their recent networks."""
        ids = sorted(set(wanted))
        blank = {"name": "", "account": None, "banned": False, "muted_until": None}
        people: dict[str, dict[str, Any]] = {one: {"id": one, **blank, "networks": []} for one in ids}
        for row in connection.execute(sa.select(players).where(players.c.id.in_(ids))).mappings():
            people[row["id"]] |= row
        lately = sa.select(addresses).where(addresses.c.player.in_(ids)).order_by(addresses.c.seen.desc())
        for row in connection.execute(lately).mappings():
            people[row["player"]]["networks"].append(row["network"])
        for person in people.values():
            del person["networks"][NETWORKS_SHOWN:]
        nameless = [one for one, person in people.items() if not person["name"]]
        for one, name in _names_at_tables(connection, nameless).items():
            people[one]["name"] = name
        return people

    async def networks(self, now: int) -> list[tuple[str, int]]:
        """(banned network, end of the ban)."""
        query = sa.select(network_bans).where(network_bans.c.until > now).order_by(network_bans.c.network)
        return [(row.network, row.until) for row in await self._rows(query)]

    async def words(self) -> dict[str, list[str]]:
        """The blocked words by language."""
        query = sa.select(refused_words).order_by(refused_words.c.language, refused_words.c.word)
        by_language: dict[str, list[str]] = {}
        for row in await self._rows(query):
            if "\0" not in row.word:  # SQLite may hold such a word of a time when it was not refused
                by_language.setdefault(row.language, []).append(row.word)
        return by_language

    @reading
    def audit(
        self, connection: sa.Connection, most: int = MOST_SHOWN, subject: str | None = None
    ) -> list[dict[str, Any]]:
        """The latest actions, the newest first, with names where known."""
        actor, target = players.alias(), players.alias()
        query = (
            sa.select(
                audit.c.at,
                audit.c.action,
                audit.c.detail,
                sa.func.coalesce(sa.func.nullif(actor.c.name, ""), audit.c.by).label("by"),
                sa.func.coalesce(sa.func.nullif(target.c.name, ""), audit.c.subject).label("subject"),
            )
            .outerjoin(actor, actor.c.id == audit.c.by)
            .outerjoin(target, target.c.id == audit.c.subject)
            .order_by(audit.c.at.desc(), audit.c.id.desc())
            .limit(most)
        )
        named = (subject, None if subject is None else identified(connection, subject))
        wanted = query if subject is None else query.where(audit.c.subject.in_(named))
        rows = connection.execute(wanted).mappings()
        # The detail of a damaged row is not known, but the action counts.
        return [{**row, "detail": row["detail"] if isinstance(row["detail"], dict) else {}} for row in rows]


def _names_at_tables(connection: sa.Connection, guests: list[str]) -> dict[str, str]:
    """The names of guests at tables, by id: guests who chose no name have no other."""
    query = (
        sa.select(seats.c.player, seats.c.seat, tables.c.summary)
        .join(tables, tables.c.id == seats.c.table_id)
        .where(seats.c.player.in_(guests))
        .order_by(tables.c.touched)
    )
    known = ((row.player, row.seat, names_of(row.summary)) for row in connection.execute(query))
    return {player: names[seat][1] for player, seat, names in known if seat < len(names)}


def _check_moderator(connection: sa.Connection, player: str) -> None:
    known = sa.select(players.c.id).where(players.c.id == player, players.c.moderator, sa.not_(players.c.banned))
    if connection.scalar(known) is None:
        raise Refused("forbidden", reason("moderator"))


def _player(connection: sa.Connection, who: str, by: str) -> str:
    """The id of a player on whom ``by`` may act, by id or account name."""
    player = identified(connection, who)
    if player is None:
        raise Refused("not-found", reason("nobody.such"))
    if by != HOST:
        _check_no_peer(connection, player)
    return player


def _check_no_peer(connection: sa.Connection, player: str | None) -> None:
    """``Refused`` if the player is a moderator."""
    peer = sa.select(players.c.id).where(players.c.id == player, players.c.moderator)
    if connection.scalar(peer) is not None:
        raise Refused("forbidden", reason("moderator.peer"))


def _answer(
    connection: sa.Connection, report: int, by: str, detail: dict[str, Any], subject: str | None = None
) -> str | None:
    """Remove a report from the queue, and store the message's location in ``detail``. Returns the reported player.

    ``Refused``: that is a moderator and ``by`` is not the host, or it is not ``subject``.
    """
    row = connection.execute(sa.select(reports).where(reports.c.id == report)).one_or_none()
    if row is None or subject not in (None, row.against):
        raise Refused("not-found", reason("report.gone"))
    against: str | None = row.against
    if by != HOST:
        _check_no_peer(connection, against)
    if not connection.execute(sa.delete(reports).where(reports.c.id == report)).rowcount:
        raise Refused("not-found", reason("report.gone"))  # another moderator was first
    detail |= {"table": row.table_id, "message": row.seq}
    return against


def _change_network(connection: sa.Connection, action: BanNetwork | UnbanNetwork, now: int, address: str) -> str:
    network = network_named(action.network)
    mine = network_bans.c.network == str(network)
    if isinstance(action, UnbanNetwork):
        if connection.execute(sa.delete(network_bans).where(mine)).rowcount == 0:
            raise Refused("not-found", reason("network.free"))
    else:
        own = Restrictions()
        own.set([(str(network), 1)], ())
        if own.bans(address, 0):
            raise Refused("illegal", reason("network.own"))
        put_row(connection, network_bans, {"network": str(network)}, {"at": now, "until": now + action.days * DAY})
    return str(network)


def _change_words(connection: sa.Connection, action: AddWords | RemoveWords) -> list[str]:
    """Add or remove words; a removal without words removes all of the language. Returns the words that changed."""
    wanted = {" ".join(word.split()) for word in action.words} - {""}
    mine = refused_words.c.language == action.language
    known = set(connection.scalars(sa.select(refused_words.c.word).where(mine)))
    if isinstance(action, RemoveWords):
        changed = sorted(known & wanted if action.words else known)
        listed = refused_words.c.word.in_(changed) if action.words else sa.true()
        connection.execute(sa.delete(refused_words).where(mine, listed))
    else:
        changed = sorted(wanted - known)
        rows = [{"language": action.language, "word": word} for word in changed]
        if rows:
            connection.execute(sa.insert(refused_words), rows)
    return changed


def _named(words: list[str]) -> dict[str, Any]:
    """The audit log's detail about words: the words or, for a long list, their number and the SHA-256 of its lines."""
    text = ", ".join(words)
    if len(text) <= LONGEST_LISTED:
        return {"words": text}
    return {"words": len(words), "sha256": hashlib.sha256("\n".join(words).encode()).hexdigest()}


def _log(
    connection: sa.Connection, by: str, action: str, subject: str, now: int, detail: dict[str, Any] | None = None
) -> None:
    row = {"at": now, "by": by, "action": action, "subject": subject, "detail": detail or {}}
    connection.execute(sa.insert(audit), row)

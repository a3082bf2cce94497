"""Friends in the database: who follows whom, who has blocked whom, and invitations to tables.

Two players who follow each other are friends: they see when the other is here, and may invite each other. A block removes
what each follows of the other, and neither can follow, invite or be matched with the other while it lasts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.store.database import Database, among
from dasan.server.store.known import hold
from dasan.server.store.notifications import put_out
from dasan.server.store.schema import blocks, follows, invitations, players, seats, tables

MOST_FOLLOWED = 500
"""Players whom one player can follow, and players whom one can block."""
OPEN = 24 * 60 * 60 * 1000
"""Milliseconds for which an invitation stands."""
AT_ONCE = 500
"""Players in one statement."""


@dataclass(frozen=True)
class Friend:
    """A player whom somebody follows. mutual: whether they follow back; seen: only then, when they were last here."""

    name: str
    mutual: bool
    seen: int | None


@dataclass(frozen=True)
class Circle:
    """What a player knows of others: whom they follow, who else follows them, and whom they have blocked, by name."""

    follows: tuple[Friend, ...]
    followers: tuple[str, ...]
    blocked: tuple[str, ...]


@dataclass(frozen=True)
class Invitation:
    """An invitation to a table. host: the name of the player who invites."""

    table: str
    preset: str
    host: str
    at: int


class Friends:
    """Reads and writes friends, blocks and invitations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def circle(self, player: str) -> Circle:
        """Whom the player follows, who else follows the player, and whom the player has blocked; each in order of names."""
        back = follows.alias()
        mine = (
            sa.select(players.c.name, back.c.seen)
            .join_from(follows, players, players.c.id == follows.c.followed)
            .outerjoin(back, sa.and_(back.c.follower == follows.c.followed, back.c.followed == player))
            .where(follows.c.follower == player)
            .order_by(players.c.name)
        )
        known = sa.select(follows.c.followed).where(follows.c.follower == player)
        others = (
            sa.select(players.c.name)
            .join_from(follows, players, players.c.id == follows.c.follower)
            .where(follows.c.followed == player, follows.c.follower.not_in(known))
            .order_by(players.c.name)
            .limit(MOST_FOLLOWED)
        )
        shut = (
            sa.select(players.c.name)
            .join_from(blocks, players, players.c.id == blocks.c.blocked)
            .where(blocks.c.player == player)
            .order_by(players.c.name)
        )

        def read(connection: sa.Connection) -> Circle:
            found = tuple(Friend(row.name, row.seen is not None, row.seen) for row in connection.execute(mine))
            return Circle(found, tuple(connection.scalars(others)), tuple(connection.scalars(shut)))

        return await self._database.read(read)

    async def follow(self, player: str, other: str, now: int) -> None:
        """Follow a player. ``Refused`` for oneself, if either has blocked the other, and beyond ``MOST_FOLLOWED``."""

        def write(connection: sa.Connection) -> None:
            _check_open(connection, player, other)
            if not _follows(connection, player, other):
                _check_room(connection, follows, follows.c.follower == player)
                row = {"follower": player, "followed": other, "since": now, "seen": now}
                connection.execute(sa.insert(follows), row)

        await self._database.write(write)

    async def unfollow(self, player: str, other: str) -> None:
        """Follow a player no longer. Invitations between the two end, for only friends invite each other."""

        def write(connection: sa.Connection) -> None:
            mine = sa.and_(follows.c.follower == player, follows.c.followed == other)
            connection.execute(sa.delete(follows).where(mine))
            _end_invitations(connection, player, other)

        await self._database.write(write)

    async def block(self, player: str, other: str, now: int) -> None:
        """Block a player. ``Refused`` for oneself, and beyond ``MOST_FOLLOWED``."""

        def write(connection: sa.Connection) -> None:
            _check_known(connection, player, other)
            mine = sa.and_(blocks.c.player == player, blocks.c.blocked == other)
            if connection.execute(sa.select(blocks.c.since).where(mine)).first() is None:
                _check_room(connection, blocks, blocks.c.player == player)
                connection.execute(sa.insert(blocks), {"player": player, "blocked": other, "since": now})
            both = [player, other]
            pair = sa.and_(follows.c.follower.in_(both), follows.c.followed.in_(both))
            connection.execute(sa.delete(follows).where(pair))
            _end_invitations(connection, player, other)

        await self._database.write(write)

    async def unblock(self, player: str, other: str) -> None:
        """Lift a block. One by the other player stays."""
        change = sa.delete(blocks).where(blocks.c.player == player, blocks.c.blocked == other)
        await self._database.write(lambda connection: connection.execute(change))

    async def seen(self, here: Collection[str], now: int) -> None:
        """Store that these players are here; for those who follow nobody nothing is written."""
        names = sorted(here)
        for first in range(0, len(names), AT_ONCE):
            mine = follows.c.follower.in_(names[first : first + AT_ONCE])
            # Rows are locked in one order: two processes that update the same ones do not wait for each other for ever.
            locked = sa.select(follows.c.since).where(mine).order_by(follows.c.follower, follows.c.followed)

            def write(
                connection: sa.Connection, mine: sa.ColumnElement[bool] = mine, locked: sa.Select[Any] = locked
            ) -> None:
                connection.execute(locked.with_for_update())
                connection.execute(sa.update(follows).where(mine).values(seen=now))

            await self._database.write(write)

    async def invite(self, host: str, other: str, table_id: str, now: int) -> None:
        """Invite a friend to a table. ``Refused`` unless both follow each other. A second invitation renews the first."""

        def write(connection: sa.Connection) -> None:
            _check_open(connection, host, other)
            if not (_follows(connection, host, other) and _follows(connection, other, host)):
                raise Refused("illegal", reason("friend.mutual"))
            mine = sa.and_(invitations.c.table_id == table_id, invitations.c.player == other)
            renewed = connection.execute(sa.delete(invitations).where(mine)).rowcount
            row = {"table_id": table_id, "player": other, "host": host, "at": now}
            connection.execute(sa.insert(invitations), row)
            if not renewed:
                put_out(connection, [other], "invitation", table_id, now)

        await self._database.write(write)

    async def invited(self, table_id: str, now: int) -> tuple[str, ...]:
        """The names of those whose invitations to a table stand, and who do not sit there."""
        query = (
            sa.select(players.c.name)
            .join_from(invitations, players, players.c.id == invitations.c.player)
            .where(invitations.c.table_id == table_id, _stands(now))
            .order_by(players.c.name)
        )
        return tuple(await self._database.read(lambda connection: connection.scalars(query).all()))

    async def invitations(self, player: str, now: int) -> tuple[Invitation, ...]:
        """The invitations that stand, newest first: to tables that go on, and at which the player does not sit."""
        query = (
            sa.select(invitations.c.table_id, tables.c.preset, players.c.name, invitations.c.at)
            .join_from(invitations, tables, tables.c.id == invitations.c.table_id)
            .join(players, players.c.id == invitations.c.host)
            .where(invitations.c.player == player, _stands(now), tables.c.status != "ended")
            .order_by(invitations.c.at.desc())
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(Invitation(row.table_id, row.preset, row.name, row.at) for row in rows)

    async def decline(self, player: str, table_id: str) -> None:
        """Remove the player's invitation to a table, and the name from those who are invited there."""
        mine = sa.and_(invitations.c.player == player, invitations.c.table_id == table_id)
        await self._database.write(lambda connection: connection.execute(sa.delete(invitations).where(mine)))


def blocked_pairs(connection: sa.Connection, known: Sequence[str]) -> frozenset[frozenset[str]]:
    """The pairs among these players of whom one has blocked the other."""
    both = sa.and_(among(connection, blocks.c.player, known), among(connection, blocks.c.blocked, known))
    query = sa.select(blocks.c.player, blocks.c.blocked).where(both)
    return frozenset(frozenset(row) for row in connection.execute(query))


def forget_friends(connection: sa.Connection, player: str) -> None:
    """Delete what is stored of a player and their friends."""
    for table, columns in (
        (follows, (follows.c.follower, follows.c.followed)),
        (blocks, (blocks.c.player, blocks.c.blocked)),
        (invitations, (invitations.c.player, invitations.c.host)),
    ):
        connection.execute(sa.delete(table).where(sa.or_(*(column == player for column in columns))))


def friends_of(connection: sa.Connection, player: str) -> dict[str, list[dict[str, Any]]]:
    """What is stored of a player and their friends, as plain data. Who has blocked the player is the others' affair."""
    queries = {
        "follows": sa.select(follows).where(follows.c.follower == player),
        "followers": sa.select(follows.c.follower, follows.c.since).where(follows.c.followed == player),
        "blocks": sa.select(blocks).where(blocks.c.player == player),
        "invitations": sa.select(invitations).where(
            sa.or_(invitations.c.player == player, invitations.c.host == player)
        ),
    }
    return {name: [dict(row) for row in connection.execute(query).mappings()] for name, query in queries.items()}


def _follows(connection: sa.Connection, player: str, other: str) -> bool:
    query = sa.select(follows.c.since).where(follows.c.follower == player, follows.c.followed == other)
    return connection.execute(query).first() is not None


def _stands(now: int) -> sa.ColumnElement[bool]:
    """Whether an invitation is not too old, and whoever is invited does not sit at the table."""
    sits = sa.exists().where(seats.c.table_id == invitations.c.table_id, seats.c.player == invitations.c.player)
    return sa.and_(invitations.c.at > now - OPEN, sa.not_(sits))


def _check_known(connection: sa.Connection, player: str, other: str) -> None:
    """``Refused`` for oneself, and if one of them is deleted. A deletion waits for the transaction to end."""
    if player == other:
        raise Refused("illegal", reason("friend.self"))
    if not hold(connection, [player, other]) >= {player, other}:
        raise Refused("not-found", reason("no-account"))


def _check_open(connection: sa.Connection, player: str, other: str) -> None:
    _check_known(connection, player, other)
    if blocked_pairs(connection, [player, other]):
        raise Refused("forbidden", reason("friend.blocked"))


def _check_room(connection: sa.Connection, table: sa.Table, mine: sa.ColumnElement[bool]) -> None:
    if (connection.scalar(sa.select(sa.func.count()).select_from(table).where(mine)) or 0) >= MOST_FOLLOWED:
        raise Refused("illegal", reason("friend.most", n=MOST_FOLLOWED))


def _end_invitations(connection: sa.Connection, player: str, other: str) -> None:
    both = [player, other]
    pair = sa.and_(invitations.c.player.in_(both), invitations.c.host.in_(both))
    connection.execute(sa.delete(invitations).where(pair))

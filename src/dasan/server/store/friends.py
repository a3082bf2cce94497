"""Friends in the database: follows, blocks, and invitations to tables.

Two players who follow each other are friends: they see when the other is online, and may invite each other. A block
removes both follows; while it lasts neither can follow, invite or be matched with the other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.protocol import friends as protocol
from dasan.server.refusals import Refused
from dasan.server.store.database import StorePart, among, reading, writing
from dasan.server.store.known import hold
from dasan.server.store.notifications import put_out
from dasan.server.store.schema import blocks, follows, invitations, players, seats, tables
from dasan.server.tables.facts import title_of
from dasan.server.times import DAY

MOST_FOLLOWED = 500
"""The most players that one player can follow, and the most that one can block."""
OPEN = DAY
"""Milliseconds for which an invitation is valid."""
AT_ONCE = 500
"""The most players in one statement."""
HERE = 45_000
"""Milliseconds since their last activity for which players count as online."""


class Friends(StorePart):
    """Reads and writes friends, blocks and invitations."""

    @reading
    def circle(self, connection: sa.Connection, player: str, now: int) -> protocol.Friends:
        """The player's followed players, other followers and blocked players, each ordered by name."""
        name = sa.select(players.c.name).where(players.c.id == player)
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

        def friend(row: Any) -> protocol.Friend:
            here = row.seen is not None and abs(now - row.seen) <= HERE
            return protocol.Friend(name=row.name, mutual=row.seen is not None, here=here, seen=row.seen)

        return protocol.Friends(
            you=connection.scalar(name),
            follows=[friend(row) for row in connection.execute(mine)],
            followers=list(connection.scalars(others)),
            blocked=list(connection.scalars(shut)),
        )

    @writing
    def follow(self, connection: sa.Connection, player: str, other: str, now: int) -> None:
        """Follow a player. ``Refused``: it is the same player, one has blocked the other, or ``MOST_FOLLOWED`` is
        reached.
        """
        _check_open(connection, player, other)
        if not _follows(connection, player, other):
            _check_room(connection, follows, follows.c.follower == player)
            row = {"follower": player, "followed": other, "since": now, "seen": now}
            connection.execute(sa.insert(follows), row)

    @writing
    def unfollow(self, connection: sa.Connection, player: str, other: str) -> None:
        """Unfollow a player. Invitations between the two end, because only friends may invite."""
        mine = sa.and_(follows.c.follower == player, follows.c.followed == other)
        connection.execute(sa.delete(follows).where(mine))
        _end_invitations(connection, player, other)

    @writing
    def block(self, connection: sa.Connection, player: str, other: str, now: int) -> None:
        """Block a player. ``Refused``: it is the same player, or ``MOST_FOLLOWED`` is reached."""
        _check_known(connection, player, other)
        mine = sa.and_(blocks.c.player == player, blocks.c.blocked == other)
        if connection.execute(sa.select(blocks.c.since).where(mine)).first() is None:
            _check_room(connection, blocks, blocks.c.player == player)
            connection.execute(sa.insert(blocks), {"player": player, "blocked": other, "since": now})
        both = [player, other]
        pair = sa.and_(follows.c.follower.in_(both), follows.c.followed.in_(both))
        connection.execute(sa.delete(follows).where(pair))
        _end_invitations(connection, player, other)

    async def unblock(self, player: str, other: str) -> None:
        """Lift a block. The other player's block stays."""
        await self._change(sa.delete(blocks).where(blocks.c.player == player, blocks.c.blocked == other))

    async def seen(self, here: Collection[str], now: int) -> None:
        """Store that these players are online; players who follow nobody are skipped."""
        names = sorted(here)
        for first in range(0, len(names), AT_ONCE):
            await self._seen(names[first : first + AT_ONCE], now)

    @writing
    def _seen(self, connection: sa.Connection, names: Collection[str], now: int) -> None:
        mine = follows.c.follower.in_(names)
        # Rows are locked in a fixed order, so that two processes that update the same ones cannot deadlock.
        locked = sa.select(follows.c.since).where(mine).order_by(follows.c.follower, follows.c.followed)
        connection.execute(locked.with_for_update())
        connection.execute(sa.update(follows).where(mine).values(seen=now))

    @writing
    def invite(self, connection: sa.Connection, host: str, other: str, table_id: str, now: int) -> None:
        """Invite a friend to a table; a second invitation renews the first. ``Refused``: they do not follow each
        other.
        """
        _check_open(connection, host, other)
        if not (_follows(connection, host, other) and _follows(connection, other, host)):
            raise Refused("illegal", reason("friend.mutual"))
        mine = sa.and_(invitations.c.table_id == table_id, invitations.c.player == other)
        renewed = connection.execute(sa.delete(invitations).where(mine)).rowcount
        row = {"table_id": table_id, "player": other, "host": host, "at": now}
        connection.execute(sa.insert(invitations), row)
        if not renewed:
            put_out(connection, [other], "invitation", table_id, now)

    async def invited(self, table_id: str, now: int) -> list[str]:
        """The names of players with a valid invitation to a table who do not sit there."""
        query = (
            sa.select(players.c.name)
            .join_from(invitations, players, players.c.id == invitations.c.player)
            .where(invitations.c.table_id == table_id, _stands(now))
            .order_by(players.c.name)
        )
        return [row.name for row in await self._rows(query)]

    async def invitations(self, player: str, now: int) -> list[protocol.Invitation]:
        """The player's valid invitations, newest first: to tables that have not ended and at which the player does not
        sit.
        """
        query = (
            sa.select(invitations.c.table_id, tables.c.preset, players.c.name, invitations.c.at)
            .join_from(invitations, tables, tables.c.id == invitations.c.table_id)
            .join(players, players.c.id == invitations.c.host)
            .where(invitations.c.player == player, _stands(now), tables.c.status != "ended")
            .order_by(invitations.c.at.desc())
        )
        return [
            protocol.Invitation(
                table=row.table_id, preset=row.preset, title=title_of(row.preset), host=row.name, at=row.at
            )
            for row in await self._rows(query)
        ]

    async def decline(self, player: str, table_id: str) -> None:
        """Delete the player's invitation to a table."""
        mine = sa.and_(invitations.c.player == player, invitations.c.table_id == table_id)
        await self._change(sa.delete(invitations).where(mine))


def blocked_pairs(connection: sa.Connection, known: Sequence[str]) -> frozenset[frozenset[str]]:
    """The pairs among these players in which one has blocked the other."""
    both = sa.and_(among(connection, blocks.c.player, known), among(connection, blocks.c.blocked, known))
    query = sa.select(blocks.c.player, blocks.c.blocked).where(both)
    return frozenset(frozenset(row) for row in connection.execute(query))


def forget_friends(connection: sa.Connection, player: str) -> None:
    """Delete a player's follows, blocks and invitations."""
    for table, columns in (
        (follows, (follows.c.follower, follows.c.followed)),
        (blocks, (blocks.c.player, blocks.c.blocked)),
        (invitations, (invitations.c.player, invitations.c.host)),
    ):
        connection.execute(sa.delete(table).where(sa.or_(*(column == player for column in columns))))


def friends_of(player: str) -> dict[str, sa.Select[Any]]:
    """Queries of a player's follows, blocks and invitations. Blocks by others are the others' data."""
    return {
        "follows": sa.select(follows).where(follows.c.follower == player),
        "followers": sa.select(follows.c.follower, follows.c.since).where(follows.c.followed == player),
        "blocks": sa.select(blocks).where(blocks.c.player == player),
        "invitations": sa.select(invitations).where(
            sa.or_(invitations.c.player == player, invitations.c.host == player)
        ),
    }


def _follows(connection: sa.Connection, player: str, other: str) -> bool:
    query = sa.select(follows.c.since).where(follows.c.follower == player, follows.c.followed == other)
    return connection.execute(query).first() is not None


def _stands(now: int) -> sa.ColumnElement[bool]:
    """The condition that an invitation is valid and the invited player does not sit at the table."""
    sits = sa.exists().where(seats.c.table_id == invitations.c.table_id, seats.c.player == invitations.c.player)
    return sa.and_(invitations.c.at > now - OPEN, sa.not_(sits))


def _check_known(connection: sa.Connection, player: str, other: str) -> None:
    """``Refused``: they are the same player, or one of them is deleted. Deletions wait for the end of the
    transaction, and so do a block and a follow of one of the two.
    """
    if player == other:
        raise Refused("illegal", reason("friend.self"))
    if not hold(connection, [player, other], alone=True) >= {player, other}:
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

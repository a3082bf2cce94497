"""Quick match: players who seek a game, and the tables made for them.

A seeker repeats the request every other second, and each request looks for others within a rating window that widens
with the time that both have waited. One transaction creates the table and notes it for its players. Such transactions
are serialized across processes, so nobody gets two tables and no table lacks a player. Only players whose last request
is within ``PRESENT`` are seated, so that closed pages do not take seats. An answer may be lost, so a found table stays
on the list for a minute, and a repeated request gets the same table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import sqlalchemy as sa

from dasan.server.store.database import Lock, StorePart, recent, serialize, writing
from dasan.server.store.friends import blocked_pairs
from dasan.server.store.people import marked, names_apart
from dasan.server.store.ratings import BEGINNING, shown
from dasan.server.store.schema import ratings, seekers
from dasan.server.store.sessions import check_not_deleted
from dasan.server.store.table_rows import insert_room
from dasan.server.tables.room import Room

PRESENT = 4_000
"""Milliseconds since their last request for which players count as present: twice the polling interval."""
GONE = 8_000
"""Milliseconds after which a player who has not repeated the request is taken off the list. A late request before that
keeps its place in the queue, but nobody is seated with an absent player."""
COLLECTED = 60_000
"""Milliseconds since a player's last request before a table was found, for which it is reported to them."""
NEAR = 100
"""The initial rating window."""
WIDENING = 20
"""Rating points by which the window grows with each second that both have waited."""
SPEED = 8
"""The first characters of a speed's name, in which they all differ: the width of the database column."""


@dataclass(frozen=True)
class Seeker:
    """A player who seeks a game. bots: whether bots may fill the seats after a while. since: when they began. account:
    whether the name is their account's.
    """

    player: str
    name: str
    rating: int
    bots: bool
    since: int
    account: bool = False

    def window(self, now: int) -> int:
        """The rating window that the player accepts at the time ``now``.

        >>> Seeker("a", "Ada", 1500, False, since=0).window(5_000)
        200
        """
        return NEAR + WIDENING * max(0, now - self.since) // 1000

    def suits(self, other: Seeker, now: int) -> bool:
        """Whether each accepts the other's rating."""
        return abs(self.rating - other.rating) <= min(self.window(now), other.window(now))


@dataclass(frozen=True)
class Sought:
    """The answer to a request: the table if there is one, when the player began to wait, and the number of seekers of
    the same game.
    """

    table: str | None
    since: int
    seeking: int


TRIED = 12
"""The number of nearest suitable players to combine into parties."""
Pairs: TypeAlias = frozenset[frozenset[str]]
"""Pairs of players in which one has blocked the other."""


def party(
    me: Seeker, others: Sequence[Seeker], players: int, now: int, fill_after: int, blocked: Pairs = frozenset()
) -> tuple[Seeker, ...]:
    """The players of a new table, ``me`` first: enough to fill it or, after ``fill_after`` milliseconds, those who
    accept bots; empty if it is too early. No two of them have a block between them.

    >>> ada, bo, cy = (Seeker(name, name, rating, True, 0) for name, rating in [("a", 1500), ("b", 1550), ("c", 1900)])
    >>> [one.name for one in party(ada, [cy, bo], 2, 0, 15_000)]
    ['a', 'b']
    >>> party(ada, [cy], 2, 0, 15_000), [one.name for one in party(ada, [cy], 2, 16_000, 15_000)]
    ((), ['a', 'c'])
    >>> [one.name for one in party(ada, [cy, bo], 2, 16_000, 15_000, frozenset({frozenset("ab")}))]
    ['a', 'c']
    """
    near = sorted((o for o in others if me.suits(o, now)), key=lambda o: (abs(o.rating - me.rating), o.since, o.player))
    together = _nearest(me, near, players, blocked)
    if together or not me.bots or now - me.since < fill_after:
        return together
    willing = [other for other in near if other.bots]
    sizes = range(min(players, len(willing) + 1), 0, -1)
    return next(filter(None, (_nearest(me, willing, size, blocked) for size in sizes)))


def _nearest(me: Seeker, near: Sequence[Seeker], size: int, blocked: Pairs) -> tuple[Seeker, ...]:
    """``me`` and the first others that form a party of this size without blocks; else empty."""
    for others in combinations(near[:TRIED], size - 1):
        party = (me, *others)
        if blocked.isdisjoint(frozenset((a.player, b.player)) for a, b in combinations(party, 2)):
            return party
    return ()


class Matches(StorePart):
    """Reads and writes the list of players who seek a game."""

    @writing
    def seek(
        self,
        connection: sa.Connection,
        player: str,
        name: str,
        game: tuple[str, str],
        players: int,
        now: int,
        *,
        bots: bool,
        fill_after: int,
        make: Callable[[tuple[Seeker, ...]], Room],
        forget: str | None = None,
    ) -> Sought:
        """Begin or continue to seek a game. game: preset and speed. make: makes a table's room from its players.
        forget: a table found before, to which the player does not go back.

        ``Refused``: the player has just been deleted.
        """
        game = preset, speed = game[0], game[1][:SPEED]
        serialize(connection, Lock.MATCHES)
        check_not_deleted(connection, player)
        gone = sa.and_(seekers.c.table_id.is_(None), sa.not_(recent(seekers.c.seen, now, GONE)))
        connection.execute(sa.delete(seekers).where(sa.or_(gone, sa.not_(recent(seekers.c.seen, now, COLLECTED)))))
        mine = seekers.c.player == player
        old = connection.execute(sa.select(seekers).where(mine)).one_or_none()
        if old is not None and old.table_id not in (None, forget):
            return Sought(old.table_id, old.since, 0)
        since = now
        if old is not None and old.table_id is None and (old.preset, old.speed) == (preset, speed):
            since = old.since
        me = Seeker(player, name, _rating(connection, player, preset, players), bots, since)
        row = {**vars(me), "preset": preset, "speed": speed, "seen": now, "table_id": None}
        del row["account"]
        if old is not None:
            connection.execute(sa.update(seekers).where(mine).values(**row))
        else:
            connection.execute(sa.insert(seekers), row)
        waiting = _waiting(connection, player, game, now)
        blocked = blocked_pairs(connection, [player, *(one.player for one in waiting)])
        others = [one for one in waiting if frozenset((player, one.player)) not in blocked]
        together = party(me, others, players, now, fill_after, blocked)
        if not together:
            return Sought(None, me.since, len(others) + 1)
        accounts = marked(connection, {one.player: one.name for one in together})
        named = names_apart(connection, [(one.player, one.name) for one in together], accounts)
        room = make(tuple(replace(one, name=named[one.player], account=one.player in accounts) for one in together))
        insert_room(connection, room)
        matched = seekers.c.player.in_([one.player for one in together])
        connection.execute(sa.update(seekers).where(matched).values(table_id=room.head.id))
        return Sought(room.head.id, me.since, len(others) + 1)

    @writing
    def leave(self, connection: sa.Connection, player: str) -> str | None:
        """Stop seeking; return the table found in the meantime, if any."""
        mine = seekers.c.player == player
        # First, because this waits for a process that is seating the player.
        connection.execute(sa.delete(seekers).where(mine, seekers.c.table_id.is_(None)))
        table: str | None = connection.scalar(sa.select(seekers.c.table_id).where(mine))
        return table


def _waiting(connection: sa.Connection, player: str, game: tuple[str, str], now: int) -> list[Seeker]:
    """The others who seek the same game now."""
    preset, speed = game
    rows = connection.execute(
        sa.select(seekers).where(
            seekers.c.preset == preset,
            seekers.c.speed == speed,
            seekers.c.table_id.is_(None),
            recent(seekers.c.seen, now, PRESENT),
            seekers.c.player != player,
        )
    )
    return [Seeker(row.player, row.name, row.rating, row.bots, row.since) for row in rows]


def _rating(connection: sa.Connection, player: str, preset: str, players: int) -> int:
    mine = sa.and_(ratings.c.player == player, ratings.c.preset == preset, ratings.c.players == players)
    mu = connection.scalar(sa.select(ratings.c.mu).where(mine))
    return BEGINNING if mu is None else shown(mu)

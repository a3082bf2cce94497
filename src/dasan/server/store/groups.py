"""Groups in the database: clubs of friends with members, rules for their tables, and chat."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.people.names import keys
from dasan.server.protocol.groups import (
    Group,
    GroupLine,
    GroupListed,
    GroupMember,
    GroupRules,
    GroupStanding,
    GroupTable,
)
from dasan.server.refusals import Refused
from dasan.server.store.damage import intact, undamaged
from dasan.server.store.database import StorePart, reading, writing
from dasan.server.store.friends import blocked_pairs
from dasan.server.store.group_standings import standings
from dasan.server.store.known import hold
from dasan.server.store.notifications import put_out
from dasan.server.store.schema import (
    group_keys,
    group_lines,
    group_members,
    group_tables,
    groups,
    invitations,
    players,
    reports,
    tables,
)
from dasan.server.store.table_rows import insert_room, names_of
from dasan.server.tables.facts import title_of
from dasan.server.tables.room import Room

MOST_MEMBERS = 50
MOST_EACH = 20
"""The most groups of one player."""
MOST_LINES = 200
"""The most chat lines of a group."""
MOST_TABLES = 20
"""The most tables listed."""
NOTIFIED_EVERY = 10 * 60 * 1000
"""Milliseconds after a member opens a table in which that member's further tables do not notify the same people."""
JOIN = "/join/"
"""The path of the page to join; the group's secret `link` follows."""
MARK = "group-"
"""The prefix of group ids, which distinguishes groups from tables in reports."""


class Groups(StorePart):
    """Reads and writes groups."""

    @writing
    def create(self, connection: sa.Connection, player: str, name: str, rules: GroupRules, now: int) -> str:
        """Create a group hosted by ``player``; return its id. ``Refused``: its name is taken; they are in too many."""
        group_id = MARK + secrets.token_urlsafe(9)
        _check_room(connection, player)
        row = {"id": group_id, "name": name, "host": player, "link": _new_link(), "created": now, **_stored(rules)}
        connection.execute(sa.insert(groups), row)
        _put_keys(connection, group_id, name)
        connection.execute(sa.insert(group_members), {"group_id": group_id, "player": player, "since": now})
        return group_id

    async def of_player(self, player: str) -> list[GroupListed]:
        """The groups of a player, by name."""
        mine = sa.select(group_members.c.group_id).where(group_members.c.player == player)
        members = (
            sa.select(sa.func.count()).where(group_members.c.group_id == groups.c.id).correlate(groups).scalar_subquery()
        )
        query = (
            sa.select(groups.c.id, groups.c.name, members.label("members"), players.c.name.label("host"))
            .join_from(groups, players, players.c.id == groups.c.host)
            .where(groups.c.id.in_(mine))
            .order_by(groups.c.name, groups.c.id)
        )
        return undamaged("group", await self._rows(query), lambda row: GroupListed(**row._mapping))

    @reading
    def load(self, connection: sa.Connection, group_id: str, player: str) -> Group:
        """A group as its member ``player`` sees it. ``Refused``: the player is not a member."""
        row = _group(connection, group_id, player)
        people = connection.execute(
            sa.select(group_members.c.player, group_members.c.since, players.c.name)
            .join_from(group_members, players, players.c.id == group_members.c.player)
            .where(group_members.c.group_id == group_id)
            .order_by(players.c.name)
        ).all()
        known = {one.player for one in people}
        lines = connection.execute(
            sa.select(group_lines, players.c.name)
            .join_from(group_lines, players, players.c.id == group_lines.c.player)
            .where(group_lines.c.group_id == group_id)
            .order_by(group_lines.c.id.desc())
            .limit(MOST_LINES)
        ).all()
        shut = _blocked(connection, player, known | {line.player for line in lines})
        open_tables = connection.execute(
            sa.select(tables.c.id, group_tables.c.at, tables.c.status, tables.c.summary)
            .join_from(group_tables, tables, tables.c.id == group_tables.c.table_id)
            .where(group_tables.c.group_id == group_id, tables.c.status != "ended")
            .order_by(group_tables.c.at.desc())
            .limit(MOST_TABLES)
        ).all()
        heard = [line for line in reversed(lines) if line.player not in shut]
        return _as_seen(row, player, people, heard, open_tables)

    @writing
    def rename(self, connection: sa.Connection, group_id: str, player: str, name: str) -> None:
        """Rename a group. ``Refused``: the name is taken, or the player is not the host."""
        _check_host(connection, group_id, player)
        connection.execute(sa.update(groups).where(groups.c.id == group_id).values(name=name))
        _put_keys(connection, group_id, name)

    @writing
    def play_by(self, connection: sa.Connection, group_id: str, player: str, rules: GroupRules) -> None:
        """Store the rules of the group's tables. ``Refused``: the player is not the host."""
        _check_host(connection, group_id, player)
        connection.execute(sa.update(groups).where(groups.c.id == group_id).values(**_stored(rules)))

    @writing
    def new_link(self, connection: sa.Connection, group_id: str, player: str) -> None:
        """Replace the link to join; the old one stops working. ``Refused``: the player is not the host."""
        _check_host(connection, group_id, player)
        connection.execute(sa.update(groups).where(groups.c.id == group_id).values(link=_new_link()))

    @writing
    def hand_over(self, connection: sa.Connection, group_id: str, player: str, name: str) -> None:
        """Make the member with this name the host. ``Refused``: the player is not the host; no such member."""
        _check_host(connection, group_id, player)
        other = _member(connection, group_id, name)
        connection.execute(sa.update(groups).where(groups.c.id == group_id).values(host=other))

    @writing
    def remove(self, connection: sa.Connection, group_id: str, player: str, name: str) -> None:
        """Remove the member with this name, and replace the link to join.

        ``Refused``: the player is not the host, there is no such member, or it is the player.
        """
        _check_host(connection, group_id, player)
        other = _member(connection, group_id, name)
        if other == player:
            raise Refused("illegal", reason("friend.self"))
        _part(connection, group_id, other)
        connection.execute(sa.update(groups).where(groups.c.id == group_id).values(link=_new_link()))

    @writing
    def leave(self, connection: sa.Connection, group_id: str, player: str) -> None:
        """Leave a group; it is deleted with its last member. ``Refused``: the host must hand it over first."""
        row = _group(connection, group_id, player, locked=True)
        others = _members(connection, group_id) - {player}
        if row.host == player and others:
            raise Refused("illegal", reason("group.leave"))
        _part(connection, group_id, player)
        if not others:
            connection.execute(sa.delete(groups).where(groups.c.id == group_id))

    @writing
    def delete(self, connection: sa.Connection, group_id: str, player: str) -> None:
        """Delete a group; the hands stay. ``Refused``: the player is not the host."""
        _check_host(connection, group_id, player)
        connection.execute(sa.delete(groups).where(groups.c.id == group_id))

    @reading
    def behind(self, connection: sa.Connection, link: str, player: str | None) -> tuple[GroupListed, bool]:
        """The group of a link, and whether the player is a member. ``Refused``: there is no such link."""
        row = _linked(connection, link)
        name = connection.scalar(sa.select(players.c.name).where(players.c.id == row.host)) or ""
        members = _members(connection, row.id)
        with intact("group", row.id):
            return GroupListed(id=row.id, name=row.name, members=len(members), host=name), player in members

    @writing
    def join(self, connection: sa.Connection, link: str, player: str, now: int) -> str:
        """Become a member; return the group's id.

        ``Refused``: no such link; the group is full; the player is in too many groups, or in a block with the host.
        """
        row = _linked(connection, link, locked=True)
        members = _members(connection, row.id)
        if player in members:
            return str(row.id)
        _check_room(connection, player)
        if len(members) >= MOST_MEMBERS:
            raise Refused("illegal", reason("group.full", n=MOST_MEMBERS))
        if _blocked(connection, player, {row.host}):
            raise Refused("forbidden", reason("friend.blocked"))
        connection.execute(sa.insert(group_members), {"group_id": row.id, "player": player, "since": now})
        return str(row.id)

    @writing
    def say(self, connection: sa.Connection, group_id: str, player: str, text: str, now: int) -> None:
        """Add a line to the chat, and delete lines beyond ``MOST_LINES``. ``Refused``: the player is not a member."""
        hold(connection, [player])
        _group(connection, group_id, player)
        row = {"group_id": group_id, "player": player, "at": now, "text": text}
        connection.execute(sa.insert(group_lines), row)
        mine = group_lines.c.group_id == group_id
        newest = sa.select(group_lines.c.id).where(mine).order_by(group_lines.c.id.desc())
        oldest = connection.scalar(newest.offset(MOST_LINES).limit(1))
        if oldest is not None:
            connection.execute(sa.delete(group_lines).where(mine, group_lines.c.id <= oldest))

    @writing
    def report(self, connection: sa.Connection, group_id: str, player: str, line: int, why: str, now: int) -> None:
        """Report a line of the chat to the moderators, once. ``Refused``: no such line; the player is not a member."""
        hold(connection, [player])
        _group(connection, group_id, player)
        mine = sa.and_(group_lines.c.group_id == group_id, group_lines.c.id == line)
        entry = connection.execute(sa.select(group_lines).where(mine)).one_or_none()
        if entry is None or entry.player not in hold(connection, [entry.player]):
            raise Refused("not-found", reason("chat.gone"))
        same = sa.and_(reports.c.table_id == group_id, reports.c.seq == line, reports.c.by == player)
        if connection.execute(sa.select(reports.c.id).where(same)).first() is None:
            row = {"table_id": group_id, "seq": line, "by": player, "against": entry.player, "text": entry.text}
            connection.execute(sa.insert(reports), {**row, "reason": why, "at": now})

    async def rules_of(self, group_id: str, player: str) -> GroupRules:
        """The rules of the group's tables. ``Refused``: the player is not a member."""
        return await self._database.read(lambda connection: _rules(_group(connection, group_id, player)))

    @writing
    def open_table(self, connection: sa.Connection, group_id: str, player: str, room: Room, now: int) -> None:
        """Insert a table of the group, and invite the other members, except those in a block with the player.

        Members of a group in which the player has opened a table within ``NOTIFIED_EVERY`` are not notified again.
        """
        # Not from the invitations, which declining deletes.
        lately = (
            sa.select(group_members.c.player, tables.c.opened)
            .join_from(group_members, group_tables, group_members.c.group_id == group_tables.c.group_id)
            .join(tables, tables.c.id == group_tables.c.table_id)
            .where(
                group_tables.c.table_id != room.head.id,
                group_tables.c.at > now - NOTIFIED_EVERY,
                group_members.c.since < group_tables.c.at,
            )
        )
        _group(connection, group_id, player)
        insert_room(connection, room)
        row = {"table_id": room.head.id, "group_id": group_id, "at": now}
        connection.execute(sa.insert(group_tables), row)
        others = _members(connection, group_id) - {player}
        wanted = sorted(hold(connection, others) - _blocked(connection, player, others))
        notified = connection.execute(lately.where(group_members.c.player.in_(wanted)))
        # Not by a query: PostgreSQL reads no value of JSON that has a NUL, and SQLite none of damaged JSON.
        recent = {row.player for row in notified if isinstance(row.opened, dict) and row.opened.get("host") == player}
        rows = [{"table_id": room.head.id, "player": one, "host": player, "at": now} for one in wanted]
        if rows:
            connection.execute(sa.insert(invitations), rows)
        put_out(connection, [one for one in wanted if one not in recent], "invitation", room.head.id, now)

    @writing
    def open_rematch(self, connection: sa.Connection, before: str, room: Room) -> None:
        """Insert the rematch of the table ``before`` unless it exists; it belongs to the same group, if any."""
        if not insert_room(connection, room):
            return
        group_id = connection.scalar(sa.select(group_tables.c.group_id).where(group_tables.c.table_id == before))
        if group_id is not None:
            row = {"table_id": room.head.id, "group_id": group_id, "at": room.at}
            connection.execute(sa.insert(group_tables), row)

    @reading
    def standings(self, connection: sa.Connection, group_id: str, player: str) -> tuple[list[int], list[GroupStanding]]:
        """As `group_standings.standings`. ``Refused``: the player is not a member."""
        _group(connection, group_id, player)
        return standings(connection, group_id, player)


def _new_link() -> str:
    return secrets.token_urlsafe(16)


def _stored(rules: GroupRules) -> dict[str, Any]:
    row = rules.model_dump()
    row["chairs"] = row.pop("seats")
    return row


def _rules(row: Any) -> GroupRules:
    with intact("group", row.id):
        return GroupRules(preset=row.preset, options=row.options, seats=row.chairs, settings=row.settings)


def _as_seen(row: Any, player: str, people: Sequence[Any], lines: Sequence[Any], open_tables: Sequence[Any]) -> Group:
    """A group, from its rows, as its member ``player`` sees it."""

    def line(one: Any) -> GroupLine:
        return GroupLine(id=one.id, at=one.at, name=one.name, text=one.text, you=one.player == player)

    def table(one: Any) -> GroupTable:
        return GroupTable(id=one.id, at=one.at, status=one.status, names=_people(one.summary))

    rules = _rules(row)
    with intact("group", row.id):
        return Group(
            id=row.id,
            name=row.name,
            hosting=row.host == player,
            link=f"{JOIN}{row.link}",
            rules=rules,
            title=title_of(rules.preset),
            members=[
                GroupMember(name=one.name, since=one.since, host=one.player == row.host, you=one.player == player)
                for one in people
            ],
            lines=undamaged("group's line", lines, line),
            tables=undamaged("table", open_tables, table),
        )


def _people(summary: Any) -> list[str]:
    """The names of the people in a table's summary, without those that are damaged."""
    return [name for kind, name in names_of(summary) if kind not in ("open", "bot")]


def _group(connection: sa.Connection, group_id: str, player: str, *, locked: bool = False) -> Any:
    """The row of a group. ``Refused``, as if there were no such group: the player is not a member."""
    query = sa.select(groups).where(groups.c.id == group_id)
    row = connection.execute(query.with_for_update() if locked else query).one_or_none()
    if row is None or player not in _members(connection, group_id):
        raise Refused("not-found", reason("group.none"))
    return row


def _check_host(connection: sa.Connection, group_id: str, player: str) -> None:
    """``Refused``: the player is not the host. Otherwise the group is locked."""
    if _group(connection, group_id, player, locked=True).host != player:
        raise Refused("forbidden", reason("group.host"))


def _linked(connection: sa.Connection, link: str, *, locked: bool = False) -> Any:
    query = sa.select(groups).where(groups.c.link == link)
    row = connection.execute(query.with_for_update() if locked else query).one_or_none()
    if row is None:
        raise Refused("not-found", reason("group.link"))
    return row


def _members(connection: sa.Connection, group_id: str) -> set[str]:
    query = sa.select(group_members.c.player).where(group_members.c.group_id == group_id)
    return set(connection.scalars(query))


def _part(connection: sa.Connection, group_id: str, player: str) -> None:
    """Delete a member, with their invitations to the group's tables."""
    mine = sa.and_(group_members.c.group_id == group_id, group_members.c.player == player)
    connection.execute(sa.delete(group_members).where(mine))
    ours = sa.select(group_tables.c.table_id).where(group_tables.c.group_id == group_id)
    invited = sa.and_(invitations.c.player == player, invitations.c.table_id.in_(ours))
    connection.execute(sa.delete(invitations).where(invited))


def _member(connection: sa.Connection, group_id: str, name: str) -> str:
    """The id of the member with this name."""
    query = (
        sa.select(players.c.id)
        .join_from(group_members, players, players.c.id == group_members.c.player)
        .where(group_members.c.group_id == group_id, players.c.name == name)
    )
    member: str | None = connection.scalar(query)
    if member is None:
        raise Refused("not-found", reason("group.member"))
    return member


def _blocked(connection: sa.Connection, player: str, others: Collection[str]) -> set[str]:
    """The others who have blocked the player, or whom the player has blocked."""
    pairs = blocked_pairs(connection, sorted({player, *others}))
    return {one for pair in pairs if player in pair for one in pair - {player}}


def _check_room(connection: sa.Connection, player: str) -> None:
    """``Refused``: the player is deleted, or in ``MOST_EACH`` groups."""
    if not hold(connection, [player]):
        raise Refused("forbidden", reason("account.none"))
    mine = sa.select(sa.func.count()).select_from(group_members).where(group_members.c.player == player)
    if (connection.scalar(mine) or 0) >= MOST_EACH:
        raise Refused("illegal", reason("group.most", n=MOST_EACH))


def _put_keys(connection: sa.Connection, group_id: str, name: str) -> None:
    """Store the keys of a group's name. ``Refused``: another group has one of them."""
    connection.execute(sa.delete(group_keys).where(group_keys.c.group_id == group_id))
    wanted = sorted(keys(name))
    if connection.execute(sa.select(group_keys.c.key).where(group_keys.c.key.in_(wanted))).first() is not None:
        raise Refused("illegal", reason("account.taken"))
    connection.execute(sa.insert(group_keys), [{"key": key, "group_id": group_id} for key in wanted])

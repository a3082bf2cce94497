"""What is stored of a player in groups: deleted with the player, and in the player's export."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from dasan.server.store.schema import group_lines, group_members, groups


def forget_groups(connection: sa.Connection, player: str) -> None:
    """Delete a player from groups. A group without host goes to the member who has been in it longest, or is deleted."""
    joined = sa.select(group_members.c.group_id).where(group_members.c.player == player)
    own = sa.select(groups.c.id).where(sa.or_(groups.c.id.in_(joined), groups.c.host == player)).order_by(groups.c.id)
    # Locked first, as for everybody who joins or leaves, so that an heir stays a member and nobody joins a group that is deleted.
    connection.execute(own.with_for_update(key_share=True))
    connection.execute(sa.delete(group_lines).where(group_lines.c.player == player))
    connection.execute(sa.delete(group_members).where(group_members.c.player == player))
    for group_id in connection.scalars(sa.select(groups.c.id).where(groups.c.host == player)).all():
        mine = groups.c.id == group_id
        longest = (
            sa.select(group_members.c.player)
            .where(group_members.c.group_id == group_id)
            .order_by(group_members.c.since, group_members.c.player)
            .limit(1)
        )
        heir = connection.scalar(longest)
        connection.execute(
            sa.delete(groups).where(mine) if heir is None else sa.update(groups).where(mine).values(host=heir)
        )


def groups_of(player: str) -> dict[str, sa.Select[Any]]:
    """Queries of what is stored of a player's groups."""
    return {
        "groups": sa.select(group_members.c.group_id, groups.c.name, group_members.c.since)
        .join_from(group_members, groups)
        .where(group_members.c.player == player),
        "groups_hosted": sa.select(*(column for column in groups.c if column.name != "link")).where(
            groups.c.host == player
        ),
        "group_chat": sa.select(group_lines).where(group_lines.c.player == player),
    }

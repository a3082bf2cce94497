"""Standings of a group over its evenings: the members' hands, wins and payments at its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dasan.server.protocol.groups import GroupStanding
from dasan.server.store.hands import decided
from dasan.server.store.schema import group_members, group_tables, hand_seats, hands, players
from dasan.server.times import HOUR

EVENING = 6 * HOUR
"""Milliseconds without a hand after which a new evening begins."""


def standings(connection: sa.Connection, group_id: str, player: str) -> tuple[list[int], list[GroupStanding]]:
    """When each evening began, in order, and the members' standings as ``player`` sees them, the most points first, then the most
    hands won: in games without payments nobody has points.

    A hand counts if two members or more have played it, and somebody won it.
    """
    members = sa.select(group_members.c.player).where(group_members.c.group_id == group_id)
    at_group = sa.select(group_tables.c.table_id).where(group_tables.c.group_id == group_id)
    by_members = sa.and_(hands.c.table_id.in_(at_group), hand_seats.c.player.in_(members))
    counted = (
        sa.select(hand_seats.c.hand_id, hand_seats.c.finished)
        .join_from(hand_seats, hands)
        .where(by_members, decided(hand_seats.c))
        .group_by(hand_seats.c.hand_id, hand_seats.c.finished)
        .having(sa.func.count() > 1)
        .subquery()
    )
    finished = counted.c.finished
    pause = finished - sa.func.lag(finished).over(order_by=finished)
    # The evening of a hand is the latest time, up to its own, of a hand that begins one.
    beginnings = sa.select(counted, sa.case((pause <= EVENING, sa.null()), else_=finished).label("begins")).subquery()
    evening = sa.func.max(beginnings.c.begins).over(order_by=beginnings.c.finished).label("evening")
    dated = sa.select(beginnings.c.hand_id, evening).subquery()
    query = (
        sa.select(
            dated.c.evening,
            hand_seats.c.player,
            sa.func.count().label("hands"),
            sa.func.sum(sa.case((hand_seats.c.won, 1), else_=0)).label("won"),
            sa.func.sum(hand_seats.c.payment).label("points"),
        )
        .join_from(hand_seats, dated, hand_seats.c.hand_id == dated.c.hand_id)
        .where(hand_seats.c.player.in_(members))
        .group_by(dated.c.evening, hand_seats.c.player)
    )
    sums = connection.execute(query).all()
    people = sa.select(players.c.id, players.c.name).where(players.c.id.in_(members))
    names = {row.id: row.name for row in connection.execute(people)}
    return _summed(sums, names, player)


def _summed(sums: Sequence[Any], names: dict[str, str], player: str) -> tuple[list[int], list[GroupStanding]]:
    """Standings from sums by evening and player. evening: when it began. A player without a name was deleted since the sums were
    read.
    """
    by_player: dict[str, list[Any]] = {}
    for row in sums:
        if row.player in names:
            by_player.setdefault(row.player, []).append(row)
    evenings = sorted({row.evening for mine in by_player.values() for row in mine})
    order = []
    for one, mine in by_player.items():
        points = {row.evening: int(row.points) for row in mine}
        order.append(
            GroupStanding(
                name=names[one],
                hands=sum(int(row.hands) for row in mine),
                won=sum(int(row.won) for row in mine),
                points=sum(points.values()),
                evenings=len(points),
                by_evening=[points.get(evening) for evening in evenings],
                you=one == player,
            )
        )
    return evenings, sorted(order, key=lambda standing: (-standing.points, -standing.won, standing.name))

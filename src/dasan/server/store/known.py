"""Look up players by name or id, and lock them for a transaction."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from dasan.server.protocol.people import folded
from dasan.server.store.database import among
from dasan.server.store.schema import addresses, hand_seats, players, reports, review_notes, seats, shared_reviews

TRACES = (
    seats.c.player,
    hand_seats.c.player,
    addresses.c.player,
    review_notes.c.player,
    shared_reviews.c.leader,
    reports.c.against,
)
"""Columns with the ids of guests without a name, who have no row in ``players``."""


def hold(connection: sa.Connection, wanted: Collection[str], *, alone: bool = False) -> frozenset[str]:
    """Lock the rows of these players and return those that exist. None can be deleted until the transaction ends. alone: nor can
    another transaction hold one of them alone.

    Since `forget_everywhere` locks the row first, data that a transaction stores about a player is deleted with the
    player.
    """
    query = sa.select(players.c.id).where(among(connection, players.c.id, wanted)).order_by(players.c.id)
    return frozenset(connection.scalars(query.with_for_update(read=not alone, key_share=True)))


def with_account(connection: sa.Connection, account: str) -> str | None:
    """The id of the player with this account; None if there is none.

    Two accounts of earlier versions may have names that fold alike. One of them then has the earlier folded form, and
    is found by its exact original name.
    """
    before, now = account.casefold(), folded(account)
    own_form_first = sa.case((players.c.account == before, 0), else_=1)
    query = sa.select(players.c.id).where(players.c.account.in_([before, now])).order_by(own_form_first).limit(1)
    return connection.scalar(query)


def identified(connection: sa.Connection, who: str) -> str | None:
    """The id of the player whose id or account is ``who``; None if there is none and the id occurs nowhere."""
    for column in (players.c.id, *TRACES):
        if connection.scalar(sa.select(column).where(column == who).limit(1)) is not None:
            return who
    return with_account(connection, who)

"""Duplicate events and finished hands: store the score of a play, and restrict who may see a hand before its event
ends.
"""

from __future__ import annotations

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.store.hand import FinishedHand
from dasan.server.store.schema import duplicate_plays, duplicates

NOT_OVER = duplicates.c.revealed.is_(None)
"""Whether an event is not over: its deals are still secret."""


def record_result(connection: sa.Connection, hand: FinishedHand) -> None:
    """Store the scores of a hand that was a deal of an event, in the transaction that writes its last move."""
    if hand.scores is None:
        return
    for player in hand.players:
        if player.bot is None:
            mine = sa.and_(duplicate_plays.c.table_id == hand.table, duplicate_plays.c.seat == player.seat)
            result = {
                "finished": hand.finished,
                "score": hand.scores[player.seat],
                "assisted": player.assisted,
                "hand_id": hand.id,
            }
            connection.execute(sa.update(duplicate_plays).where(mine).values(**result))


def check_open(connection: sa.Connection, table_id: str, reader: str | None) -> None:
    """``Refused``: the table's deal belongs to an event that is not over, and ``reader`` has not played the deal."""
    theirs = (
        sa.select(duplicate_plays.c.event_id, duplicate_plays.c.deal)
        .join_from(duplicate_plays, duplicates)
        .where(duplicate_plays.c.table_id == table_id, NOT_OVER)
    )
    sealed = connection.execute(theirs.limit(1)).one_or_none()
    if sealed is None:
        return
    played = sa.select(duplicate_plays.c.deal).where(
        duplicate_plays.c.event_id == sealed.event_id,
        duplicate_plays.c.deal == sealed.deal,
        duplicate_plays.c.player == (reader or ""),
        duplicate_plays.c.finished.is_not(None),
    )
    if connection.execute(played).first() is None:
        raise Refused("forbidden", reason("event.sealed"))

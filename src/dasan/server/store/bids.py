"""The bidding trainer in the database: the hands given to players, and their bids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from dasan.play import fairness
from dasan.reasons import reason
from dasan.server.new_ids import new_id
from dasan.server.protocol.bidding import BidAnswer
from dasan.server.refusals import Refused
from dasan.server.store.damage import undamaged
from dasan.server.store.database import StorePart, writing
from dasan.server.store.schema import bid_answers
from dasan.server.store.sessions import check_not_deleted

MOST = 2000
"""The most hands kept per player and game, the newest."""


class Bids(StorePart):
    """Reads and writes the hands of the bidding trainer."""

    @writing
    def hand(self, connection: sa.Connection, player: str, preset: str, now: int) -> tuple[str, bytes]:
        """(id, seed) of the player's unanswered hand, or of a new one.

        ``Refused``: the player has just been deleted.
        """
        mine = sa.and_(bid_answers.c.player == player, bid_answers.c.preset == preset)
        unanswered = sa.select(bid_answers.c.id, bid_answers.c.seed).where(mine, bid_answers.c.bid.is_(None))
        older = sa.select(bid_answers.c.id).where(mine).order_by(bid_answers.c.at.desc()).offset(MOST - 1)
        row = connection.execute(unanswered).one_or_none()
        if row is not None:
            return row.id, row.seed
        old = list(connection.scalars(older.limit(MOST)))
        check_not_deleted(connection, player)
        connection.execute(sa.delete(bid_answers).where(bid_answers.c.id.in_(old)))
        hand_id, seed = new_id(), fairness.new_secret()
        made = {"id": hand_id, "seed": seed, "player": player, "preset": preset, "at": now}
        connection.execute(sa.insert(bid_answers), made)
        return hand_id, seed

    async def seed(self, player: str, preset: str, hand_id: str) -> bytes:
        """The seed of a hand. ``Refused``: it is not the player's."""
        query = sa.select(bid_answers.c.seed).where(_mine(player, preset, hand_id))
        seed = await self._value(query)
        if seed is None:
            raise Refused("not-found", reason("no-hand"))
        return bytes(seed)

    async def answer(self, player: str, preset: str, hand_id: str, judged: Mapping[str, Any], now: int) -> None:
        """Store the first answer to a hand; later ones change nothing. judged: a decision as ``KnownMove`` describes it."""
        values = {
            "at": now,
            "bid": judged["move"],
            "best": judged["best"],
            "habit": judged["habit"] or "",
            "cost": max(0.0, judged["cost"]),
            "mistake": judged["mistake"],
        }
        first = sa.and_(_mine(player, preset, hand_id), bid_answers.c.bid.is_(None))
        await self._change(sa.update(bid_answers).where(first).values(values))

    async def answers(self, player: str, preset: str) -> list[BidAnswer]:
        """The player's answers in a game, oldest first."""
        fields = tuple(BidAnswer.model_fields)
        query = (
            sa.select(bid_answers.c.id, *(bid_answers.c[name] for name in fields))
            .where(bid_answers.c.player == player, bid_answers.c.preset == preset, bid_answers.c.bid.is_not(None))
            .order_by(bid_answers.c.at, bid_answers.c.id)
        )

        def read(row: Any) -> BidAnswer:
            return BidAnswer(**{**{name: row._mapping[name] for name in fields}, "habit": row.habit or None})

        return undamaged("bid", await self._rows(query), read)


def _mine(player: str, preset: str, hand_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(bid_answers.c.id == hand_id, bid_answers.c.player == player, bid_answers.c.preset == preset)

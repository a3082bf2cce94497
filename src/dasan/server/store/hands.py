"""The finished hands in the database: each has a permanent page and a climb/1 record of its own."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.store.database import Database
from dasan.server.store.event_plays import check_open, record_result
from dasan.server.store.hand import FinishedHand, Player
from dasan.server.store.ratings import rate
from dasan.server.store.schema import hand_seats, hands

PAGE = 50


def insert_hand(connection: sa.Connection, hand: FinishedHand) -> None:
    """Insert a finished hand and, if it is rated, update ratings, in the transaction that writes its last move."""
    values = {c.name: getattr(hand, c.name) for c in hands.c if c.name != "table_id"}
    connection.execute(sa.insert(hands), {**values, "table_id": hand.table})
    seats = [
        {
            "hand_id": hand.id,
            "seat": p.seat,
            "name": p.name,
            "player": p.player,
            "bot": p.bot,
            "role": p.role,
            "payment": p.payment,
            "won": p.won,
            "finished": hand.finished,
        }
        for p in hand.players
    ]
    connection.execute(sa.insert(hand_seats), seats)
    record_result(connection, hand)
    if hand.rated:
        rate(connection, hand)


class FinishedHands:
    """Reads finished hands."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, hand_id: str, reader: str | None) -> FinishedHand:
        """The hand with this id. Raises ``Refused`` if there is none, and if ``reader``, a player's id, may not see it yet."""

        def read(connection: sa.Connection) -> FinishedHand:
            hand = _load(connection, hands.c.id == hand_id)
            check_open(connection, hand.table, reader)
            return hand

        return await self._database.read(read)

    async def of_table(self, table_id: str, after: int, most: int) -> tuple[FinishedHand, ...]:
        """A table's hands with numbers above ``after``, in order, at most ``most`` of them."""
        query = sa.select(hands).where(hands.c.table_id == table_id, hands.c.number > after).order_by(hands.c.number)

        def read(connection: sa.Connection) -> tuple[FinishedHand, ...]:
            return tuple(_hand(row, ()) for row in connection.execute(query.limit(most)))

        return await self._database.read(read)

    async def of_player(self, player: str, before: tuple[int, str] | None) -> tuple[FinishedHand, ...]:
        """Up to ``PAGE`` of the player's hands, newest first. before: the time and id of the last hand already read.

        FinishedHands that ended in the same millisecond follow each other by id.
        """
        mine = sa.select(hand_seats.c.hand_id).where(hand_seats.c.player == player)
        if before is not None:
            place = sa.tuple_(hand_seats.c.finished, hand_seats.c.hand_id)
            mine = mine.where(place < sa.tuple_(*map(sa.literal, before)))
        mine = mine.order_by(hand_seats.c.finished.desc(), hand_seats.c.hand_id.desc()).limit(PAGE)

        def read(connection: sa.Connection) -> tuple[FinishedHand, ...]:
            ids = list(connection.scalars(mine))
            newest_first = sa.select(hands).order_by(hands.c.finished.desc(), hands.c.id.desc())
            rows = connection.execute(newest_first.where(hands.c.id.in_(ids)))
            seats = _seats(connection, ids)
            return tuple(_hand(row, seats.get(row.id, ())) for row in rows)

        return await self._database.read(read)

    async def statistics(self, column: sa.Column[Any], value: str) -> list[Any]:
        """Rows with the hands, wins and payments of a player or bot, by preset and role."""
        query = (
            sa.select(
                hands.c.preset,
                hand_seats.c.role,
                sa.func.count().label("hands"),
                sa.func.sum(sa.case((hand_seats.c.won, 1), else_=0)).label("won"),
                sa.func.sum(hand_seats.c.payment).label("payment"),
            )
            .join_from(hand_seats, hands)
            .where(column == value)
            .group_by(hands.c.preset, hand_seats.c.role)
            .order_by(hands.c.preset, hand_seats.c.role)
        )
        return list(await self._database.read(lambda connection: connection.execute(query).all()))


def _load(connection: sa.Connection, which: sa.ColumnElement[bool]) -> FinishedHand:
    row = connection.execute(sa.select(hands).where(which)).one_or_none()
    if row is None:
        raise Refused("not-found", reason("no-hand"))
    return _hand(row, _seats(connection, [row.id]).get(row.id, ()))


def _seats(connection: sa.Connection, ids: list[str]) -> dict[str, tuple[Player, ...]]:
    query = sa.select(hand_seats).where(hand_seats.c.hand_id.in_(ids)).order_by(hand_seats.c.hand_id, hand_seats.c.seat)
    out: dict[str, tuple[Player, ...]] = {}
    for row in connection.execute(query):
        player = Player(row.seat, row.name, row.player, row.bot, row.role, row.payment, row.won)
        out[row.hand_id] = (*out.get(row.hand_id, ()), player)
    return out


def _hand(row: Any, players: tuple[Player, ...]) -> FinishedHand:
    return FinishedHand(
        id=row.id,
        table=row.table_id,
        number=row.number,
        preset=row.preset,
        finished=row.finished,
        shown=row.shown,
        rated=row.rated,
        result=row.result,
        opening=row.opening,
        record=row.record,
        players=players,
    )

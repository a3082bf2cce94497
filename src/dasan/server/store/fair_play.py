"""The data of the fair-play report: people's finished hands, and networks that two people share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

import dasan
from dasan.ruleset.places import place_points
from dasan.server.store.damage import undamaged
from dasan.server.store.database import StorePart
from dasan.server.store.hand import order_of
from dasan.server.store.schema import addresses, hand_seats, hands, players
from dasan.server.study.fair_play import HandPlayed


class FairPlay(StorePart):
    """Reads finished hands by their people."""

    async def hands(self, since: int) -> list[HandPlayed]:
        """The hands since a time with at least two people, the oldest first."""
        people = hand_seats.c.player.is_not(None)
        several = (
            sa.select(hand_seats.c.hand_id)
            .where(people, hand_seats.c.finished >= since)
            .group_by(hand_seats.c.hand_id)
            .having(sa.func.count() > 1)
        )
        query = (
            sa.select(
                hands.c.id, hands.c.preset, hands.c.result, hand_seats.c.seat, hand_seats.c.player, hand_seats.c.payment
            )
            .join(hands, hands.c.id == hand_seats.c.hand_id)
            .where(hand_seats.c.hand_id.in_(several))
            .order_by(hands.c.finished, hands.c.id)
        )
        seats_of: dict[str, list[Any]] = {}
        for row in await self._rows(query):
            seats_of.setdefault(row.id, []).append(row)
        return list(map(_played, seats_of.values()))

    async def shared_networks(self) -> dict[tuple[str, str], int]:
        """Ordered pairs of players, with the number of recent networks that they share."""
        other = addresses.alias()
        query = (
            sa.select(addresses.c.player, other.c.player.label("other"), sa.func.count().label("number"))
            .join(other, sa.and_(other.c.network == addresses.c.network, addresses.c.player < other.c.player))
            .group_by(addresses.c.player, other.c.player)
        )
        return {(row.player, row.other): row.number for row in await self._rows(query)}

    async def accounts(self, since: int, least: int) -> list[str]:
        """The accounts with at least ``least`` hands since a time, those with the most first."""
        number = sa.func.count()
        query = (
            sa.select(hand_seats.c.player)
            .join(players, players.c.id == hand_seats.c.player)
            .where(players.c.account.is_not(None), hand_seats.c.finished >= since)
            .group_by(hand_seats.c.player)
            .having(number >= least)
            .order_by(number.desc(), hand_seats.c.player)
        )
        return await self._database.read(lambda connection: list(connection.scalars(query)))

    async def played(self, player: str, since: int, most: int) -> list[tuple[dasan.State, int]]:
        """(the hand at its end, the player's seat) of a player's latest hands, without damaged ones."""
        query = (
            sa.select(hands.c.id, hands.c.record, hand_seats.c.seat)
            .join(hand_seats, hand_seats.c.hand_id == hands.c.id)
            .where(hand_seats.c.player == player, hand_seats.c.finished >= since)
            .order_by(hand_seats.c.finished.desc(), hands.c.id)
            .limit(most)
        )

        def read(row: Any) -> tuple[dasan.State, int]:
            state = dasan.replay(row.record)
            assert isinstance(state, dasan.State)
            return state, row.seat

        return undamaged("hand", await self._rows(query), read)


def _played(seats: Sequence[Any]) -> HandPlayed:
    """A hand with what its people earned: payments, or points for places where nothing is paid. seats: all its rows."""
    order = None if any(row.payment for row in seats) else order_of(seats[0].result, (row.seat for row in seats))
    earned = {row.seat: row.payment for row in seats}
    if order is not None:
        earned = dict(zip(order, place_points(range(1, len(order) + 1)), strict=True))
    people = {row.player: earned[row.seat] for row in seats if row.player is not None}
    return HandPlayed((seats[0].preset, len(people), order is not None), people)

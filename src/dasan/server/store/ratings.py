"""Ratings by game and number of players, of people and bots, by the Plackett–Luce model of openskill.

A rated hand is a match between sides, or between all seats. A higher payment is a higher place; in games that are played
for places, the places themselves count. A rating is shown as ``500 + 40 mu``, so that it begins at 1500.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from openskill.models import PlackettLuce

from dasan.server.store.database import Database
from dasan.server.store.hand import FinishedHand
from dasan.server.store.schema import rating_points, ratings

BASE, SCALE = 500, 40
BEGINNING = 1500
"""Everybody's first rating."""
SETTLED = 20
"""The number of rated hands after which a rating is no longer provisional."""

_model = PlackettLuce()


def shown(mu: float) -> int:
    """The rating that players see.

    >>> shown(25.0)
    1500
    """
    return round(BASE + SCALE * mu)


def rate(connection: sa.Connection, hand: FinishedHand) -> None:
    """Update the ratings of everybody who played a rated hand, in the transaction that writes the hand; a void hand rates nobody.

    A bot that was replaced during the hand did not play it: its rating counts for the others and stays as it is.
    """
    if hand.result.get("winners") == []:
        return
    names = [p.player if p.bot is None else f"bot:{p.bot}" for p in hand.players]
    count = len(names)
    # Each row is locked, in sorted order: other processes may rate the same bots at the same time.
    known = {name: _read(connection, name, hand.preset, count) for name in sorted({n for n in names if n is not None})}
    sides, places = teams(hand)
    made = [[_rating(known.get(names[seat] or "")) for seat in side] for side in sides]
    after = _model.rate(made, ranks=places)
    new: dict[str, list[Any]] = {}
    for side, rated in zip(sides, after, strict=True):
        for seat, rating in zip(side, rated, strict=True):
            if (name := names[seat]) is not None and hand.players[seat].whole:
                new.setdefault(name, []).append(rating)
    for name, updated in sorted(new.items()):
        # A bot in several seats gets the mean of their new ratings.
        mu = sum(rating.mu for rating in updated) / len(updated)
        sigma = sum(rating.sigma for rating in updated) / len(updated)
        before = known[name]
        which = {"player": name, "preset": hand.preset, "players": count}
        values = {"mu": mu, "sigma": sigma, "hands": (0 if before is None else before.hands) + 1, "at": hand.finished}
        if before is None:
            connection.execute(sa.insert(ratings), {**which, **values})
        else:
            same = sa.and_(*(ratings.c[key] == value for key, value in which.items()))
            connection.execute(sa.update(ratings).where(same).values(**values))
        point = {**which, "hand_id": hand.id, "rating": shown(mu), "at": hand.finished}
        connection.execute(sa.insert(rating_points), point)


def teams(hand: FinishedHand) -> tuple[list[list[int]], list[float]]:
    """The sides of a hand as lists of seats, and their places, 1 for the best."""
    if any(p.role == "bidder" for p in hand.players):
        attack = [p.seat for p in hand.players if p.role in ("bidder", "partner")]
        defence = [p.seat for p in hand.players if p.role == "defender"]
        won = next(p.won for p in hand.players if p.role == "bidder")
        return [attack, defence], [1.0, 2.0] if won else [2.0, 1.0]
    order = list(hand.result["finish_order"])
    alone = [[p.seat] for p in hand.players]
    if len(order) == len(alone):
        return alone, [float(order.index(p.seat) + 1) for p in hand.players]
    return alone, [float(1 + sum(other.payment > p.payment for other in hand.players)) for p in hand.players]


class Ratings:
    """Reads ratings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, player: str) -> list[Any]:
        """Rows of a player's ratings, or a bot's (``bot:NAME``)."""
        query = sa.select(ratings).where(ratings.c.player == player).order_by(ratings.c.preset, ratings.c.players)
        return list(await self._database.read(lambda connection: connection.execute(query).all()))

    async def points(self, player: str, preset: str, players: int, most: int = 500) -> list[Any]:
        """Rows of the last points of a rating's chart, in order."""
        mine = sa.and_(
            rating_points.c.player == player, rating_points.c.preset == preset, rating_points.c.players == players
        )
        query = sa.select(rating_points).where(mine).order_by(rating_points.c.at.desc()).limit(most)
        return list(reversed(await self._database.read(lambda connection: connection.execute(query).all())))


def _read(connection: sa.Connection, player: str, preset: str, players: int) -> Any:
    mine = sa.and_(ratings.c.player == player, ratings.c.preset == preset, ratings.c.players == players)
    return connection.execute(sa.select(ratings).where(mine).with_for_update()).one_or_none()


def _rating(row: Any) -> Any:
    return _model.rating() if row is None else _model.rating(mu=row.mu, sigma=row.sigma)

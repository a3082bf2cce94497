"""Finished hands in the database: each has a permanent page and a climb/1 record."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.records.lines import record_lines
from dasan.server.operations.reporting import report
from dasan.server.protocol.people import HistoryChoices
from dasan.server.refusals import Refused
from dasan.server.store.database import Database, StorePart, reading
from dasan.server.store.event_plays import check_open, record_result
from dasan.server.store.hand import FinishedHand, player_of
from dasan.server.store.ratings import BOT, hold_ratings, rate
from dasan.server.store.schema import hand_seats, hands

PAGE = 50
SCANNED = 2000
"""The most hands of a player that one request scans."""
MOST_OPPONENTS = 50
KEPT_TIMES = 100
"""A bot's statistics are kept this many times as long as their query took, so that it takes at most 1 % of the time."""


@dataclass(frozen=True)
class HandFilter:
    """Which of a player's hands are wanted; None: any. opponent: a name, or ``bot:`` and the name of a bot.

    turned: True if the player made the move that decided the hand, False if somebody else did.
    """

    preset: str | None = None
    role: str | None = None
    bid: int | None = None
    won: bool | None = None
    opponent: str | None = None
    turned: bool | None = None


Place = tuple[int, str]
"""A hand's place in a list by time: when it ended, and its id."""


def insert_hand(connection: sa.Connection, hand: FinishedHand) -> None:
    """Insert a finished hand and, if it is rated, update ratings, in the transaction that writes its last move."""
    values = {c.name: getattr(hand, c.name) for c in hands.c if c.name != "table_id"}
    connection.execute(sa.insert(hands), {**values, "table_id": hand.table})
    facts = {"hand_id": hand.id, "finished": hand.finished, "preset": hand.preset, "bid": hand.bid}
    seats = [{name: value for name, value in vars(p).items() if name != "assisted"} | facts for p in hand.players]
    connection.execute(sa.insert(hand_seats), seats)
    record_result(connection, hand)
    if hand.rated:
        rate(connection, hand)


def insert_hands(connection: sa.Connection, several: Sequence[FinishedHand]) -> None:
    """Insert finished hands in the order in which they ended, in which ratings are recomputed too."""
    rated = [hand for hand in several if hand.rated]
    if len(rated) > 1:
        hold_ratings(connection, rated)
    for hand in sorted(several, key=lambda one: (one.finished, one.id)):
        insert_hand(connection, hand)


async def fill_facts(database: Database, most: int) -> None:
    """Store the preset and the bid with the seats of up to ``most`` hands that a process of an earlier schema has written."""
    query = sa.select(hand_seats.c.hand_id).where(hand_seats.c.preset == "").limit(most)
    async with database.scans:
        bare = await database.read(lambda connection: set(connection.scalars(query)))
    if bare:
        await database.write(lambda connection: _fill_facts(connection, bare))


def _fill_facts(connection: sa.Connection, bare: Collection[str]) -> None:
    rows = connection.execute(sa.select(hands.c.id, hands.c.preset, hands.c.record).where(hands.c.id.in_(bare))).all()
    for row in rows:
        try:
            entries = (json.loads(line) for line in record_lines(row.record))
            bids = [line["bid"] for line in entries if line.get("type") == "bid"]
            if not all(type(bid) is int and 0 <= bid < 1 << 31 for bid in bids):
                raise ValueError("a bid is a small number")
        except Exception as error:  # a damaged record may lack anything
            report(f"the record of hand {row.id} is damaged", error)
            bids = []
        facts = {"preset": row.preset, "bid": bids[-1] if bids else None}
        connection.execute(sa.update(hand_seats).where(hand_seats.c.hand_id == row.id).values(**facts))


def decided(seat: Any) -> sa.ColumnElement[bool]:
    """Whether somebody won the hand of a row of ``hand_seats``: a void hand counts in no statistic of wins (H.12)."""
    winner = hand_seats.alias()
    won = sa.exists().where(winner.c.hand_id == seat.hand_id, winner.c.won)
    # A void hand pays nothing, so most rows need no look at the other seats.
    return sa.or_(seat.won, seat.payment != 0, won)


class FinishedHands(StorePart):
    """Reads finished hands."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._of_bots: dict[str, tuple[list[Any], float]] = {}
        """Each bot's statistics, and until when they are kept, by the monotonic clock in seconds."""

    @reading
    def load(self, connection: sa.Connection, hand_id: str, reader: str | None) -> FinishedHand:
        """The hand with this id. ``Refused``: there is none, or ``reader``, a player's id, may not see it yet."""
        hand = _load(connection, hands.c.id == hand_id)
        check_open(connection, hand.table, reader)
        return hand

    @reading
    def of_table(self, connection: sa.Connection, table_id: str, after: int, most: int) -> tuple[FinishedHand, ...]:
        """A table's hands with numbers above ``after``, in order, at most ``most`` of them."""
        query = sa.select(hands).where(hands.c.table_id == table_id, hands.c.number > after).order_by(hands.c.number)
        rows = connection.execute(query.limit(most)).all()
        seats = _seats(connection, [row.id for row in rows])
        return tuple(_hand(row, seats.get(row.id, ())) for row in rows)

    @reading
    def of_player(
        self, connection: sa.Connection, player: str, before: Place | None, wanted: HandFilter = HandFilter()
    ) -> tuple[tuple[FinishedHand, ...], Place | None]:
        """Up to ``PAGE`` of the player's hands, newest first, and the place to go on from; None if there are no more.

        before: the place of the last hand already read. Hands that ended in the same millisecond are ordered by id. One
        call scans ``SCANNED`` hands, so a page can be short although more follow.
        """
        c = hand_seats.c
        mine = sa.select(hand_seats).where(c.player == player)
        if before is not None:
            mine = mine.where(sa.tuple_(c.finished, c.hand_id) < sa.tuple_(*map(sa.literal, before)))
        mine = mine.order_by(c.finished.desc(), c.hand_id.desc())
        looked = mine.limit(SCANNED).subquery()
        some = sa.select(looked.c.finished, looked.c.hand_id).where(*_conditions(looked.c, wanted)).limit(PAGE)
        some = some.order_by(looked.c.finished.desc(), looked.c.hand_id.desc())
        places = [(row.finished, row.hand_id) for row in connection.execute(some)]
        if len(places) == PAGE:
            after: Place | None = places[-1]
        else:
            last = connection.execute(mine.offset(SCANNED - 1).limit(1)).first()
            after = None if last is None else (last.finished, last.hand_id)
        ids = [hand_id for _, hand_id in places]
        newest_first = sa.select(hands).order_by(hands.c.finished.desc(), hands.c.id.desc())
        rows = connection.execute(newest_first.where(hands.c.id.in_(ids))).all()
        seats = _seats(connection, ids)
        return tuple(_hand(row, seats.get(row.id, ())) for row in rows), after

    @reading
    def choices(self, connection: sa.Connection, player: str) -> HistoryChoices:
        """What the last ``SCANNED`` hands of the player can be filtered by."""
        c, others = hand_seats.c, hand_seats.alias()
        mine = sa.select(hand_seats).where(c.player == player)
        mine = mine.order_by(c.finished.desc(), c.hand_id.desc()).limit(SCANNED)
        looked = mine.subquery()
        facts = sa.select(looked.c.preset, looked.c.role, looked.c.bid, decided(looked.c).label("decided")).distinct()
        met = (
            sa.select(others.c.name, others.c.player, others.c.bot, sa.func.count().label("hands"))
            .join_from(looked, others, sa.and_(others.c.hand_id == looked.c.hand_id, others.c.seat != looked.c.seat))
            .group_by(others.c.name, others.c.player, others.c.bot)
        )
        rows = connection.execute(facts).all()
        opponents: Counter[str] = Counter()
        for row in connection.execute(met):
            if row.bot is not None or row.player is not None:
                opponents[row.name if row.bot is None else f"{BOT}{row.bot}"] += row.hands
        return HistoryChoices(
            presets=sorted({row.preset for row in rows}),
            roles=sorted({row.role for row in rows if row.decided}),
            bids=sorted({row.bid for row in rows if row.bid is not None}),
            opponents=sorted(opponents, key=lambda name: (-opponents[name], name))[:MOST_OPPONENTS],
        )

    async def of_bot(self, bot: str) -> list[Any]:
        """As `statistics`, of a bot, which has most seats of all hands: those of large databases are kept for a while."""
        if (rows := self._kept(bot)) is not None:
            return rows
        async with self._database.scans:
            rows = self._kept(bot)  # another request may have read them in the meantime
            if rows is None:
                begun = time.monotonic()
                rows = await self.statistics(hand_seats.c.bot, bot)
                self._of_bots[bot] = rows, begun + KEPT_TIMES * (time.monotonic() - begun)
            return rows

    def _kept(self, bot: str) -> list[Any] | None:
        """A bot's statistics if they have been read lately."""
        rows, until = self._of_bots.get(bot, (None, 0.0))
        return rows if time.monotonic() < until else None

    async def statistics(self, column: sa.Column[Any], value: str) -> list[Any]:
        """Rows with the hands, wins and payments of a player or bot, by preset and role, without void hands."""
        query = (
            sa.select(
                hand_seats.c.preset,
                hand_seats.c.role,
                sa.func.count().label("hands"),
                sa.func.sum(sa.case((hand_seats.c.won, 1), else_=0)).label("won"),
                sa.func.sum(hand_seats.c.payment).label("payment"),
            )
            .where(column == value, decided(hand_seats.c))
            .group_by(hand_seats.c.preset, hand_seats.c.role)
            .order_by(hand_seats.c.preset, hand_seats.c.role)
        )
        return list(await self._rows(query))


def _load(connection: sa.Connection, which: sa.ColumnElement[bool]) -> FinishedHand:
    row = connection.execute(sa.select(hands).where(which)).one_or_none()
    if row is None:
        raise Refused("not-found", reason("no-hand"))
    return _hand(row, _seats(connection, [row.id]).get(row.id, ()))


def _conditions(seat: Any, wanted: HandFilter) -> list[sa.ColumnElement[bool]]:
    """The conditions of a filter on the columns of a player's seats."""
    conditions: list[sa.ColumnElement[bool]] = []
    for name in ("preset", "role", "bid", "won"):
        value = getattr(wanted, name)
        if value is not None:
            conditions.append(seat[name] == value)
    if wanted.won is False:
        conditions.append(decided(seat))
    if wanted.turned is not None:
        conditions.append(seat.turn_seat == seat.seat if wanted.turned else seat.turn_seat != seat.seat)
    if wanted.opponent is not None:
        other = hand_seats.alias()
        by_name = sa.and_(other.c.name == wanted.opponent, other.c.player.is_not(None))
        named = other.c.bot == wanted.opponent.removeprefix(BOT) if wanted.opponent.startswith(BOT) else by_name
        met = sa.and_(other.c.hand_id == seat.hand_id, other.c.seat != seat.seat, named)
        conditions.append(sa.exists().where(met))
    return conditions


def _seats(connection: sa.Connection, ids: list[str]) -> dict[str, tuple[Any, ...]]:
    """The rows of the seats of each hand, in order."""
    query = sa.select(hand_seats).where(hand_seats.c.hand_id.in_(ids)).order_by(hand_seats.c.hand_id, hand_seats.c.seat)
    out: dict[str, tuple[Any, ...]] = {}
    for row in connection.execute(query):
        out[row.hand_id] = (*out.get(row.hand_id, ()), row)
    return out


def _hand(row: Any, seats: tuple[Any, ...]) -> FinishedHand:
    first = seats[0] if seats else None
    values = row._asdict()
    return FinishedHand(
        table=values.pop("table_id"),
        **values,
        players=tuple(map(player_of, seats)),
        bid=None if first is None else first.bid,
        turn=None if first is None or first.turn_seq is None else (first.turn_seq, first.turn_seat),
    )

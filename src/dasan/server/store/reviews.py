"""Data about finished hands: stored reviews, decisions for habits, notes, and shared reviews."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.records.lines import record_lines
from dasan.server.protocol.study import Habits, ReviewNote, ReviewNotes
from dasan.server.refusals import Refused
from dasan.server.store.damage import intact, json_value
from dasan.server.store.database import StorePart, writing
from dasan.server.store.hand import FinishedHand
from dasan.server.store.schema import decisions, hand_seats, players, review_notes, reviews, shared_reviews
from dasan.server.store.sessions import check_not_deleted, deleted
from dasan.server.times import DAY

FOLLOWED = 30 * DAY
"""Milliseconds without a move of the leader after which a shared review is deleted."""
MOST_NOTES = 200
"""The most notes of one player on one hand."""
MOST_OF_PLAYER, MOST_OF_STRANGERS, MOST_OF_STRANGER = 5000, 1000, 20
"""The most notes of one player in total; the most notes on one hand by guests who did not play it, in total and per
guest."""
PAGE = 50
TURNING = "turning"
"""The kind of review that is one line, a ``TurningPoint``."""
CHOSEN = ""
"""The habit of a best decision: none."""


@dataclass(frozen=True)
class Shared:
    """A shared review. place: the leader's position. revision: the number of its changes."""

    id: str
    hand: str
    leader: str
    name: str
    place: Mapping[str, Any]
    revision: int


class Reviews(StorePart):
    """Reads and writes reviews, decisions, notes and shared reviews."""

    async def get(self, hand_id: str, kind: str, version: str) -> tuple[str, ...] | None:
        """The lines of a stored review of this version; None if there is none, or a damaged one, which is made anew."""
        query = sa.select(reviews.c.lines).where(
            reviews.c.hand_id == hand_id, reviews.c.kind == kind, reviews.c.version == version
        )
        lines = tuple(record_lines(await self._value(query) or ""))
        return lines if lines and all(isinstance(json_value(line), dict) for line in lines) else None

    @writing
    def keep(
        self,
        connection: sa.Connection,
        hand: FinishedHand,
        kind: str,
        version: str,
        lines: Collection[str],
        judged: Collection[Mapping[str, Any]] = (),
    ) -> None:
        """Store a complete review. judged: its decisions, for the habits of the people who played.

        A turning point is also stored with the hand, by which its players find it. Nothing is stored of players who were deleted
        while the review was made.
        """
        text = "".join(lines)
        row = {"hand_id": hand.id, "kind": kind, "version": version, "lines": text}
        decided = json.loads(text)["move"] if kind == TURNING else None
        rows = [_decision(hand, one) for one in judged if one["estimates"] and hand.players[one["seat"]].player]
        connection.execute(sa.delete(reviews).where(reviews.c.hand_id == hand.id, reviews.c.kind == kind))
        connection.execute(sa.insert(reviews), row)
        gone = deleted(connection, {row["player"] for row in rows})
        wanted = [row for row in rows if row["player"] not in gone]
        if rows:
            connection.execute(sa.delete(decisions).where(decisions.c.hand_id == hand.id))
        if wanted:
            connection.execute(sa.insert(decisions), wanted)
        if decided is not None:
            turn = {"turn_seq": decided["seq"], "turn_seat": decided["seat"]}
            connection.execute(sa.update(hand_seats).where(hand_seats.c.hand_id == hand.id).values(**turn))

    async def habits(self, player: str) -> list[Habits]:
        """The cost of a player's decisions by game and kind."""
        query = sa.select(decisions).where(decisions.c.player == player).order_by(decisions.c.hand_id, decisions.c.seq)
        rows = await self._rows(query)
        games: dict[tuple[str, str], list[Any]] = {}
        for row in rows:
            games.setdefault((row.preset, row.unit), []).append(row)
        with intact("player", player):
            return [_habits(preset, unit, counts) for (preset, unit), counts in sorted(games.items())]

    async def notes(self, player: str, hand_id: str, after: int = -1) -> ReviewNotes:
        """A page of the player's notes on a hand, in order of their moves, beginning after the move ``after``."""
        query = sa.select(review_notes.c.seq, review_notes.c.text).where(
            review_notes.c.player == player, review_notes.c.hand_id == hand_id, review_notes.c.seq > after
        )
        query = query.order_by(review_notes.c.seq).limit(PAGE + 1)
        rows = await self._rows(query)
        page = [ReviewNote(seq=row.seq, text=row.text) for row in rows[:PAGE]]
        return ReviewNotes(notes=page, next=page[-1].seq if len(rows) > PAGE else None)

    @writing
    def note(self, connection: sa.Connection, player: str, hand_id: str, seq: int, text: str) -> None:
        """Store a note, replacing an earlier one at the same move; an empty text deletes it.

        ``Refused``: the player has too many, or has just been deleted. Guests who did not play the hand have a small
        limit each and a common one, so that they cannot exhaust other players' limits.
        """
        mine = sa.and_(review_notes.c.player == player, review_notes.c.hand_id == hand_id)
        if text:
            check_not_deleted(connection, player)
        connection.execute(sa.delete(review_notes).where(mine, review_notes.c.seq == seq))
        if not text:
            return
        played = sa.select(hand_seats.c.player).where(hand_seats.c.hand_id == hand_id, hand_seats.c.player.is_not(None))
        accounts = sa.select(players.c.id).where(players.c.account.is_not(None))
        strange = sa.and_(
            review_notes.c.hand_id == hand_id,
            review_notes.c.player.not_in(played),
            review_notes.c.player.not_in(accounts),
        )
        limits = [(mine, MOST_NOTES), (review_notes.c.player == player, MOST_OF_PLAYER)]
        account = connection.scalar(accounts.where(players.c.id == player)) is not None
        if not account and player not in connection.scalars(played).all():
            limits = [(mine, MOST_OF_STRANGER), (strange, MOST_OF_STRANGERS)]
        for which, most in limits:
            if (connection.scalar(sa.select(sa.func.count()).select_from(review_notes).where(which)) or 0) >= most:
                raise Refused("illegal", reason("notes.most", n=most))
        row = {"player": player, "hand_id": hand_id, "seq": seq, "text": text}
        connection.execute(sa.insert(review_notes), row)

    @writing
    def share(self, connection: sa.Connection, shared: Shared, now: int) -> None:
        """Store a new shared review. ``Refused``: its leader has just been deleted."""
        row = {**vars(shared), "touched": now}
        row["hand_id"] = row.pop("hand")
        check_not_deleted(connection, shared.leader)
        connection.execute(sa.delete(shared_reviews).where(shared_reviews.c.touched < now - FOLLOWED))
        connection.execute(sa.insert(shared_reviews), row)

    async def shared(self, shared_id: str) -> Shared | None:
        """The shared review with this id; None if there is none."""
        query = sa.select(shared_reviews).where(shared_reviews.c.id == shared_id)
        row = await self._row(query)
        return None if row is None else Shared(row.id, row.hand_id, row.leader, row.name, row.place, row.revision)

    @writing
    def lead(self, connection: sa.Connection, shared_id: str, place: Mapping[str, Any], now: int) -> int:
        """Store the leader's new position; return its revision."""
        mine = shared_reviews.c.id == shared_id
        change = sa.update(shared_reviews).where(mine)
        values = {"place": dict(place), "revision": shared_reviews.c.revision + 1, "touched": now}
        connection.execute(change.values(**values))
        return connection.scalar(sa.select(shared_reviews.c.revision).where(mine)) or 0


def _decision(hand: FinishedHand, one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "hand_id": hand.id,
        "seq": one["seq"],
        "player": hand.players[one["seat"]].player,
        "preset": hand.preset,
        "habit": one["habit"] or CHOSEN,
        "unit": one["unit"],
        "cost": one["cost"],
        "mistake": one["mistake"],
    }


def _habits(preset: str, unit: str, rows: list[Any]) -> Habits:
    hands = len({row.hand_id for row in rows})
    kinds: dict[str, list[Any]] = {}
    for row in rows:
        if row.habit != CHOSEN:
            kinds.setdefault(row.habit, []).append(row)
    habits = []
    for habit, some in kinds.items():
        worst = max(some, key=lambda row: row.cost)
        cost = sum(row.cost for row in some) / hands
        if cost > 0:
            mistakes = sum(row.mistake for row in some)
            figures = {"habit": habit, "decisions": len(some), "mistakes": mistakes, "cost": round(cost, 3)}
            habits.append({**figures, "hand": worst.hand_id, "seq": worst.seq})
    habits.sort(key=lambda one: -float(one["cost"]))
    return Habits.model_validate({"preset": preset, "unit": unit, "hands": hands, "habits": habits})

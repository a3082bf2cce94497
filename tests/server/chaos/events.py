"""Entrants of a duplicate event in the storm: each plays every deal, requests closed ones, and notes the cards it receives."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
import sqlalchemy as sa

from ..test_leaks import cards_in
from .people import ANSWERED_IN, RETRY, Json, Notebook, Person, raise_if_busy

GAME = "big-two"
CLOSED = ("tables/{table}", "tables/{table}/record", "tables/{table}/hands")
OPEN = ("events/{event}", "events/{event}/standings", "events", "lobby")


@dataclass(frozen=True)
class Shown:
    """The cards in one message of a table, or in one answer without a table. seq: of the table's log, as the message states."""

    table: str
    player: str
    seq: int
    cards: frozenset[str]


@dataclass
class EventNotes:
    """The messages that entrants received. tables: by deal, the tables that play it. probes: answers that must not
    name a card.
    """

    event: str = ""
    deals: int = 0
    shown: list[Shown] = field(default_factory=list)
    tables: dict[int, set[str]] = field(default_factory=dict)
    played: dict[tuple[str, int], str] = field(default_factory=dict)
    moved: list[str] = field(default_factory=list)
    probes: Counter[int] = field(default_factory=Counter)


class Entrant(Person):
    """Plays the deals of an event in order, and sometimes tries to read those it has not played."""

    def __init__(
        self, notes: EventNotes, notebook: Notebook, fronts: list[int], rng: random.Random, think: float
    ) -> None:
        super().__init__(notebook, fronts, rng, think)
        self._event = notes

    async def open(self, deals: int) -> None:
        """Open the event."""

        async def create(client: httpx.AsyncClient) -> str:
            body = {"title": "Storm", "preset": GAME, "deals": deals, "people": 2, "fill": 0, "bot": "random"}
            answer = await client.post("/api/events", json=body)
            assert answer.status_code == 201, answer.text
            return str(answer.json()["id"])

        self._event.event, self._event.deals = await self.enter(create), deals

    async def play(self, last: asyncio.Event) -> None:
        for deal in range(self._event.deals):
            table = await self.enter(partial(self._next_table, deal))
            before = self._event.played.setdefault((self.player, deal), table)
            if before != table:
                self._event.moved.append(f"{self.player[:6]}, deal {deal}: {before}, {table}")
            self._event.tables.setdefault(deal, set()).add(table)
            await self._pry(deal)
            self.done, self._seq, self._state, self._unanswered = False, None, {}, None
            await super().play(last)

    async def _next_table(self, deal: int, client: httpx.AsyncClient) -> str:
        while True:
            answer = await client.post(f"/api/events/{self._event.event}/play", json={})
            raise_if_busy(answer)
            assert answer.status_code == 200, answer.text
            body = answer.json()
            assert body["deal"] == deal, f"deal {body['deal']} follows {deal - 1}"
            if body["table"] is not None:
                return str(body["table"])
            await asyncio.sleep(RETRY)

    async def _pry(self, deal: int) -> None:
        """Request tables of this deal and of later ones, which this entrant has not finished, and everything public."""
        others = [
            one for later, some in self._event.tables.items() if later >= deal for one in some if one != self.table
        ]
        wanted = [path.format(table=table) for table in others[:3] for path in CLOSED]
        wanted += [path.format(event=self._event.event) for path in OPEN]
        for path in wanted:
            try:
                base = f"http://127.0.0.1:{self._rng.choice(self._fronts)}"
                async with httpx.AsyncClient(base_url=base, timeout=ANSWERED_IN) as client:
                    answer = await client.get(f"/api/{path}", headers={"cookie": self.cookie})
            except (httpx.HTTPError, OSError):
                continue
            self._event.probes[answer.status_code] += 1
            try:
                cards = frozenset(cards_in(json.loads(answer.text)))
            except ValueError:
                cards = frozenset(cards_in(answer.text))
            if cards:
                self._event.shown.append(Shown("", self.player, 0, cards))

    def _hear(self, message: Json, first: bool) -> None:
        super()._hear(message, first)
        cards = frozenset(cards_in(message))
        if cards:
            seq = message.get("seq", self._seq)
            self._event.shown.append(Shown(self.table, self.player, 0 if seq is None else seq, cards))

    def _next(self, last: asyncio.Event) -> Json | None:
        view = self._state.get("view")
        if view is not None and view["phase"] == "over":
            self.done = True
            return None
        return super()._next(last)


def event_faults(connection: sa.Connection, notes: EventNotes) -> Json:
    """The findings; everything but the totals must be 0. unscored: deals of an entrant without a score, or with
    another than the payment of its hand. twice: deals for which an entrant got a second table. early: messages with a
    card that the entrant could not see yet. examples: some of these.
    """
    query = sa.text(
        "SELECT p.player, p.deal, p.table_id, p.seat, p.score, p.finished, h.result FROM duplicate_plays p "
        "LEFT JOIN hands h ON h.id = p.hand_id WHERE p.event_id = :event"
    )
    rows = {(row.player, row.deal): row for row in connection.execute(query, {"event": notes.event})}
    examples: list[str] = list(notes.moved)
    unscored = 0
    for (player, deal), table in notes.played.items():
        row = rows.get((player, deal))
        paid = None
        if row is not None and row.result is not None:
            result = json.loads(row.result) if isinstance(row.result, str) else row.result
            paid = result["payments"][row.seat]
        if row is None or row.table_id != table or row.finished is None or row.score != paid:
            unscored += 1
            examples.append(f"unscored: {player[:6]}, deal {deal}: {row}")
    visible = {table: _visible(connection, table) for table in set(notes.played.values())}
    early = [one for one in notes.shown if not one.cards <= _allowed(one, rows, visible, notes)]
    examples += [f"early: {one}" for one in early[:5]]
    return {
        "deals_played": len(notes.played),
        "messages_with_cards": len(notes.shown),
        "probes": {str(code): count for code, count in sorted(notes.probes.items())},
        "unscored": unscored,
        "twice": len(notes.moved),
        "early": len(early),
        "examples": examples[:10],
    }


def _visible(connection: sa.Connection, table: str) -> tuple[list[list[str]], list[tuple[int, frozenset[str]]]]:
    """The hands dealt at a table, and the public cards (of the opening and of moves) by their place in the log."""
    lines = connection.execute(
        sa.text("SELECT seq, line FROM events WHERE table_id = :table ORDER BY seq"), {"table": table}
    ).all()
    entries = [(row.seq, json.loads(row.line)) for row in lines]
    moves = [(seq, frozenset(cards_in(entry["move"]))) for seq, entry in entries if entry["type"] == "move"]
    record = connection.scalar(sa.text("SELECT record FROM hands WHERE table_id = :table"), {"table": table})
    record_lines = [json.loads(line) for line in (record or "").splitlines()]
    dealt: Json = next((line for line in record_lines if line.get("type") == "deal"), {"hands": []})
    opening = [(-1, frozenset(cards_in(line))) for line in record_lines if line.get("type") == "open"]
    return [hand.split() if isinstance(hand, str) else hand for hand in dealt["hands"]], [*opening, *moves]


def _allowed(one: Shown, rows: dict[tuple[str, int], Any], visible: dict[str, Any], notes: EventNotes) -> frozenset[str]:
    """The cards that a message may name: the entrant's own and the played ones; all when the hand is over."""
    if not one.table:
        return frozenset()
    hands, moves = visible[one.table]
    if not moves or one.seq > moves[-1][0]:
        return frozenset(card for hand in hands for card in hand)
    seat = next(row.seat for (player, _), row in rows.items() if player == one.player and row.table_id == one.table)
    seen = frozenset(hands[seat]) if hands else frozenset()
    return seen.union(*(cards for place, cards in moves if place < one.seq))

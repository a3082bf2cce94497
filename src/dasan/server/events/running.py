"""Run a server's events: seat players, let bots set the first scores, compute standings, and end events.

All durable state is in the store. Background steps are idempotent, so that another process or the next start can
continue them.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from dasan.bots.sampling.open_worlds import solvable
from dasan.server.events.daily import date_of, deal_of
from dasan.server.events.event import DuplicateEvent
from dasan.server.events.scoring import EntrantStanding, Field, Play, field_of, standings
from dasan.server.new_ids import new_id
from dasan.server.operations.background import guarded, repeat
from dasan.server.operations.once import Once
from dasan.server.protocol.commands import LeaveCommand
from dasan.server.protocol.events import EventPlayed
from dasan.server.protocol.table import EventPlace
from dasan.server.refusals import Refused
from dasan.server.store.duplicates import MOST_CLOSING, Guest
from dasan.server.store.hand import FinishedHand
from dasan.server.store.ratings import BOT
from dasan.server.tables.chairs import Chair, Head, bot_chairs, called
from dasan.server.tables.directory import Tables
from dasan.server.tables.room import Room
from dasan.server.times import now
from dasan.server.workers.process import JobError

LOOK_EVERY = 2.0
"""Seconds between checks for events to end, and for events that bots should play."""
FRESH = 1.0
"""Seconds for which computed standings are cached."""
BOTS = ("level-2", "greedy", "level-6")
"""The bots in the standings of single-player events, which are the first player's field."""
BOT_SECONDS = 300.0
PAR_SECONDS = 10.0
"""Seconds for the par of a contract."""
STUCK = 3600.0
"""Seconds after which a process that tries to end an event ends it even if a table cannot be finished, for example because
its log is damaged. The event may have ended while no server ran: its hands are finished all the same."""
REMEMBERED = 64


@dataclass(frozen=True)
class Standings:
    """Standings at one moment. order: everybody who has finished a deal. place: each player's index in it. at: the
    moment, by the monotonic clock in seconds. counted: the player and the deal of every play in them.
    """

    order: Sequence[EntrantStanding]
    field: Field
    place: dict[str, int]
    at: float
    counted: frozenset[tuple[str, int]]


class Events:
    """The events of this process. ``run`` is its background task."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._store = tables.store
        self._asked: dict[str, bool] = {}
        """Single-player events that somebody has opened, and whose bots may not have played; whether each is a deal of
        the day.
        """
        self._failed: set[str] = set()
        """Those of them that have failed since one succeeded."""
        self._ending: dict[str, float] = {}
        """When this process began to end each event that is not over yet, by the monotonic clock in seconds."""
        self._tables_of: dict[str, Standings] = {}
        self._once: Once[Standings] = Once()
        self._pars: Once[tuple[int, ...] | None] = Once()

    async def run(self) -> None:
        """Let bots play and end events, until cancelled. Bots take minutes for an event, while others end."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(repeat("ending events", self.end_due, LOOK_EVERY))
                group.create_task(repeat("letting bots play events", self._play_asked, LOOK_EVERY))
        finally:
            self._once.close()
            self._pars.close()

    async def today(self) -> tuple[DuplicateEvent, DuplicateEvent] | None:
        """Today's and tomorrow's deal of the day, so that commitments are published in advance; None if there is
        none.
        """
        settings = self._tables.settings
        if not settings.daily_deals:
            return None
        today = date_of(now())
        events = []
        for day in (today, today + timedelta(days=1)):
            try:
                event = await self._store.duplicates.of_day(str(day))
            except Refused:
                made = await asyncio.to_thread(deal_of, day, settings.daily_deals, settings.daily_preset)
                await self._store.duplicates.create(made)
                event = await self._store.duplicates.of_day(str(day))
            events.append(event)
        return events[0], events[1]

    async def seat(self, event: DuplicateEvent, player: str, name: str) -> EventPlayed:
        """The player's table for their next deal, or a place in the queue for one."""
        seated = await self._store.duplicates.seat(event, player, name, now(), lambda *a: _room(event, *a))
        self._ask_bots(event)
        if seated.table is not None:
            await self._tables.look(seated.table)
        return seated

    async def table(self, event: DuplicateEvent) -> Standings:
        """The standings, at most a second old."""
        self._ask_bots(event)
        known = self._tables_of.get(event.id)
        if known is not None and time.monotonic() - known.at < FRESH:
            return known
        return await self._once.do(event.id, lambda: self._computed(event))

    async def par(
        self, event: DuplicateEvent, deal: int, hand: FinishedHand, charge: Callable[[], None]
    ) -> tuple[int, ...] | None:
        """The payments by seat of a played deal if both sides had played best after its auction; None where that is not proved,
        and for a void hand.

        The payments are computed once for each contract of a deal. charge: called before they are computed.
        """
        if not event.rules.has_sides or not solvable(event.rules):
            return None
        seat = {player.role: player.seat for player in hand.players}
        if "bidder" not in seat:
            return None
        contract = f"{seat['bidder']}.{seat.get('partner', '')}.{hand.bid}"
        stored, payments = await self._store.duplicates.par(event.id, deal, contract)
        if stored:
            return payments
        key = f"{event.id} {deal} {contract}"
        if key not in self._pars:
            charge()
        return await self._pars.do(key, lambda: self._solved(event.id, deal, contract, hand))

    async def _solved(self, event_id: str, deal: int, contract: str, hand: FinishedHand) -> tuple[int, ...] | None:
        memory = self._tables.settings.search_memory_mb
        await asyncio.to_thread(hand.state)
        try:
            payments = await self._tables.study.run("par", hand.record, PAR_SECONDS, memory)
        except JobError:
            return None
        await self._store.duplicates.keep_par(event_id, deal, contract, payments)
        return None if payments is None else tuple(payments)

    async def _computed(self, event: DuplicateEvent) -> Standings:
        moment = time.monotonic()
        plays = await self._store.duplicates.plays(event.id)
        table = await asyncio.to_thread(_table, plays, event.deals, moment)
        self._tables_of.pop(event.id, None)
        self._tables_of[event.id] = table
        while len(self._tables_of) > REMEMBERED:
            del self._tables_of[next(iter(self._tables_of))]
        return table

    async def end_due(self) -> None:
        """End due events. An error in one event does not stop the others."""
        due = await self._store.duplicates.closing(now())
        if len(due) < MOST_CLOSING:  # all of them: other processes have ended the rest
            self._ending = {event_id: self._ending[event_id] for event_id in due if event_id in self._ending}
        for event_id in due:
            await guarded(f"ending event {event_id}", self._end(event_id))

    async def _end(self, event_id: str) -> None:
        """Let bots finish open tables, then reveal the deals."""
        under_way = await self._store.duplicates.under_way(event_id)
        for table_id, player in under_way:
            await guarded(f"finishing table {table_id}", self._finish(table_id, player))
        begun = self._ending.setdefault(event_id, time.monotonic())
        stuck = time.monotonic() > begun + STUCK
        if not under_way or stuck:
            await self._store.duplicates.reveal(event_id, now(), stuck=stuck)

    async def _finish(self, table_id: str, player: str) -> None:
        """Let a bot finish the hand for the player."""
        if not await self._waits_for(table_id, player):
            return
        try:
            leaving = LeaveCommand(type="leave", id=f"ends-{secrets.token_hex(8)}")
            await self._tables.command(table_id, player, leaving)
        except Refused:
            # Every process ends events: another one may have been first.
            if await self._waits_for(table_id, player):
                raise

    async def _waits_for(self, table_id: str, player: str) -> bool:
        """Whether the table's hand waits for the player, for whom no bot plays."""
        room = await self._tables.look(table_id)
        seat = room.seat_of(player)
        return room.status == "playing" and seat is not None and room.chairs[seat].substitute is None

    def _ask_bots(self, event: DuplicateEvent) -> None:
        if event.people == 1 and not event.bots_played:
            self._asked.setdefault(event.id, event.day is not None)

    async def _play_asked(self) -> None:
        """Let bots play the next of the events that somebody has opened. The deal of the day comes first, so that nobody
        delays it by opening many events. One that failed is tried again when another has succeeded, or all have failed.
        """
        if self._asked.keys() <= self._failed:
            self._failed.clear()
        left = [one for one in self._asked if one not in self._failed]
        if not left:
            return
        event_id = next((one for one in left if self._asked[one]), left[0])
        if await guarded(f"bots of event {event_id}", self._play_bots(event_id)):
            self._asked.pop(event_id, None)
            self._failed.clear()
        else:
            self._failed.add(event_id)

    async def _play_bots(self, event_id: str) -> None:
        """Let each bot of the standings play all deals in the entrants' seat, if the event is open and they have not
        played; bots that cannot are skipped.
        """
        try:
            event = await self._store.duplicates.load(event_id)
        except Refused:
            return  # deleted
        if event.bots_played or event.status(now()) != "open":
            return
        deals = range(event.deals)
        seats = [event.seats(deal)[0] for deal in deals]
        seeds = [event.deal_seed(deal).hex() for deal in deals]
        plays: list[Play] = []
        names: dict[str, str] = {}
        for bot in BOTS:
            work = ("play_deals", event.rules.name, event.rules.options, seeds, seats, bot, event.bot)
            try:
                scores = await self._tables.study.run(*work, seconds=BOT_SECONDS)
            except JobError:
                continue
            names[f"{BOT}{bot}"] = called(bot)
            plays += [
                Play(f"{BOT}{bot}", deal, seats[deal], float(score)) for deal, score in zip(deals, scores, strict=True)
            ]
        await self._store.duplicates.add_bots(event.id, plays, names, now())


def _table(plays: Sequence[Play], deals: int, moment: float) -> Standings:
    order = standings(plays, deals)
    place = {one.player: i for i, one in enumerate(order)}
    return Standings(order, field_of(plays), place, moment, frozenset((play.player, play.deal) for play in plays))


def _room(event: DuplicateEvent, deal: int, guests: Sequence[Guest]) -> Room:
    """The room of a table that plays a deal: these people, and bots with the same names at every table."""
    place = EventPlace(id=event.id, deal=deal, deals=event.deals)
    head = Head(new_id(), event.rules, event.settings, event.deal_seed(deal), place)
    taken = {guest.seat: guest for guest in guests}
    names = [None if seat in taken else event.bot for seat in range(event.rules.players)]
    chairs = tuple(
        bot or Chair("human", taken[seat].name, player=taken[seat].player, account=taken[seat].account)
        for seat, bot in enumerate(bot_chairs(names, event.id))
    )
    return Room.create(head, chairs, None, now())

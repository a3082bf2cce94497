"""The spectators' view of a table: its room, or with a delay the room as it was ``delay`` seconds ago."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dasan.server.compact import compact
from dasan.server.connections.send_queues import Hub
from dasan.server.store.log import EventLog
from dasan.server.tables import showing
from dasan.server.tables.room import Room, fold
from dasan.server.times import now


class Spectators:
    """room: the room that spectators see; None if none is old enough."""

    def __init__(self, hub: Hub) -> None:
        self.room: Room | None = None
        self._hub = hub

    async def open(
        self,
        room: Room,
        log: EventLog,
        seat_of: Callable[[str | None], int | None],
        presence: Callable[[], showing.Json],
    ) -> None:
        """Show the table as it was ``delay`` seconds before ``room``, then each later change with the same delay.

        If the last hand was dealt since then, spectators wait until its start is old enough. seat_of: a player's
        current seat. presence: the current presence fields of messages.
        """
        delay = room.head.settings.delay * 1000
        if not delay or room.status == "waiting":
            self.room = room
            return
        loop, moment = asyncio.get_running_loop(), now()
        past = await log.as_it_was(room.head.id, moment - delay)
        later = [(past, past.at)] if past.at > moment - delay else []
        self.room = None if later else past
        for entry, at in await log.since(room.head.id, past.seq):
            past = fold(past, entry, at)
            later.append((past, at))
        for shown, at in later:
            loop.call_later(max(0, at + delay - moment) / 1000, self._show, shown, seat_of, presence)

    def follow(self, room: Room, delay: float, text: str) -> None:
        """Send spectators the change that made ``room`` after ``delay`` seconds."""
        asyncio.get_running_loop().call_later(delay, self._tell, room, text)

    def _show(
        self, room: Room, seat_of: Callable[[str | None], int | None], presence: Callable[[], showing.Json]
    ) -> None:
        """Send the whole table."""
        self.room = room
        text = compact(showing.snapshot(room, None, now(), presence()))
        for connection in self._hub:
            if seat_of(connection.player) is None:
                connection.offer(text)

    def _tell(self, room: Room, text: str) -> None:
        """Send one change."""
        self.room = room
        for connection in self._hub:
            if room.seat_of(connection.player) is None:
                connection.offer(text)

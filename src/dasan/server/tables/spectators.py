"""The spectators' view of a table: its room, or with a delay the room as it was ``delay`` seconds ago."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable

from dasan.server.compact import compact
from dasan.server.connections.send_queues import Hub
from dasan.server.store.log import EventLog
from dasan.server.tables import showing
from dasan.server.tables.room import Entry, Room, fold, listed


class Spectators:
    """room: the room that spectators see; None if none is old enough.

    Entries that are not old enough yet wait as text, because rooms and messages would take a hundred times the memory.
    seat_of: a player's current seat. presence: the current presence fields of messages.
    """

    def __init__(
        self, hub: Hub, seat_of: Callable[[str | None], int | None], presence: Callable[[], showing.Json]
    ) -> None:
        self.room: Room | None = None
        self._hub, self._seat_of, self._presence = hub, seat_of, presence
        self._first: Room | None = None
        """The room to show first, if none is old enough."""
        self._coming: deque[tuple[float, str, int]] = deque()
        """(the event loop's time at which to show the entry, its text or "" for `_first`, the time at which it was written)."""
        self._timer: asyncio.TimerHandle | None = None

    async def open(self, room: Room, log: EventLog, now: int) -> None:
        """Show the table as it was ``delay`` seconds before ``now``, then each later change with the same delay.

        If the last hand was dealt since then, spectators wait until its start is old enough.
        """
        delay = room.head.settings.delay * 1000
        if not delay or room.status == "waiting":
            self.room = room
            return
        old = now - delay
        past = await log.as_it_was(room.head.id, old)
        if past.at > old:
            self._first = past
            self._later("", past.at, past.at - old)
        else:
            self.room = past
        for entry, at in await log.since(room.head.id, past.seq):
            self._later(compact(entry), at, at - old)

    def follow(self, entry: Entry, at: int, delay: float) -> None:
        """Show spectators the next entry, written at the time ``at``, after ``delay`` seconds."""
        self._later(compact(entry), at, int(delay * 1000))

    def _later(self, entry: str, at: int, milliseconds: int) -> None:
        self._coming.append((asyncio.get_running_loop().time() + max(0, milliseconds) / 1000, entry, at))
        self._wait()

    def _wait(self) -> None:
        if self._timer is None and self._coming:
            self._timer = asyncio.get_running_loop().call_at(self._coming[0][0], self._come)

    def _come(self) -> None:
        """Show the next entry."""
        self._timer = None
        _, entry, at = self._coming.popleft()
        self._wait()
        before = self.room
        if before is None:
            self.room, self._first = self._first, None
            assert self.room is not None
            message = showing.snapshot(self.room, None, at, self._presence())
        else:
            change: Entry = json.loads(entry)
            self.room = fold(before, listed(before, change), at)
            message = showing.changed(self.room, before, change["type"], None, at, self._presence)
        text = compact(message)
        for connection in self._hub:
            if self._seat_of(connection.player) is None:
                connection.offer(text)

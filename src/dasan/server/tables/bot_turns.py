"""Bots' turns at one table: a bot thinks, its move waits until it is due, and a bot that keeps failing is replaced."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import dasan
from dasan.server.operations.reporting import report
from dasan.server.tables.decisions import bot_move, substitute
from dasan.server.tables.pace import Pace
from dasan.server.tables.room import Entry, Room

TRIES = 3
"""Consecutive failures after which a bot is replaced at a table."""


@dataclass(frozen=True)
class Thought:
    """A move for a bot's seat. seconds: the thinking time, without the wait for a process. failed: whether the stand-in
    chose because the bot failed. only: whether no other move is legal.
    """

    move: str
    seconds: float = 0.0
    failed: bool = False
    only: bool = False


class Bots(Protocol):
    """The interface of `BotChoices`."""

    pace: Pace

    async def think(self, name: str, view: dasan.View) -> Thought:
        """A bot's choice, or its stand-in's if the bot crashes, stalls or refuses these rules."""
        ...

    async def only(self, name: str, move: str) -> Thought:
        """A bot's only legal move, after the same wait as a choice."""
        ...

    def bot_failed(self, name: str) -> None:
        """Count a bot's failure."""
        ...

    def stand_in(self, bot: str) -> str:
        """The substitute for ``bot`` if it fails."""
        ...


class BotTurns:
    """The bots of a table's task. room: returns the current room; write: adds entries to it; wake: wakes the task."""

    def __init__(
        self,
        bots: Bots,
        room: Callable[[], Room],
        write: Callable[[list[Entry]], Awaitable[None]],
        wake: Callable[[], None],
    ) -> None:
        self._due: float | None = None
        """When the move is due, by the monotonic clock in seconds; None while the bot thinks."""
        self._bots, self._room, self._write, self._wake = bots, room, write, wake
        self._thinking: asyncio.Future[Thought] | None = None
        self._thought_of: dasan.State | None = None
        """The position of which the bot thinks."""
        self._began = 0.0
        self._failures: Counter[str] = Counter()
        """Each bot's consecutive failures."""

    @property
    def under_way(self) -> bool:
        """Whether a bot is thinking or its move is pending."""
        return self._thinking is not None

    @property
    def wait(self) -> int | None:
        """Milliseconds until the pending move is due; None if there is none."""
        return None if self._due is None or self._thinking is None else round(1000 * (self._due - time.monotonic()))

    async def go_on(self) -> None:
        """Start the bot to act, or make its move once it is due."""
        room = self._room()
        turn, state = room.bot_to_act, room.state
        if turn is None or state is None:
            self._drop()
            return
        seat, name = turn
        if self._thought_of is not state:
            self._drop()
        if self._thinking is None:
            self._began, self._due = time.monotonic(), None
            self._thought_of = state
            self._thinking = self._choice(name, state, seat)
            self._thinking.add_done_callback(self._thought)
        if not self._thinking.done():
            return
        if self._due is None:
            pace, key = self._bots.pace, (name, room.head.rules.name)
            forced, needed = len(state.legal_moves()) == 1, int(1000 * (time.monotonic() - self._began))
            chosen = self._thinking.exception() is None and not forced
            thought = int(1000 * self._thinking.result().seconds) if chosen else 0
            takes = pace.forced(key, needed) if forced else pace.choice(key, needed, thought)
            self._due = self._began + takes / 1000
        if time.monotonic() >= self._due:
            thinking, self._thinking = self._thinking, None
            await self._move(room, seat, name, thinking)

    def _drop(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    async def _move(self, room: Room, seat: int, name: str, thinking: asyncio.Future[Thought]) -> None:
        """Make the chosen move; the first legal move if the bot has none."""
        failure = thinking.exception()
        failed = failure is not None or thinking.result().failed
        if failure is None:
            try:
                await self._write([bot_move(room, seat, thinking.result().move)])
            except dasan.DasanError as error:
                failure, failed = error, True
        if failure is not None and room.state is not None:
            # A bad bot must not stop a table: make the first legal move for it.
            self._bots.bot_failed(name)
            report(f"bot {name} at table {room.head.id} made no legal move", failure)
            await self._write([bot_move(room, seat, str(room.state.legal_moves()[0]))])
        elif thinking.result().only:
            return
        self._failures[name] = self._failures[name] + 1 if failed else 0
        if self._failures[name] >= TRIES:
            await self._replace(name)

    def _choice(self, bot: str, state: dasan.State, seat: int) -> asyncio.Future[Thought]:
        """The bot's choice; a single legal move needs none."""
        legal = state.legal_moves()
        if len(legal) != 1:
            return asyncio.ensure_future(self._bots.think(bot, state.view(seat)))
        return asyncio.ensure_future(self._bots.only(bot, str(legal[0])))

    async def _replace(self, bot: str) -> None:
        """Replace a bot by its stand-in in all its seats, visibly to everybody."""
        del self._failures[bot]
        room, entries = self._room(), []
        for seat, chair in enumerate(room.chairs):
            if chair.plays == bot:
                reason = "failed" if chair.substitute is None else chair.substitute[1]
                entries.append(substitute(room, seat, reason, self._bots.stand_in(bot)))
        await self._write(entries)

    def _thought(self, thinking: asyncio.Future[Thought]) -> None:
        """Handle a bot's choice or failure, even if nobody waits for it any more."""
        if not thinking.cancelled():
            thinking.exception()
        self._wake()

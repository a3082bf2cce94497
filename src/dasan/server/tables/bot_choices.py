"""The bots' choices at the tables of this process, made in worker processes."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from time import monotonic

import dasan
from dasan.server.operations.reporting import log, report
from dasan.server.refusals import Refused
from dasan.server.settings import Settings
from dasan.server.tables.bot_turns import Thought
from dasan.server.tables.pace import Pace
from dasan.server.workers.pools import Workers
from dasan.server.workers.process import JobError, JobTimeout
from dasan.server.workers.warming import Part, part_of

DEFAULT_BOT, SIMPLEST_BOT = "greedy", "random"
QUICK = 0.25
"""A bot whose choices take this many seconds or more on average does not delay quicker bots."""
ASKED_AGAIN = 30.0
"""After so many seconds a bot that took too long while code was being compiled is asked again."""


class BotChoices:
    """Asks bots for moves, in ``workers``. failed: each bot's failures. compiling: the parts that `Warming` still compiles."""

    def __init__(self, workers: Workers, settings: Settings) -> None:
        self.pace = Pace(int(settings.bot_delay * 1000))
        self.failed: Counter[str] = Counter()
        self.compiling: set[Part] = set()
        self._waiting: dict[tuple[str, Part | None], float] = {}
        """Until when a bot is not asked that took too long while the code of a part was being compiled."""
        self._workers = workers
        self._settings = settings
        self._thinks: dict[str, float] = {}
        """The mean seconds of each bot's latest choices."""
        self._first: dict[str, asyncio.Event] = {}
        """Set when the first choice of a bot ends, while that is under way."""
        self._closing = False

    def close(self) -> None:
        """What fails from now on is no bot's failure."""
        self._closing = True

    async def think(self, name: str, view: dasan.View) -> Thought:
        """A bot's choice, or its stand-in's if the bot crashes, stalls or refuses these rules. Compiling does not count as
        thinking: a bot that takes too long meanwhile does not fail, and its stand-in plays until the bot is asked again.
        """
        part = part_of(view.rules) if self.compiling or self._waiting else None
        if part in self.compiling:
            if (name, part) not in self._waiting:
                await self._known(name)  # so that it is found out at one table
            if (name, part) in self._waiting:
                if monotonic() < self._waiting[name, part]:
                    return await self._choice(self.stand_in(name), view)
                # This table asks it again, the others meanwhile do not.
                self._waiting[name, part] = monotonic() + ASKED_AGAIN
        try:
            thought = await self._choice(name, view)
        except Exception as error:
            if self._closing:
                raise
            if part in self.compiling and isinstance(error, JobTimeout) and name != DEFAULT_BOT:
                self._waiting[name, part] = monotonic() + ASKED_AGAIN
                log.info("%s waits until code is compiled; %s plays for it", name, self.stand_in(name))
                return await self._choice(self.stand_in(name), view)
            self.bot_failed(name)
            report(f"bot {name} failed", error)
            return replace(await self._choice(self.stand_in(name), view), failed=True)
        # A bid may need no compiled code.
        ready = part not in self.compiling or view.phase == "play"
        if ready and self._waiting.pop((name, part), None) is not None:
            self._thinks[name] = thought.seconds  # the timeout said nothing about the bot
        return thought

    async def only(self, name: str, move: str) -> Thought:
        """A bot's only legal move, after the wait for a process that the bot's choices have, so that load delays both
        equally.
        """
        if self._settings.bot_delay:
            await self._known(name)
            with suppress(Refused, JobError):
                await self._workers.run("turn", urgent=True, quick=self.is_quick(name))
        return Thought(move, only=True)

    def is_quick(self, bot: str) -> bool:
        """Whether the bot's choices have been quick so far; True for a bot that has made none here."""
        return self._thinks.get(bot, 0.0) < QUICK

    def bot_failed(self, name: str) -> None:
        """Count a bot's failure."""
        self.failed[name] += 1

    def stand_in(self, bot: str) -> str:
        """The substitute for ``bot`` if it fails."""
        return SIMPLEST_BOT if bot == DEFAULT_BOT else DEFAULT_BOT

    async def _known(self, bot: str) -> None:
        """Wait while the first choice of a bot is under way: whether the others are quick is not known before."""
        while bot in self._first:
            await self._first[bot].wait()

    async def _choice(self, name: str, view: dasan.View) -> Thought:
        await self._known(name)
        first = name not in self._thinks
        if first:
            self._first[name] = asyncio.Event()
        try:
            move, seconds = await self._workers.run("choose", name, view, urgent=True, quick=self.is_quick(name))
        except JobTimeout:
            self._thinks[name] = max(QUICK, self._settings.bot_seconds)
            raise
        except JobError:
            self._thinks.setdefault(name, QUICK)
            raise
        finally:
            if first:
                self._first.pop(name).set()
        before = self._thinks.get(name, seconds)
        self._thinks[name] = before + (seconds - before) / 8
        return Thought(move, seconds)

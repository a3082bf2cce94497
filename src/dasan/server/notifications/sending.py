"""The task that sends notifications from the outbox."""

from __future__ import annotations

import asyncio
import logging
from hashlib import sha256

from dasan.server.notifications.letters import Letters, Unsent
from dasan.server.notifications.push import Answer, Push
from dasan.server.notifications.words import written
from dasan.server.operations.background import guarded, repeat
from dasan.server.operations.reporting import now
from dasan.server.store.notifications import MAIL, MOST_TRIES, Notifications, Outgoing

LOOK_EVERY = 1.0
"""Seconds between checks for due notifications."""
AT_ONCE = 8
"""The number of notifications sent concurrently."""
WAITS = 30
"""Seconds until the first retry; each further delay is four times as long."""

log = logging.getLogger("dasan.server")


class Sending:
    """Sends notifications; ``run`` is its background task."""

    def __init__(self, notifications: Notifications, push: Push, letters: Letters) -> None:
        self._notifications = notifications
        self.push = push
        self.letters = letters
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def run(self) -> None:
        """Send due notifications until cancelled."""
        try:
            await repeat("sending notifications", self.look, LOOK_EVERY)
        finally:
            await self.push.close()

    async def look(self) -> None:
        """Queue reminders of events that have begun, then send due notifications."""
        await self._notifications.announce(now())
        due = await self._notifications.take(now())
        await asyncio.gather(*(guarded(f"a notification ({one.kind})", self._send(one)) for one in due))

    async def _send(self, one: Outgoing) -> None:
        async with self._turns:
            if one.target == MAIL:
                await self._by_letter(one)
            else:
                await self._by_push(one)

    async def _by_push(self, one: Outgoing) -> None:
        browser = one.subscription
        assert browser is not None
        title, text = written(one.kind, one.language, one.names, one.title)
        tag = f"{one.kind} {one.subject}"
        message = {"title": title, "body": text, "tag": tag, "path": one.path, "language": one.language}
        topic = sha256(tag.encode()).hexdigest()[:32]
        answer = await self.push.send(browser.endpoint, browser.p256dh, browser.auth, topic, message)
        if answer.gone:
            await self._notifications.unsubscribe(browser.id)
        await self._done(one, answer)

    async def _by_letter(self, one: Outgoing) -> None:
        if not self.letters.possible:
            await self._notifications.sent(one)
            return
        try:
            taken = await self.letters.send(one)
        except Unsent as error:
            log.warning("sending an e-mail failed: %s", type(error.__cause__).__name__)
            await self._done(one, Answer(again=True))
            return
        if not taken:
            await self._notifications.stop_letters(player=one.player)
        await self._notifications.sent(one)

    async def _done(self, one: Outgoing, answer: Answer) -> None:
        if answer.again and one.tries < MOST_TRIES:
            wait = max(answer.wait, WAITS * 4 ** (one.tries - 1))
            await self._notifications.later(one, now() + wait * 1000)
        else:
            await self._notifications.sent(one)

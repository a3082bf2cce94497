"""The task that sends notifications from the outbox."""

from __future__ import annotations

import asyncio
from collections import Counter
from hashlib import sha256
from urllib.parse import urlsplit

from dasan.server.notifications.letters import Letters, Unsent
from dasan.server.notifications.push import Delivery, Push
from dasan.server.notifications.words import written
from dasan.server.operations.background import guarded, repeat
from dasan.server.operations.reporting import log
from dasan.server.store.notifications import MAIL, MOST_TRIES, Notifications, Outgoing
from dasan.server.times import now

LOOK_EVERY = 1.0
"""Seconds between checks for due notifications."""
AT_ONCE = 32
"""The number of notifications sent concurrently."""
EACH = 4
"""The number of them for one player, so that slow push services of one player do not delay everybody's."""
LETTER_LASTS = 45.0
"""The time limit for sending an e-mail in seconds: shorter than the time for which it is taken."""
WAITS = 30
"""Seconds until the first retry; each further delay is four times as long."""


class Sending:
    """Sends notifications; ``run`` is its background task."""

    def __init__(self, notifications: Notifications, push: Push, letters: Letters) -> None:
        self._notifications = notifications
        self.push = push
        self.letters = letters
        self._going: dict[asyncio.Task[bool], str] = {}
        """What is being sent, and to which player."""

    async def run(self) -> None:
        """Send due notifications until cancelled."""
        try:
            await repeat("sending notifications", self.send_due, LOOK_EVERY)
        finally:
            for task in self._going:
                task.cancel()
            await asyncio.gather(*self._going, return_exceptions=True)
            await self.push.close()

    async def send_due(self) -> None:
        """Queue reminders of events that have begun, then begin to send due notifications while there is room.

        Of each player at most ``EACH`` are sent at once, so that one player's many do not delay the others'.
        """
        await self._notifications.announce(now())
        counts = Counter(self._going.values())
        while (room := AT_ONCE - counts.total()) > 0:
            taken = await self._notifications.take(now(), room, EACH, counts)
            if not taken:
                return
            for one in taken:
                task = asyncio.create_task(guarded(f"a notification ({one.kind})", self._send(one)))
                self._going[task] = one.player
                task.add_done_callback(self._going.pop)
                counts[one.player] += 1

    async def _send(self, one: Outgoing) -> None:
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
        if answer.refused:
            service = urlsplit(browser.endpoint).hostname
            log.warning("a push service refuses messages", extra={"service": service, "status": answer.refused})
        if answer.gone:
            await self._notifications.unsubscribe(browser.id)
        await self._done(one, answer)

    async def _by_letter(self, one: Outgoing) -> None:
        if not self.letters.possible:
            await self._notifications.sent(one)
            return
        try:
            async with asyncio.timeout(LETTER_LASTS):
                taken = await self.letters.send(one)
        except (Unsent, TimeoutError) as error:
            log.warning("sending an e-mail failed: %s", type(error.__cause__ or error).__name__)
            await self._done(one, Delivery(again=True))
            return
        if not taken:
            await self._notifications.stop_letters(token=one.token)  # the player may have another address by now
        await self._notifications.sent(one)

    async def _done(self, one: Outgoing, answer: Delivery) -> None:
        if answer.again and one.tries < MOST_TRIES:
            wait = max(answer.wait, WAITS * 4 ** (one.tries - 1))
            await self._notifications.later(one, now() + wait * 1000)
        else:
            await self._notifications.sent(one)

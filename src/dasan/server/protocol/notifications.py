"""Notifications: a player's settings."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from dasan.server.protocol.base import Message, Milliseconds

Language: TypeAlias = Literal["en", "fr", "zh-Hans", "zh-Hant"]
Zone: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
"""The name of a time zone in the IANA database, like ``Europe/Paris``."""
MinuteOfDay: TypeAlias = Annotated[int, Field(ge=0, lt=24 * 60, strict=True)]
SubscriptionId: TypeAlias = Annotated[str, Field(min_length=64, max_length=64, pattern=r"^[0-9a-f]+$")]


class QuietHours(Message):
    """The hours without notifications; ``begins`` after ``ends`` goes past midnight. Minutes of the day."""

    begins: MinuteOfDay
    ends: MinuteOfDay


class NotificationWishes(Message):
    """The kinds of notifications: ``turn`` in slow games, ``invitation`` to tables, ``event`` with a reminder.

    language: of the notifications. zone: of the quiet hours, null: none.
    """

    turn: bool
    invitation: bool
    event: bool
    quiet: QuietHours | None
    zone: Zone
    language: Language


class BrowserTold(Message):
    """A subscribed browser. id: the SHA-256 of its endpoint. agent: its description of itself."""

    id: str
    agent: str
    created: Milliseconds


class NotificationSettings(Message):
    """Your notification settings.

    account: whether you have one; without one nothing is sent. key: the server's key for push subscriptions. letters:
    whether this server sends e-mails. address: yours, null: none; confirmed: whether you have confirmed it.
    """

    account: bool
    key: str
    letters: bool
    address: str | None
    confirmed: bool
    wishes: NotificationWishes
    browsers: list[BrowserTold]


class PushKeys(Message):
    """The keys of a push subscription, base64url."""

    p256dh: Annotated[str, Field(min_length=1, max_length=128)]
    auth: Annotated[str, Field(min_length=1, max_length=64)]


class PushSubscribe(Message):
    """Subscribe this browser, with the fields of its ``PushSubscription``."""

    endpoint: Annotated[str, Field(min_length=1, max_length=1024)]
    keys: PushKeys


class PushUnsubscribe(Message):
    """Unsubscribe a browser."""

    id: SubscriptionId


class LetterAddress(Message):
    """Send e-mails to this address after its confirmation; null: send none."""

    address: Annotated[str, Field(min_length=3, max_length=254)] | None


class LettersChanged(Message):
    """Whether the link's address gets e-mails now."""

    letters: bool


class Remind(Message):
    """Whether to set a reminder of an event."""

    wanted: bool


class Reminder(Message):
    """Your reminder of an event.

    wanted: whether it is set. reaches: whether you would get it: you want notifications of events, and have a subscribed
    browser or a confirmed address that this server writes to.
    """

    wanted: bool
    reaches: bool

"""Notification settings: the kinds that a player wants, browsers, and the e-mail address."""

from __future__ import annotations

import secrets

from fastapi import Request

from dasan.reasons import reason
from dasan.server.api.dependencies import IdentitiesHere, Player, SendingHere, StoreHere
from dasan.server.api.people import limited_account
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import Buckets, limit
from dasan.server.notifications.letters import clean_address
from dasan.server.notifications.push import check_subscription, subscription_id
from dasan.server.notifications.quiet import zone_named
from dasan.server.notifications.sending import Sending
from dasan.server.protocol.notifications import (
    BrowserTold,
    LetterAddress,
    LettersChanged,
    NotificationSettings,
    NotificationWishes,
    PushSubscribe,
    PushUnsubscribe,
    Remind,
    Reminder,
)
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.notifications import Preferences, Subscription
from dasan.server.times import now

router = strict_router("/api")


@router.get("/notifications")
async def notifications(store: StoreHere, sending: SendingHere, player: Player) -> NotificationSettings:
    """The player's notification settings."""
    person = await store.people.account(player)
    return await _settings(store, sending, None if person is None else person.id)


@router.post("/notifications")
async def wish(
    wanted: NotificationWishes, request: Request, store: StoreHere, sending: SendingHere, player: Player
) -> NotificationSettings:
    """Change the player's notification settings."""
    person = await limited_account(request, store, player)
    if zone_named(wanted.zone) is None:
        raise Refused("malformed", reason("zone"))
    await store.notifications.wish(person.id, wanted)
    return await _settings(store, sending, person.id)


@router.post("/notifications/browsers")
async def subscribe(
    wanted: PushSubscribe,
    request: Request,
    store: StoreHere,
    sending: SendingHere,
    ids: IdentitiesHere,
    player: Player,
) -> NotificationSettings:
    """Subscribe this browser to Web Push, until it signs out."""
    person = await limited_account(request, store, player)
    private = bool(request.app.state.settings.push_private)
    check_subscription(wanted.endpoint, wanted.keys.p256dh, wanted.keys.auth, private=private)
    subscription = Subscription(
        subscription_id(wanted.endpoint),
        wanted.endpoint,
        wanted.keys.p256dh,
        wanted.keys.auth,
        request.headers.get("user-agent", "")[:200],
        now(),
    )
    await store.notifications.subscribe(person.id, ids.session(request) or "", subscription)
    return await _settings(store, sending, person.id)


@router.post("/notifications/browsers/remove")
async def unsubscribe(
    wanted: PushUnsubscribe, request: Request, store: StoreHere, sending: SendingHere, player: Player
) -> NotificationSettings:
    """Unsubscribe one of the player's browsers."""
    person = await limited_account(request, store, player)
    await store.notifications.unsubscribe(wanted.id, person.id)
    return await _settings(store, sending, person.id)


@router.post("/notifications/address")
async def address(
    wanted: LetterAddress, request: Request, store: StoreHere, sending: SendingHere, player: Player
) -> NotificationSettings:
    """Send e-mails to an address, after its confirmation; or stop them."""
    person = await limited_account(request, store, player, "sign_ins")
    if wanted.address is None:
        await store.notifications.stop_letters(player=person.id)
    else:
        if not sending.letters.possible:
            raise Refused("unavailable", reason("mail.none"))
        where = clean_address(wanted.address)
        letters: Buckets = request.app.state.limits["letters"]
        to = ("to", where.casefold())
        if not (letters.take(person.id) and letters.take(to)):
            raise Refused("too-fast", reason("fast"))
        try:
            await store.notifications.ask(person.id, where, secrets.token_urlsafe(32), now())
        except Refused as refused:
            # Certainly not sent, so the owner of the address may need the token. An unreachable store may have queued it.
            if refused.code == "too-fast":
                letters.give_back(to)
            raise
    return await _settings(store, sending, person.id)


@router.post("/letters/{token}/confirm")
async def confirm(token: str, request: Request, store: StoreHere) -> LettersChanged:
    """Confirm the address that received this link."""
    limit(request, "sign_ins")
    if not await store.notifications.confirm(token, now()):
        raise Refused("not-found", reason("mail.link"))
    return LettersChanged(letters=True)


@router.post("/letters/{token}/unsubscribe")
async def stop(token: str, request: Request, store: StoreHere) -> LettersChanged:
    """Stop e-mails to the address that received this link.

    Mail programs also send this request (RFC 8058); its body is ignored.
    """
    limit(request, "joins")
    if not await store.notifications.stop_letters(token=token):
        raise Refused("not-found", reason("mail.link"))
    return LettersChanged(letters=False)


@router.get("/events/{event_id}/reminder")
async def reminder(event_id: str, store: StoreHere, sending: SendingHere, player: Player) -> Reminder:
    """The player's reminder of the event."""
    if player is None:
        return Reminder(wanted=False, reaches=False)
    wanted = await store.notifications.reminded(event_id, player)
    return await _reminder(store, sending, player, wanted=wanted)


@router.post("/events/{event_id}/reminder")
async def remind(
    event_id: str, wanted: Remind, request: Request, store: StoreHere, sending: SendingHere, player: Player
) -> Reminder:
    """Set or remove the player's reminder of the event."""
    person = await limited_account(request, store, player)
    event = await store.duplicates.load(event_id)
    if wanted.wanted and event.status(now()) != "before":
        raise Refused("illegal", reason("event.begun"))
    await store.notifications.remind(event.id, person.id, wanted=wanted.wanted)
    return await _reminder(store, sending, person.id, wanted=wanted.wanted)


async def _reminder(store: Store, sending: Sending, player: str, *, wanted: bool) -> Reminder:
    stored = await store.notifications.of(player)
    letters = stored.confirmed and sending.letters.possible
    return Reminder(wanted=wanted, reaches=stored.wishes.event and bool(stored.browsers or letters))


async def _settings(store: Store, sending: Sending, player: str | None) -> NotificationSettings:
    stored = Preferences() if player is None else await store.notifications.of(player)
    return NotificationSettings(
        account=player is not None,
        key=sending.push.public_key,
        letters=sending.letters.possible,
        address=stored.address,
        confirmed=stored.confirmed,
        wishes=stored.wishes,
        browsers=[BrowserTold(id=one.id, agent=one.agent, created=one.created) for one in stored.browsers],
    )

"""Notifications in the database: players' settings, subscriptions, and the outbox.

The transaction that causes a notification also writes it to the outbox. A process takes a notification before it sends
it, which makes it due again only later: two processes do not send the same one, and after a kill it is retried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.notifications.quiet import quiet_until
from dasan.server.notifications.words import Kind
from dasan.server.operations.reporting import report
from dasan.server.protocol.notifications import NotificationWishes, QuietHours
from dasan.server.refusals import Refused
from dasan.server.store.database import StorePart, put_row, reading, recent, writing
from dasan.server.store.known import hold
from dasan.server.store.schema import (
    duplicates,
    event_reminders,
    invitations,
    notification_settings,
    outbox,
    players,
    push_subscriptions,
    seats,
    tables,
)
from dasan.server.store.sessions import check_going_on
from dasan.server.store.table_rows import names_of
from dasan.server.times import DAY

Switch: TypeAlias = Literal["turn", "invitation", "event"]
SWITCHES: tuple[Switch, ...] = get_args(Switch)
USUAL = NotificationWishes(turn=True, invitation=True, event=True, quiet=None, zone="UTC", language="en")
"""The wishes of players who have none."""
MAIL = "mail"
"""The target of a notification by e-mail."""
MOST_BROWSERS = 10
"""The most subscribed browsers of one player; a further one replaces the oldest."""
MOST_ASKED = 3
"""The most confirmation e-mails to one address a day, from all accounts."""
ASK_EVERY = 60 * 1000
"""Minimum milliseconds between two of them for one account."""
MAIL_WAITS = 10 * 60 * 1000
"""Milliseconds for which an e-mail waits; players who move in the meantime get none."""
TAKEN_FOR = 60 * 1000
"""Milliseconds after which a taken but unsent notification is due again."""
AT_ONCE = 50
"""The most notifications that one transaction looks at."""
MOST_TRIES = 6
MOST_REMINDED = 500
"""The most reminders that one transaction handles."""


@dataclass(frozen=True)
class Subscription:
    """A browser's push subscription. endpoint: the address of its push service; p256dh, auth: its keys, base64url."""

    id: str
    endpoint: str = field(repr=False)
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    agent: str = ""
    created: int = 0


@dataclass(frozen=True)
class Preferences:
    """A player's wishes; the confirmed or pending e-mail address; the subscribed browsers, newest first."""

    wishes: NotificationWishes = USUAL
    address: str | None = None
    confirmed: bool = False
    browsers: tuple[Subscription, ...] = ()


@dataclass(frozen=True)
class Outgoing:
    """A notification to send now, to a subscription or by e-mail to an address.

    at: when its cause happened. names, title: see ``written``. path: the page that it opens. token: see the schema.
    """

    player: str = field(repr=False)
    kind: Kind
    subject: str
    target: str
    at: int
    tries: int
    language: str
    names: tuple[str, ...] = ()
    title: str = ""
    path: str = "/"
    subscription: Subscription | None = None
    address: str | None = field(default=None, repr=False)
    token: str = field(default="", repr=False)


class Notifications(StorePart):
    """Reads and writes wishes, subscriptions and the outbox."""

    @reading
    def of(self, connection: sa.Connection, player: str) -> Preferences:
        """What is stored of the player's wishes, address and browsers."""
        mine = sa.select(notification_settings).where(notification_settings.c.player == player)
        subscribed = (
            sa.select(push_subscriptions)
            .where(push_subscriptions.c.player == player)
            .order_by(push_subscriptions.c.created.desc())
        )
        row = connection.execute(mine).one_or_none()
        browsers = tuple(map(_subscription, connection.execute(subscribed)))
        if row is None:
            return Preferences(browsers=browsers)
        return Preferences(_wishes(row), row.address, row.confirmed, browsers)

    @writing
    def wish(self, connection: sa.Connection, player: str, wishes: NotificationWishes) -> None:
        """Store what the player wishes. ``Refused``: the player is deleted."""
        quiet = wishes.quiet
        hours = {"quiet_from": quiet and quiet.begins, "quiet_until": quiet and quiet.ends}
        _check_known(connection, player)
        _put(connection, player, {**wishes.model_dump(exclude={"quiet"}), **hours})
        unwanted = [kind for kind in SWITCHES if not getattr(wishes, kind)]
        mine = sa.and_(outbox.c.player == player, outbox.c.kind.in_(unwanted))
        connection.execute(sa.delete(outbox).where(mine))

    @writing
    def subscribe(self, connection: sa.Connection, player: str, session: str, subscription: Subscription) -> None:
        """Subscribe a browser. session: its sign-in session, at whose end the subscription ends. ``Refused``: it has ended."""
        _check_known(connection, player)
        check_going_on(connection, player, session)
        _put(connection, player, {})
        connection.execute(sa.delete(push_subscriptions).where(push_subscriptions.c.id == subscription.id))
        row = {**vars(subscription), "player": player, "session": session}
        connection.execute(sa.insert(push_subscriptions), row)
        newest_first = (
            sa.select(push_subscriptions.c.id)
            .where(push_subscriptions.c.player == player)
            .order_by(push_subscriptions.c.created.desc(), push_subscriptions.c.id)
        )
        old = list(connection.scalars(newest_first))[MOST_BROWSERS:]
        connection.execute(sa.delete(push_subscriptions).where(push_subscriptions.c.id.in_(old)))

    async def unsubscribe(self, subscription: str, player: str | None = None) -> None:
        """Unsubscribe a browser. player: only if it is this player's."""
        mine = push_subscriptions.c.id == subscription
        if player is not None:
            mine = sa.and_(mine, push_subscriptions.c.player == player)
        await self._change(sa.delete(push_subscriptions).where(mine))

    @writing
    def ask(self, connection: sa.Connection, player: str, address: str, token: str, now: int) -> None:
        """Send a confirmation e-mail to ``address``; it gets no other until its link is opened.

        ``Refused``: the account has asked within a minute, or the address has been asked too often today.
        """
        _check_known(connection, player)
        settings = notification_settings.c
        asked = connection.scalar(sa.select(settings.asked).where(settings.player == player)) or 0
        same = sa.func.lower(settings.address) == address.lower()
        others = sa.select(sa.func.count()).where(same, recent(settings.asked, now, DAY))
        if abs(now - asked) < ASK_EVERY or (connection.scalar(others) or 0) >= MOST_ASKED:
            raise Refused("too-fast", reason("fast"))
        _put(connection, player, {"address": address, "token": token, "asked": now, "confirmed": False})
        _put_out(connection, (player, "confirm", "", MAIL), now, now)

    async def confirm(self, token: str, now: int) -> bool:
        """Confirm an address. Returns whether the token is valid: sent within a day."""
        settings = notification_settings.c
        mine = sa.and_(settings.token == token, sa.or_(settings.confirmed, settings.asked > now - DAY))
        return await self._change(sa.update(notification_settings).where(mine).values(confirmed=True)) == 1

    @writing
    def stop_letters(self, connection: sa.Connection, *, player: str | None = None, token: str | None = None) -> bool:
        """Delete the address of a player, or the one with this token; returns whether there was one."""
        settings = notification_settings.c
        mine = settings.token == token if player is None else settings.player == player
        owner = connection.scalar(sa.select(settings.player).where(mine, settings.address.is_not(None)))
        if owner is None:
            return False
        change = sa.update(notification_settings).where(settings.player == owner)
        connection.execute(change.values(address=None, token=None, confirmed=False))
        letters = sa.and_(outbox.c.player == owner, outbox.c.target == MAIL)
        connection.execute(sa.delete(outbox).where(letters))
        return True

    @writing
    def remind(self, connection: sa.Connection, event_id: str, player: str, *, wanted: bool) -> None:
        """Set or remove the player's reminder of an event. ``Refused``: the event has been cancelled."""
        _check_known(connection, player)
        event = sa.select(duplicates.c.id).where(duplicates.c.id == event_id)
        if connection.scalar(event.with_for_update(read=True, key_share=True)) is None:
            raise Refused("not-found", reason("event.none"))
        mine = sa.and_(event_reminders.c.event_id == event_id, event_reminders.c.player == player)
        connection.execute(sa.delete(event_reminders).where(mine))
        if wanted:
            connection.execute(sa.insert(event_reminders), {"event_id": event_id, "player": player})

    async def reminded(self, event_id: str, player: str) -> bool:
        """Whether the player has a reminder of an event."""
        mine = sa.and_(event_reminders.c.event_id == event_id, event_reminders.c.player == player)
        query = sa.select(event_reminders.c.player).where(mine)
        return await self._value(query) is not None

    async def announce(self, now: int) -> None:
        """Queue the reminders of events that have begun, each once."""
        begun = (
            sa.select(event_reminders.c.event_id, event_reminders.c.player)
            .join_from(event_reminders, duplicates)
            .where(duplicates.c.starts <= now)
            .order_by(event_reminders.c.event_id, event_reminders.c.player)
            .limit(MOST_REMINDED)
        )
        if not await self._rows(begun.limit(1)):
            return

        def write(connection: sa.Connection) -> None:
            for event_id, player in connection.execute(begun).all():
                mine = sa.and_(event_reminders.c.event_id == event_id, event_reminders.c.player == player)
                # Another process may have deleted it since.
                if connection.execute(sa.delete(event_reminders).where(mine)).rowcount:
                    put_out(connection, [player], "event", event_id, now)

        await self._database.write(write)

    async def take(
        self, now: int, most: int = AT_ONCE, each: int = AT_ONCE, going: Mapping[str, int] | None = None
    ) -> tuple[Outgoing, ...]:
        """Take up to ``most`` notifications that are due, for this process to send.

        each: the most for one player, with those already ``going``, by player. Obsolete ones are deleted: the player has
        moved, or the invitation has ended. In quiet hours they wait for the end.
        """
        busy = [player for player, count in (going or {}).items() if count >= each]
        due = sa.select(outbox).where(outbox.c.due <= now, outbox.c.player.not_in(busy))
        due = due.order_by(outbox.c.due).limit(AT_ONCE)
        if not await self._rows(due.limit(1)):
            return ()

        def write(connection: sa.Connection) -> tuple[Outgoing, ...]:
            out: list[Outgoing] = []
            counts = Counter(going)
            for row in connection.execute(due.with_for_update(skip_locked=True)).all():
                if len(out) == most:
                    break
                if counts[row.player] >= each:
                    continue
                mine = _place(row.player, row.kind, row.subject, row.target)
                one = _readable(connection, row, now)
                if isinstance(one, int):
                    connection.execute(sa.update(outbox).where(mine).values(due=one))
                elif one is None or row.tries >= MOST_TRIES:
                    connection.execute(sa.delete(outbox).where(mine))
                else:
                    taken = {"due": now + TAKEN_FOR, "tries": row.tries + 1}
                    connection.execute(sa.update(outbox).where(mine).values(**taken))
                    counts[row.player] += 1
                    out.append(replace(one, tries=row.tries + 1))
            return tuple(out)

        return await self._database.write(write)

    async def sent(self, one: Outgoing) -> None:
        """Delete a notification that was sent or cannot be sent. A newer one on the same subject stays."""
        same = sa.and_(_place(one.player, one.kind, one.subject, one.target), outbox.c.at == one.at)
        await self._change(sa.delete(outbox).where(same))

    async def later(self, one: Outgoing, due: int) -> None:
        """Retry at the time ``due``."""
        same = sa.and_(_place(one.player, one.kind, one.subject, one.target), outbox.c.at == one.at)
        await self._change(sa.update(outbox).where(same).values(due=due))


def put_out(connection: sa.Connection, wanted: Collection[str], kind: Switch, subject: str, now: int) -> None:
    """Write a notification for these players to the outbox, for each of their browsers and addresses.

    It replaces a waiting one on the same subject.
    """
    settings = notification_settings.c
    query = sa.select(settings.player, settings.confirmed).where(settings.player.in_(sorted(wanted)), settings[kind])
    for row in connection.execute(query).all():
        mine = push_subscriptions.c.player == row.player
        for target in connection.scalars(sa.select(push_subscriptions.c.id).where(mine)).all():
            _put_out(connection, (row.player, kind, subject, target), now, now)
        if row.confirmed:
            _put_out(connection, (row.player, kind, subject, MAIL), now, now + MAIL_WAITS)


def forget_notifications(connection: sa.Connection, player: str) -> None:
    """Delete a player's notification data."""
    for table in (notification_settings, push_subscriptions, outbox, event_reminders):
        connection.execute(sa.delete(table).where(table.c.player == player))


def notifications_of(player: str) -> dict[str, sa.Select[Any]]:
    """Queries of a player's notification data, without keys and tokens."""
    return {
        "notification_settings": sa.select(
            *(column for column in notification_settings.c if column.name not in ("player", "token"))
        ).where(notification_settings.c.player == player),
        "push_subscriptions": sa.select(
            push_subscriptions.c.agent, push_subscriptions.c.created, push_subscriptions.c.endpoint
        ).where(push_subscriptions.c.player == player),
        "outbox": sa.select(outbox).where(outbox.c.player == player),
        "event_reminders": sa.select(event_reminders).where(event_reminders.c.player == player),
    }


def _check_known(connection: sa.Connection, player: str) -> None:
    if not hold(connection, [player]):
        raise Refused("forbidden", reason("account.none"))


def _put(connection: sa.Connection, player: str, values: dict[str, Any]) -> None:
    """Set columns of the player's settings; insert the row if there is none."""
    first = {**USUAL.model_dump(exclude={"quiet"}), "confirmed": False, "asked": 0}
    put_row(connection, notification_settings, {"player": player}, values, first)


def _place(player: str, kind: str, subject: str, target: str) -> sa.ColumnElement[bool]:
    return sa.and_(
        outbox.c.player == player, outbox.c.kind == kind, outbox.c.subject == subject, outbox.c.target == target
    )


def _put_out(connection: sa.Connection, place: tuple[str, str, str, str], now: int, due: int) -> None:
    connection.execute(sa.delete(outbox).where(_place(*place)))
    row = dict(zip(("player", "kind", "subject", "target"), place, strict=True))
    connection.execute(sa.insert(outbox), {**row, "at": now, "due": due, "tries": 0})


def _readable(connection: sa.Connection, row: Any, now: int) -> Outgoing | int | None:
    """As `_outgoing`; None also if what the notification is about is damaged."""
    try:
        return _outgoing(connection, row, now)
    except (sa.exc.SQLAlchemyError, OSError):
        raise
    except Exception as error:  # damaged rows may lack anything
        report(f"a notification ({row.kind}) cannot be read", error)
        return None


def _outgoing(connection: sa.Connection, row: Any, now: int) -> Outgoing | int | None:
    """The notification for a row of the outbox; a time, if it must wait until then; None if it is obsolete."""
    settings = connection.execute(
        sa.select(notification_settings)
        .join(players, players.c.id == notification_settings.c.player)
        .where(notification_settings.c.player == row.player, sa.not_(players.c.banned))
    ).one_or_none()
    if settings is None or row.at < now - DAY:
        return None
    if row.kind != "confirm":
        rest = quiet_until(now, settings.zone, settings.quiet_from, settings.quiet_until)
        if rest is not None:
            return rest
    base = Outgoing(row.player, row.kind, row.subject, row.target, row.at, row.tries, settings.language)
    if row.target == MAIL:
        if settings.address is None or not (settings.confirmed or row.kind == "confirm"):
            return None
        base = replace(base, address=settings.address, token=settings.token)
    else:
        mine = sa.and_(push_subscriptions.c.id == row.target, push_subscriptions.c.player == row.player)
        browser = connection.execute(sa.select(push_subscriptions).where(mine)).one_or_none()
        if browser is None:
            return None
        base = replace(base, subscription=_subscription(browser))
    match row.kind:
        case "turn":
            return _turn(connection, base)
        case "invitation":
            return _invitation(connection, base)
        case "event":
            return _event(connection, base, now)
        case _:
            name = sa.select(players.c.name).where(players.c.id == row.player)
            return replace(base, names=tuple(connection.scalars(name)), path=f"/letters/{settings.token}")


def _turn(connection: sa.Connection, base: Outgoing) -> Outgoing | None:
    """The notification, if it is still the player's turn. It names people: the page calls bots by other names."""
    query = (
        sa.select(seats.c.seat, tables.c.status, tables.c.summary)
        .join_from(seats, tables)
        .where(seats.c.table_id == base.subject, seats.c.player == base.player)
    )
    row = connection.execute(query).one_or_none()
    if (
        row is None
        or row.status != "playing"
        or not isinstance(row.summary, dict)
        or row.summary.get("to_act") != row.seat
    ):
        return None
    chairs = enumerate(names_of(row.summary))
    names = tuple(name for seat, (kind, name) in chairs if seat != row.seat and kind == "human")
    return replace(base, names=names, path=f"/t/{base.subject}")


def _invitation(connection: sa.Connection, base: Outgoing) -> Outgoing | None:
    """The notification, if the invitation is valid and the player does not sit there."""
    sits = sa.exists().where(seats.c.table_id == invitations.c.table_id, seats.c.player == invitations.c.player)
    query = (
        sa.select(players.c.name)
        .join_from(invitations, players, players.c.id == invitations.c.host)
        .join(tables, tables.c.id == invitations.c.table_id)
        .where(
            invitations.c.table_id == base.subject,
            invitations.c.player == base.player,
            tables.c.status != "ended",
            sa.not_(sits),
        )
    )
    name = connection.scalar(query)
    return None if name is None else replace(base, names=(name,), path=f"/t/{base.subject}")


def _event(connection: sa.Connection, base: Outgoing, now: int) -> Outgoing | None:
    """The notification, if the event is running."""
    query = sa.select(duplicates.c.title).where(duplicates.c.id == base.subject, duplicates.c.ends > now)
    title = connection.scalar(query)
    return None if title is None else replace(base, title=title, path=f"/events/{base.subject}")


def _wishes(row: Any) -> NotificationWishes:
    quiet = (
        None if None in (row.quiet_from, row.quiet_until) else QuietHours(begins=row.quiet_from, ends=row.quiet_until)
    )
    switches = {name: getattr(row, name) for name in SWITCHES}
    return NotificationWishes(**switches, quiet=quiet, zone=row.zone, language=row.language)


def _subscription(row: Any) -> Subscription:
    return Subscription(row.id, row.endpoint, row.p256dh, row.auth, row.agent, row.created)

"""The outbox of notifications: each is sent once, not when switched off, and after quiet hours; a player's browsers."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import cast

import pytest
import sqlalchemy as sa

from dasan.server.events.daily import deal_of
from dasan.server.notifications import sending
from dasan.server.notifications.letters import Letters
from dasan.server.notifications.push import Delivery, Push
from dasan.server.notifications.sending import Sending
from dasan.server.protocol.notifications import QuietHours
from dasan.server.refusals import Refused
from dasan.server.store import Store, notifications
from dasan.server.store.notifications import USUAL, Outgoing, Subscription, put_out
from dasan.server.store.schema import outbox, players, seats, tables
from dasan.server.times import DAY, now

from .conftest import Opened
from .rooms import open_table

NOON = 1_764_158_400_000
"""26 November 2025, 12:00 UTC."""


async def subscribed(store: Store, *names: str) -> None:
    for name in names:
        await store.people.register(name, name, "hash", 1)
        await store.people.sign_in(f"{name}'s", name, "", 1)
        await store.notifications.subscribe(
            name, f"{name}'s", Subscription(f"sub-{name}", f"https://{name}.example", "p", "a")
        )


async def two_friends(opened: Opened) -> tuple[Store, str]:
    """Ada and Bob, who follow each other and have a browser each, and the id of a table."""
    store = await opened()
    await subscribed(store, "ada", "bob")
    await store.friends.follow("ada", "bob", 1)
    await store.friends.follow("bob", "ada", 1)
    room, _ = await open_table(store)
    return store, room.head.id


async def test_two_processes_send_a_notification_once_and_a_kill_loses_none(opened: Opened) -> None:
    store, table = await two_friends(opened)
    await store.friends.invite("ada", "bob", table, NOON)
    taken = await asyncio.gather(*(store.notifications.take(NOON) for _ in range(4)))
    assert sorted(map(len, taken)) == [0, 0, 0, 1]
    again = NOON + notifications.TAKEN_FOR
    assert await store.notifications.take(again - 1) == ()
    (outgoing,) = await store.notifications.take(again)
    assert (outgoing.kind, outgoing.names, outgoing.tries) == ("invitation", ("ada",), 2)
    await store.notifications.later(outgoing, again + 5)
    assert await store.notifications.take(again + 4) == ()
    (outgoing,) = await store.notifications.take(again + 5)
    await store.database.write(lambda connection: put_out(connection, ["bob"], "invitation", table, again + 6))
    await store.notifications.sent(outgoing)
    (newer,) = await store.notifications.take(again + 6)
    await store.notifications.sent(newer)
    assert await store.notifications.take(again * 2) == ()
    await store.close()


async def test_what_says_nothing_new_is_not_sent(opened: Opened) -> None:
    store, table = await two_friends(opened)
    await store.friends.invite("ada", "bob", table, NOON)
    await store.friends.decline("bob", table)
    await store.database.write(lambda connection: put_out(connection, ["bob"], "turn", table, NOON))
    assert await store.notifications.take(NOON) == ()
    await store.notifications.wish("bob", USUAL.model_copy(update={"invitation": False}))
    await store.friends.invite("ada", "bob", table, NOON)
    assert await store.notifications.take(NOON) == (), "the switch is off"
    await store.notifications.wish("bob", USUAL)
    await store.friends.decline("bob", table)
    await store.friends.invite("ada", "bob", table, NOON)
    await store.database.write(lambda connection: connection.execute(sa.update(players).values(banned=True)))
    assert await store.notifications.take(NOON) == (), "banned players are told nothing"
    await store.close()


async def test_what_is_no_longer_true_is_not_sent(opened: Opened) -> None:
    store, table = await two_friends(opened)
    await store.friends.invite("ada", "bob", table, NOON)
    assert await store.notifications.take(NOON + DAY + 1) == (), "it is a day old"
    bob_sits = sa.update(seats).where(seats.c.seat == 0).values(player="bob")
    for change in (sa.update(tables).values(status="ended"), bob_sits):
        await store.friends.decline("bob", table)
        await store.database.write(lambda connection: connection.execute(sa.update(tables).values(status="playing")))
        await store.friends.invite("ada", "bob", table, NOON)
        await store.database.write(lambda connection, change=change: connection.execute(change))  # type: ignore[misc]
        assert await store.notifications.take(NOON) == ()
    await store.database.write(lambda connection: put_out(connection, ["ada"], "invitation", table, NOON))
    await store.notifications.wish("ada", USUAL.model_copy(update={"invitation": False}))
    waiting = await store.database.read(lambda connection: connection.execute(sa.select(outbox)).all())
    assert waiting == []
    yesterday = deal_of(date(2025, 11, 25), 1, "big-two")
    await store.duplicates.create(yesterday)
    await store.database.write(lambda connection: put_out(connection, ["bob"], "event", yesterday.id, NOON))
    assert await store.notifications.take(NOON) == ()
    await store.close()


async def test_what_waits_goes_to_no_other_player_and_to_no_address_that_is_not_confirmed(opened: Opened) -> None:
    store, table = await two_friends(opened)
    await store.notifications.ask("bob", "bob@x.example", "one", NOON)
    (asked,) = await store.notifications.take(NOON)
    await store.notifications.sent(asked)
    assert await store.notifications.confirm("one", NOON)
    await store.friends.invite("ada", "bob", table, NOON)
    await store.notifications.subscribe("ada", "ada's", Subscription("sub-bob", "https://bob.example", "p", "a"))
    await store.notifications.ask("bob", "other@x.example", "two", NOON + notifications.ASK_EVERY)
    taken = await store.notifications.take(NOON + notifications.MAIL_WAITS)
    assert [(one.kind, one.address) for one in taken] == [("confirm", "other@x.example")]
    await store.close()


async def test_quiet_hours_are_waited_for(opened: Opened) -> None:
    store, table = await two_friends(opened)
    # It is 20:00 in Shanghai, where these hours end at 8.
    await store.notifications.wish(
        "bob", USUAL.model_copy(update={"zone": "Asia/Shanghai", "quiet": QuietHours(begins=19 * 60, ends=8 * 60)})
    )
    await store.friends.invite("ada", "bob", table, NOON)
    assert await store.notifications.take(NOON) == ()
    morning = NOON + 12 * 60 * 60 * 1000
    assert await store.notifications.take(morning - 1) == ()
    assert len(await store.notifications.take(morning)) == 1
    await store.close()


async def test_browsers_are_bounded_and_belong_to_who_uses_them_now(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "MOST_BROWSERS", 2)
    store = await opened()
    await subscribed(store, "ada", "bob")
    for n in range(1, 4):
        await store.notifications.subscribe(
            "ada", "ada's", Subscription(f"{n}", "https://x.example", "p", "a", created=n)
        )
    assert [one.id for one in (await store.notifications.of("ada")).browsers] == ["3", "2"]
    await store.notifications.unsubscribe("3", "bob")
    await store.notifications.subscribe("bob", "bob's", Subscription("2", "https://x.example", "p", "a", created=9))
    assert [one.id for one in (await store.notifications.of("ada")).browsers] == ["3"]
    await store.close()


async def test_an_address_is_asked_a_few_times_a_day_however_it_is_written(opened: Opened) -> None:
    store = await opened()
    await subscribed(store, "ada", "bob", "cyd", "dan")
    for name, address in (
        ("ada", "Victim@mail.example"),
        ("bob", "VICTIM@mail.example"),
        ("cyd", "victim@mail.example"),
    ):
        await store.notifications.ask(name, address, f"token of {name}", NOON)
    with pytest.raises(Refused):
        await store.notifications.ask("dan", "vICTIM@mail.example", "token of dan", NOON)
    tomorrow = NOON + DAY
    assert [await store.notifications.confirm("token of ada", at) for at in (tomorrow, tomorrow - 1)] == [False, True]
    assert await store.notifications.confirm("token of ada", tomorrow + 1), "it is confirmed"
    await store.notifications.ask("dan", "victim@mail.example", "token of dan", tomorrow + 1)
    await store.close()


async def test_an_address_stays_that_was_given_while_the_one_before_refused_a_letter(opened: Opened) -> None:
    store = await opened()
    await subscribed(store, "ada")
    await store.notifications.ask("ada", "old@x.example", "one", NOON)
    (letter,) = await store.notifications.take(NOON)

    class Refusing:
        possible = True

        async def send(self, _: Outgoing) -> bool:
            await store.notifications.ask("ada", "new@x.example", "two", NOON + notifications.ASK_EVERY)
            return False

    await Sending(store.notifications, cast("Push", None), cast("Letters", Refusing()))._send(letter)
    assert (await store.notifications.of("ada")).address == "new@x.example"
    await store.close()


async def test_many_notifications_of_one_player_delay_nobody_elses(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, table = await two_friends(opened)
    for n in range(2 * sending.EACH):
        await store.notifications.subscribe("bob", "bob's", Subscription(f"{n}", f"https://{n}.example", "p", "a"))
    await store.friends.invite("ada", "bob", table, now() - 2)
    await store.friends.invite("bob", "ada", table, now() - 1)
    monkeypatch.setattr(notifications, "AT_ONCE", sending.EACH)
    told: list[str] = []

    class Fast:
        async def send(self, endpoint: str, *_: object) -> Delivery:
            told.append(endpoint)
            return Delivery()

    task = Sending(store.notifications, cast("Push", Fast()), cast("Letters", None))
    await task.send_due()
    await asyncio.gather(*task._going)
    assert len(told) == sending.EACH + 1
    assert "https://ada.example" in told
    await store.close()

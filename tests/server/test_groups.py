"""Groups: joining by link, hosting, playing by the group's rules, standings over the evenings, chat, and deletion."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import sqlalchemy as sa
from sqlalchemy.util import await_only

import dasan
from dasan.server.protocol.groups import GroupRules
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store import Store, groups
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.group_people import forget_groups
from dasan.server.store.group_standings import _summed
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hand import Player as Seated
from dasan.server.store.hands import insert_hand
from dasan.server.store.notifications import Subscription
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import group_tables, metadata
from dasan.server.store.schema import groups as stored_groups
from dasan.server.tables.chairs import OPEN, Head
from dasan.server.tables.room import Room

from .conftest import Opened, new_database
from .harness import Player, Served, account, ok, refusal, towards

RULES = GroupRules(preset="big-three", options={}, seats=["me", "open", "open"], settings=TableSettings())
HOUR = 60 * 60 * 1000


def joined(host: Player, *others: Player, name: str = "Friday club") -> Any:
    """A group of these players, as seen by its host."""
    group = ok(host.http.post("/api/groups", json={"name": name}))
    for player in others:
        assert ok(player.http.post(f"/api{group['link']}", json={})) == {"id": group["id"]}
    return ok(host.http.get(f"/api/groups/{group['id']}"))


@pytest.mark.full
def test_a_group_is_joined_by_its_link_and_run_by_its_host(server: Served) -> None:
    ada, bo, cy, guest = account(server, "Ada"), account(server, "Bob"), account(server, "Cyd"), server.player()
    assert ok(guest.http.get("/api/groups")) == {"account": False, "groups": []}
    assert refusal(guest.http.post("/api/groups", json={"name": "Guests"}))[0] == 403
    group = joined(ada, bo, cy)
    path = f"/api/groups/{group['id']}"
    assert [(one["name"], one["host"], one["you"]) for one in group["members"]] == [
        ("Ada", True, True),
        ("Bob", False, False),
        ("Cyd", False, False),
    ]
    door = ok(guest.http.get(f"/api{group['link']}"))
    assert door == {"name": "Friday club", "host": "Ada", "members": 3, "joined": None}
    assert ok(bo.http.get(f"/api{group['link']}"))["joined"] == group["id"]
    assert refusal(guest.http.get("/api/join/nothing"))[0] == 404
    for name, status in (("FRIDAY CLUB", 409), ("Frid\u0430y club", 400), ("Friday  club", 409), ("moderator", 409)):
        assert refusal(bo.http.post("/api/groups", json={"name": name}))[0] == status, name
    for what, body in (
        ("rename", {"name": "Mine"}),
        ("link", {}),
        ("delete", {}),
        ("members/remove", {"name": "Cyd"}),
        ("members/host", {"name": "Bob"}),
        ("rules", group["rules"]),
    ):
        answer = bo.http.post(f"{path}/{what}", json=body)
        assert refusal(answer) == (403, "only the host of the group may do that"), what

    assert ok(ada.http.post(f"{path}/rename", json={"name": "Saturday club"}))["name"] == "Saturday club"
    shown = ok(ada.http.post(f"{path}/members/remove", json={"name": "Cyd"}))
    assert [one["name"] for one in shown["members"]] == ["Ada", "Bob"]
    assert refusal(cy.http.get(path)) == (404, "there is no such group, or you are not in it")
    assert refusal(cy.http.post(f"/api{group['link']}", json={}))[0] == 404, "the link is another since"
    assert refusal(ada.http.post(f"{path}/leave", json={}))[0] == 409
    assert refusal(ada.http.post(f"{path}/members/host", json={"name": "Cyd"}))[0] == 404
    assert not ok(ada.http.post(f"{path}/members/host", json={"name": "Bob"}))["hosting"]
    ok(ada.http.post(f"{path}/leave", json={}))
    assert ok(ada.http.get("/api/groups"))["groups"] == []
    (listed,) = ok(bo.http.get("/api/groups"))["groups"]
    assert (listed["name"], listed["members"], listed["host"]) == ("Saturday club", 1, "Bob")
    ok(bo.http.post(f"{path}/delete", json={}))
    assert refusal(bo.http.get(path))[0] == 404
    joined(cy, name="Saturday club")


@pytest.mark.parametrize("end", ["leave", "delete"])
async def test_what_is_done_to_one_group_leaves_the_others_alone(opened: Opened, end: str) -> None:
    store = await opened()
    for name in ("ada", "bob"):
        await store.people.register(name, name, "hash", 1)
    one, other = [await store.groups.create(host, f"{host}'s club", RULES, 1) for host in ("ada", "bob")]
    before = await store.groups.load(other, "bob")
    await store.groups.rename(one, "ada", "Friday club")
    await store.groups.new_link(one, "ada")
    await store.groups.play_by(one, "ada", RULES.model_copy(update={"preset": "big-two"}))
    with pytest.raises(Refused, match="is taken"):
        await store.groups.rename(one, "ada", "bob's club")
    await getattr(store.groups, end)(one, "ada")
    with pytest.raises(Refused, match="no such group"):
        await store.groups.load(one, "ada")
    assert await store.groups.of_player("ada") == []
    assert await store.groups.load(other, "bob") == before
    await store.close()


@pytest.mark.full
def test_strangers_neither_see_nor_change_a_group(server: Served) -> None:
    ada, eve = account(server, "Ada"), account(server, "Eve")
    group = joined(ada)
    path = f"/api/groups/{group['id']}"
    (line,) = ok(ada.http.post(f"{path}/chat", json={"text": "hello"}))["lines"]
    before = ok(ada.http.get(path))
    for what, body in (
        ("rename", {"name": "Mine"}),
        ("rules", group["rules"]),
        ("link", {}),
        ("members/remove", {"name": "Ada"}),
        ("members/host", {"name": "Ada"}),
        ("leave", {}),
        ("delete", {}),
        ("tables", {}),
        ("chat", {"text": "hi"}),
        ("report", {"line": line["id"], "reason": "rude"}),
    ):
        assert refusal(eve.http.post(f"{path}/{what}", json=body))[0] == 404, what
    for what in ("", "/standings"):
        assert refusal(eve.http.get(f"{path}{what}"))[0] == 404, what
    assert ok(ada.http.get(path)) == before
    towards(ada, "block", "Eve")
    assert refusal(eve.http.post(f"/api{group['link']}", json={})) == (403, "one of you has blocked the other")
    with closing(sqlite3.connect(server.settings.data_dir / DATABASE_FILE)) as connection:
        assert connection.execute("SELECT id FROM reports").fetchall() == []
    assert ok(eve.http.get("/api/groups"))["groups"] == ok(eve.http.get("/api/tables")) == []


@pytest.mark.full
def test_a_table_is_opened_by_the_groups_rules_and_the_others_are_invited(server: Served) -> None:
    ada, bo, cy = account(server, "Ada"), account(server, "Bob"), account(server, "Cyd")
    group = joined(ada, bo, cy)
    path = f"/api/groups/{group['id']}"
    rules = {
        "preset": "big-two",
        "options": {"scoring": "cards-multiplied"},
        "seats": ["me", "open", "random", "random"],
        "settings": {**group["rules"]["settings"], "speed": {"kind": "correspondence", "days": 2}},
    }
    for wrong in ({"preset": "chess"}, {"seats": ["me"]}, {"seats": ["open"] * 4}, {"options": {"scoring": "x"}}):
        assert refusal(ada.http.post(f"{path}/rules", json={**rules, **wrong}))[0] == 400, wrong
    saved = ok(ada.http.post(f"{path}/rules", json=rules))["rules"]
    assert saved == rules
    towards(cy, "block", "Bob")
    made = ok(bo.http.post(f"{path}/tables", json={}))
    table = ok(bo.http.get(f"/api/tables/{made['id']}"))["table"]
    assert (table["preset"], table["options"]["scoring"], made["seat"]) == ("big-two", "cards-multiplied", 0)
    assert table["settings"]["speed"] == {"kind": "correspondence", "days": 2}
    (invitation,) = ok(ada.http.get("/api/invitations"))
    assert (invitation["table"], invitation["host"]) == (made["id"], "Bob")
    assert ok(cy.http.get("/api/invitations")) == [], "a block lasts in a group too"
    (shown,) = ok(ada.http.get(path))["tables"]
    assert shown == {"id": made["id"], "at": invitation["at"], "status": "waiting", "names": ["Bob"]}
    other = ok(cy.http.post(f"{path}/tables", json={}))
    assert ok(bo.http.get("/api/invitations")) == [], "nor is the blocked one invited"
    assert [one["table"] for one in ok(ada.http.get("/api/invitations"))] == [other["id"], made["id"]]


@pytest.mark.full
def test_the_chat_of_a_group_has_the_limits_of_the_tables(server: Served) -> None:
    ada, bo, cy = account(server, "Ada"), account(server, "Bob"), account(server, "Cyd")
    group = joined(ada, bo, cy)
    path = f"/api/groups/{group['id']}"
    ok(ada.http.post(f"{path}/chat", json={"text": " hello \t all "}))
    (line,) = ok(bo.http.post(f"{path}/chat", json={"text": "hi"}))["lines"][:1]
    assert (line["name"], line["text"], line["you"]) == ("Ada", "hello all", False)
    assert refusal(bo.http.post(f"{path}/chat", json={"text": "\u200b"})) == (400, "the message is empty")
    assert refusal(server.player().http.post(f"{path}/chat", json={"text": "x"}))[0] == 403
    towards(cy, "block", "Ada")
    ok(cy.http.post(f"{path}/chat", json={"text": "bye"}))
    assert [one["text"] for one in ok(cy.http.get(path))["lines"]] == ["hi", "bye"]
    assert [one["text"] for one in ok(ada.http.get(path))["lines"]] == ["hello all", "hi"], "nor does the blocked one"
    assert [one["text"] for one in ok(bo.http.get(path))["lines"]] == ["hello all", "hi", "bye"]
    for _ in range(2):
        ok(bo.http.post(f"{path}/report", json={"line": line["id"], "reason": "rude"}))
    assert refusal(bo.http.post(f"{path}/report", json={"line": line["id"] + 99}))[0] == 404
    mine = ok(ada.http.get("/api/me"))["id"]
    with closing(sqlite3.connect(server.settings.data_dir / DATABASE_FILE)) as connection:
        reports = connection.execute("SELECT table_id, text, reason, against FROM reports").fetchall()
    assert reports == [(group["id"], "hello all", "rude", mine)]


async def members(store: Store, *names: str) -> str:
    """A group of these players, who have accounts of the same names; the first hosts it."""
    for name in names:
        await store.people.register(name, name, "hash", 1)
    group = await store.groups.create(names[0], "Friday club", RULES, 1)
    link = await link_of(store, group, names[0])
    for at, name in enumerate(names[1:], 2):
        await store.groups.join(link, name, at)
    return group


async def link_of(store: Store, group: str, member: str) -> str:
    return (await store.groups.load(group, member)).link.removeprefix(groups.JOIN)


def table_of(name: str, host: str = "ada") -> Room:
    """A table with this id, at which nobody sits yet."""
    head = Head(name, dasan.rules("big-three"), TableSettings(), b"seed")
    return Room.create(head, (OPEN,) * 3, host, 5)


async def hand(store: Store, table: str, number: int, finished: int, payments: dict[str, int]) -> None:
    """A finished hand of these players."""
    seats = tuple(
        Seated(seat, name, name, None, "player", payment, payment > 0)
        for seat, (name, payment) in enumerate(payments.items())
    )
    over = FinishedHand(f"{table}-{number}", table, number, "big-three", finished, True, False, {}, [], "", seats)
    await store.database.write(lambda connection: insert_hand(connection, over))


async def test_standings_are_sums_over_the_evenings(opened: Opened) -> None:
    store = await opened()
    group = await members(store, "ada", "bob", "cyd")
    rows = [{"table_id": table, "group_id": group, "at": 1} for table in ("one", "two", "three")]
    await store.database.write(lambda connection: connection.execute(sa.insert(group_tables), rows))
    await store.people.register("dan", "dan", "hash", 1)
    await hand(store, "one", 1, HOUR, {"ada": 2, "bob": -1, "cyd": -1})
    await hand(store, "one", 2, 2 * HOUR, {"ada": -2, "bob": 1, "dan": 1})
    await hand(store, "two", 1, 3 * HOUR, {"ada": 4, "bob": -4})
    await hand(store, "three", 1, 30 * HOUR, {"bob": 5, "cyd": -5})
    await hand(store, "three", 2, 31 * HOUR, {"bob": 9, "dan": -9})
    await hand(store, "three", 3, 32 * HOUR, {"ada": 0, "bob": 0, "cyd": 0})
    await hand(store, "one", 3, 40 * HOUR, {"ada": 7, "cyd": -7})
    await hand(store, "elsewhere", 1, 31 * HOUR, {"ada": 100, "bob": -100})
    evenings, standings = await store.groups.standings(group, "cyd")
    assert evenings == [HOUR, 30 * HOUR, 40 * HOUR], "a table's hands can be of several evenings"
    assert [(one.name, one.hands, one.won, one.points, one.evenings, one.by_evening) for one in standings] == [
        ("ada", 4, 3, 11, 2, [4, None, 7]),
        ("bob", 4, 2, 1, 2, [-4, 5, None]),
        ("cyd", 3, 0, -13, 3, [-1, -5, -7]),
    ], "no hand without a second member, no void hand and none at another table counts"
    assert [one.you for one in standings] == [False, False, True]
    await store.close()


def test_equal_points_are_ordered_by_hands_won() -> None:
    """In games without payments all points are 0."""
    wins = {"ada": 1, "bob": 3, "cyd": 3, "dan": 2}
    rows = [SimpleNamespace(evening=10, hands=9, won=won, points=0, player=player) for player, won in wins.items()]
    _, standings = _summed(rows, {name: name for name in wins}, "ada")
    assert [one.name for one in standings] == ["bob", "cyd", "dan", "ada"]


def test_a_member_who_is_deleted_meanwhile_is_not_in_the_standings() -> None:
    """PostgreSQL sees a deletion between two queries of one transaction."""
    sums = {"evening": 10, "hands": 2, "won": 1, "points": 3}
    rows = [SimpleNamespace(**sums, player=player) for player in ("ada", "bob")]
    evenings, (only,) = _summed(rows, {"bob": "Bob"}, "bob")
    assert (evenings, only.name, only.points) == ([10], "Bob", 3)


async def test_a_group_is_bounded(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await opened()
    group = await members(store, "ada", "bob")
    link = await link_of(store, group, "ada")
    await store.people.register("cyd", "cyd", "hash", 1)
    monkeypatch.setattr(groups, "MOST_MEMBERS", 2)
    with pytest.raises(Refused, match="at most 2 members"):
        await store.groups.join(link, "cyd", 9)
    assert await store.groups.join(link, "bob", 9) == group, "who is in it is in it"
    monkeypatch.setattr(groups, "MOST_EACH", 1)
    with pytest.raises(Refused, match="at most 1 groups"):
        await store.groups.create("ada", "Another", RULES, 9)
    monkeypatch.setattr(groups, "MOST_LINES", 2)
    for n in range(4):
        await store.groups.say(group, "ada", f"line {n}", n)
    assert [line.text for line in (await store.groups.load(group, "bob")).lines] == ["line 2", "line 3"]
    await prune(store.database, store.people, Keep(chat=1), 24 * HOUR + 3)
    assert [line.text for line in (await store.groups.load(group, "bob")).lines] == ["line 3"]
    await store.close()


async def test_a_member_who_opens_tables_again_and_again_notifies_once(opened: Opened) -> None:
    store = await opened()
    group = await members(store, "ada", "bob", "cyd")
    await store.people.sign_in("bob's", "bob", "", 1)
    await store.notifications.subscribe("bob", "bob's", Subscription("sub", "https://x.example", "p", "a"))

    link = await link_of(store, group, "ada")
    other = await store.groups.create("ada", "Sunday club", RULES, 1)
    await store.groups.join(await link_of(store, other, "ada"), "bob", 2)

    async def notified(player: str, table: str, now: int, group: str = group) -> list[str]:
        await store.groups.open_table(group, player, table_of(table, player), now)
        due = await store.notifications.take(now)
        for one in due:
            await store.notifications.sent(one)
        return [one.subject for one in due]

    assert await notified("ada", "first", 5) == ["first"]
    assert await notified("ada", "second", 6) == []
    assert await notified("ada", "elsewhere", 7, other) == [], "one person's tables count together, in whatever group"
    assert await notified("cyd", "third", 7) == ["third"], "it is another member's"
    tables = {one.table for one in await store.friends.invitations("bob", 8)}
    assert tables == {"first", "second", "elsewhere", "third"}
    for player in ("bob", "cyd"):
        for table in tables:
            await store.friends.decline(player, table)
    assert await notified("ada", "declined", 8) == [], "who declined has heard all the same"
    await store.people.register("dan", "dan", "hash", 8)
    await store.groups.join(link, "dan", 8)
    await store.people.sign_in("dan's", "dan", "", 8)
    await store.notifications.subscribe("dan", "dan's", Subscription("new", "https://y.example", "p", "a"))
    assert await notified("ada", "fourth", 9) == ["fourth"], "a new member has not heard from Ada"
    assert await notified("ada", "fifth", 9 + groups.NOTIFIED_EVERY) == ["fifth", "fifth"]
    await store.close()


async def test_a_rematch_counts_for_the_group_too(opened: Opened) -> None:
    store = await opened()
    group = await members(store, "ada", "bob")
    room = table_of("first")
    await store.groups.open_table(group, "ada", room, 5)
    for _ in range(2):
        await store.groups.open_rematch("first", table_of("second"))
    await store.groups.open_rematch("other", table_of("third"))
    assert {one.id for one in (await store.groups.load(group, "bob")).tables} == {"first", "second"}
    await store.close()


@pytest.mark.parametrize("how", ["removed", "left"])
async def test_who_is_no_member_is_not_invited_to_the_groups_tables(opened: Opened, how: str) -> None:
    store = await opened()
    group, other = await members(store, "ada", "bob"), await store.groups.create("ada", "Another club", RULES, 1)
    await store.groups.join(await link_of(store, other, "ada"), "bob", 1)
    for place, table in ((group, "first"), (other, "second")):
        await store.groups.open_table(place, "ada", table_of(table), 5)
    if how == "removed":
        await store.groups.remove(group, "ada", "bob")
    else:
        await store.groups.leave(group, "bob")
    assert [one.table for one in await store.friends.invitations("bob", 6)] == ["second"]
    assert await store.friends.invited("first", 6) == []
    await store.close()


async def test_a_line_of_an_author_who_is_deleted_meanwhile_is_not_reported(opened: Opened) -> None:
    """The deletion has removed the author, but the reporting transaction still sees the line."""
    store = await opened()
    group = await members(store, "ada", "bob")
    await store.groups.say(group, "bob", "hello", 5)
    (line,) = (await store.groups.load(group, "ada")).lines
    people = metadata.tables["players"]
    await store.database.write(lambda connection: connection.execute(sa.delete(people).where(people.c.id == "bob")))
    with pytest.raises(Refused):
        await store.groups.report(group, "ada", line.id, "rude", 6)
    reports = sa.select(metadata.tables["reports"])
    assert await store.database.read(lambda connection: connection.execute(reports).all()) == []
    await store.close()


@pytest.mark.full
async def test_a_group_is_never_left_to_a_member_who_is_deleted_meanwhile(postgres_url: str, tmp_path: Path) -> None:
    store = await Store.open(tmp_path, await new_database(postgres_url))
    await members(store, "ada", "bob")
    begun = asyncio.Event()

    def forget_slowly(connection: sa.Connection) -> None:
        forget_groups(connection, "bob")
        begun.set()
        await_only(asyncio.sleep(0.5))

    deletion = asyncio.create_task(store.database.write(forget_slowly))
    await begun.wait()
    await store.database.write(lambda connection: forget_groups(connection, "ada"))
    await deletion
    assert await store.database.read(lambda connection: connection.execute(sa.select(stored_groups)).all()) == []
    await store.close()


class Slow:
    """A connection whose transaction takes half a second after every query of one value."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def scalar(self, query: sa.Select[Any]) -> Any:
        value = self._connection.scalar(query)
        await_only(asyncio.sleep(0.5))
        return value


@pytest.mark.full
async def test_a_group_is_never_left_to_a_member_who_leaves_meanwhile(postgres_url: str, tmp_path: Path) -> None:
    """The host's account is deleted while the heir leaves: the heir waits, and the group ends with its last member."""
    store = await Store.open(tmp_path, await new_database(postgres_url))
    group = await members(store, "ada", "bob")
    begun = asyncio.Event()

    def forget(connection: sa.Connection) -> None:
        begun.set()
        forget_groups(cast("sa.Connection", Slow(connection)), "ada")

    deletion = asyncio.create_task(store.database.write(forget))
    await begun.wait()
    await asyncio.sleep(0.2)
    await store.groups.leave(group, "bob")
    await deletion
    assert await store.database.read(lambda connection: connection.execute(sa.select(stored_groups)).all()) == []
    await store.close()


async def test_a_group_outlives_its_hosts_account(opened: Opened) -> None:
    store = await opened()
    group = await members(store, "ada", "bob", "cyd")
    await store.groups.say(group, "ada", "hello", 5)
    assert (await store.people.export("ada"))["groups_hosted"][0]["name"] == "Friday club"
    await store.people.delete("ada", 6)
    loaded = await store.groups.load(group, "bob")
    assert [(one.name, one.host) for one in loaded.members] == [("bob", True), ("cyd", False)]
    assert loaded.lines == []
    await store.people.delete("cyd", 7)
    await store.people.delete("bob", 8)
    with pytest.raises(Refused, match=re.escape("no such group")):
        await store.groups.load(group, "bob")
    await store.close()

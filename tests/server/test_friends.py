"""Friends: following, online status, invitations to tables, and blocks, which are mutual."""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from typing import Any

import pytest

from dasan.server.operations import chores
from dasan.server.refusals import Refused
from dasan.server.store import friends
from dasan.server.store.notifications import MOST_ASKED
from dasan.server.store.retention import Keep, prune

from .conftest import Opened
from .harness import SECONDS, Serve, Served, account, ok, refusal, towards
from .rooms import open_table
from .two_processes import TwoProcesses


@pytest.mark.full
def test_friends_see_each_other_and_invite_to_a_table(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bo, guest = account(server, "Ada"), account(server, "Bob"), server.player()
    assert ok(guest.http.get("/api/friends"))["you"] is None
    assert refusal(guest.http.post("/api/friends/Ada/follow", json={})) == (403, "you are not signed in to an account")
    assert refusal(ada.http.post("/api/friends/Nobody/follow", json={}))[0] == 404
    assert refusal(ada.http.post("/api/friends/ada/follow", json={})) == (409, "that is you")
    one_way = {"name": "Bob", "mutual": False, "here": False, "seen": None}
    assert towards(ada, "follow", "bob")["follows"] == [one_way]
    assert ok(bo.http.get("/api/friends")) == {"you": "Bob", "follows": [], "followers": ["Ada"], "blocked": []}

    table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
    invite = {"name": "Bob"}
    answer = ada.http.post(f"/api/tables/{table}/invite", json=invite)
    assert refusal(answer) == (409, "you can only invite players who follow you and whom you follow")
    (friend,) = towards(bo, "follow", "Ada")["follows"]
    assert (friend["mutual"], friend["here"]) == (True, True)
    assert refusal(bo.http.post(f"/api/tables/{table}/invite", json={"name": "Ada"}))[0] == 403
    assert refusal(bo.http.get(f"/api/tables/{table}/invited"))[0] == 403
    for _ in range(2):
        assert ok(ada.http.post(f"/api/tables/{table}/invite", json=invite)) == {"names": ["Bob"]}
    assert ok(guest.http.get("/api/invitations")) == []
    (invitation,) = ok(bo.http.get("/api/invitations"))
    assert (invitation["table"], invitation["host"], invitation["preset"]) == (table, "Ada", "big-two")
    ok(bo.http.post(f"/api/tables/{table}/join", json={}))
    assert ok(bo.http.get("/api/invitations")) == [], "who has come needs no invitation"
    other = ada.open_table("big-two", seats=["me", "open", "open", "open"])
    ok(ada.http.post(f"/api/tables/{other}/invite", json=invite))
    assert ok(bo.http.post(f"/api/invitations/{other}/decline", json={})) == []

    monkeypatch.setattr(friends, "HERE", -1)
    (friend,) = ok(ada.http.get("/api/friends"))["follows"]
    assert not friend["here"]
    assert towards(ada, "unfollow", "Bob")["follows"] == []
    (friend,) = ok(bo.http.get("/api/friends"))["follows"]
    assert friend == {"name": "Ada", "mutual": False, "here": False, "seen": None}


@pytest.mark.full
def test_a_block_is_mutual(server: Served) -> None:
    ada, bo = account(server, "Ada"), account(server, "Bob")
    towards(ada, "follow", "Bob")
    towards(bo, "follow", "Ada")
    table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
    ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))
    circle = towards(bo, "block", "Ada")
    assert (circle["follows"], circle["followers"], circle["blocked"]) == ([], [], ["Ada"])
    assert ok(ada.http.get("/api/friends")) == {"you": "Ada", "follows": [], "followers": [], "blocked": []}
    assert ok(bo.http.get("/api/invitations")) == []
    for player, name in ((ada, "Bob"), (bo, "Ada")):
        answer = player.http.post(f"/api/friends/{name}/follow", json={})
        assert refusal(answer) == (403, "one of you has blocked the other")
    seek = {"preset": "big-three", "speed": "move-20", "bots": False}
    answers = [ok(player.http.post("/api/quick", json=seek)) for player in (ada, bo, ada)]
    assert [one["seeking"] for one in answers] == [1, 1, 1], "they are not looked for together"
    towards(bo, "unblock", "Ada")
    assert ok(bo.http.post("/api/quick", json=seek))["seeking"] == 2
    ok(ada.http.post("/api/friends/Bob/follow", json={}))


@pytest.mark.full
def test_a_socket_or_a_page_says_that_somebody_is_here(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chores.HERE_EVERY * 2000 < friends.HERE, "one write may be late"
    monkeypatch.setattr(chores, "HERE_EVERY", 0.02)
    with serve() as server:
        ada, bo = account(server, "Ada"), account(server, "Bob")
        towards(ada, "follow", "Bob")
        towards(bo, "follow", "Ada")

        def seen() -> int:
            (friend,) = ok(ada.http.get("/api/friends"))["follows"]
            return int(friend["seen"])

        def later(than: int) -> int:
            end = time.monotonic() + SECONDS
            while (online := seen()) <= than:
                assert time.monotonic() < end
                time.sleep(0.02)
            return online

        followed = seen()
        ok(bo.http.get("/api/invitations"))
        by_page = later(followed)
        with bo.sit(bo.open_table("big-three", ["random", "random"])):
            later(later(by_page))
        time.sleep(0.1)
        gone = seen()
        time.sleep(0.2)
        assert seen() == gone


async def test_as_many_are_followed_and_blocked_as_there_is_room_for(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(friends, "MOST_FOLLOWED", 1)
    store = await opened()
    for name in ("ada", "bob", "cyd"):
        await store.people.register(name, name, "hash", 1)
    for change in (store.friends.follow, store.friends.block):
        for at in (1, 2):
            await change("ada", "bob", at)
        with pytest.raises(Refused, match="there is room for at most 1 players"):
            await change("ada", "cyd", 3)
    await store.close()


async def test_only_players_who_follow_back_are_seen_online(opened: Opened) -> None:
    store = await opened()
    for name in ("ada", "bob", "cyd"):
        await store.people.register(name, name, "hash", 1)
    await store.friends.follow("ada", "bob", 2)
    await store.friends.follow("cyd", "ada", 2)
    await store.friends.follow("bob", "cyd", 2)
    circle = await store.friends.circle("ada", 3)
    assert [(one.name, one.mutual, one.here) for one in circle.follows] == [("bob", False, False)]
    assert circle.followers == ["cyd"]
    await store.close()


async def test_who_is_invited_is_told_as_long_as_the_invitation_stands(opened: Opened) -> None:
    store = await opened()
    room, _ = await open_table(store)
    seated = room.chairs[1].player
    assert seated is not None
    for name in ("ada", "bob", "cyd", seated):
        await store.people.register(name, name, "hash", 1)
    for name in ("bob", "cyd", seated):
        await store.friends.follow("ada", name, 1)
        await store.friends.follow(name, "ada", 1)
    table, late = room.head.id, friends.OPEN // 2
    for at, name in ((0, "bob"), (late, "cyd"), (late, seated)):
        await store.friends.invite("ada", name, table, at)
    assert await store.friends.invited(table, late) == ["bob", "cyd"], "one of them sits there"
    assert await store.friends.invited(table, friends.OPEN) == ["cyd"], "the first is a day old"
    assert await store.friends.invitations("bob", friends.OPEN) == []
    await prune(store.database, store.people, Keep(), friends.OPEN + 1)
    await store.friends.decline("cyd", table)
    assert await store.friends.invited(table, late) == []
    await store.close()


async def test_when_players_were_last_here_is_stored_for_those_who_follow(opened: Opened) -> None:
    store = await opened()
    for name in ("ada", "bob"):
        await store.people.register(name, name, "hash", 1)
    await store.friends.follow("ada", "bob", 1)
    await store.friends.follow("bob", "ada", 1)
    await store.friends.seen({"bob", "ada", "guest"}, 9)
    await store.friends.seen({"guest"}, 10)
    assert [one.seen for name in ("ada", "bob") for one in (await store.friends.circle(name, 9)).follows] == [9, 9]
    await store.close()


@pytest.mark.full
async def test_two_who_have_blocked_each_other_are_not_seated_by_a_third(opened: Opened) -> None:
    """The third fits both, and sits down with the one who has waited longer."""
    store = await opened()
    for name in ("ada", "bob", "cyd"):
        await store.people.register(name, name, "hash", 1)
    await store.friends.block("ada", "bob", 1)
    seated: list[tuple[str, ...]] = []

    def make(together: Any) -> Any:
        seated.append(tuple(sorted(one.player for one in together)))
        raise asyncio.CancelledError

    for at, name in enumerate(("ada", "bob", "cyd"), 1):
        with pytest.raises(asyncio.CancelledError) if name == "cyd" else nullcontext():
            await store.matches.seek(name, name, ("big-two", "move-20"), 2, at, bots=False, fill_after=10**6, make=make)
    assert seated == [("ada", "cyd")]
    await store.close()


@pytest.mark.full
async def test_a_follow_does_not_outlive_a_block_that_is_made_at_the_same_moment(
    two_processes: TwoProcesses,
) -> None:
    store = two_processes.store
    for name in ("ada", "bob"):
        await store.people.register(name, name, "x", 1)
    done = await two_processes.overtake(
        lambda store: store.friends.follow("ada", "bob", 2), lambda store: store.friends.block("bob", "ada", 2)
    )
    assert done == (None, None)
    assert (await store.friends.circle("ada", 3)).follows == []


async def test_a_clock_that_is_set_back_leaves_no_ghosts_and_no_waits(opened: Opened) -> None:
    """What was written before has a time in the future."""
    store = await opened()
    hour = 3_600_000
    for name in ("ada", "bob"):
        await store.people.register(name, name, "x", 2 * hour)
    for one, other in (("ada", "bob"), ("bob", "ada")):
        await store.friends.follow(one, other, 2 * hour)
    await store.notifications.ask("ada", "ada@x.example", "one", 2 * hour)
    for now, here in ((2 * hour, True), (hour, False)):
        assert [one.here for one in (await store.friends.circle("ada", now)).follows] == [here]
    await store.notifications.ask("ada", "ada@y.example", "two", hour)
    assert (await store.notifications.of("ada")).address == "ada@y.example"
    for n in range(MOST_ASKED):
        await store.people.register(f"p{n}", f"p{n}", "x", 0)
        await store.notifications.ask(f"p{n}", "bob@x.example", f"of p{n}", 100 * hour)
    await store.notifications.ask("bob", "bob@x.example", "three", hour)
    await store.close()

"""Friends: following, who is here, invitations to tables, and blocks, which are mutual."""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from dasan.server.operations import chores
from dasan.server.refusals import Refused
from dasan.server.store import friends
from dasan.server.store.schema import invitations

from .conftest import Opened
from .harness import SECONDS, Player, Serve, Served


def ok(answer: httpx.Response) -> Any:
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def account(server: Served, name: str) -> Player:
    player = server.player()
    ok(player.http.post("/api/account", json={"name": name, "password": "correct horse"}))
    return player


def towards(player: Player, what: str, name: str) -> Any:
    return ok(player.http.post(f"/api/friends/{name}/{what}", json={}))


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["message"]


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
    monkeypatch.setattr("dasan.server.api.friends.HERE", -1)
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
    found = [ok(player.http.post("/api/quick", json=seek)) for player in (ada, bo, ada)]
    assert [one["seeking"] for one in found] == [1, 1, 1], "they are not looked for together"
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
            while (found := seen()) <= than:
                assert time.monotonic() < end
                time.sleep(0.02)
            return found

        followed = seen()
        ok(bo.http.get("/api/invitations"))
        by_page = later(followed)
        with bo.sit(bo.open_table("big-three", ["random", "random"])):
            later(later(by_page))
        time.sleep(0.1)
        gone = seen()
        time.sleep(0.2)
        assert seen() == gone


async def test_what_is_stored_of_friends_can_be_read_and_is_forgotten(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened()
    for name in ("ada", "bob", "cyd"):
        await store.people.register(name, name, "hash", 1)
    await store.friends.follow("ada", "bob", 1)
    await store.friends.follow("ada", "bob", 2)
    await store.friends.follow("bob", "ada", 2)
    await store.friends.block("ada", "cyd", 3)
    exported = await store.people.export("ada")
    assert [row["followed"] for row in exported["follows"]] == ["bob"]
    assert [row["blocked"] for row in exported["blocks"]] == ["cyd"]
    monkeypatch.setattr(friends, "MOST_FOLLOWED", 1)
    with pytest.raises(Refused, match="there is room for at most 1 players"):
        await store.friends.follow("bob", "cyd", 4)
    await store.people.delete("ada", 5)
    assert await store.friends.circle("bob") == friends.Circle((), (), ())
    query = sa.select(sa.func.count()).select_from(invitations)
    assert await store.database.read(lambda c: c.scalar(query)) == 0
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

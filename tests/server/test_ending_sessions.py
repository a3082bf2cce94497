"""Whatever ends a session ends everything that the session made: its cookie, personal links, pending passkeys."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
import sqlalchemy as sa

from dasan.server.people.identity import fingerprint
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.passkeys import Challenge
from dasan.server.store.people import People
from dasan.server.store.schema import ended_sessions, players

from .conftest import Opened
from .harness import Player, Served
from .test_accounts import SECRET, ok
from .test_keeping import from_outside

pytestmark = pytest.mark.full

NEW = "battery staple"


def new_password(player: Player) -> None:
    ok(player.http.post("/api/account/password", json={"old": SECRET["password"], "new": NEW}))


def out_everywhere(player: Player) -> None:
    ok(player.http.post("/api/sign-out", params={"everywhere": True}))


def out_here(player: Player) -> None:
    ok(player.http.post("/api/sign-out"))


def other_out(player: Player) -> None:
    (other,) = [one["id"] for one in ok(player.http.get("/api/sessions")) if not one["current"]]
    ok(player.http.post(f"/api/sessions/{other}/sign-out"))


def deleted(player: Player) -> None:
    ok(player.http.post("/api/account/delete", json={"password": SECRET["password"]}))


@pytest.mark.parametrize("remedy", [new_password, out_everywhere, out_here, other_out, deleted])
@pytest.mark.full
def test_a_link_made_while_signed_in_ends_with_the_session(server: Served, remedy: Callable[[Player], None]) -> None:
    owner, thief, fresh = server.player(), server.player(), server.player()
    ok(owner.http.post("/api/account", json=SECRET))
    ok(thief.http.post("/api/sign-in", json=SECRET))
    links = [ok(player.http.post("/api/me/link"))["token"] for player in (thief, owner)]
    remedy(owner)
    for token in links:
        assert fresh.http.post("/api/me/claim", json={"token": token}).status_code == 404
    assert ok(fresh.http.get("/api/me"))["id"] is None
    if remedy is not out_here:
        assert ok(thief.http.get("/api/me"))["account"] is None


def test_a_link_made_as_a_guest_does_not_give_the_account(server: Served) -> None:
    owner, fresh = server.player(), server.player()
    ok(owner.http.post("/api/me/name", json={"name": "Ann"}))
    token = ok(owner.http.post("/api/me/link"))["token"]
    ok(owner.http.post("/api/account", json=SECRET))
    assert fresh.http.post("/api/me/claim", json={"token": token}).status_code == 404


def replayed(server: Served, cookies: dict[str, str]) -> str | None:
    """The player of a browser with these cookies."""
    found: str | None = ok(httpx.get(f"{server.address}/api/me", cookies=cookies))["id"]
    return found


def test_a_guests_cookie_ends_with_sign_out(server: Served) -> None:
    here, there = server.player(), server.player()
    table_id = here.open_table("big-three", ["random", "random"])
    ok(there.http.post("/api/me/claim", json={"token": ok(here.http.post("/api/me/link"))["token"]}))
    mine, other = dict(here.http.cookies), dict(there.http.cookies)
    assert replayed(server, mine) == replayed(server, other) is not None
    out_here(here)
    assert replayed(server, mine) is None
    assert httpx.get(f"{server.address}/api/tables/{table_id}", cookies=mine).status_code == 403
    assert replayed(server, other) is not None, "the other browser is still the player"
    out_everywhere(there)
    assert replayed(server, other) is None


@pytest.mark.full
def test_a_deleted_player_does_not_come_back_with_the_old_cookie(server: Served) -> None:
    for account in (False, True):
        player = server.player()
        ok(player.http.post("/api/me/name", json={"name": "Ann"}))
        if account:
            ok(player.http.post("/api/account", json=SECRET))
        old = dict(player.http.cookies)
        ok(player.http.post("/api/account/delete", json={"password": SECRET["password"] if account else None}))
        assert replayed(server, old) is None


def test_a_guest_of_an_earlier_version_can_sign_out(server: Served) -> None:
    """Their cookie names no session."""
    player = server.player()
    ok(player.http.post("/api/me/name", json={"name": "Ann"}))
    one = ok(player.http.get("/api/me"))["id"]
    old = {"dasan_session": server.identities._cookies.sign(one)}
    assert replayed(server, old) == one
    player.http.cookies.clear()
    player.http.cookies.update(old)
    out_here(player)
    assert replayed(server, old) is None


@pytest.mark.full
def test_a_lifted_ban_lets_a_guest_in_again(server: Served) -> None:
    player = server.player()
    ok(player.http.post("/api/me/name", json={"name": "Ann"}))
    one, cookies = ok(player.http.get("/api/me"))["id"], dict(player.http.cookies)
    from_outside(server, lambda store: store.people.ban(one, 1 << 50))
    from_outside(server, lambda store: store.people.ban(one, 1 << 50, banned=False))
    server.identities.forget()
    assert replayed(server, cookies) == one


@pytest.mark.full
def test_sessions_of_accounts_leave_nothing_behind(server: Served) -> None:
    """Their sign-ins are rows, so that a row in the list of ended sessions would only take room."""
    player = server.player()
    ok(player.http.post("/api/account", json=SECRET))
    for _ in range(3):
        out_here(player)
        ok(player.http.post("/api/sign-in", json=SECRET))
    engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
    with engine.connect() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(ended_sessions)) == 1, "the guest that began it"
        assert connection.scalar(sa.select(sa.func.count()).select_from(players)) == 1
    engine.dispose()


@pytest.mark.parametrize(
    "end",
    [
        lambda people: people.set_password("p", "x", 2),
        lambda people: people.sign_out("p", None, 2),
        lambda people: people.sign_out("p", fingerprint("s"), 2),
        lambda people: people.ban("p", 2),
        lambda people: people.delete("p", 2),
        lambda people: people.register("p", "Ann", "x", 2),
    ],
    ids=["password", "everywhere", "here", "ban", "delete", "register"],
)
async def test_each_end_of_sessions_ends_links_and_challenges(opened: Opened, end: Callable[[People], object]) -> None:
    store = await opened()
    people = store.people
    await people.register("p", "Ann", "x", 0)
    await people.sign_in(fingerprint("s"), "p", "", 0)
    await people.make_link(fingerprint("l"), "p", 0, 1 << 50)
    await store.passkeys.ask("t", Challenge(b"c", "register", "p"), 0)
    await people.make_link(fingerprint("other"), "q", 0, 1 << 50)
    await end(people)  # type: ignore[misc]
    assert not await people.is_signed_in(fingerprint("s"), "p", 2)
    assert await people.take_link(fingerprint("l"), 2) is None
    assert await store.passkeys.answer("t", 2) is None
    assert await people.take_link(fingerprint("other"), 2) == "q"
    assert [(n.kind, n.subject) for n in await store.processes.notices(2)][-1] == ("recheck", "p")
    await store.close()

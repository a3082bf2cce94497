"""Sign-outs, bans and new passwords end a session, and all that was made in it: sockets, cookie, links, pending passkeys."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa

from dasan.server.api import passkeys
from dasan.server.connections.websocket import PROBE_EVERY
from dasan.server.people.identity import UNDATED_UNTIL, Cookies, Identities, fingerprint
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store import people as stored_people
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.notifications import Subscription
from dasan.server.store.passkeys import Challenge, LastWayIn, Passkey
from dasan.server.store.people import AccountChanged, Person
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import ended_sessions, players
from dasan.server.times import now

from .conftest import Opened
from .harness import ANN, SECONDS, Player, Served, account, ban, closed_with, from_outside, my_id, ok
from .two_processes import TwoProcesses

pytestmark = pytest.mark.full

NEW = "battery staple"


def new_password(player: Player) -> None:
    ok(player.http.post("/api/account/password", json={"old": ANN["password"], "new": NEW}))


def out_everywhere(player: Player) -> None:
    ok(player.http.post("/api/sign-out", params={"everywhere": True}))


def out_here(player: Player) -> None:
    ok(player.http.post("/api/sign-out"))


def other_out(player: Player) -> None:
    (other,) = [one["id"] for one in ok(player.http.get("/api/sessions")) if not one["current"]]
    ok(player.http.post(f"/api/sessions/{other}/sign-out"))


def deleted(player: Player) -> None:
    ok(player.http.post("/api/account/delete", json={"password": ANN["password"]}))


@pytest.mark.parametrize("remedy", [new_password, out_everywhere, out_here, other_out, deleted])
@pytest.mark.full
def test_a_link_made_while_signed_in_ends_with_the_session(server: Served, remedy: Callable[[Player], None]) -> None:
    owner, thief, fresh = server.player(), server.player(), server.player()
    ok(owner.http.post("/api/account", json=ANN))
    ok(thief.http.post("/api/sign-in", json=ANN))
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
    ok(owner.http.post("/api/account", json=ANN))
    assert fresh.http.post("/api/me/claim", json={"token": token}).status_code == 404


def replayed(server: Served, cookies: dict[str, str]) -> str | None:
    """The player of a browser with these cookies."""
    player: str | None = ok(httpx.get(f"{server.address}/api/me", cookies=cookies))["id"]
    return player


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
    for registered in (False, True):
        player = server.player()
        ok(player.http.post("/api/me/name", json={"name": "Ann"}))
        if registered:
            ok(player.http.post("/api/account", json=ANN))
        old = dict(player.http.cookies)
        ok(player.http.post("/api/account/delete", json={"password": ANN["password"] if registered else None}))
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
    from_outside(server, lambda store: ban(store, one))
    from_outside(server, lambda store: ban(store, one, lift=True))
    server.identities.forget()
    assert replayed(server, cookies) == one


@pytest.mark.full
def test_sessions_of_accounts_leave_nothing_behind(server: Served) -> None:
    """Their sign-ins are rows, so the list of ended sessions needs no row for them."""
    player = server.player()
    ok(player.http.post("/api/account", json=ANN))
    for _ in range(3):
        out_here(player)
        ok(player.http.post("/api/sign-in", json=ANN))
    engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
    with engine.connect() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(ended_sessions)) == 1, "the guest that began it"
        assert connection.scalar(sa.select(sa.func.count()).select_from(players)) == 1
    engine.dispose()


def waits_for_its_hash(server: Served, remedy: Callable[[], object], request: Callable[[], httpx.Response]) -> int:
    """The status of a request that began before the remedy and whose password hash finishes after it."""
    ids, begun, go_on = server.identities, threading.Event(), threading.Event()
    check = ids._check

    def slow(stored: str | None, password: str) -> bool:
        begun.set()
        right = check(stored, password)
        assert go_on.wait(SECONDS)
        return right

    ids._check = slow  # type: ignore[method-assign]
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(request)
        assert begun.wait(SECONDS)
        ids._check = check  # type: ignore[method-assign]
        remedy()
        go_on.set()
        return answer.result().status_code


@pytest.mark.parametrize("remedy", ["password", "ban"])
def test_a_sign_in_under_way_does_not_outlive_the_remedy(server: Served, remedy: str) -> None:
    owner, thief = server.player(), server.player()
    ok(owner.http.post("/api/account", json=ANN))
    one = ok(owner.http.get("/api/me"))["id"]

    def end() -> None:
        if remedy == "password":
            new_password(owner)
        else:
            from_outside(server, lambda store: ban(store, one))
            from_outside(server, lambda store: ban(store, one, lift=True))
            from_outside(server, lambda store: ban(store, one))

    assert waits_for_its_hash(server, end, lambda: thief.http.post("/api/sign-in", json=ANN)) == 403
    assert "dasan_session" not in thief.http.cookies
    if remedy == "password":
        assert len(ok(owner.http.get("/api/sessions"))) == 1


@pytest.mark.parametrize("path", ["/api/account/password", "/api/account/delete"])
def test_what_a_thief_has_begun_ends_with_the_session(server: Served, path: str) -> None:
    """A thief who knows the password requests a new one, or deletion; the owner signs out everywhere."""
    owner, thief = server.player(), server.player()
    ok(owner.http.post("/api/account", json=ANN))
    ok(thief.http.post("/api/sign-in", json=ANN))
    body = {"old": ANN["password"], "new": NEW, "password": ANN["password"]}
    wanted = {name: body[name] for name in (("old", "new") if path.endswith("password") else ("password",))}
    assert waits_for_its_hash(server, lambda: out_everywhere(owner), lambda: thief.http.post(path, json=wanted)) == 403
    ok(owner.http.post("/api/sign-in", json=ANN))


def test_sessions_are_refused_after_browsers_have_dropped_them() -> None:
    cookies = Cookies(b"k" * 32, lambda: 20_783)
    session, undated = cookies.sign("p", cookies.session()), cookies.sign("p", "s")
    for later, counts in ((400, True), (401, False)):
        assert (Cookies(b"k" * 32, lambda later=later: 20_783 + later).read(session) is not None) is counts  # type: ignore[misc]
    for day, counts in ((UNDATED_UNTIL - 1, True), (UNDATED_UNTIL, False)):
        assert (Cookies(b"k" * 32, lambda day=day: day).read(undated) is not None) is counts  # type: ignore[misc]


async def test_ends_of_sessions_are_kept_as_long_as_a_cookie_counts(opened: Opened) -> None:
    store = await opened()
    await store.people.sign_out("guest", "one", 0)
    day = 24 * 60 * 60 * 1000
    for days, ended in ((400, True), (402, False)):
        await prune(store.database, store.people, Keep(), days * day)
        assert await store.people.has_ended("guest", "one") is ended
    await store.close()


@pytest.mark.parametrize(
    "end",
    [
        lambda store: store.people.set_password("p", "x", 2),
        lambda store: store.people.sign_out("p", None, 2),
        lambda store: store.people.sign_out("p", fingerprint("s"), 2),
        lambda store: ban(store, "p", 2),
        lambda store: store.people.delete("p", 2),
    ],
    ids=["password", "everywhere", "here", "ban", "delete"],
)
async def test_each_end_of_sessions_ends_links_and_challenges(opened: Opened, end: Callable[[Store], object]) -> None:
    store = await opened()
    people = store.people
    await people.register("p", "Ann", "x", 0)
    await people.sign_in(fingerprint("s"), "p", "", 0)
    await people.make_link(fingerprint("l"), "p", fingerprint("s"), 0, 1 << 50)
    await store.passkeys.ask("t", Challenge(b"c", "register", "p"), 0)
    await people.make_link(fingerprint("other"), "q", None, 0, 1 << 50)
    await end(store)  # type: ignore[misc]
    assert not await people.is_signed_in(fingerprint("s"), "p", 2)
    assert await people.take_link(fingerprint("l"), 2) is None
    assert await store.passkeys.answer("t", 2) is None
    assert await people.take_link(fingerprint("other"), 2) == "q"
    assert [(n.kind, n.subject) for n in await store.processes.notices(2)][-1] == ("recheck", "p")
    await store.close()


async def test_an_account_has_a_bounded_number_of_signed_in_browsers(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new one stays whatever the clock says; of the others, those seen last."""
    monkeypatch.setattr(stored_people, "MOST_SIGN_INS", 3)
    store = await opened()
    people = store.people
    for player in ("p", "q"):
        await people.register(player, player, "x", 0)
    await people.sign_in("another's", "q", "", 0)
    for session, at in (("a", 10), ("b", 30), ("c", 20), ("d", 5)):
        await people.sign_in(session, "p", "", at)
        await store.notifications.subscribe("p", session, Subscription(session, session, "", "", created=at))
    assert [row.id for row in await people.sign_ins("p")] == ["b", "c", "d"]
    assert {one.id for one in (await store.notifications.of("p")).browsers} == {"b", "c", "d"}
    assert [row.id for row in await people.sign_ins("q")] == ["another's"]
    await store.close()


async def test_who_signs_out_while_the_store_is_asked_is_not_remembered_as_signed_in(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    people = store.people
    await people.register("ann", "Ann", "x", 0)
    await people.sign_in(fingerprint("s"), "ann", "", now())
    identities = Identities(b"k" * 32, people, 1)
    whole, asked, go_on = people.is_signed_in, asyncio.Event(), asyncio.Event()

    async def slowly(*given: Any) -> bool:
        session = await whole(*given)
        asked.set()
        await go_on.wait()
        return session

    people.is_signed_in = slowly  # type: ignore[method-assign,assignment]
    first = asyncio.create_task(identities._valid("ann", "s"))
    await asked.wait()
    await people.sign_out("ann", None, now())
    identities.forget()
    go_on.set()
    assert await first, "it was asked before"
    assert not await identities._valid("ann", "s")
    await store.close()


@pytest_asyncio.fixture
async def with_account(two_processes: TwoProcesses) -> TwoProcesses:
    """The account ``p`` without a password: two passkeys, two sign-ins and a link."""
    store = two_processes.store
    one, other = (Passkey(key, key.encode(), b"k", 0, "p", key, 1, 1) for key in ("one", "two"))
    await store.passkeys.add(one, "Ann", None)
    await store.people.sign_in("here", "p", "", 1)
    await store.passkeys.add(other, None, "here")
    await store.people.make_link("link", "p", "here", 1, 1 << 50)
    return two_processes


async def test_of_two_passkeys_that_are_removed_at_once_one_stays(with_account: TwoProcesses) -> None:
    one, other = await with_account.overtake(
        lambda store: store.passkeys.remove("p", "one"), lambda store: store.passkeys.remove("p", "two")
    )
    assert (one, type(other)) == (True, LastWayIn)
    assert [key.id for key in await with_account.store.passkeys.of("p")] == ["two"]


async def test_a_sign_in_waits_for_a_change_of_the_password(with_account: TwoProcesses) -> None:
    before = Person("p", "Ann", 1, "ann", None)
    _, other = await with_account.overtake(
        lambda store: store.people.set_password("p", "new", 2),
        lambda store: store.people.sign_in("thief", "p", "", 2, before),
    )
    assert type(other) is AccountChanged
    assert await with_account.store.people.sign_ins("p") == []


async def test_of_two_changes_of_the_password_the_second_is_refused(with_account: TwoProcesses) -> None:
    before = Person("p", "Ann", 1, "ann", None)
    _, other = await with_account.overtake(
        lambda store: store.people.set_password("p", "new", 2, before),
        lambda store: store.people.set_password("p", "other", 2, before),
    )
    assert type(other) is AccountChanged


async def test_a_browser_that_takes_a_link_meanwhile_is_signed_out(with_account: TwoProcesses) -> None:
    taken, _ = await with_account.overtake(
        lambda store: store.people.take_link("link", 2, "thief"), lambda store: store.people.sign_out("p", None, 2)
    )
    assert taken == "p"
    assert await with_account.store.people.sign_ins("p") == []


async def test_a_link_that_is_made_meanwhile_ends_with_the_session(with_account: TwoProcesses) -> None:
    await with_account.overtake(
        lambda store: store.people.make_link("other", "p", "here", 2, 1 << 50),
        lambda store: store.people.sign_out("p", None, 2),
    )
    assert await with_account.store.people.take_link("other", 3) is None


async def test_nothing_is_made_in_a_session_that_has_just_ended(opened: Opened) -> None:
    """Another process may know of the end a second later, and accept the session until then."""
    store = await opened()
    people = store.people
    await people.register("p", "Ann", "x", 0)
    for name in ("here", "there"):
        await people.sign_in(name, "p", "", 0)
    await people.sign_out("p", "here", 1)
    await people.sign_out("guest", "here", 1)
    with pytest.raises(Refused):
        await store.notifications.subscribe("p", "here", Subscription("s", "https://x.example", "p", "a"))
    with pytest.raises(Refused):
        await store.passkeys.add(Passkey("one", b"one", b"k", 0, "p", "one", 1, 1), None, "here")
    for player in ("p", "guest"):
        with pytest.raises(Refused):
            await people.make_link("link", player, "here", 2, 9)
        await people.make_link(f"of {player}", player, "there", 2, 9)
    assert [await people.take_link(link, 3) for link in ("link", "of p", "of guest")] == [None, "p", "guest"]
    await store.close()


def test_a_ban_takes_effect_at_once_and_can_be_lifted(server: Served) -> None:
    ann = server.player()
    table_id = ann.open_table("big-three", ["random", "random"])
    one = my_id(ann)
    with ann.sit(table_id) as socket:
        begun = time.monotonic()
        from_outside(server, lambda store: ban(store, one))
        assert closed_with(socket) == 4403
        assert time.monotonic() - begun < PROBE_EVERY - 2, "it does not wait for the next probe"
    for answer in (ann.http.get("/api/me"), ann.http.post("/api/tables", json={"preset": "big-two"})):
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    with ann.connect(table_id) as socket:
        assert closed_with(socket) == 4403
    from_outside(server, lambda store: ban(store, one, lift=True))
    deadline = time.monotonic() + SECONDS
    while ann.http.get("/api/me").status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with ann.sit(table_id):
        pass


def test_a_banned_account_cannot_sign_in(server: Served) -> None:
    ann, again = server.player(), server.player()
    one = ok(ann.http.post("/api/account", json=ANN))["id"]
    from_outside(server, lambda store: ban(store, one))
    assert again.http.post("/api/sign-in", json=ANN).status_code == 403


@pytest.mark.full
def test_a_passkeys_request_is_answered_once_and_by_whom_and_for_what_it_was_made(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def accepted(_: object) -> SimpleNamespace:
        return SimpleNamespace(credential_id=b"c", credential_public_key=b"k", sign_count=0, new_sign_count=0)

    monkeypatch.setattr(passkeys, "_place", lambda _: "localhost")
    monkeypatch.setattr(passkeys, "_checked", accepted)
    ann, bob, nobody = account(server, "Ann"), account(server, "Bob"), server.player()

    def begun(path: str = "") -> str:
        return str(ok(ann.http.post(f"/api/passkeys{path}/options", json={}))["ticket"])

    def answered(player: Player, ticket: str, path: str = "") -> int:
        body = {"ticket": ticket, "credential": '{"rawId": "Yw"}'}
        return player.http.post(f"/api/passkeys{path}", json=body).status_code

    assert [answered(player, begun()) for player in (bob, nobody)] == [403, 403]
    assert [answered(ann, begun(), "/sign-in"), answered(ann, begun("/sign-in"))] == [404, 404]
    ticket = begun()
    assert [answered(ann, ticket), answered(ann, ticket)] == [201, 404]
    assert answered(nobody, begun("/sign-in"), "/sign-in") == 200
    ticket, one = begun("/sign-in"), my_id(nobody)
    assert one == my_id(ann)
    from_outside(server, lambda store: ban(store, one))
    assert answered(server.player(), ticket, "/sign-in") == 403


@pytest.mark.parametrize("everywhere", [False, True])
def test_signing_out_closes_the_sockets_of_that_browser(server: Served, everywhere: bool) -> None:
    here, there = server.player(), server.player()
    ok(here.http.post("/api/account", json=ANN))
    ok(there.http.post("/api/sign-in", json=ANN))
    table_id = here.open_table("big-three", ["random", "random"])
    begun = time.monotonic()
    with here.sit(table_id) as mine, there.sit(table_id) as other:
        ok(here.http.post("/api/sign-out", params={"everywhere": everywhere}))
        assert closed_with(mine) == 4403
        if everywhere:
            assert closed_with(other) == 4403
        else:
            other.receive_all()
    assert time.monotonic() - begun < PROBE_EVERY - 2

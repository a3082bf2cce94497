"""Guessing passwords is slow from any number of addresses, and never locks the owner out."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx
import pytest
from starlette.datastructures import Headers

from dasan.server.people.guesses import Guesses
from dasan.server.settings import Settings

from .harness import ANN, SECONDS, Serve, Served, ok

pytestmark = pytest.mark.full

WRONG = {**ANN, "password": "wrong horse"}
DEFAULTS = Settings()


def attempt(server: Served, address: str, body: dict[str, str], cookies: dict[str, str] | None = None) -> int:
    """The answer to an attempt from an address, as a trusted proxy names it."""
    with httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS, verify=False) as client:
        return client.post("/api/sign-in", json=body, headers={"x-forwarded-for": address}).status_code


@pytest.mark.full
def test_strangers_keep_no_owner_out(serve: Serve) -> None:
    """Four addresses guess at full rate; the owner signs in from a new browser, and from one used before."""
    limits = {name: getattr(DEFAULTS, name) for name in ("sign_in_rate", "sign_in_burst", "guess_rate", "guess_burst")}
    with serve(trusted_proxies=("127.0.0.0/8",), **limits) as server:
        owner = server.player()
        ok(owner.http.post("/api/account", json=ANN))
        ok(owner.http.post("/api/sign-out"))
        known = dict(owner.http.cookies)
        assert list(known) == ["dasan_known"], "it survives signing out"
        for stranger in range(4):
            codes = [attempt(server, f"192.0.2.{stranger}", WRONG) for _ in range(12)]
            assert codes[:10] == [403] * 10
            assert 429 in codes
        assert [attempt(server, "198.51.100.1", ANN) for _ in range(5)] == [200] * 5
        # Where the strangers have so many addresses that they use up the account's guesses, known browsers still get in.
        for stranger in range(10, 20):
            for _ in range(10):
                attempt(server, f"192.0.2.{stranger}", WRONG)
        assert attempt(server, "198.51.100.2", ANN) == 429
        assert [attempt(server, "198.51.100.2", ANN, known) for _ in range(5)] == [200] * 5
        assert attempt(server, "198.51.100.2", ANN, {"dasan_known": known["dasan_known"] + "x"}) == 429
        # A thief's known browser is limited too, and is not known to other accounts.
        assert [attempt(server, "198.51.100.3", WRONG, known) for _ in range(8)][-1] == 429
        other = {"name": "Another", "password": "correct horse"}
        ok(server.player().http.post("/api/account", json=other))
        for stranger in range(30, 43):
            for _ in range(10):
                attempt(server, f"192.0.2.{stranger}", {**other, "password": "wrong horse"})
        assert attempt(server, "198.51.100.2", other, known) == 429


@pytest.mark.parametrize(("addresses", "first", "later"), [(1, 46, 36), (4, 184, 144), (1000, 300, 180)])
def test_guesses_an_hour(addresses: int, first: int, later: int) -> None:
    """The possible guesses at one account with the default settings, as the hosting guide states them."""
    now = 0.0
    guesses = Guesses(DEFAULTS, lambda: now)
    counts = []
    for hour in range(3):
        count, tries = 0, 10 if addresses < 10 else 1
        for minute in range(60):
            now = 3600.0 * hour + 60 * minute
            count += sum(
                guesses.allow("ann", f"192.0.{n >> 8}.{n & 255}", None) for n in range(addresses) for _ in range(tries)
            )
        counts.append(count)
    assert counts == [pytest.approx(first, abs=4), pytest.approx(later, abs=4), pytest.approx(later, abs=4)]


def test_one_ipv6_network_has_few_guesses_at_one_account() -> None:
    """A customer with a /48 has 65,536 networks of the size that counts like one address."""
    now = 0.0
    guesses = Guesses(DEFAULTS, lambda: now)
    counts = {
        "a /64": sum(guesses.allow("ann", f"2001:db8::{n:x}", None) for n in range(200)),
        "a /56": sum(guesses.allow("bo", f"2001:db8:1:{n & 255:x}::1", None) for n in range(200)),
    }
    assert counts == {"a /64": DEFAULTS.sign_in_burst, "a /56": 4 * DEFAULTS.sign_in_burst}
    per_address = Guesses(replace(DEFAULTS, sign_in_burst=1000, sign_in_rate=1000.0), lambda: now)
    pairs = sum(per_address.allow("ann", f"2001:db8:1:{n & 255:x}::1", None) for n in range(4000))
    assert pairs <= DEFAULTS.guess_burst


def test_a_browser_that_is_signed_in_is_known_and_a_new_password_ends_that(server: Served) -> None:
    owner, other = server.player(), server.player()
    ok(owner.http.post("/api/account", json=ANN))
    ok(other.http.post("/api/sign-in", json=ANN))
    for player in (owner, other):  # as if an earlier version had signed them in
        player.http.cookies.delete("dasan_known")
        ok(player.http.get("/api/me"))
        assert "dasan_known" in player.http.cookies
    one = ok(owner.http.get("/api/me"))["id"]
    before = dict(other.http.cookies)["dasan_known"]
    ok(owner.http.post("/api/account/password", json={"old": ANN["password"], "new": "battery staple"}))
    account = server.identities

    class Request:
        def __init__(self, cookie: str) -> None:
            self.headers = Headers({"cookie": f"dasan_known={cookie}"})

    async def names() -> list[str | None]:
        account_row = await account._people.find(one)
        assert account_row is not None
        return [
            account.known_browser(Request(cookie), account_row)  # type: ignore[arg-type]
            for cookie in (before, dict(owner.http.cookies)["dasan_known"])
        ]

    old, new = asyncio.run(names())
    assert (old, new is not None) == (None, True)


def test_known_browsers_that_one_makes_for_oneself_are_limited_by_address(serve: Serve) -> None:
    """Each sign-in without cookies adds a browser that is known to the account."""
    with serve(trusted_proxies=("127.0.0.0/8",), sign_in_rate=0.0001, sign_in_burst=2, guess_burst=1000) as server:
        owner = server.player()
        ok(owner.http.post("/api/account", json=ANN))
        minted = [attempt_cookies(server, f"192.0.2.{n}", ANN) for n in range(10)]
        codes = [attempt(server, "198.51.100.9", ANN, cookies) for cookies in minted for _ in range(2)]
        assert codes == [200] * 12 + [429] * 8


def attempt_cookies(server: Served, address: str, body: dict[str, str]) -> dict[str, str]:
    """The cookies of the known browser that signing in from an address creates."""
    with httpx.Client(base_url=server.address, timeout=SECONDS, verify=False) as client:
        ok(client.post("/api/sign-in", json=body, headers={"x-forwarded-for": address}))
        return {"dasan_known": client.cookies["dasan_known"]}

"""Guessing passwords is slow from any number of addresses, and keeps no owner out."""

from __future__ import annotations

import httpx
import pytest

from dasan.server.people.guesses import Guesses
from dasan.server.settings import Settings

from .harness import SECONDS, Serve, Served
from .test_accounts import SECRET, ok

pytestmark = pytest.mark.full

WRONG = {**SECRET, "password": "wrong horse"}
DEFAULTS = Settings()


def attempt(server: Served, address: str, body: dict[str, str], cookies: dict[str, str] | None = None) -> int:
    """The answer to an attempt from an address, as a trusted proxy names it."""
    with httpx.Client(base_url=server.address, cookies=cookies, timeout=SECONDS, verify=False) as client:
        return client.post("/api/sign-in", json=body, headers={"x-forwarded-for": address}).status_code


@pytest.mark.full
def test_strangers_keep_no_owner_out(serve: Serve) -> None:
    """Four addresses guess as fast as they may; the owner signs in from a new browser, and from one that they used before."""
    limits = {name: getattr(DEFAULTS, name) for name in ("sign_in_rate", "sign_in_burst", "guess_rate", "guess_burst")}
    with serve(trusted_proxies=("127.0.0.0/8",), **limits) as server:
        owner = server.player()
        ok(owner.http.post("/api/account", json=SECRET))
        ok(owner.http.post("/api/sign-out"))
        known = dict(owner.http.cookies)
        assert list(known) == ["dasan_known"], "it survives signing out"
        for stranger in range(4):
            codes = [attempt(server, f"192.0.2.{stranger}", WRONG) for _ in range(12)]
            assert codes[:10] == [403] * 10
            assert 429 in codes
        assert [attempt(server, "198.51.100.1", SECRET) for _ in range(5)] == [200] * 5
        # Where the strangers have so many addresses that they use up the account's guesses, known browsers still get in.
        for stranger in range(10, 20):
            for _ in range(10):
                attempt(server, f"192.0.2.{stranger}", WRONG)
        assert attempt(server, "198.51.100.2", SECRET) == 429
        assert [attempt(server, "198.51.100.2", SECRET, known) for _ in range(5)] == [200] * 5
        assert attempt(server, "198.51.100.2", SECRET, {"dasan_known": known["dasan_known"] + "x"}) == 429
        # A known browser that is a thief's is slow too, and knows no other account.
        assert [attempt(server, "198.51.100.3", WRONG, known) for _ in range(8)][-1] == 429
        other = {"name": "Another", "password": "correct horse"}
        ok(server.player().http.post("/api/account", json=other))
        for stranger in range(30, 43):
            for _ in range(10):
                attempt(server, f"192.0.2.{stranger}", {**other, "password": "wrong horse"})
        assert attempt(server, "198.51.100.2", other, known) == 429


@pytest.mark.parametrize(("addresses", "first", "later"), [(1, 46, 36), (4, 184, 144), (1000, 300, 180)])
def test_guesses_an_hour(addresses: int, first: int, later: int) -> None:
    """How many guesses at one account remain with the default settings: the figures of the hosting guide."""
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

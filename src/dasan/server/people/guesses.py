"""Limits on guessing passwords that keep nobody out of their own account.

An attempt takes a token for its networks, for the account from each of these networks, and for the account from all browsers
that it does not know. A browser that has signed in to the account before has a bucket of its own instead, and its networks have
others, whatever strangers do: its cookie, which is signed and survives signing out, names it until the password changes. See
OWASP, *Slow down online guessing attacks with device cookies*.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from hashlib import sha256

from itsdangerous import BadSignature, Signer

from dasan.server.connections.networks import networks
from dasan.server.connections.rate_limits import Buckets
from dasan.server.settings import Settings

KNOWN_COOKIE = "dasan_known"
MOST_ACCOUNTS = 8
"""Accounts that one browser is known to: the last ones."""
MOST_BUCKETS = 100_000
PAIR_SHARE = 5
"""One address may use so small a part of the guesses at one account."""
KNOWN_SHARE = 6
"""How many times as many attempts as from strangers one address may make from known browsers: of a family, or a class."""


def epoch(password: str | None) -> str:
    """The name of the time for which an account has one password, from its hash; a browser is known for that time.

    >>> epoch("one") == epoch("one"), epoch("one") == epoch("another"), epoch(None) == epoch("")
    (True, False, True)
    """
    return sha256(f"dasan epoch {password or ''}".encode()).hexdigest()[:12]


class KnownBrowsers:
    """Signs and reads the cookie that names a browser and the accounts to which it has signed in.

    >>> browsers = KnownBrowsers(b"k" * 32)
    >>> cookie = browsers.add(browsers.add(None, "ann", "1"), "bo", "1")
    >>> browsers.name(cookie, "ann", "1") == browsers.name(cookie, "bo", "1"), browsers.name(cookie, "cy", "1")
    (True, None)
    >>> browsers.name(cookie, "ann", "2"), browsers.name("x.y", "ann", "1")
    (None, None)
    """

    def __init__(self, key: bytes) -> None:
        self._signer = Signer(key, salt="dasan.known", key_derivation="hmac")

    def add(self, cookie: str | None, player: str, epoch: str) -> str:
        """The cookie of a browser that signs in, from the one that it had."""
        name, *known = self._read(cookie) or [secrets.token_urlsafe(12)]
        others = [one for one in known if one.partition("~")[0] != player]
        return self._signer.sign(":".join([name, *others[1 - MOST_ACCOUNTS :], f"{player}~{epoch}"])).decode()

    def name(self, cookie: str | None, player: str, epoch: str) -> str | None:
        """The browser's name, if it has been signed in to the player's account since it has this password."""
        name, *known = self._read(cookie) or [""]
        return name if f"{player}~{epoch}" in known else None

    def _read(self, cookie: str | None) -> list[str] | None:
        try:
            return None if cookie is None else self._signer.unsign(cookie).decode().split(":")
        except (BadSignature, UnicodeError):
            return None


class Guesses:
    """The buckets of attempts to sign in."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        rate, burst = settings.guess_rate, settings.guess_burst
        self._addresses = Buckets(settings.sign_in_rate, settings.sign_in_burst, MOST_BUCKETS, clock)
        self._pairs = Buckets(rate / PAIR_SHARE, settings.sign_in_burst, MOST_BUCKETS, clock)
        self._accounts = Buckets(rate, burst, MOST_BUCKETS, clock)
        self._browsers = Buckets(settings.sign_in_rate, settings.sign_in_burst, MOST_BUCKETS, clock)
        self._known = Buckets(
            KNOWN_SHARE * settings.sign_in_rate, KNOWN_SHARE * settings.sign_in_burst, MOST_BUCKETS, clock
        )

    def allow(self, account: str, address: str, browser: str | None) -> bool:
        """Whether one more attempt may be made. account: the folded name. browser: its name, if the account knows it."""
        if browser is not None:
            return self._known.take_for(address) and self._browsers.take((account, browser))
        return (
            self._addresses.take_for(address)
            and all(self._pairs.take((account, network), share) for network, share in networks(address))
            and self._accounts.take(account)
        )

"""Limits on password guessing that do not lock owners out of their accounts.

An attempt takes a token for its networks, for the account from each of these networks, and for the account from all
unknown browsers. A browser that has signed in to the account before has separate buckets, which strangers cannot drain:
a signed cookie, which survives signing out, identifies it until the password changes. See OWASP, *Slow down online
guessing attacks with device cookies*.
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
"""The most accounts that one browser's cookie remembers, the latest ones."""
MOST_BUCKETS = 100_000
PAIR_SHARE = 5
"""The share of the guesses at one account that one address may use."""
KNOWN_SHARE = 6
"""The multiple of strangers' attempts that one address may make from known browsers, such as a family's or a
class's."""


def epoch(password: str | None) -> str:
    """An identifier of the account's current password, derived from its hash. Browsers are known until it changes.

    >>> epoch("one") == epoch("one"), epoch("one") == epoch("another"), epoch(None) == epoch("")
    (True, False, True)
    """
    return sha256(f"dasan epoch {password or ''}".encode()).hexdigest()[:12]


class KnownBrowsers:
    """Signs and reads the cookie that identifies a browser and the accounts to which it has signed in.

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
        """The new cookie of a browser that signs in, from its previous one."""
        name, *known = self._read(cookie) or [secrets.token_urlsafe(12)]
        others = [one for one in known if one.partition("~")[0] != player]
        return self._signer.sign(":".join([name, *others[1 - MOST_ACCOUNTS :], f"{player}~{epoch}"])).decode()

    def name(self, cookie: str | None, player: str, epoch: str) -> str | None:
        """The browser's name, if it has signed in to the player's account since the last change of password."""
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
        """Whether one more attempt is allowed. account: the folded name. browser: its name, if known to the account."""
        if browser is not None:
            return self._known.take_for(address) and self._browsers.take((account, browser))
        return (
            self._addresses.take_for(address)
            and all(self._pairs.take((account, network), share) for network, share in networks(address))
            and self._accounts.take(account)
        )

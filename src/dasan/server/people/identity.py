"""Identity of a browser: the ids of a player and a session in a signed cookie.

The store has the sessions of accounts, which begin with a sign-in, and the ended sessions of guests. Its answers are
cached for a minute. A session contains the day on which it began and expires after `KEPT_DAYS`, the lifetime of
cookies, so that the store can forget ended sessions.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import HashingError, InvalidHashError, VerificationError
from itsdangerous import BadSignature, Signer
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response

from dasan.reasons import reason
from dasan.server.new_ids import new_id
from dasan.server.people.guesses import KNOWN_COOKIE, KnownBrowsers, epoch
from dasan.server.people.hash_queue import HashQueue
from dasan.server.refusals import Banned, CannotServe, Refused
from dasan.server.store.people import People, Person
from dasan.server.times import now
from dasan.whole_file import whole_file

COOKIE = "dasan_session"
KEY_FILE = "session.key"
KEY_BYTES = 32
KEPT_DAYS = 400
"""The longest lifetime of cookies in browsers."""
DAY = 24 * 60 * 60
MAX_AGE = KEPT_DAYS * DAY
UNDATED_UNTIL = 21_184
"""The day, counted from 1970, from which undated sessions are refused. Versions before 2026-11 made them."""
REMEMBERED = 60.0
"""Seconds for which the answer about a session is cached, unless a notice invalidates it."""
MOST_REMEMBERED = 10_000
LINK_MINUTES = 10


def signing_key(data_dir: Path) -> bytes:
    """The key in ``data_dir``, created on the first start and readable only by its owner."""
    path = data_dir / KEY_FILE
    if not path.exists():
        write_key(path, secrets.token_bytes(KEY_BYTES))
    key = path.read_bytes()
    if len(key) < KEY_BYTES:
        raise ValueError(f"{path} is not a signing key; delete it, and a new one will be made")
    return key


def write_key(path: Path, key: bytes) -> None:
    """Write a key whole, readable only by its owner, unless there is one, perhaps just made by another process."""
    own = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with whole_file(own, 0o600) as file:
            file.write(key)
        try:
            os.link(own, path)  # unlike a rename, this does not replace a key
        except FileExistsError:
            pass
        except OSError:  # the file system has no hard links
            own.replace(path)
    finally:
        own.unlink(missing_ok=True)


class Cookies:
    """Signs and reads the cookie.

    >>> cookies = Cookies(b"k" * 32, lambda: 20_783)
    >>> cookies.read(cookies.sign("p1")), cookies.read(cookies.sign("p1", "s")), cookies.read("p1.forged")
    (('p1', None), ('p1', 's'), None)
    >>> old = cookies.sign("p1", cookies.session())
    >>> cookies.read(old) is not None, Cookies(b"k" * 32, lambda: 20_783 + 401).read(old)
    (True, None)
    """

    def __init__(self, key: bytes, today: Callable[[], int] = lambda: int(time.time()) // DAY) -> None:
        self._signer = Signer(key, salt="dasan.player", key_derivation="hmac")
        self._today = today

    def session(self) -> str:
        """The secret of a new session; the number after the dot is the day."""
        return f"{secrets.token_urlsafe(18)}.{self._today()}"

    def sign(self, player: str, session: str | None = None) -> str:
        return self._signer.sign(player if session is None else f"{player}:{session}").decode()

    def read(self, cookie: str) -> tuple[str, str | None] | None:
        """The player and session in a cookie; None if the signature is wrong or the session has expired."""
        try:
            player, colon, session = self._signer.unsign(cookie).decode().partition(":")
        except (BadSignature, UnicodeError):
            return None
        day = session.rpartition(".")[2]
        if self._today() >= (int(day) + KEPT_DAYS + 1 if "." in session and day.isdecimal() else UNDATED_UNTIL):
            return None
        return player, session if colon else None


class Identities:
    """Players behind requests; sessions, passwords and personal links."""

    def __init__(self, key: bytes, people: People, password_memory_mb: int = 64) -> None:
        self._cookies = Cookies(key)
        self._browsers = KnownBrowsers(key)
        self._people = people
        self._known: OrderedDict[tuple[str, str | None], tuple[bool, float]] = OrderedDict()
        self._hasher = PasswordHasher(memory_cost=password_memory_mb * 1024)
        self._hashing = HashQueue()
        try:
            self._nobody = self._hasher.hash(secrets.token_hex(8))
        except HashingError:
            raise CannotServe(
                f"DASAN_PASSWORD_MEMORY_MB is {password_memory_mb}: this machine lacks that much memory to hash a password"
            ) from None

    async def player(self, connection: HTTPConnection) -> str | None:
        """The player behind the request; None without a valid cookie. ``Banned``: the player is banned."""
        session = self._read(connection)
        return session[0] if session is not None and await self._valid(*session) else None

    async def left(self, connection: HTTPConnection, player: str | None) -> bool:
        """Whether the browser is no longer the player's: signed out, banned, or after a change of password."""
        try:
            return player is not None and await self.player(connection) != player
        except Banned:
            return True
        except Refused:
            return False

    def session(self, connection: HTTPConnection) -> str | None:
        """The name of the browser's session in the store; None for guests' cookies of earlier versions."""
        session = self._read(connection)
        return None if session is None or session[1] is None else fingerprint(session[1])

    def is_known(self, headers: Headers) -> bool:
        """Whether a request has a cookie signed by this server, without a query of the store."""
        cookie = cookie_in(headers, COOKIE)
        return cookie is not None and self._cookies.read(cookie) is not None

    def _read(self, connection: HTTPConnection) -> tuple[str, str | None] | None:
        cookie = cookie_in(connection.headers, COOKIE)
        return None if cookie is None else self._cookies.read(cookie)

    async def _valid(self, player: str, session: str | None) -> bool:
        key = (player, session)
        known = self._known.get(key)
        if known is not None and known[1] > time.monotonic():
            return known[0]
        remembered = self._known
        person = await self._people.find(player)
        if person is not None and person.banned:
            raise Banned
        if person is not None and person.account is not None:
            valid = session is not None and await self._people.is_signed_in(fingerprint(session), player, now())
        else:
            valid = not await self._people.has_ended(player, None if session is None else fingerprint(session))
        # If the cache was cleared in the meantime, the answer may be stale: do not cache it.
        remembered[key] = (valid, time.monotonic() + REMEMBERED)
        if len(remembered) > MOST_REMEMBERED:
            remembered.popitem(last=False)
        return valid

    def forget(self) -> None:
        """Clear the cache: somebody signed in or out."""
        self._known = OrderedDict()

    async def name(self, player: str) -> str | None:
        """The name that the player has chosen; None if none."""
        person = await self._people.find(player)
        return None if person is None else person.name

    async def remember(self, request: HTTPConnection, response: Response, player: str) -> None:
        """Set a guest's cookie with a new session, unless the browser already is this player's."""
        session = self._read(request)
        if session is None or session[0] != player:
            self.set_cookie(request, response, self._cookies.sign(player, self._cookies.session()))

    async def sign_in(self, request: HTTPConnection, response: Response, person: Person) -> None:
        """Sign this browser in. ``AccountChanged``: the account has changed since ``person`` was read."""
        session = self._cookies.session()
        agent = request.headers.get("user-agent", "")
        await self._people.sign_in(fingerprint(session), person.id, agent, now(), person)
        self._signed_in(request, response, person, session)

    def _signed_in(self, request: HTTPConnection, response: Response, person: Person, session: str) -> None:
        self.forget()
        self.set_cookie(request, response, self._cookies.sign(person.id, session))
        self.recognise(request, response, person)

    def recognise(self, request: HTTPConnection, response: Response, person: Person) -> None:
        """Set the cookie of known browsers in a signed-in browser that has none."""
        if self.known_browser(request, person) is None:
            known = self._browsers.add(cookie_in(request.headers, KNOWN_COOKIE), person.id, epoch(person.password))
            self.set_cookie(request, response, known, KNOWN_COOKIE)

    def known_browser(self, request: HTTPConnection, person: Person) -> str | None:
        """The name of the request's browser, if it has signed in to the account since the last change of password."""
        return self._browsers.name(cookie_in(request.headers, KNOWN_COOKIE), person.id, epoch(person.password))

    def set_cookie(self, request: HTTPConnection, response: Response, value: str, name: str = COOKIE) -> None:
        """Set a cookie that scripts cannot read and that other sites' requests do not carry."""
        secure = request.url.scheme in ("https", "wss")
        response.set_cookie(name, value, max_age=MAX_AGE, httponly=True, samesite="lax", secure=secure, path="/")

    async def hash(self, password: str, network: str) -> str:
        """The hash of a password for the store. Slow on purpose, off the event loop. network: the requester's
        network.
        """
        async with self._hashing.turn(network):
            return await asyncio.to_thread(self._hasher.hash, password)

    async def check(self, stored: str | None, password: str, network: str) -> bool:
        """Whether the password is correct; equally slow if ``stored`` is None. network: the requester's network."""
        async with self._hashing.turn(network):
            return await asyncio.to_thread(self._check, stored, password)

    def _check(self, stored: str | None, password: str) -> bool:
        try:
            return self._hasher.verify(stored or self._nobody, password) and stored is not None
        except (VerificationError, InvalidHashError):
            return False

    async def make_link(self, request: HTTPConnection, player: str) -> str:
        """A one-time token with which another browser can become the player, valid for ten minutes."""
        token = secrets.token_urlsafe(24)
        moment = now()
        until = moment + LINK_MINUTES * 60_000
        await self._people.make_link(fingerprint(token), player, self.session(request), moment, until)
        return token

    async def take_link(self, request: HTTPConnection, response: Response, token: str) -> tuple[str, Person | None]:
        """Make this browser that of the personal link's owner. ``Refused``: the link does not exist, was used or has
        expired.
        """
        session = self._cookies.session()
        agent = request.headers.get("user-agent", "")
        player = await self._people.take_link(fingerprint(token), now(), fingerprint(session), agent)
        if player is None:
            raise Refused("not-found", reason("link.used"))
        person = await self._people.find(player)
        if person is not None and person.account is not None:
            self._signed_in(request, response, person, session)
        else:
            await self.remember(request, response, player)
        return player, person


def cookie_in(headers: Headers, name: str) -> str | None:
    """The value of one of our cookies in a request's headers, the last if there are several; None if there is none.

    >>> cookie_in(Headers({"cookie": 'a="x; y"; dasan_session=1; dasan_session = 2'}), "dasan_session")
    '2'
    """
    value = None
    for part in ";".join(headers.getlist("cookie")).split(";"):
        key, equals, given = part.partition("=")
        if equals and key.strip() == name:
            value = given.strip()
    return value


def without_others_cookies(headers: Headers) -> list[tuple[bytes, bytes]]:
    """A request's headers with no cookies but ours.

    FastAPI reads all cookies of a request, and decodes quoted ones in a time that grows with the square of their length
    (CVE-2024-7592). Ours are never quoted.

    >>> without_others_cookies(Headers({"cookie": 'a="x"; dasan_session=1; dasan_known="2"', "host": "localhost"}))
    [(b'host', b'localhost'), (b'cookie', b'dasan_session=1')]
    """
    values = ((name, cookie_in(headers, name)) for name in (COOKIE, KNOWN_COOKIE))
    ours = "; ".join(f"{name}={value}" for name, value in values if value is not None and '"' not in value)
    others = [(key, value) for key, value in headers.raw if key != b"cookie"]
    return [*others, (b"cookie", ours.encode("latin-1"))] if ours else others


def fingerprint(secret: str) -> str:
    """A hash of a secret, for the store."""
    return sha256(secret.encode()).hexdigest()


def new_player() -> str:
    """An unguessable id."""
    return new_id(16)

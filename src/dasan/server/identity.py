"""Who a browser is: a random player id in a signed cookie, and the key that signs it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from itsdangerous import BadSignature, Signer
from starlette.requests import HTTPConnection
from starlette.responses import Response

COOKIE = "dasan_session"
KEY_FILE = "session.key"
KEY_BYTES = 32
MAX_AGE = 400 * 24 * 60 * 60
"""The longest that browsers keep a cookie."""


def signing_key(data_dir: Path) -> bytes:
    """The key in ``data_dir``, made on the first start and readable by its owner alone."""
    path = data_dir / KEY_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
    key = path.read_bytes()
    if len(key) < KEY_BYTES:
        raise ValueError(f"{path} is not a signing key; remove it to have a new one made")
    return key


class Identities:
    """Reads and writes the cookie.

    >>> identities = Identities(b"k" * 32)
    >>> identities.read(identities.sign("p1")), identities.read("p1.forged")
    ('p1', None)
    """

    def __init__(self, key: bytes) -> None:
        self._signer = Signer(key, salt="dasan.player", key_derivation="hmac")

    def sign(self, player: str) -> str:
        return self._signer.sign(player).decode()

    def read(self, cookie: str) -> str | None:
        try:
            return self._signer.unsign(cookie).decode()
        except (BadSignature, UnicodeError):
            return None

    def player(self, connection: HTTPConnection) -> str | None:
        """The player whose browser this is; None where it has no cookie of ours."""
        cookie = connection.cookies.get(COOKIE)
        return None if cookie is None else self.read(cookie)

    async def name(self, player: str) -> str | None:
        """What the player wants to be called; None for somebody who has not said."""
        return None

    async def remember(self, request: HTTPConnection, response: Response, player: str) -> None:
        """Have the browser keep ``player``; scripts cannot read it, other sites' requests do not carry it."""
        if self.player(request) == player:
            return
        secure = request.url.scheme in ("https", "wss")
        response.set_cookie(
            COOKIE, self.sign(player), max_age=MAX_AGE, httponly=True, samesite="lax", secure=secure, path="/"
        )


def new_player() -> str:
    """An id that nobody can guess."""
    return secrets.token_urlsafe(16)

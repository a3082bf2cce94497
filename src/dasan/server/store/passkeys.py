"""Passkeys of accounts, and the challenges that browsers sign with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

import sqlalchemy as sa

from dasan.server.store.database import StorePart, writing
from dasan.server.store.people import Taken, open_account
from dasan.server.store.schema import challenges, passkeys, players
from dasan.server.store.sessions import check_going_on, locked_account

CHALLENGE_KEPT = 5 * 60 * 1000
"""The lifetime of a challenge in milliseconds."""


@dataclass(frozen=True)
class Challenge:
    """A challenge for a browser. purpose: "register" or "sign-in". account: the name of an account to be opened."""

    challenge: bytes
    purpose: str
    player: str | None = None
    account: str | None = None


@dataclass(frozen=True)
class Passkey:
    """A credential of an account. uses: the authenticator's signature counter."""

    id: str
    credential: bytes = field(repr=False)
    key: bytes = field(repr=False)
    uses: int
    player: str
    name: str
    created: int
    used: int


def passkey_id(credential: bytes) -> str:
    """The id of a credential in the store and in messages."""
    return sha256(credential).hexdigest()


class LastWayIn(Exception):
    """It is the account's only way to sign in."""


class Passkeys(StorePart):
    """Reads and writes passkeys and challenges."""

    @writing
    def ask(self, connection: sa.Connection, ticket: str, asked: Challenge, now: int) -> None:
        """Store a challenge until it is answered or expires."""
        row = {"ticket": ticket, "challenge": asked.challenge, "purpose": asked.purpose, "until": now + CHALLENGE_KEPT}
        connection.execute(sa.delete(challenges).where(challenges.c.until < now))
        connection.execute(sa.insert(challenges), {**row, "player": asked.player, "account": asked.account})

    @writing
    def answer(self, connection: sa.Connection, ticket: str, now: int) -> Challenge | None:
        """Remove and return a challenge; None if it does not exist, was answered or has expired."""
        mine = sa.and_(challenges.c.ticket == ticket, challenges.c.until >= now)
        row = connection.execute(sa.select(challenges).where(mine)).one_or_none()
        taken = connection.execute(sa.delete(challenges).where(challenges.c.ticket == ticket)).rowcount
        return Challenge(row.challenge, row.purpose, row.player, row.account) if row and taken else None

    async def of(self, player: str) -> tuple[Passkey, ...]:
        """The player's passkeys, the oldest first."""
        query = sa.select(passkeys).where(passkeys.c.player == player).order_by(passkeys.c.created, passkeys.c.id)
        return tuple(Passkey(**row._mapping) for row in await self._rows(query))

    async def find(self, credential: bytes) -> Passkey | None:
        """The passkey with this credential id."""
        row = await self._row(sa.select(passkeys).where(passkeys.c.id == passkey_id(credential)))
        return None if row is None else Passkey(**row._mapping)

    @writing
    def add(self, connection: sa.Connection, passkey: Passkey, account: str | None, session: str | None) -> None:
        """Store a passkey. account: also open an account with this name for the player; None: for the account in which
        ``session`` is signed in. ``Taken``: the name or the passkey belongs to somebody. ``Refused``: that session has ended.
        """
        if account is None:
            check_going_on(connection, passkey.player, session)
        if connection.scalar(sa.select(passkeys.c.id).where(passkeys.c.id == passkey.id)) is not None:
            raise Taken
        if account is not None:
            open_account(connection, passkey.player, account, passkey.created)
        connection.execute(sa.insert(passkeys), vars(passkey))

    async def use(self, passkey: Passkey, uses: int, now: int) -> bool:
        """Store the passkey's counter and the time of its use. False if it has been removed in the meantime."""
        change = sa.update(passkeys).where(passkeys.c.id == passkey.id).values(uses=uses, used=now)
        return await self._change(change) == 1

    @writing
    def remove(self, connection: sa.Connection, player: str, wanted: str) -> bool:
        """Delete one of the player's passkeys. False if they have none with this id. ``LastWayIn``: they could not sign
        in without it.
        """
        locked_account(connection, player)
        mine = set(connection.scalars(sa.select(passkeys.c.id).where(passkeys.c.player == player)))
        if wanted not in mine:
            return False
        password = connection.scalar(sa.select(players.c.password).where(players.c.id == player))
        if password is None and len(mine) == 1:
            raise LastWayIn
        connection.execute(sa.delete(passkeys).where(passkeys.c.id == wanted))
        return True

"""Accounts: who one is, how one signs in, what is kept about one."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import Message, Name
from dasan.server.protocol.rest import HandSummary

LONGEST_FOLDED = 64
"""Characters of a new account's folded name: the database's column holds no more."""


def folded(account: str) -> str:
    """An account name as it is compared: what looks the same is the same, in upper and lower case.

    >>> folded("Ann") == folded("ann"), folded("Zo\u00e9") == folded("zoe\u0301"), folded("\uff21nn") == folded("ann")
    (True, True, True)
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", account).casefold())


AccountName = Annotated[str, Field(min_length=3, max_length=24, pattern=r"^[\w-]+$")]
Password = Annotated[str, Field(min_length=8, max_length=128)]


class Me(Message):
    """Who this browser is: a guest by name, or an account. ``id`` is null for somebody who has not played yet.

    ``password``: whether the account has one; one opened with a passkey need not.
    """

    id: str | None
    name: str | None
    account: str | None
    password: bool = False


class Rename(Message):
    """Change the name that tables show from now on."""

    name: Name


class Credentials(Message):
    """Open an account, which the games played as a guest move into; or sign in to one."""

    name: AccountName
    password: Password


class PasswordChange(Message):
    """A new password; every other session is signed out. ``old``: null for an account that has none yet."""

    old: Password | None
    new: Password


class Deletion(Message):
    """Delete the account and what is known of its player; hands stay, without the name."""

    password: Password | None = None


class SessionListed(Message):
    """One browser that is signed in."""

    id: str
    created: str
    seen: str
    agent: str
    current: bool


class PasskeyAsk(Message):
    """Begin to make a passkey: for the account that is signed in, or for a new one by this name."""

    name: AccountName | None = None


class PasskeyOptions(Message):
    """What ``navigator.credentials`` takes, as JSON text, and the ticket to answer with, once, within five minutes."""

    ticket: str
    options: str


class PasskeyAnswer(Message):
    """What the authenticator said, as the JSON of a PublicKeyCredential. ``label``: what to call a new passkey."""

    ticket: Annotated[str, Field(min_length=1, max_length=64)]
    credential: Annotated[str, Field(min_length=2, max_length=16_384)]
    label: Annotated[str, Field(max_length=32)] = ""


class PasskeyListed(Message):
    """A passkey of this account."""

    id: str
    name: str
    created: str
    used: str


class PersonalLink(Message):
    """A link that moves this player's seats to another device; it works once, for ten minutes."""

    token: str
    path: str


class ClaimLink(Message):
    """Become the player that a personal link is of."""

    token: Annotated[str, Field(min_length=1, max_length=256)]


class Rating(Message):
    """A rating by game and number of players; ``provisional`` until it rests on enough hands."""

    preset: str
    players: int
    rating: int
    deviation: int
    hands: int
    provisional: bool


class RatingPoint(Message):
    """A rating after a hand, for a chart."""

    at: str
    rating: int


class RoleStatistics(Message):
    """Hands in one role: bidder, partner, defender, or player where the game has no sides."""

    preset: str
    role: Literal["bidder", "partner", "defender", "player"]
    hands: int
    won: int
    payment: int


class Profile(Message):
    """A player's public page: ratings and statistics."""

    name: str
    kind: Literal["account", "guest", "bot"]
    ratings: list[Rating]
    statistics: list[RoleStatistics]


class History(Message):
    """Hands, newest first; ``before`` gets the page that follows, null where there is none."""

    hands: list[HandSummary]
    before: str | None

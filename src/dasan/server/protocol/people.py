"""Players and accounts: names, sign-in, passkeys, ratings, statistics."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import Message, Name
from dasan.server.protocol.rest import HandRole, HandSummary

LONGEST_FOLDED = 64
"""The most characters of a new account's folded name: the width of the database column."""


def folded(account: str) -> str:
    """The comparison form of account names, which ignores case and Unicode compatibility forms (NFKC).

    >>> folded("Ann") == folded("ann"), folded("Zo\u00e9") == folded("zoe\u0301"), folded("\uff21nn") == folded("ann")
    (True, True, True)
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", account).casefold())


AccountName = Annotated[str, Field(min_length=2, max_length=24, pattern=r"^[\w-]+$")]
Password = Annotated[str, Field(min_length=8, max_length=128)]


class Me(Message):
    """The player of this browser: a guest or an account. ``id`` is null for a browser that has not played yet.

    ``password``: whether the account has one; an account opened with a passkey may have none. ``moderator``: whether it
    may use the moderators' page.
    """

    id: str | None
    name: str | None
    account: str | None
    password: bool = False
    moderator: bool = False


class Rename(Message):
    """Change the displayed name."""

    name: Name


class Credentials(Message):
    """Open an account, which takes over the games played as a guest; or sign in to one."""

    name: AccountName
    password: Password


class PasswordChange(Message):
    """Change the password; all other browsers are signed out. ``old``: null for an account without a password."""

    old: Password | None
    new: Password


class Deletion(Message):
    """Delete the account and its player's data; finished hands stay, without the name."""

    password: Password | None = None


class SessionListed(Message):
    """A signed-in browser."""

    id: str
    created: str
    seen: str
    agent: str
    current: bool


class PasskeyAsk(Message):
    """Begin to make a passkey, for the signed-in account or for a new account with this name."""

    name: AccountName | None = None


class PasskeyOptions(Message):
    """The options for ``navigator.credentials`` as JSON text, and a ticket for one answer within five minutes."""

    ticket: str
    options: str


class PasskeyAnswer(Message):
    """The authenticator's answer, as the JSON of a PublicKeyCredential. ``label``: the name for a new passkey."""

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
    """A link that signs another device in as this player. It works once, within ten minutes."""

    token: str
    path: str


class ClaimLink(Message):
    """Become the player who made a personal link."""

    token: Annotated[str, Field(min_length=1, max_length=256)]


class Rating(Message):
    """A rating in a game with a number of players; ``provisional`` until it is based on enough hands. level: from 1 to 9; null
    while provisional.
    """

    preset: str
    players: int
    rating: int
    deviation: int
    hands: int
    provisional: bool
    level: int | None


class LadderBoard(Message):
    """A game with a leaderboard. accounts: the number of those with a place on it."""

    preset: str
    title: str
    players: int
    accounts: int


class LadderPlace(Message):
    """A place on a leaderboard. name: an account's, or a bot's title at tables. bot: a bot's name, null for accounts.
    level: from 1 to 9. hands: the number of rated hands; null for a bot that the arena has measured. rank, level: null
    while the rating is provisional.
    """

    rank: int | None
    name: str
    bot: str | None
    rating: int
    deviation: int
    level: int | None
    hands: int | None
    you: bool


class Ladder(Message):
    """The first places of a game. mine: your own place, wherever it is; null if you have no rating, or no account.
    least: the number of rated hands needed for a place.
    """

    board: LadderBoard
    places: list[LadderPlace]
    mine: LadderPlace | None
    least: int


class RatingPoint(Message):
    """A point of a rating chart: the rating after a hand."""

    at: str
    rating: int


class RoleStatistics(Message):
    """Hands in one role: bidder, partner, defender, or player in games without sides."""

    preset: str
    role: HandRole
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
    """A page of finished hands, newest first. ``before``: the parameter for the next page; null on the last. With a filter a page
    can be short, or empty, although more follow.
    """

    hands: list[HandSummary]
    before: str | None


class HistoryChoices(Message):
    """The values by which the player's latest hands can be filtered. opponents: names, the most frequent first; for a
    bot, ``bot:`` and its name.
    """

    presets: list[str]
    roles: list[HandRole]
    bids: list[int]
    opponents: list[str]

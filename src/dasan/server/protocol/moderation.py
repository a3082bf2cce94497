"""What moderators see and do: reports, mutes, bans of players and networks, refused words, the audit log."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from dasan.server.protocol.base import Message

MOST_WORDS = 5000
"""Words that one action adds or removes."""

PlayerRef: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
"""The id of a player, or the name of an account."""
ReportNumber: TypeAlias = Annotated[int, Field(ge=0, lt=1 << 31)]
Hours: TypeAlias = Annotated[int, Field(ge=1, le=8784)]
Days: TypeAlias = Annotated[int, Field(ge=1, le=3660)]
Network: TypeAlias = Annotated[str, Field(min_length=2, max_length=64)]
"""An address, or a range of them like ``192.0.2.0/24``."""
Language: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z]{4})?$")]
Word: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]


class Dismiss(Message):
    """Remove a report from the queue: nothing follows from it."""

    type: Literal["dismiss"]
    report: ReportNumber


class Mute(Message):
    """Take chat, reactions, notes, titles of events and strings for a shuffle away from a player for some hours.

    ``report``: the one that this answers.
    """

    type: Literal["mute"]
    player: PlayerRef
    hours: Hours
    report: ReportNumber | None = None


class Unmute(Message):
    """Let a player talk again."""

    type: Literal["unmute"]
    player: PlayerRef


class Ban(Message):
    """Keep a player out. ``report``: the one that this answers."""

    type: Literal["ban"]
    player: PlayerRef
    report: ReportNumber | None = None


class Unban(Message):
    """Let a player in again."""

    type: Literal["unban"]
    player: PlayerRef


class BanNetwork(Message):
    """Keep everybody out who comes from these addresses."""

    type: Literal["ban-network"]
    network: Network
    days: Days


class UnbanNetwork(Message):
    """Let these addresses in again."""

    type: Literal["unban-network"]
    network: Network


class AddWords(Message):
    """Refuse these words of a language in the chat, in names, in titles of events and in strings for a shuffle."""

    type: Literal["add-words"]
    language: Language
    words: Annotated[tuple[Word, ...], Field(min_length=1, max_length=MOST_WORDS)]


class RemoveWords(Message):
    """Take words of a language again; without words, all of it."""

    type: Literal["remove-words"]
    language: Language
    words: Annotated[tuple[Word, ...], Field(max_length=MOST_WORDS)] = ()


Action: TypeAlias = Dismiss | Mute | Unmute | Ban | Unban | BanNetwork | UnbanNetwork | AddWords | RemoveWords


class Moderate(Message):
    """One action of a moderator."""

    action: Annotated[Action, Field(discriminator="type")]


class PlayerNamed(Message):
    """A player, as moderators see them."""

    id: str
    name: str
    account: bool


class Moderated(PlayerNamed):
    """Somebody whom a report is against, or who is restricted. ``networks``: where they came from lately, the latest first."""

    banned: bool
    muted_until: str | None
    networks: list[str]


class ReportListed(Message):
    """A chat message that somebody reported. ``others``: reports against the same player that wait too."""

    id: int
    at: str
    table: str
    text: str
    reason: str
    by: PlayerNamed
    against: Moderated | None
    others: int


class NetworkBan(Message):
    """Addresses that are kept out until a time."""

    network: str
    until: str


class WordList(Message):
    """The refused words of a language."""

    language: str
    words: list[str]


class Audited(Message):
    """An action that was carried out. ``by`` and ``subject`` are names where they are known, else ids."""

    at: str
    by: str
    action: Literal[
        "dismiss",
        "mute",
        "unmute",
        "ban",
        "unban",
        "ban-network",
        "unban-network",
        "add-words",
        "remove-words",
        "appoint",
        "depose",
    ]
    subject: str
    detail: dict[str, Any]


class ModerationPage(Message):
    """The oldest reports of the queue, and how many wait; who is muted or banned, the latest of ``restricted``; and the latest
    actions.
    """

    reports: list[ReportListed]
    waiting: int
    players: list[Moderated]
    restricted: int
    networks: list[NetworkBan]
    words: list[WordList]
    audit: list[Audited]

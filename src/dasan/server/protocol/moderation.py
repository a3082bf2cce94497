"""Moderation: reports, mutes, bans of players and networks, blocked words, the audit log."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from dasan.server.protocol.base import Message

MOST_WORDS = 5000
"""The most words that one action adds or removes."""

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
    """Dismiss a report."""

    type: Literal["dismiss"]
    report: ReportNumber


class Mute(Message):
    """Mute a player for some hours: no chat, reactions, notes, event titles or shuffle strings.

    ``report``: the report that this settles.
    """

    type: Literal["mute"]
    player: PlayerRef
    hours: Hours
    report: ReportNumber | None = None


class Unmute(Message):
    """Lift a player's mute."""

    type: Literal["unmute"]
    player: PlayerRef


class Ban(Message):
    """Ban a player. ``report``: the report that this settles."""

    type: Literal["ban"]
    player: PlayerRef
    report: ReportNumber | None = None


class Unban(Message):
    """Lift a player's ban."""

    type: Literal["unban"]
    player: PlayerRef


class BanNetwork(Message):
    """Ban these addresses."""

    type: Literal["ban-network"]
    network: Network
    days: Days


class UnbanNetwork(Message):
    """Lift the ban of these addresses."""

    type: Literal["unban-network"]
    network: Network


class AddWords(Message):
    """Block these words of a language in chat, names, event titles and shuffle strings."""

    type: Literal["add-words"]
    language: Language
    words: Annotated[tuple[Word, ...], Field(min_length=1, max_length=MOST_WORDS)]


class RemoveWords(Message):
    """Unblock these words of a language; without words, all of them."""

    type: Literal["remove-words"]
    language: Language
    words: Annotated[tuple[Word, ...], Field(max_length=MOST_WORDS)] = ()


Action: TypeAlias = Dismiss | Mute | Unmute | Ban | Unban | BanNetwork | UnbanNetwork | AddWords | RemoveWords


class Moderate(Message):
    """A moderator's action."""

    action: Annotated[Action, Field(discriminator="type")]


class PlayerNamed(Message):
    """A player, as moderators see them."""

    id: str
    name: str
    account: bool


class Moderated(PlayerNamed):
    """A reported or restricted player. ``networks``: their recent networks, the latest first."""

    banned: bool
    muted_until: str | None
    networks: list[str]


class ReportListed(Message):
    """A reported chat message. ``others``: other open reports against the same player."""

    id: int
    at: str
    table: str
    text: str
    reason: str
    by: PlayerNamed
    against: Moderated | None
    others: int


class NetworkBan(Message):
    """Addresses that are banned until a time."""

    network: str
    until: str


class WordList(Message):
    """The blocked words of a language."""

    language: str
    words: list[str]


class Audited(Message):
    """A logged action. ``by`` and ``subject`` are names if known, else ids."""

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
    """The oldest open reports and their number; the most recently muted or banned players, of ``restricted`` in all;
    and the latest actions.
    """

    reports: list[ReportListed]
    waiting: int
    players: list[Moderated]
    restricted: int
    networks: list[NetworkBan]
    words: list[WordList]
    audit: list[Audited]

"""Groups: clubs of friends with a link to join, rules for their tables, chat, and standings."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dasan.server.protocol.base import Message, Milliseconds, Number, Options, PresetName, Status
from dasan.server.protocol.friends import SomebodysName
from dasan.server.protocol.rest import SeatWord
from dasan.server.protocol.table import TableSettings

GroupName = Annotated[str, Field(min_length=1, max_length=64)]
"""The server trims it, and refuses one that looks like another group's."""


class CreateGroup(Message):
    """A new group, which you host."""

    name: GroupName


class GroupListed(Message):
    """A group of yours, with the number of its members and the name of its host."""

    id: str
    name: str
    members: int
    host: str


class GroupList(Message):
    """Your groups. account: whether you have one; without an account you can be in no group."""

    account: bool
    groups: list[GroupListed]


class GroupRules(Message):
    """The rules of the group's tables: the game, its options, a word for each seat as in ``CreateTable``, settings."""

    preset: PresetName
    options: Options
    seats: Annotated[list[SeatWord], Field(max_length=8)]
    settings: TableSettings


class GroupMember(Message):
    """A member. since: when they joined. host: whether they host the group. you: whether it is you."""

    name: str
    since: Milliseconds
    host: bool
    you: bool


class GroupLine(Message):
    """A line of the chat."""

    id: int
    at: Milliseconds
    name: str
    text: str
    you: bool


class GroupTable(Message):
    """A table of the group that has not ended. at: when it was opened. names: of the people at it."""

    id: str
    at: Milliseconds
    status: Status
    names: list[str]


class Group(Message):
    """A group that you are in. hosting: whether you host it. link: the path of the page by which others join."""

    id: str
    name: str
    hosting: bool
    link: Annotated[str, Field(repr=False)]
    rules: GroupRules
    title: str
    members: list[GroupMember]
    lines: list[GroupLine]
    tables: list[GroupTable]


class GroupStanding(Message):
    """A member's hands at tables of the group.

    points: the sum of their payments. by_evening: the payments of each evening; null where they did not play.
    """

    name: str
    hands: int
    won: int
    points: int
    evenings: int
    by_evening: list[int | None]
    you: bool


class GroupStandings(Message):
    """Standings over evenings. A hand counts if two or more members played it. evenings: when the last ones began."""

    evenings: list[Milliseconds]
    rows: list[GroupStanding]


class GroupPerson(Message):
    """A member, by name."""

    name: SomebodysName


class SayInGroup(Message):
    """Say something in the group's chat."""

    text: Annotated[str, Field(min_length=1, max_length=280)]


class ReportLine(Message):
    """Report a line of the chat to the people who run the server."""

    line: Number
    reason: Annotated[str, Field(max_length=280)] = ""


class GroupDoor(Message):
    """What a link to join shows. joined: the group's id if you are in it, else null."""

    name: str
    host: str
    members: int
    joined: str | None


class GroupJoined(Message):
    """The id of the group."""

    id: str


class GroupGone(Message):
    """The id of the group that you have left or deleted."""

    id: str

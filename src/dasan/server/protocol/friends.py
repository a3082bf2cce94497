"""Friends: who follows whom, blocks, and invitations to tables."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dasan.server.protocol.base import Message, Milliseconds

SomebodysName = Annotated[str, Field(min_length=1, max_length=64)]


class Friend(Message):
    """A player whom you follow.

    mutual: whether they follow you too; only then the other fields are known. here: whether they are here now.
    seen: when they were last here, null if that is not known.
    """

    name: str
    mutual: bool
    here: bool
    seen: Milliseconds | None


class Friends(Message):
    """Whom you follow, who else follows you, and whom you have blocked. you: your account's name; null for guests."""

    you: str | None
    follows: list[Friend]
    followers: list[str]
    blocked: list[str]


class Invite(Message):
    """Invite a friend to a table, by the name of their account."""

    name: SomebodysName


class Invited(Message):
    """The names of those who are invited to a table."""

    names: list[str]


class Invitation(Message):
    """An invitation to a table. host: who invites you."""

    table: str
    preset: str
    title: str
    host: str
    at: Milliseconds

"""Friends: follows, blocks, and invitations to tables."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dasan.server.protocol.base import Message, Milliseconds

SomebodysName = Annotated[str, Field(min_length=1, max_length=64)]


class Friend(Message):
    """A player whom you follow.

    mutual: whether they follow you too; only then are the other fields known. here: whether they are online. seen: when
    they were last online, null if unknown.
    """

    name: str
    mutual: bool
    here: bool
    seen: Milliseconds | None


class Friends(Message):
    """The players whom you follow, your other followers, and those whom you have blocked. you: your account's name;
    null for guests.
    """

    you: str | None
    follows: list[Friend]
    followers: list[str]
    blocked: list[str]


class Invite(Message):
    """Invite a friend to a table, by account name."""

    name: SomebodysName


class Invited(Message):
    """The names of the players invited to a table."""

    names: list[str]


class Invitation(Message):
    """An invitation to a table. host: the player who invites you."""

    table: str
    preset: str
    title: str
    host: str
    at: Milliseconds

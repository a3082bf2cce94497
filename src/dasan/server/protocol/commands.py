"""What a client sends: over the WebSocket, or one at a time to ``POST /api/tables/{id}/commands``."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dasan.server.protocol.base import BotName, CommandId, Message, Name, SeatNumber
from dasan.server.refusals import Refused


class MoveCommand(Message):
    """Play a move: its text is one of ``legal_moves`` or any other way of writing a legal play."""

    type: Literal["move"]
    id: CommandId
    move: Annotated[str, Field(min_length=1, max_length=512)]


class NextCommand(Message):
    """Ready for the next hand; it is dealt when everybody present is, or when ``next_at`` has come."""

    type: Literal["next"]
    id: CommandId


class ContributeCommand(Message):
    """Add a string of one's own to the shuffle of the next hand (the first one too, before it is dealt)."""

    type: Literal["contribute"]
    id: CommandId
    text: Annotated[str, Field(min_length=1, max_length=128)]


class SitCommand(Message):
    """Take an open seat before the start, or change to it; no seat: the first that is open."""

    type: Literal["sit"]
    id: CommandId
    seat: SeatNumber | None = None
    name: Name | None = None


class LeaveCommand(Message):
    """Give up the seat: before the start it opens again, afterwards a bot plays on in it."""

    type: Literal["leave"]
    id: CommandId


class ReturnCommand(Message):
    """Take one's own seat back from the bot that plays in it."""

    type: Literal["return"]
    id: CommandId


class ReadyCommand(Message):
    """Say whether one is ready to start; play starts when no seat is open and everybody is."""

    type: Literal["ready"]
    id: CommandId
    ready: bool


class StartCommand(Message):
    """The host starts; open seats are given to the table's substitute bot."""

    type: Literal["start"]
    id: CommandId


class SeatBotCommand(Message):
    """The host puts a bot in an open seat, or (``bot``: null) opens a bot's seat; before the start."""

    type: Literal["seat-bot"]
    id: CommandId
    seat: SeatNumber
    bot: BotName | None


class RemoveCommand(Message):
    """The host removes a player before the start."""

    type: Literal["remove"]
    id: CommandId
    seat: SeatNumber


class LockCommand(Message):
    """The host lets nobody else join, or somebody again."""

    type: Literal["lock"]
    id: CommandId
    locked: bool


class SilenceCommand(Message):
    """The host takes a player's chat away, or gives it back."""

    type: Literal["silence"]
    id: CommandId
    seat: SeatNumber
    silent: bool


class ChatCommand(Message):
    """Say something to the table."""

    type: Literal["chat"]
    id: CommandId
    text: Annotated[str, Field(min_length=1, max_length=280)]


class ReportCommand(Message):
    """Report a chat message (its ``seq``) to the people who run the server."""

    type: Literal["report"]
    id: CommandId
    message: Annotated[int, Field(ge=0, lt=1 << 31, strict=True)]
    reason: Annotated[str, Field(max_length=280)] = ""


ReactionName: TypeAlias = Literal["good", "thanks", "wow", "oops", "laugh", "hurry", "hello", "bye"]


class ReactCommand(Message):
    """A quick reaction, shown for a moment and kept nowhere."""

    type: Literal["react"]
    id: CommandId
    reaction: ReactionName


OfferName: TypeAlias = Literal["undo", "end"]


class OfferCommand(Message):
    """Offer something that all other people must accept: undo one's last move (casual tables), or end the session."""

    type: Literal["offer"]
    id: CommandId
    offer: OfferName


class AnswerCommand(Message):
    """Accept or decline the offer that is open; whoever made it withdraws it by declining."""

    type: Literal["answer"]
    id: CommandId
    accept: bool


class TakeBackCommand(Message):
    """Against bots alone: take one's last move back; the hand is marked and does not count."""

    type: Literal["take-back"]
    id: CommandId


class RematchCommand(Message):
    """After the end: ready for a new table with the same seats; it is opened when everybody present is."""

    type: Literal["rematch"]
    id: CommandId


class HintCommand(Message):
    """Ask a bot what it would do, on one's own turn; the answer is a ``hint``."""

    type: Literal["hint"]
    id: CommandId
    bot: BotName = "greedy"


class ProbeReply(Message):
    """The answer to a ``probe``, at once: so the server measures the line's delay, which clocks forgive."""

    type: Literal["probe"]
    n: Annotated[int, Field(ge=0, lt=1 << 31, strict=True)]


class Ping(Message):
    """Is anyone there?"""

    type: Literal["ping"]


RoomCommand: TypeAlias = (
    MoveCommand
    | NextCommand
    | ContributeCommand
    | SitCommand
    | LeaveCommand
    | ReturnCommand
    | ReadyCommand
    | StartCommand
    | SeatBotCommand
    | RemoveCommand
    | LockCommand
    | SilenceCommand
    | ChatCommand
    | OfferCommand
    | AnswerCommand
    | TakeBackCommand
    | RematchCommand
)
"""Commands that change the room, and so are written to its log."""

Command: TypeAlias = RoomCommand | ReportCommand | ReactCommand | HintCommand
ClientMessage: TypeAlias = Annotated[Command | ProbeReply | Ping, Field(discriminator="type")]
AnyCommand: TypeAlias = Annotated[Command, Field(discriminator="type")]

_client: TypeAdapter[Command | ProbeReply | Ping] = TypeAdapter(ClientMessage)


def read_client(text: str) -> Command | ProbeReply | Ping:
    """The message in ``text``; anything else is refused as malformed.

    >>> read_client('{"type":"move","id":"c1","move":"4H 4S"}').move
    '4H 4S'
    >>> read_client("[]")
    Traceback (most recent call last):
    dasan.server.refusals.Refused: the server cannot read that message
    """
    try:
        return _client.validate_json(text)
    except (ValueError, RecursionError):
        raise Refused("malformed", "the server cannot read that message") from None

"""Messages from clients: over the WebSocket, or one at a time to ``POST /api/tables/{id}/commands``."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dasan.server.protocol.base import BotName, CommandId, Message, MoveText, Name, Number, SeatNumber
from dasan.server.refusals import Refused
from dasan.strict_json import parse


class MoveCommand(Message):
    """Make a move. The text is one of ``legal_moves``, or another notation of a legal move."""

    type: Literal["move"]
    id: CommandId
    move: MoveText


class NextCommand(Message):
    """Declare yourself ready for the next hand. It is dealt when everybody present is ready, or at ``next_at``."""

    type: Literal["next"]
    id: CommandId


class ContributeCommand(Message):
    """Add your own string to the shuffle of the next hand; before the first deal, of the first hand."""

    type: Literal["contribute"]
    id: CommandId
    text: Annotated[str, Field(min_length=1, max_length=128)]


class SitCommand(Message):
    """Take an open seat before the start, or change seats. ``seat``: by default the first open one. ``program``:
    whether a program plays, which the table shows.
    """

    type: Literal["sit"]
    id: CommandId
    seat: SeatNumber | None = None
    name: Name | None = None
    program: bool = False


class LeaveCommand(Message):
    """Give up your seat. Before the start it becomes open; afterwards a bot plays on in it."""

    type: Literal["leave"]
    id: CommandId


class ReturnCommand(Message):
    """Take your seat back from the bot that plays in it; from the next hand on if this one is rated and was dealt to the bot."""

    type: Literal["return"]
    id: CommandId


class ReadyCommand(Message):
    """Say whether you are ready to start. Play starts when no seat is open and everybody is ready."""

    type: Literal["ready"]
    id: CommandId
    ready: bool


class StartCommand(Message):
    """Start (the host only); the table's substitute bot takes the open seats."""

    type: Literal["start"]
    id: CommandId


class SeatBotCommand(Message):
    """Put a bot in an open seat, or with ``bot`` null vacate a bot's seat (the host only, before the start)."""

    type: Literal["seat-bot"]
    id: CommandId
    seat: SeatNumber
    bot: BotName | None


class RemoveCommand(Message):
    """Remove a player (the host only, before the start)."""

    type: Literal["remove"]
    id: CommandId
    seat: SeatNumber


class LockCommand(Message):
    """Lock the table against further players, or unlock it (the host only)."""

    type: Literal["lock"]
    id: CommandId
    locked: bool


class SilenceCommand(Message):
    """Mute or unmute a player in the table's chat (the host only)."""

    type: Literal["silence"]
    id: CommandId
    seat: SeatNumber
    silent: bool


class ChatCommand(Message):
    """Send a chat message to the table."""

    type: Literal["chat"]
    id: CommandId
    text: Annotated[str, Field(min_length=1, max_length=280)]


class ReportCommand(Message):
    """Report a chat message, by its ``seq``, to the moderators."""

    type: Literal["report"]
    id: CommandId
    message: Number
    reason: Annotated[str, Field(max_length=280)] = ""


ReactionName: TypeAlias = Literal["good", "thanks", "wow", "oops", "laugh", "hurry", "hello", "bye"]


class ReactCommand(Message):
    """Show the others a quick reaction. It is not stored."""

    type: Literal["react"]
    id: CommandId
    reaction: ReactionName


OfferName: TypeAlias = Literal["undo", "end"]


class OfferCommand(Message):
    """Make an offer that all other people must accept: to undo your last move (casual tables), or to end the
    session (not during a rated hand).
    """

    type: Literal["offer"]
    id: CommandId
    offer: OfferName


class AnswerCommand(Message):
    """Accept or decline the open offer. Its maker withdraws it by declining."""

    type: Literal["answer"]
    id: CommandId
    accept: bool


class TakeBackCommand(Message):
    """Take back your last move at a casual table, if all others are bots. The hand is marked."""

    type: Literal["take-back"]
    id: CommandId


class RematchCommand(Message):
    """After the end, declare yourself ready for a new table with the same seats. It opens when everybody present is
    ready.
    """

    type: Literal["rematch"]
    id: CommandId


class HintCommand(Message):
    """Ask, on your turn, what a bot would do. The answer is a ``hint``. ``bot``: by default the server chooses."""

    type: Literal["hint"]
    id: CommandId
    bot: BotName | None = None


class ProbeReply(Message):
    """The immediate answer to a ``probe``. It measures the delay of the connection, which clocks do not count."""

    type: Literal["probe"]
    n: Number


class Ping(Message):
    """Ask whether the connection works; the answer is a ``pong``."""

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
"""Commands that change the room and are written to its log."""

Command: TypeAlias = RoomCommand | ReportCommand | ReactCommand | HintCommand
ClientMessage: TypeAlias = Annotated[Command | ProbeReply | Ping, Field(discriminator="type")]
AnyCommand: TypeAlias = Annotated[Command, Field(discriminator="type")]

_client: TypeAdapter[Command | ProbeReply | Ping] = TypeAdapter(ClientMessage)
_id: TypeAdapter[str] = TypeAdapter(CommandId)


def read_client(text: str) -> Command | ProbeReply | Ping:
    """Parse a client's message. ``Refused``: it is not valid.

    >>> read_client('{"type":"move","id":"c1","move":"4H 4S"}').move
    '4H 4S'
    >>> read_client("[]")
    Traceback (most recent call last):
    dasan.server.refusals.Refused: the server cannot read that message
    """
    try:
        return _client.validate_python(parse(text))
    except ValueError:
        raise Refused("malformed", "the server cannot read that message") from None


def id_of(text: str) -> str | None:
    """The command's id in a client's message, which may be invalid otherwise; None if it has no valid one.

    >>> id_of('{"type":"move","id":"c1","move":""}')
    'c1'
    """
    try:
        return _id.validate_python(parse(text)["id"])
    except (ValueError, TypeError, LookupError):
        return None

"""Messages from the server over the WebSocket.

``snapshot``, ``update``, ``table`` and ``chat`` contain the table's ``seq`` after them. A client that reconnects sends
the last one it received, ``/ws/tables/{id}?seq=N``. It gets what it missed as one ``update`` or ``table`` and the chat,
or a ``snapshot`` if that is shorter or the server no longer has the messages.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from dasan.reasons import Sentence
from dasan.server.protocol.base import CommandId, Message, Milliseconds, Seat, Unit
from dasan.server.protocol.commands import ReactionName
from dasan.server.protocol.hand import Event, LegalMove, SessionInfo, View, ViewState
from dasan.server.protocol.table import ClockInfo, Presence, RulesFacts, TableInfo
from dasan.server.refusals import ErrorCode


class ChatLine(Message):
    """A chat message. ``seq`` identifies it; ``seat`` is null if its author has left the seat since."""

    seq: int
    at: Milliseconds
    seat: Seat | None
    name: str
    text: str


class VisibleTable(Message):
    """A table and its hand as the viewer may see them. ``view`` is null before the first hand is dealt."""

    seq: int
    table: TableInfo
    rules: RulesFacts
    session: SessionInfo
    view: View | None
    clocks: ClockInfo | None
    presence: list[Presence]
    watching: int


class Snapshot(VisibleTable):
    """Everything that the viewer may know; sent on connection, and after every deal."""

    type: Literal["snapshot"]
    chat: list[ChatLine]


class Update(Message):
    """The new events of a move, and the view after them. An absent ``session`` or ``table`` has not changed."""

    type: Literal["update"]
    seq: int
    events: list[Event]
    view: ViewState
    clocks: ClockInfo | None
    session: SessionInfo | None = None
    table: TableInfo | None = None


class TableChanged(Message):
    """A change of the table outside the hand: seats, readiness, votes, offers, contributions."""

    type: Literal["table"]
    seq: int
    table: TableInfo
    session: SessionInfo
    clocks: ClockInfo | None


class ChatSaid(Message):
    """A new chat message."""

    type: Literal["chat"]
    seq: int
    lines: list[ChatLine]


class Reaction(Message):
    """A player's quick reaction."""

    type: Literal["reaction"]
    seat: Seat
    reaction: ReactionName


class PresenceChanged(Message):
    """The connected players, and the number of spectators."""

    type: Literal["presence"]
    presence: list[Presence]
    watching: int


class Reason(Message):
    """A reason for or against a move: the fact's id, its numbers and names, and its English sentence."""

    id: str
    values: dict[str, int | float | str]
    text: str


class Candidate(Message):
    """A move that a bot considered. ``value``: the result it expects, in ``unit``; null if it computes none."""

    move: LegalMove
    value: float | None
    reasons: list[Reason]


class Hint(Message):
    """A bot's advice, best move first, for the seat that asked. Higher is better in every ``unit``: payment; place,
    from 1 (first) to -1 (last); or the negated turns that the rest of the hand costs.
    """

    type: Literal["hint"]
    id: CommandId
    seq: int
    bot: str
    unit: Unit
    candidates: list[Candidate]


class Ack(Message):
    """The command was carried out and is on disk; the log then had ``seq`` entries. A repeated id gets the same
    answer.
    """

    type: Literal["ack"]
    id: CommandId
    seq: int


class Wording(Message):
    """The id of a sentence in ``dasan.reasons``, and the values in it; cards are written ``4H 4S``."""

    id: str
    values: dict[str, str]


class ErrorMessage(Message):
    """A refusal: a sentence for the player, and the clause of the rules if there is one.

    ``wording`` lets clients translate it; it is null for errors that only programs cause.
    """

    type: Literal["error"]
    id: str | None
    code: ErrorCode
    clause: str | None
    message: str
    wording: Wording | None


class Probe(Message):
    """Answer with the same ``n`` at once."""

    type: Literal["probe"]
    n: int


class Pong(Message):
    """The answer to a ``ping``."""

    type: Literal["pong"]


def error_message(code: ErrorCode, message: str, clause: str | None = None, id: str | None = None) -> ErrorMessage:
    """The message for a refusal; ``id`` is the command's."""
    wording = Wording(id=message.id, values=message.values) if isinstance(message, Sentence) else None
    return ErrorMessage(type="error", id=id, code=code, clause=clause, message=str(message), wording=wording)


ServerMessage: TypeAlias = Annotated[
    Snapshot | Update | TableChanged | ChatSaid | Reaction | PresenceChanged | Hint | Ack | ErrorMessage | Probe | Pong,
    Field(discriminator="type"),
]

"""What the server sends over the WebSocket.

``snapshot``, ``update``, ``table`` and ``chat`` carry the table's ``seq`` after them. A client that connects again says
the last one it saw, ``/ws/tables/{id}?seq=N``, and gets what it missed as one ``update`` or ``table`` and its chat, or
a ``snapshot`` where that is shorter or nobody remembers.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from dasan.sentences import Sentence
from dasan.server.protocol.base import CommandId, Message, Milliseconds, Seat
from dasan.server.protocol.commands import ReactionName
from dasan.server.protocol.hand import Event, LegalMove, SessionInfo, View, ViewState
from dasan.server.protocol.table import ClockInfo, Presence, RulesFacts, TableInfo
from dasan.server.refusals import ErrorCode


class ChatLine(Message):
    """Something said at the table. ``seq`` identifies it; ``seat`` is null for somebody who has left it since."""

    seq: int
    at: Milliseconds
    seat: Seat | None
    name: str
    text: str


class Snapshot(Message):
    """Everything the viewer may know: on connecting, and whenever a hand is dealt.

    ``view`` is null before the first hand is dealt.
    """

    type: Literal["snapshot"]
    seq: int
    table: TableInfo
    rules: RulesFacts
    session: SessionInfo
    view: View | None
    clocks: ClockInfo | None
    presence: list[Presence]
    watching: int
    chat: list[ChatLine]


class Update(Message):
    """What a move changed: the new events, and the view after them. Without ``session`` or ``table`` that part is as
    it was.
    """

    type: Literal["update"]
    seq: int
    events: list[Event]
    view: ViewState
    clocks: ClockInfo | None
    session: SessionInfo | None = None
    table: TableInfo | None = None


class TableChanged(Message):
    """The table changed, but not the hand: seats, readiness, votes, offers, contributions."""

    type: Literal["table"]
    seq: int
    table: TableInfo
    session: SessionInfo
    clocks: ClockInfo | None


class ChatSaid(Message):
    """New chat."""

    type: Literal["chat"]
    seq: int
    lines: list[ChatLine]


class Reaction(Message):
    """Somebody's quick reaction."""

    type: Literal["reaction"]
    seat: Seat
    reaction: ReactionName


class PresenceChanged(Message):
    """Who is connected, and how many watch."""

    type: Literal["presence"]
    presence: list[Presence]
    watching: int


class Reason(Message):
    """Why a bot likes a move: a fact, by id, with the numbers and names in it, and its English sentence."""

    id: str
    values: dict[str, int | float | str]
    text: str


class Candidate(Message):
    """A move a bot considered. ``value``: what it expects, counted as ``unit`` says; null where it has no figure."""

    move: LegalMove
    value: float | None
    reasons: list[Reason]


class Hint(Message):
    """A bot's advice, best first; only the seat that asked gets it. More of ``unit`` is better: payment, place (1 first,
    -1 last), turns that the rest of the hand costs (negated).
    """

    type: Literal["hint"]
    id: CommandId
    seq: int
    bot: str
    unit: Literal["payment", "place", "turns", "none"]
    candidates: list[Candidate]


class Ack(Message):
    """The command was carried out, is on disk, and left the table at ``seq``; a repeated id gets the same answer."""

    type: Literal["ack"]
    id: CommandId
    seq: int


class Wording(Message):
    """Which sentence of the catalogue it is (``dasan.sentences``), and the values in it; cards are written ``4H 4S``."""

    id: str
    values: dict[str, str]


class ErrorMessage(Message):
    """Why something was refused: a sentence for the player, and the clause of the rules where there is one.

    ``wording`` lets a client say it in another language; it is null for what only programs get wrong.
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
    """Yes."""

    type: Literal["pong"]


def error_message(code: ErrorCode, message: str, clause: str | None = None, id: str | None = None) -> ErrorMessage:
    """A refusal as it is sent; ``id`` is the command's."""
    wording = Wording(id=message.id, values=message.values) if isinstance(message, Sentence) else None
    return ErrorMessage(type="error", id=id, code=code, clause=clause, message=str(message), wording=wording)


ServerMessage: TypeAlias = Annotated[
    Snapshot | Update | TableChanged | ChatSaid | Reaction | PresenceChanged | Hint | Ack | ErrorMessage | Probe | Pong,
    Field(discriminator="type"),
]

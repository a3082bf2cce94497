"""Every message that crosses the wire: one schema for REST, the WebSocket and the client's TypeScript types.

``python -m dasan.server.schema`` writes these models as JSON Schema to ``schema.json``. A message carries only the
fields that were set, so an event without cards has no ``cards``; where the client must tell "none" from "absent" the
field is required and nullable. Cards are written rank then suit (``"4H"``); a card the viewer may not see is ``"?"``.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from dasan.server.refusals import ErrorCode, Refused

PROTOCOL = 1
MAX_MESSAGE = 64 * 1024
"""The largest message, in bytes, that the server reads from a socket or a request."""

CommandId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.:-]+$")]
Seat: TypeAlias = int
CardText: TypeAlias = str
OptionValue: TypeAlias = bool | int | str


class Message(BaseModel):
    """The base of all models: unknown fields are refused, so that the schema and the engine cannot drift apart."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def wire(self) -> str:
        """This message as JSON text, with only the fields that were set."""
        return self.model_dump_json(exclude_unset=True)


# What the client sends over the WebSocket


class MoveCommand(Message):
    """Play a move: its text is one of ``legal_moves`` or any other way of writing a legal play."""

    type: Literal["move"]
    id: CommandId
    move: Annotated[str, Field(min_length=1, max_length=512)]


class NextCommand(Message):
    """Deal the next hand; only after the end of one."""

    type: Literal["next"]
    id: CommandId


class ContributeCommand(Message):
    """Add a string of one's own to the shuffle of the next hand."""

    type: Literal["contribute"]
    id: CommandId
    text: Annotated[str, Field(min_length=1, max_length=128)]


class Ping(Message):
    """Is anyone there?"""

    type: Literal["ping"]


Command: TypeAlias = MoveCommand | NextCommand | ContributeCommand
ClientMessage: TypeAlias = Annotated[MoveCommand | NextCommand | ContributeCommand | Ping, Field(discriminator="type")]


# What the server shows


class Event(Message):
    """Something that happened in the hand, as one viewer may know it."""

    seq: int
    seat: Seat
    type: Literal[
        "bid",
        "pass",
        "call",
        "play",
        "give",
        "offer",
        "take",
        "open",
        "kitty",
        "last-card",
        "trick",
        "partner",
        "out",
    ]
    cards: list[CardText] | None = None
    bid: int | None = None


class SessionEvent(Message):
    """What came before the first move of a hand: the draw for the deal, the dealer, the cut, the deal."""

    type: Literal["draw", "dealer", "cut", "deal"]
    seat: Seat
    seq: int | None = None
    cards: list[CardText] | None = None
    value: int | None = None
    commitment: str | None = None
    contributions: list[str] | None = None


class LegalMove(Message):
    """One move the viewer may make now; ``move`` is the text to send."""

    move: str
    type: Literal["pass", "bid", "call", "play", "give", "offer", "take"]
    kind: str | None = None
    cards: list[CardText] | None = None
    bid: int | None = None


class OnTable(Message):
    """The play to beat."""

    kind: str
    cards: list[CardText]


class Result(Message):
    """How the hand ended: payments by seat (they sum to zero), seats out in order, winners."""

    payments: list[int]
    finish_order: list[Seat]
    winners: list[Seat]
    foul: Seat | None
    next_dealer: Seat


class ViewState(Message):
    """What one seat (``null``: a spectator) knows of the hand, apart from its events."""

    seat: Seat | None
    players: int
    preset: str
    phase: Literal["auction", "call", "exchange", "play", "over"]
    to_act: Seat | None
    hand: list[CardText]
    hand_sizes: list[int]
    dealer: Seat
    opener: Seat | None
    leader: Seat | None
    bidder: Seat | None
    bid: int | None
    called: CardText | None
    partner: Seat | None
    table: OnTable | None
    table_seat: Seat | None
    passed: list[Seat]
    finished: list[Seat]
    offered: list[CardText] | None
    legal_moves: list[LegalMove]
    played: list[CardText] | None
    hands: list[list[CardText]] | None
    kitty: list[CardText] | None
    result: Result | None


class View(ViewState):
    """What one seat knows of the hand, with its events so far."""

    events: list[Event]


class SeatInfo(Message):
    """Who sits where."""

    seat: Seat
    name: str
    kind: Literal["human", "bot"]
    bot: str | None = None


class TableInfo(Message):
    """The table itself; ``you`` is the viewer's seat, ``null`` for a spectator."""

    id: str
    preset: str
    title: str
    options: dict[str, OptionValue]
    players: int
    direction: Literal["counterclockwise", "clockwise"]
    you: Seat | None
    seats: list[SeatInfo]


class HandResult(Message):
    """One line of the score sheet."""

    payments: list[int]
    winners: list[Seat]


class SessionInfo(Message):
    """Hand number (from 1), balances by seat, the results of the hands that are over, and how this one was dealt.

    ``next_commitment`` is the SHA-256 of the secret behind the next hand's shuffle, ``contributions`` the strings that
    the players have added to it so far, by seat.
    """

    number: int
    balances: list[int]
    results: list[HandResult]
    opening: list[SessionEvent]
    next_commitment: str | None = None
    contributions: list[str | None] | None = None


class Snapshot(Message):
    """Everything the viewer may know: on connecting, and whenever a hand is dealt."""

    type: Literal["snapshot"]
    seq: int
    table: TableInfo
    session: SessionInfo
    view: View


class Update(Message):
    """What a move changed: the new events, and the view after them."""

    type: Literal["update"]
    seq: int
    events: list[Event]
    session: SessionInfo
    view: ViewState


class Ack(Message):
    """The command was carried out, is on disk, and left the table at ``seq``; a repeated id gets the same answer."""

    type: Literal["ack"]
    id: CommandId
    seq: int


class ErrorMessage(Message):
    """Why something was refused: a sentence for the player, and the clause of the rules where there is one."""

    type: Literal["error"]
    id: str | None
    code: ErrorCode
    clause: str | None
    message: str


class Pong(Message):
    """Yes."""

    type: Literal["pong"]


ServerMessage: TypeAlias = Annotated[Snapshot | Update | Ack | ErrorMessage | Pong, Field(discriminator="type")]


# REST


class OptionInfo(Message):
    """One option of a game. ``choices`` where it is one of a list, ``minimum``/``maximum`` where it is a number."""

    name: str
    default: OptionValue
    choices: list[OptionValue] | None
    minimum: int | None
    maximum: int | None
    clause: str
    help: str


class PresetInfo(Message):
    """A game that can be played, with the options it has."""

    name: str
    title: str
    options: list[OptionInfo]


class CreateTable(Message):
    """A new table: you take seat 0, the bots the others in order of play (``greedy`` where none is named)."""

    preset: Annotated[str, Field(min_length=1, max_length=64)]
    options: Annotated[dict[str, OptionValue], Field(max_length=64)] = {}
    bots: Annotated[list[Annotated[str, Field(min_length=1, max_length=64)]], Field(max_length=7)] = []
    public: bool = False


class TableCreated(Message):
    """Where the new table is."""

    id: str


class TableSummary(Message):
    """A table in the list of mine."""

    id: str
    preset: str
    title: str
    players: int
    created: str
    number: int
    phase: Literal["auction", "call", "exchange", "play", "over"]
    your_turn: bool
    balances: list[int]


class TableDetail(Message):
    """One table as the viewer may see it: what a snapshot holds."""

    seq: int
    table: TableInfo
    session: SessionInfo
    view: View


class ClauseInfo(Message):
    """One clause of the rules, in words for players."""

    id: str
    text: str


class RulesInfo(Message):
    """The rules in force for a preset with its options."""

    preset: str
    title: str
    options: dict[str, OptionValue]
    clauses: list[ClauseInfo]


class Health(Message):
    """The server answers; ``version`` is the package's."""

    status: Literal["ok"]
    version: str
    protocol: int


REST = (
    PresetInfo, CreateTable, TableCreated, TableSummary, TableDetail, RulesInfo, Health,
)  # fmt: skip
"""The models that REST answers or takes, beside the two message unions of the WebSocket."""

_client: TypeAdapter[MoveCommand | NextCommand | ContributeCommand | Ping] = TypeAdapter(ClientMessage)


def read_client(text: str) -> Command | Ping:
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

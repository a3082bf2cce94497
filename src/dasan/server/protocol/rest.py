"""What REST takes and answers: games, tables, the lobby, hands, study."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import (
    CommandId,
    Message,
    Milliseconds,
    Name,
    OptionValue,
    Phase,
    Seat,
    SeatNumber,
    Status,
)
from dasan.server.protocol.hand import LegalMove, Result, SessionInfo, View
from dasan.server.protocol.messages import Candidate
from dasan.server.protocol.table import ClockInfo, Presence, RulesFacts, SeatInfo, TableInfo, TableSettings


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
    """A game that can be played, with the options it has. ``sample``: a few cards that say which game it is.

    ``variant``: listed below its family's main game. ``summary``: the game in a sentence or two, or nothing.
    """

    name: str
    title: str
    family: str
    variant: bool
    sample: list[str]
    summary: str
    facts: RulesFacts
    options: list[OptionInfo]


class ClauseInfo(Message):
    """One clause of the rules, in words for players."""

    id: str
    text: str


class RulesInfo(Message):
    """The rules in force for a preset with its options."""

    preset: str
    title: str
    options: dict[str, OptionValue]
    facts: RulesFacts
    clauses: list[ClauseInfo]


class BotInfo(Message):
    """A bot that can be seated: what it is called, how it plays, in one sentence, and how strong (1 to 8)."""

    name: str
    title: str
    character: str
    level: int | None


class Health(Message):
    """The server answers; ``version`` is the package's."""

    status: Literal["ok"]
    version: str
    protocol: int


class Promise(Message):
    """A secret the server has committed to before anybody says anything: open a table with its ``ticket``, and its
    first draw and deal follow from that secret and from your string.
    """

    ticket: str
    commitment: str


SeatWord = Annotated[str, Field(min_length=1, max_length=64)]


class CreateTable(Message):
    """A new table. ``seats``: one word a seat in order of play, ``me``, ``open`` or a bot's name; none: me and bots.

    ``name``: what the others see. ``ticket``, ``contribution``: see ``Promise``.
    """

    preset: Annotated[str, Field(min_length=1, max_length=64)]
    options: Annotated[dict[str, OptionValue], Field(max_length=64)] = Field(default={})
    seats: Annotated[list[SeatWord], Field(max_length=8)] = Field(default=[])
    name: Name | None = None
    settings: TableSettings = TableSettings()
    ticket: Annotated[str, Field(max_length=64)] | None = None
    contribution: Annotated[str, Field(min_length=1, max_length=128)] | None = None


class TableCreated(Message):
    """Where the new table is, and where you sit (null: nowhere)."""

    id: str
    seat: Seat | None


class JoinTable(Message):
    """Take a seat at a table by its link, with or without an account; no seat: the first that is open."""

    name: Name | None = None
    seat: SeatNumber | None = None


class Joined(Message):
    """Where you sit now."""

    id: str
    seat: Seat


QuickSpeed = Literal["move-20", "move-60", "clock-300"]


class QuickMatch(Message):
    """Seek a rated game with people of about one's own rating; ask again every other second until there is a table.

    ``speed``: so many seconds a move, or for the whole hand. ``bots``: bots may fill the table after a while.
    """

    preset: Annotated[str, Field(min_length=1, max_length=64)]
    speed: QuickSpeed = "move-60"
    bots: bool = True
    name: Name | None = None


class QuickMatched(Message):
    """The table that was found, or null: ``waited`` milliseconds so far, ``seeking`` people for the same game, and bots
    fill the table after ``bots_after`` milliseconds (null: never).
    """

    table: str | None
    waited: Milliseconds
    seeking: int
    bots_after: Milliseconds | None


class Forgotten(Message):
    """The table is off this player's list, and the seat has been left."""

    id: str


class CommandDone(Message):
    """The command was carried out and left the table at ``seq``."""

    id: CommandId
    seq: int


class TableSummary(Message):
    """A table in the list of mine. ``number`` and ``phase`` are 0 and null before the first hand; ``seat``: my chair."""

    id: str
    preset: str
    title: str
    players: int
    created: str
    status: Status
    number: int
    phase: Phase | None
    your_turn: bool
    seat: int | None
    balances: list[int]
    names: list[str]
    deadline: Milliseconds | None


class LobbyTable(Message):
    """A table in the lobby. ``open``: seats that can be taken; ``watch``: whether it can be watched."""

    id: str
    preset: str
    title: str
    players: int
    created: str
    status: Status
    seats: list[SeatInfo]
    open: int
    settings: TableSettings
    number: int
    watch: bool


class Lobby(Message):
    """Tables with an open seat, and tables that can be watched, newest first."""

    open: list[LobbyTable]
    live: list[LobbyTable]


class TableDetail(Message):
    """One table as the viewer may see it: what a snapshot holds of the table and its hand."""

    seq: int
    table: TableInfo
    rules: RulesFacts
    session: SessionInfo
    view: View | None
    clocks: ClockInfo | None
    presence: list[Presence]
    watching: int


class HandSeat(Message):
    """Who sat where in a hand that is over. ``player``: the account's name, null for guests and bots."""

    seat: Seat
    name: str
    kind: Literal["human", "bot"]
    bot: str | None
    player: str | None


class HandInfo(Message):
    """A finished hand's permanent page. ``you``: your seat in it, null for others."""

    id: str
    table: str | None
    number: int
    preset: str
    title: str
    options: dict[str, OptionValue]
    facts: RulesFacts
    finished: str
    seats: list[HandSeat]
    result: Result
    you: Seat | None
    shown: bool


class HandSummary(Message):
    """A hand in a list: history, or a table's hands."""

    id: str
    number: int
    preset: str
    title: str
    finished: str
    names: list[str]
    seat: Seat | None
    payments: list[int]
    winners: list[Seat]
    rated: bool


class ReviewMove(Message):
    """What the exact solver says of one move of a finished hand, with all hands open.

    value, worth: what the position was worth to the side as ``dasan.solve`` counts, before and after the move; null
    where it is not known. kept: whether the move kept it. keeping, losing: other moves that do or do not.
    """

    type: Literal["move"]
    seq: int
    seat: Seat
    phase: Phase
    move: str
    choices: int
    forced: bool
    scope: str | None
    value: int | None
    worth: int | None
    kept: bool | None
    keeping: list[str]
    losing: list[str]
    as_bidder: int | None


class ReviewDone(Message):
    """The last line of a review: its turning points, and whether a limit ended it early."""

    type: Literal["done"]
    turning_points: list[int]
    last_chance: int | None
    complete: bool


class TurningPoint(Message):
    """The last move of a finished hand that did not keep its result, with all hands open.

    move: null where there is none, or where the time for looking did not reach it; held: every move kept the result.
    """

    move: ReviewMove | None
    held: bool


class PuzzleInfo(Message):
    """A puzzle without its solution: a position with open hands in which one move wins for the seat to act."""

    id: str
    preset: str
    players: int
    themes: list[str]
    grade: int
    moves: int | None
    facts: RulesFacts
    view: View
    hands: list[list[str]]


class PuzzleSummary(Message):
    """A puzzle in a list."""

    id: str
    preset: str
    players: int
    themes: list[str]
    grade: int


class PuzzleList(Message):
    """Puzzles that match, and how many there are of each theme and grade."""

    puzzles: list[PuzzleSummary]
    total: int
    themes: dict[str, int]
    grades: dict[str, int]


class PuzzleAnswer(Message):
    """All moves since the puzzle's position, of both sides; the last is the one to check."""

    moves: Annotated[list[Annotated[str, Field(min_length=1, max_length=512)]], Field(min_length=1, max_length=64)]


class PuzzleVerdict(Message):
    """Whether the last move was right, what follows it (the other side's reply, a refutation where it was wrong, and
    moves without a choice), and the position after that; ``done``: nothing can go wrong any more. ``solution``: the
    puzzle's first move, once done or wrong.
    """

    right: bool
    done: bool
    reply: list[str]
    view: View
    hands: list[list[str]]
    solution: str | None


class Advice(Message):
    """What a bot would have done in a finished hand, knowing only what the seat to act knew; see ``Hint``."""

    bot: str
    unit: Literal["payment", "place", "turns", "none"]
    candidates: list[Candidate]


class SolvePosition(Message):
    """A line to try in a finished hand: the moves made instead, from the position before event ``seq``."""

    seq: Annotated[int, Field(ge=0, lt=1 << 31, strict=True)]
    moves: Annotated[list[Annotated[str, Field(min_length=1, max_length=512)]], Field(max_length=64)] = Field(default=[])


class PositionValue(Message):
    """What the solver says of a position: the value, and each legal move's where it was proved."""

    to_act: Seat | None
    phase: Phase
    value: int | None
    exact: bool
    scope: str | None
    moves: dict[str, int]
    legal_moves: list[LegalMove]
    view: View
    hands: list[list[str]]

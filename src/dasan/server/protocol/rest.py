"""Requests and answers of REST: games, tables, the lobby, hands, reviews and puzzles."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import (
    CommandId,
    Message,
    Milliseconds,
    Moves,
    Name,
    Number,
    Options,
    OptionValue,
    Phase,
    PresetName,
    Seat,
    SeatNumber,
    Status,
    Unit,
)
from dasan.server.protocol.hand import LegalMove, Result, View
from dasan.server.protocol.messages import Candidate, VisibleTable
from dasan.server.protocol.table import RulesFacts, SeatInfo, TableSettings


class NeedInfo(Message):
    """What some values of an option need: option ``other`` with one of the values ``among``.

    Without it the option has the value ``otherwise``, or is refused if one of ``values`` was chosen.
    """

    values: list[OptionValue]
    other: str
    among: list[OptionValue]
    otherwise: OptionValue


class OptionInfo(Message):
    """An option of a game: one of ``choices``, or a number from ``minimum`` to ``maximum``."""

    name: str
    default: OptionValue
    choices: list[OptionValue] | None
    minimum: int | None
    maximum: int | None
    clause: str
    help: str
    needs: list[NeedInfo] = Field(default=[])


class PresetInfo(Message):
    """A game and its options. ``sample``: a few cards typical of the game.

    ``variant``: whether it is listed below its family's main game. ``summary``: one or two sentences about the game;
    may be empty.
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
    """A bot that can be seated: its name, a phrase about its play, to follow the name, and its strength (1 to 8)."""

    name: str
    title: str
    character: str
    level: int | None


class Health(Message):
    """The state of the server. version, commit: of dasan. schema: of its database. protocol: of its messages."""

    status: Literal["ok"]
    version: str
    commit: str
    schema_: Annotated[str, Field(alias="schema")]
    protocol: int


class Promise(Message):
    """The commitment to a secret, made before anybody adds a string. A table opened with the ``ticket`` draws and deals
    its first hand from that secret and your string.
    """

    ticket: str
    commitment: str


SeatWord = Annotated[str, Field(min_length=1, max_length=64)]


class CreateTable(Message):
    """A new table. ``seats``: one word for each seat in order of play, ``me``, ``open`` or a bot's name; absent: me and bots.

    ``name``: your displayed name. ``ticket``, ``contribution``: see ``Promise``.
    """

    preset: PresetName
    options: Options = Field(default={})
    seats: Annotated[list[SeatWord], Field(max_length=8)] = Field(default=[])
    name: Name | None = None
    settings: TableSettings = TableSettings()
    ticket: Annotated[str, Field(max_length=64)] | None = None
    contribution: Annotated[str, Field(min_length=1, max_length=128)] | None = None


class TableCreated(Message):
    """The id of the new table, and your seat (null: none)."""

    id: str
    seat: Seat | None


class JoinTable(Message):
    """Take a seat at a table, with or without an account. ``seat``: by default the first open one. ``program``: whether
    a program plays, which the table shows.
    """

    name: Name | None = None
    seat: SeatNumber | None = None
    program: bool = False


class Joined(Message):
    """Your seat at the table."""

    id: str
    seat: Seat


QuickSpeed = Literal["move-20", "move-60", "clock-300"]


class QuickMatch(Message):
    """Seek a rated game with people of similar rating. Repeat the request every other second until there is a table.

    ``speed``: seconds for each move, or for the whole hand. ``bots``: whether bots may fill the table after a while.
    """

    preset: PresetName
    speed: QuickSpeed = "move-60"
    bots: bool = True
    name: Name | None = None


class QuickMatched(Message):
    """The table found, or null. ``waited``: milliseconds so far. ``seeking``: the number of people seeking the same
    game. ``bots_after``: milliseconds after which bots fill the table (null: never).
    """

    table: str | None
    waited: Milliseconds
    seeking: int
    bots_after: Milliseconds | None


class Forgotten(Message):
    """The player has left the seat, and the table is off their list."""

    id: str


class CommandDone(Message):
    """The command was carried out; the table's log then had ``seq`` entries."""

    id: CommandId
    seq: int


class TableSummary(Message):
    """A table in a player's own list. ``touched``: when it last changed. ``number`` and ``phase`` are 0 and null before the
    first hand; ``seat`` is the player's.
    """

    id: str
    preset: str
    title: str
    players: int
    created: str
    touched: str
    status: Status
    number: int
    phase: Phase | None
    your_turn: bool
    seat: int | None
    balances: list[int]
    names: list[str]
    deadline: Milliseconds | None


class LobbyTable(Message):
    """A table in the lobby. ``open``: the number of open seats. ``watch``: whether spectators are allowed."""

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
    """Tables with an open seat or open to spectators, newest first."""

    open: list[LobbyTable]
    live: list[LobbyTable]


class TableDetail(VisibleTable):
    """A table and its hand as the viewer may see them, with the parts of a ``snapshot``."""


class HandSeat(Message):
    """A seat of a finished hand. ``kind``: ``program`` for a player who joined as one. ``player``: the account's name,
    null for guests and bots.
    """

    seat: Seat
    name: str
    kind: Literal["human", "program", "bot"]
    bot: str | None
    player: str | None


class HandInfo(Message):
    """A finished hand, for its permanent page.

    ``you``: your seat in it; ``table``, and ``event``, the duplicate event of its deal: only for those who played.
    ``doublings``: the sequence numbers of the plays (bombs, the rocket) that doubled the payment.
    """

    id: str
    table: str | None
    event: str | None
    number: int
    preset: str
    title: str
    options: dict[str, OptionValue]
    facts: RulesFacts
    finished: str
    seats: list[HandSeat]
    result: Result
    doublings: list[int]
    you: Seat | None
    shown: bool


HandRole = Literal["bidder", "partner", "defender", "player"]
"""The role of a seat in a hand; player: in games without sides."""


class HandTurn(Message):
    """The event and the seat of the move that decided a hand."""

    seq: int
    seat: Seat


class HandSummary(Message):
    """A finished hand in a list: a player's history, or a table's hands. ``finish_order``: as in ``Result``. bots: by seat,
    the bot at the deal; bid: the winning bid; turn: the decisive move, null until it is known.

    Only in the player's history: seat and role, the player's.
    """

    id: str
    number: int
    preset: str
    title: str
    finished: str
    names: list[str]
    seat: Seat | None
    payments: list[int]
    winners: list[Seat]
    finish_order: list[Seat]
    rated: bool
    bots: list[str | None]
    role: HandRole | None
    bid: int | None
    turn: HandTurn | None


class ReviewMove(Message):
    """The exact solver's verdict on one move of a finished hand, with all hands open.

    value, worth: the value of the position before and after the move, as in ``dasan.solve``; null if unproved. kept:
    whether the move kept the value. keeping, losing: other moves that keep it, and that do not.
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
    """The last line of a review: its turning points, and whether a time limit ended it early."""

    type: Literal["done"]
    turning_points: list[int]
    last_chance: int | None
    complete: bool


class TurningPoint(Message):
    """The last move of a finished hand that did not keep the result of best play with open hands.

    move: null if there is none or it was not found in time. held: whether it is proved that every move kept the result.
    """

    move: ReviewMove | None
    held: bool


class PuzzleSummary(Message):
    """A puzzle in a list."""

    id: str
    preset: str
    players: int
    themes: list[str]
    grade: int


class PuzzleInfo(PuzzleSummary):
    """A puzzle without its solution: a position with open hands in which one move wins for the seat to act."""

    moves: int | None
    facts: RulesFacts
    view: View
    hands: list[list[str]]


class PuzzleList(Message):
    """The matching puzzles, and the number of all puzzles by game, theme and grade."""

    puzzles: list[PuzzleSummary]
    total: int
    games: dict[str, int]
    themes: dict[str, int]
    grades: dict[str, int]


class PuzzleAnswer(Message):
    """All moves of both sides from the puzzle's position; the last one is the answer to check."""

    moves: Annotated[Moves, Field(min_length=1)]


class PuzzleVerdict(Message):
    """Whether the last move was correct, the moves that follow it, and the position after them.

    reply: the other side's reply and forced moves or, after a wrong move, the rest of the lost hand. done: whether the
    puzzle is solved. solution: the puzzle's first move, once it is solved or a move was wrong.
    """

    right: bool
    done: bool
    reply: list[str]
    view: View
    hands: list[list[str]]
    solution: str | None


class Advice(Message):
    """A bot's advice in a finished hand, given only what the seat to act knew; see ``Hint``."""

    bot: str
    unit: Unit
    candidates: list[Candidate]


class SolvePosition(Message):
    """A variation of a finished hand: other moves from the position before event ``seq``."""

    seq: Number
    moves: Moves = Field(default=[])


class PositionValue(Message):
    """The solver's value of a position, and of each legal move with a proved value."""

    to_act: Seat | None
    phase: Phase
    value: int | None
    exact: bool
    scope: str | None
    moves: dict[str, int]
    legal_moves: list[LegalMove]
    view: View
    hands: list[list[str]]

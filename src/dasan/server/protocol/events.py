"""Duplicate events: the event, the player's own deals, the standings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import BotName, Message, Milliseconds, Name, Options, OptionValue, PresetName, Seat
from dasan.server.protocol.table import Speed, Untimed
from dasan.server.times import DAY

EventStatus = Literal["before", "open", "closing", "over"]
"""before: it has not begun. open: deals can be started. closing: bots finish open tables. over: the deals are revealed."""


class EventSummary(Message):
    """A duplicate event: everybody plays the same deals.

    title: empty for the deal of the day, whose date is ``day``. people: the number of people at a table; ``bot`` plays
    in the other seats. fill: seconds after which bots take the seats of missing people. entries: the number of
    entrants. status: before it begins; open; closing, while bots finish open tables; over, when the deals are revealed.
    played: the number of deals that you have finished. hosting: whether you opened it.
    """

    id: str
    title: str
    day: str | None
    preset: str
    preset_title: str
    options: dict[str, OptionValue]
    players: int
    deals: int
    people: int
    bot: str
    fill: int | None
    listed: bool
    starts: Milliseconds
    ends: Milliseconds
    status: EventStatus
    entries: int
    played: int
    hosting: bool


class EventToday(Message):
    """The deal of the day, null if the server has none; ``next``: the id of tomorrow's."""

    event: EventSummary | None
    next: str | None


class MyDeal(Message):
    """Your play of a deal. score: null until the hand is over. field: the mean score of the others in the same seat of
    the same deal, null if there are none yet. assisted: whether a bot moved for you. hand: the id of the hand's page.
    """

    deal: int
    seat: Seat | None
    table: str | None
    score: float | None
    field: float | None
    assisted: bool
    hand: str | None


class DealPar(Message):
    """Par of a deal that you have finished: your payment if both sides had played best after your auction, with all hands open.
    null: the solver has not proved it.
    """

    par: int | None


class EventDetail(Message):
    """An event with your plays. waiting: whether you wait for a table. commitments: the SHA-256 of each deal's secret, published
    before anybody plays it. secrets: the secrets in hexadecimal after the end of the event; null before.
    """

    event: EventSummary
    deals: list[MyDeal]
    waiting: bool
    commitments: list[str]
    secrets: list[str] | None


class EventStanding(Message):
    """An entrant's standing. rank: null until they have played every deal. points: the sum over their deals of their
    score minus the field's. mean, low, high: the mean points per deal with its 95 % interval; null without points.
    assisted: the number of deals in which a bot moved for them. you: whether it is you.
    """

    rank: int | None
    name: str
    bot: str | None
    deals: int
    points: float
    mean: float | None
    low: float | None
    high: float | None
    assisted: int
    you: bool


class EventStandings(Message):
    """The top of the standings, and your own standing; total: the number of entrants who have finished a deal."""

    rows: list[EventStanding]
    mine: EventStanding | None
    total: int


class CreateEvent(Message):
    """A new event. people: per table, at most the game's number of players; bots take the other seats. starts:
    milliseconds since 1970, at most 31 days ahead, null for now. lasts: milliseconds, at most 31 days. listed: whether
    everybody sees it; otherwise only people with its link find it.
    """

    title: Annotated[str, Field(min_length=1, max_length=60)]
    preset: PresetName
    options: Options = Field(default={})
    deals: Annotated[int, Field(ge=1, le=32, strict=True)] = 8
    people: Annotated[int, Field(ge=1, le=8, strict=True)] = 1
    bot: BotName = "greedy"
    fill: Annotated[int, Field(ge=0, le=3600, strict=True)] | None = 30
    speed: Speed = Untimed(kind="untimed")
    starts: Annotated[int, Field(ge=0, lt=1 << 53, strict=True)] | None = None
    lasts: Annotated[int, Field(ge=1, lt=1 << 53, strict=True)] = DAY
    listed: bool = False


class EventCreated(Message):
    """The id of the new event."""

    id: str


class EventCancelled(Message):
    """The id of the event that you have cancelled."""

    id: str


class PlayEvent(Message):
    """Play the next deal of an event. ``name``: your displayed name."""

    name: Name | None = None


class EventPlayed(Message):
    """The table of your deal. table: null while you wait for others; then repeat the request every other second.
    waiting: the number of people, including you, who would now be seated together.
    """

    deal: int
    table: str | None
    waiting: int

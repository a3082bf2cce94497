"""Duplicate events: the event, one's own deals, the standings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import Message, Milliseconds, Name, OptionValue, Seat
from dasan.server.protocol.table import Speed, Untimed

EventStatus = Literal["before", "open", "closing", "over"]


class EventSummary(Message):
    """A duplicate event: everybody plays the same deals.

    title: empty for the deal of the day, whose date is ``day``. people: the number of people at a table; ``bot`` plays in the
    other seats. fill: seconds after which bots take the seats of people who are missing. entries: the number of people who have
    entered. status: before it begins; open; closing, while bots finish what is under way; over, when the deals are revealed.
    played: the number of deals that you have finished.
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


class EventToday(Message):
    """The deal of the day, null where the host has none; ``next``: the id of tomorrow's."""

    event: EventSummary | None
    next: str | None


class MyDeal(Message):
    """Your play of a deal. score: what you won; null until the hand is over. field: the mean score of the others in the same seat
    of the same deal, null while there are none. assisted: whether a bot moved for you. hand: the id of the hand's page.
    """

    deal: int
    seat: Seat | None
    table: str | None
    score: float | None
    field: float | None
    assisted: bool
    hand: str | None


class EventDetail(Message):
    """An event with your plays. commitments: by deal, the SHA-256 of its secret, published before anybody plays it. secrets: the
    secrets in hexadecimal, when the event is over; null before.
    """

    event: EventSummary
    deals: list[MyDeal]
    commitments: list[str]
    secrets: list[str] | None


class EventStanding(Message):
    """An entrant's standing. rank: null until they have played every deal. points: the sum over their deals of their score less
    the field's. mean, low, high: of the points of a deal, with its 95 % interval; null without points. assisted: the number of
    deals in which a bot moved for them. you: whether it is you.
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
    """The first of the standings, and your own wherever it is; total: the number of entrants who have finished a deal."""

    rows: list[EventStanding]
    mine: EventStanding | None
    total: int


class CreateEvent(Message):
    """A new event. people: at each table, no more than the game has players; bots take the other seats. starts: null for at once.
    listed: whether it is shown to everybody; otherwise only people with its link find it.
    """

    title: Annotated[str, Field(min_length=1, max_length=60)]
    preset: Annotated[str, Field(min_length=1, max_length=64)]
    options: Annotated[dict[str, OptionValue], Field(max_length=64)] = Field(default={})
    deals: Annotated[int, Field(ge=1, le=32, strict=True)] = 8
    people: Annotated[int, Field(ge=1, le=8, strict=True)] = 1
    bot: Annotated[str, Field(min_length=1, max_length=64)] = "greedy"
    fill: Annotated[int, Field(ge=0, le=3600, strict=True)] | None = 30
    speed: Speed = Untimed(kind="untimed")
    starts: Annotated[int, Field(ge=0, lt=1 << 53, strict=True)] | None = None
    ends: Annotated[int, Field(ge=0, lt=1 << 53, strict=True)]
    listed: bool = False


class EventCreated(Message):
    """The id of the new event."""

    id: str


class PlayEvent(Message):
    """Play the next deal of an event. ``name``: the name that the others see."""

    name: Name | None = None


class EventPlayed(Message):
    """The table of your deal. table: null while you wait for others; then repeat the request every other second. waiting: how
    many wait for the same deal, with you.
    """

    deal: int
    table: str | None
    waiting: int

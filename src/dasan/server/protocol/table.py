"""A table: its seats, clocks, settings, offers, and facts about its rules."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from dasan.server.protocol.base import BotName, Message, Milliseconds, OptionValue, Seat, Status
from dasan.server.protocol.commands import OfferName


class Untimed(Message):
    """No clock."""

    kind: Literal["untimed"]


class PerMove(Message):
    """``seconds`` for every move."""

    kind: Literal["move"]
    seconds: Annotated[int, Field(ge=5, le=600, strict=True)]


class Increment(Message):
    """``seconds`` for a whole hand, and ``increment`` more for every move."""

    kind: Literal["clock"]
    seconds: Annotated[int, Field(ge=15, le=7200, strict=True)]
    increment: Annotated[int, Field(ge=0, le=120, strict=True)]


class Correspondence(Message):
    """``days`` for every move."""

    kind: Literal["correspondence"]
    days: Annotated[int, Field(ge=1, le=14, strict=True)]


Speed: TypeAlias = Annotated[Untimed | PerMove | Increment | Correspondence, Field(discriminator="kind")]
Visibility: TypeAlias = Literal["link", "lobby"]


class TableSettings(Message):
    """The host's settings of the table, except the game.

    visibility: whether the lobby lists it, or only people with the link find it. rated: whether its hands count for
    ratings, which needs a time limit. spectators: whether others may watch,
    ``delay`` seconds late. start: as soon as no seat is open, or when everybody is ready. substitute: the bot that
    plays for a person who is absent for ``grace`` seconds, has left, or has run out of time, unless the table is rated
    (then ``greedy`` does), and in seats that are open when the host starts. next_seconds: the time
    after which the next hand is dealt (null: only when all are ready). words: refused in chat and strings for the shuffle.
    """

    speed: Speed = Untimed(kind="untimed")
    visibility: Visibility = "link"
    rated: bool = False
    spectators: bool = False
    delay: Annotated[int, Field(ge=0, le=600, strict=True)] = 0
    start: Literal["full", "ready"] = "full"
    substitute: BotName = "greedy"
    grace: Annotated[int, Field(ge=5, le=3600, strict=True)] = 60
    next_seconds: Annotated[int, Field(ge=5, le=600, strict=True)] | None = None
    chat: bool = True
    words: Annotated[list[Annotated[str, Field(min_length=1, max_length=32)]], Field(max_length=100)] = Field(default=[])

    @property
    def counts(self) -> bool:
        """Whether hands count for ratings: those of old tables that are rated without a time limit no longer do."""
        return self.rated and self.speed.kind != "untimed"


SubstituteReason: TypeAlias = Literal["absent", "time", "left", "failed"]
"""Why a substitute plays: the player is absent, out of time or has left, or the seat's own bot failed too often."""


class Substitute(Message):
    """The bot that plays in a seat instead of its player, and the reason. ``failed``: the seat's own bot failed too often."""

    bot: str
    reason: SubstituteReason


class SeatInfo(Message):
    """A seat's occupant.

    name: a bot's name is unique at the table, and clients may translate it. kind: ``program`` for a guest that declared
    itself one. ``account``: whether the name is an account's, so that nobody else can have a similar one. ``bot``:
    which bot, if ``kind`` is bot. ``substitute``: the bot that plays instead.
    """

    seat: Seat
    name: str
    kind: Literal["human", "program", "bot", "open"]
    bot: str | None = None
    account: bool = False
    ready: bool = False
    silent: bool = False
    substitute: Substitute | None = None


class OfferInfo(Message):
    """An open offer, and the seats that have accepted it, including its maker's."""

    offer: OfferName
    by: Seat
    accepted: list[Seat]


class EventPlace(Message):
    """The duplicate event of a table: its id, the deal from 0, and the number of deals."""

    id: str
    deal: int
    deals: int


class TableInfo(Message):
    """The table without its hand. ``you``: the viewer's seat, null for spectators. ``host``: the host's seat.

    voted: seats that are ready for the next hand, or for the rematch. next_at: when the next hand is dealt anyway.
    casual: why the current hand does not count for ratings, ``null`` if it does. rematch: the id of the table that
    follows this one. event: the table's duplicate event, if any.
    """

    id: str
    preset: str
    title: str
    options: dict[str, OptionValue]
    players: int
    direction: Literal["counterclockwise", "clockwise"]
    you: Seat | None
    status: Status
    host: Seat | None
    locked: bool
    settings: TableSettings
    seats: list[SeatInfo]
    offer: OfferInfo | None
    voted: list[Seat]
    next_at: Milliseconds | None
    casual: Literal["unrated", "taken-back"] | None
    rematch: str | None
    event: EventPlace | None


class ClockInfo(Message):
    """Clocks at ``now``: each seat's milliseconds (null: untimed), and when the clock of the seat to act expires."""

    now: Milliseconds
    left: list[Milliseconds | None]
    to_act: Seat | None
    deadline: Milliseconds | None


class Presence(Message):
    """Whether a seat's player is connected and, if not, since when, and when the substitute takes over."""

    seat: Seat
    here: bool
    since: Milliseconds | None
    takeover_at: Milliseconds | None


class RulesFacts(Message):
    """Facts about the rules, so that clients can describe and lay out a hand without knowing the game.

    bids: the bids, lowest first; empty without an auction. sides: whether a bidder (and a partner) plays against the
    others. wins: what decides a hand: a side, the first seat out, or everybody's place. score: whether balances are
    kept. left_out: the cards of a full pack that these rules remove. kinds: the kinds of combinations, lowest
    first. bombs: those that beat plays of other kinds.
    """

    family: str
    players: int
    cards: int
    hand_size: int | None
    kitty: int
    bids: list[int]
    sides: bool
    call_ranks: str | None
    exchange: bool
    wins: Literal["side", "first-out", "places"]
    score: Literal["bid", "fixed", "cards", "none"]
    pay_each_winner: bool
    stake_chips: int
    decks: int
    jokers: bool
    left_out: list[str]
    ranks: str
    suits: str
    suits_ranked: bool
    kinds: list[str]
    bombs: list[str]
    opening_card: str | None
    opening_card_in_lead: bool
    pass_is_final: bool
    guard: Literal["foul", "enforced", "off"]
    first_dealer: Literal["draw", "cut", "random"]
    show_played: bool
    show_hands_after: bool

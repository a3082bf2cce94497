"""The bidding trainer: a hand to bid on, what each bid is worth, and how a player's bids differ from the best."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import CardText, Message, Milliseconds, Seat
from dasan.server.protocol.hand import Event, View
from dasan.server.protocol.study import HabitName, KnownMove
from dasan.server.protocol.table import RulesFacts


class BiddingHand(Message):
    """A hand to bid on, as the seat to act sees it, after the bids that ``view.events`` tell."""

    id: str
    preset: str
    title: str
    facts: RulesFacts
    view: View


class Bid(Message):
    """A bid as a move: ``bid 2`` or ``pass``."""

    bid: Annotated[str, Field(pattern=r"^(pass|bid [1-9][0-9]?)$")]


class Contract(Message):
    """The chance from 0 to 1 that your side wins if you are the bidder, with best play and all hands open, over sampled deals.

    low, high: its 95 % interval. worlds: the number of deals. paid: by bid, the payment to you that the chance is worth.
    """

    chance: float
    low: float
    high: float
    worlds: int
    paid: dict[str, float]


class BidVerdict(Message):
    """What a bid was worth, and the deal with all hands open.

    known: every bid by what could be known. contract: null where the solver does not play the rules. as_bidder: by seat, the
    proved payment to it as the bidder for a bid of 1 in this deal; null if not proved. bids, bidder, bid, partner, winners,
    payments: how the hand went on with bots in all seats.
    """

    known: KnownMove
    contract: Contract | None
    as_bidder: list[int | None]
    hands: list[list[CardText]]
    kitty: list[CardText]
    bids: list[Event]
    bidder: Seat | None
    bid: int | None
    partner: Seat | None
    winners: list[Seat]
    payments: list[int]


class BidAnswer(Message):
    """A bid that you made in the trainer. habit: null if it was the best. cost: the loss against the best bid."""

    at: Milliseconds
    bid: str
    best: str
    habit: HabitName | None
    mistake: bool
    cost: float


class BidHistory(Message):
    """Your bids in one game. best: how many were the best; low, high: how many were too low or too high beyond doubt.

    cost: the mean loss of a bid. means: the same for each ten bids, oldest first. latest: the last ones, newest first.
    """

    unit: Literal["payment", "place", "turns", "none"]
    bids: int
    best: int
    low: int
    high: int
    cost: float
    means: list[float]
    latest: list[BidAnswer]

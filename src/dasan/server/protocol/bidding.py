"""The bidding trainer: a hand to bid on, the value of each bid, and a history of the player's bids."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dasan.server.protocol.base import CardText, Message, Milliseconds, Seat, Unit
from dasan.server.protocol.hand import Event, View
from dasan.server.protocol.study import HabitName, KnownMove
from dasan.server.protocol.table import RulesFacts


class BiddingHand(Message):
    """A hand to bid on, as the seat to act sees it, after the bids in ``view.events``."""

    id: str
    preset: str
    title: str
    facts: RulesFacts
    view: View


class Bid(Message):
    """A bid as a move: ``bid 2`` or ``pass``."""

    bid: Annotated[str, Field(pattern=r"^(pass|bid [1-9][0-9]?)$")]


class Contract(Message):
    """The probability that your side wins if you are the bidder, with best play and open hands, over sampled deals.

    low, high: its 95 % interval. worlds: the number of deals; proved: the number in which the solver proved who wins;
    the others count with its estimate. paid: your expected payment, by bid.
    """

    chance: float
    low: float
    high: float
    worlds: int
    proved: int
    paid: dict[str, float]


class BidVerdict(Message):
    """The value of a bid, and the deal with all hands open.

    known: every bid judged by your information. contract: null if the solver does not support the rules. as_bidder:
    each seat's proved payment as the bidder for a bid of 1 in this deal; null if unproved. bids, bidder, bid, partner,
    winners, payments: the rest of the hand with bots in all seats.
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
    """One of your bids in the trainer. habit: null if it was the best. cost: the loss against the best bid."""

    at: Milliseconds
    bid: str
    best: str
    habit: HabitName | None
    mistake: bool
    cost: float


class BidHistory(Message):
    """Your bids in one game. best: the number of best bids; low, high: the numbers of bids significantly too low or too
    high.

    cost: the mean loss per bid. means: the same for each ten bids, oldest first. latest: the latest bids, newest first.
    """

    unit: Unit
    bids: int
    best: int
    low: int
    high: int
    cost: float
    means: list[float]
    latest: list[BidAnswer]

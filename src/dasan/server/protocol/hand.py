"""One viewer's view of a hand: models of the output of ``View.to_json``."""

from __future__ import annotations

from typing import Literal

from dasan.server.protocol.base import CardText, Message, Phase, Seat


class Event(Message):
    """An event of the hand, as one viewer may see it."""

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
        "dragon",
        "out",
    ]
    cards: list[CardText] | None = None
    bid: int | None = None


class SessionEvent(Message):
    """An event before the first move of a hand: the draw for the deal, the dealer, the cut, the deal."""

    type: Literal["draw", "dealer", "cut", "deal"]
    seat: Seat
    seq: int | None = None
    cards: list[CardText] | None = None
    value: int | None = None
    commitment: str | None = None
    contributions: list[str] | None = None


class CardChoice(Message):
    """A play takes any ``take`` of these ``cards`` of the hand."""

    take: int
    cards: list[CardText]


class LegalMove(Message):
    """A move that the viewer may make now; ``move`` is the text to send.

    If ``cards`` are one of several ways to make the play, it consists of the ``fixed`` cards and a selection from each
    of the ``choices``. ``other``: the selections that would be of another kind.
    """

    move: str
    type: Literal["pass", "bid", "call", "play", "give", "offer", "take"]
    kind: str | None = None
    cards: list[CardText] | None = None
    bid: int | None = None
    fixed: list[CardText] | None = None
    choices: list[CardChoice] | None = None
    other: list[list[CardText]] | None = None


class RankLeft(Message):
    """The number of cards of a rank that others may still hold."""

    rank: str
    n: int


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
    """What one seat (``null``: a spectator) knows of the hand, except its events.

    Only for the seat to act: ``must_include``, the card that its lead must contain, and ``guarding``, the neighbour whose
    last card its single must guard.

    ``left``: if the rules show cards of earlier tricks, the number of cards of each rank, low to high, that the viewer
    neither holds nor has seen played.

    Only if the payment may be doubled: ``doublings``, the number of doublings by bombs and the rocket, and ``bidder_plays``, the
    number of plays of the bidder's side.
    """

    seat: Seat | None
    players: int
    preset: str
    phase: Phase
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
    must_include: CardText | None
    guarding: Seat | None
    doublings: int | None = None
    bidder_plays: int | None = None
    played: list[CardText] | None
    left: list[RankLeft] | None
    hands: list[list[CardText]] | None
    kitty: list[CardText] | None
    result: Result | None


class View(ViewState):
    """What one seat knows of the hand, and its events so far."""

    events: list[Event]


class HandResult(Message):
    """One line of the score sheet. ``hand``: the id of the finished hand."""

    payments: list[int]
    winners: list[Seat]
    finish_order: list[Seat]
    hand: str


class SessionInfo(Message):
    """The hand's number (from 1; 0 before the first deal), the balances by seat, and how the current hand was dealt.

    ``results``: those of the last hundred finished hands, beginning with hand ``first_result``. ``next_commitment``:
    the SHA-256 of the secret behind the next hand's shuffle. ``contributions``: the strings that players have added to
    that shuffle so far, by seat.
    """

    number: int
    balances: list[int]
    results: list[HandResult]
    first_result: int
    opening: list[SessionEvent]
    next_commitment: str
    contributions: list[str | None]

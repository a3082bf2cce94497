"""Study of finished hands beyond the solver's review: judgement by players' information, habits, notes, shared
reviews.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from dasan.server.protocol.base import Message, Moves, Number, Phase, Seat, Unit

LONGEST_LINE = 4096
"""The most characters of a variation's moves together; one that plays every card of two packs has fewer than a thousand."""

HabitName = Literal["bid-low", "bid-high", "call", "pass", "spend", "lead-kind", "lead-rank", "follow"]


class Estimate(Message):
    """A candidate move: its mean over deals consistent with the player's view, and half of the 95 % interval."""

    move: str
    value: float
    margin: float


class KnownMove(Message):
    """One move judged by its player's information; see ``dasan.review.expected``.

    estimates: candidates from the best to the worst; empty if there was no choice. worlds: the number of sampled deals.
    cost: the loss against the best candidate, and half of its 95 % interval. mistake: whether the cost exceeds that
    half.
    """

    type: Literal["known"]
    seq: int
    seat: Seat
    phase: Phase
    unit: Unit
    move: str
    choices: int
    best: str
    habit: HabitName | None
    mistake: bool
    cost: float
    margin: float
    worlds: int
    estimates: list[Estimate]


class KnownDone(Message):
    """The last line of this review, and whether a time limit ended it early."""

    type: Literal["done"]
    complete: bool


class Habit(Message):
    """A kind of decision in one game. decisions: their number. mistakes: the number whose cost exceeds its interval.
    cost: the mean loss per reviewed hand. hand, seq: the costliest decision.
    """

    habit: HabitName
    decisions: int
    mistakes: int
    cost: float
    hand: str
    seq: int


class Habits(Message):
    """The player's habits in one game, costliest first. hands: the number of reviewed hands behind them."""

    preset: str
    unit: Unit
    hands: int
    habits: list[Habit]


class ReviewNote(Message):
    """A private note at a move of a finished hand; an empty text deletes it."""

    seq: Number
    text: Annotated[str, Field(max_length=2000)]


class ReviewNotes(Message):
    """A page of the player's own notes on a hand. ``next``: the parameter ``after`` of the next page; null on the last."""

    notes: list[ReviewNote]
    next: int | None


class SharedReview(Message):
    """A shared review: people who open the path follow its leader."""

    id: str
    path: str


class PlaceShown(Message):
    """The leader's position: after the event ``seq`` (null: the deal), or after the variation ``moves`` from there.
    ``shown``: whether verdicts are shown.
    """

    type: Literal["place"]
    seq: Number | None
    moves: Moves = Field(default=[])
    shown: bool = False

    @field_validator("moves")
    @classmethod
    def _short(cls, moves: list[str]) -> list[str]:
        """Reject moves so long that they would fill the followers' queues."""
        if sum(map(len, moves)) > LONGEST_LINE:
            raise ValueError(f"the moves have at most {LONGEST_LINE} characters together")
        return moves


class PlaceTold(Message):
    """The leader's position, as sent to followers; ``lead``: whether the receiver is the leader."""

    type: Literal["place"]
    hand: str
    leader: str
    lead: bool
    revision: int
    seq: int | None
    moves: list[str]
    shown: bool

"""What the server says of finished hands beside the solver: what could be known, habits, notes, reviews watched together."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dasan.server.protocol.base import Message, Phase, Seat

HabitName = Literal["bid-low", "bid-high", "call", "pass", "spend", "lead-kind", "lead-rank", "follow"]
Seq = Annotated[int, Field(ge=0, lt=1 << 31, strict=True)]
Line = Annotated[list[Annotated[str, Field(min_length=1, max_length=512)]], Field(max_length=64)]


class Estimate(Message):
    """A candidate: its mean over the deals that fit what its player had seen, and half of its 95 % interval."""

    move: str
    value: float
    margin: float


class KnownMove(Message):
    """One move by what its player could know, all hidden cards unknown; see ``dasan.bots.known``.

    estimates: candidates from the best to the worst, none where nothing was decided. worlds: deals they were tried in.
    cost: what the move gives away against the best, and half of its 95 % interval. mistake: the cost is larger than that.
    """

    type: Literal["known"]
    seq: int
    seat: Seat
    phase: Phase
    unit: Literal["payment", "place", "turns", "none"]
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
    """The last line of what could be known, and whether a limit ended it early."""

    type: Literal["done"]
    complete: bool


class Habit(Message):
    """A kind of decision in one game. decisions: how often it was met; mistakes: how often it surely cost something; cost:
    what it gave away a reviewed hand, on average; hand, seq: the costliest one.
    """

    habit: HabitName
    decisions: int
    mistakes: int
    cost: float
    hand: str
    seq: int


class Habits(Message):
    """Where one gives away most in one game, costliest first; it rests on so many reviewed hands."""

    preset: str
    unit: Literal["payment", "place", "turns", "none"]
    hands: int
    habits: list[Habit]


class ReviewNote(Message):
    """A note at a move of a finished hand, for oneself; an empty one is removed."""

    seq: Seq
    text: Annotated[str, Field(max_length=2000)]


class ReviewNotes(Message):
    """One's notes of a hand."""

    notes: list[ReviewNote]


class SharedReview(Message):
    """A review that others watch: whoever opens the path follows its leader."""

    id: str
    path: str


class PlaceShown(Message):
    """What the leader looks at: after the move with event ``seq`` (null: the deal), or after ``moves`` tried instead of
    what follows; ``shown``: the verdicts are.
    """

    type: Literal["place"]
    seq: Seq | None
    moves: Line = Field(default=[])
    shown: bool = False


class PlaceTold(Message):
    """The leader's place as followers are told; ``lead``: the reader is the leader."""

    type: Literal["place"]
    hand: str
    leader: str
    lead: bool
    revision: int
    seq: int | None
    moves: list[str]
    shown: bool

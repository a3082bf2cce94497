"""Explanations of a bot's choice: candidates in order, the bot's value of each, and facts about each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dasan.play.moves import Move

Unit = Literal["payment", "place", "turns", "none"]
"""The unit of values; higher is better. Units of payment; places (1 for first, -1 for last); or the turns that the
rest of the hand costs, negated. "none": the bot has no values.
"""

SENTENCES: dict[str, str] = {
    "only-move": "It is the only legal move.",
    "goes-out": "It empties your hand.",
    "wins-for-sure": "With two players left, every card can be counted: it goes out before the other player.",
    "cannot-be-stopped": "It goes out before all others, whatever cards they hold.",
    "cannot-be-beaten": "No opponent can beat it, whatever cards they hold.",
    "hardly-stands": "An opponent can beat it in nearly every deal that fits what you have seen.",
    "stands": "No opponent can beat it in about {percent} of 100 deals that fit what you have seen.",
    "may-go-out": "Seat {seat} could go out over it in about {percent} of 100 deals that fit what you have seen.",
    "hands-over-lead": "It gives the lead to seat {seat}, who holds one card.",
    "leaves-ally": "It leaves the trick to your ally in seat {seat}, who holds {cards} cards.",
    "leaves-ally.one": "It leaves the trick to your ally in seat {seat}, who holds {cards} card.",
    "guards": "Your neighbour holds one card: you must stop them going out (D2.16).",
    "plays-left": "The rest of your hand takes {plays} more plays.",
    "plays-left.one": "The rest of your hand takes {plays} more play.",
    "spends-top": "It uses {spent} of your {held} highest cards ({rank}s).",
    "spends-top.one": "It uses your only card of the highest rank ({rank}s).",
    "keeps-top": "It keeps your {held} highest cards ({rank}s).",
    "keeps-top.one": "It keeps your only card of the highest rank ({rank}s).",
    "bid-good": "Your hand is strong enough for a bid of {bid}: enough of its plays win the lead.",
    "bid-weak": "Your hand is too weak for a bid of {bid}: too few of its plays win the lead.",
    "expected": "Over the deals that fit what you have seen, it pays {value} on average.",
    "expected-open": "Over the deals that fit what you have seen, it pays {value} on average if all hands are open from now on.",
    "expected-place": "Over the deals that fit what you have seen, it scores {value} by place (1 first, -1 last).",
    "network": "A network trained by self-play expects {value}.",
}
"""The English sentence of each reason by id, with its values in braces."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A fact about a move. id: a key of `SENTENCES`; values: the numbers and names in it.

    >>> Reason("stands", {"percent": 40}).text
    'No opponent can beat it in about 40 of 100 deals that fit what you have seen.'
    """

    id: str
    values: Mapping[str, int | float | str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The English sentence."""
        return SENTENCES[self.id].format(**self.values)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"id": self.id, "values": dict(self.values), "text": self.text}


def counted(sentence: str, number: str, **values: int | str) -> Reason:
    """A reason with a count, the value called ``number``. sentence: a key of `SENTENCES`, which has a separate
    sentence for 1.

    >>> counted("plays-left", "plays", plays=1).text
    'The rest of your hand takes 1 more play.'
    """
    return Reason(f"{sentence}.one" if values[number] == 1 else sentence, values)


def estimate(sentence: str, value: float) -> Reason:
    """A reason with an estimate. sentence: a key of `SENTENCES`.

    >>> estimate("network", -0.001).text
    'A network trained by self-play expects 0.0.'
    """
    return Reason(sentence, {"value": _rounded(value, 2)})


def _rounded(value: float, digits: int) -> float:
    """Rounded; never -0.0."""
    return round(value, digits) + 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that was considered. value: see `Explanation.unit`; None if the bot has none for it."""

    move: Move
    value: float | None
    reasons: tuple[Reason, ...] = ()

    def __str__(self) -> str:
        valued = "" if self.value is None else f" {self.value:+g}"
        return " ".join([f"{self.move}:{valued}", *(reason.text for reason in self.reasons)])

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"move": str(self.move), "value": self.value, "reasons": [reason.to_json() for reason in self.reasons]}


@dataclass(frozen=True, slots=True)
class Explanation:
    """A bot's judgement of a view. bot: its name. moves: candidates, the chosen one first. unit: the unit of their values."""

    bot: str
    unit: Unit
    moves: tuple[Candidate, ...]

    def __repr__(self) -> str:
        chosen = f", {self.moves[0].move} first" if self.moves else ""
        return f"<Explanation of {self.bot}, {len(self.moves)} moves{chosen}>"

    def __str__(self) -> str:
        """A line for each candidate: the move, its value, the reasons."""
        return "\n".join(map(str, self.moves))

    @property
    def text(self) -> str:
        """Sentences about the first candidate."""
        first = self.moves[0]
        return " ".join([f"{self.bot} would choose {first.move}.", *(reason.text for reason in first.reasons)])

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"bot": self.bot, "unit": self.unit, "moves": [one.to_json() for one in self.moves], "text": self.text}


def in_order(chosen: Move, values: Sequence[tuple[Move, float | None]]) -> list[tuple[Move, float | None]]:
    """`values` with the chosen move first, then the others from high to low, those without a value last."""
    return sorted(values, key=lambda one: (one[0] != chosen, one[1] is None, -(one[1] or 0.0)))


def explained(
    bot: str, unit: Unit, ordered: Iterable[tuple[Move, float | None]], reasons: Mapping[Move, Sequence[Reason]]
) -> Explanation:
    """The explanation with these candidates, in this order."""
    candidates = tuple(
        Candidate(move, None if value is None else _rounded(value, 3), tuple(reasons.get(move, ())))
        for move, value in ordered
    )
    return Explanation(bot, unit, candidates)

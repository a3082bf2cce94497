"""Events at the table, in order. A state is the fold of its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dasan.cards import Card, parse_cards, texts
from dasan.errors import BadRecord, DasanError


class EventType(StrEnum):
    """Moves first, under their own names; then the events that follow from them automatically."""

    BID = "bid"
    PASS = "pass"
    CALL = "call"
    PLAY = "play"
    GIVE = "give"
    OFFER = "offer"
    TAKE = "take"
    OPEN = "open"
    KITTY = "kitty"
    LAST_CARD = "last-card"
    TRICK = "trick"
    PARTNER = "partner"
    DRAGON = "dragon"
    OUT = "out"
    DRAW = "draw"
    DEALER = "dealer"


MOVES = frozenset(
    {
        EventType.BID,
        EventType.PASS,
        EventType.CALL,
        EventType.PLAY,
        EventType.GIVE,
        EventType.OFFER,
        EventType.TAKE,
    }
)
"""The events that are a player's moves; all others follow from the rules."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event. seat: the seat that acted, or that the event concerns. A hidden card is None.

    `seq` counts from 0 at the first event of the record that the event belongs to.
    """

    seq: int
    seat: int
    type: EventType
    cards: tuple[Card | None, ...] = ()
    bid: int | None = None

    def __reduce__(self) -> tuple[object, ...]:
        # The default pickling of a dataclass with slots takes five times as long.
        return Event, (self.seq, self.seat, self.type, self.cards, self.bid)

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"seq": self.seq, "seat": self.seat, "type": str(self.type)}
        if self.cards:
            out["cards"] = texts(self.cards)
        if self.bid is not None:
            out["bid"] = self.bid
        return out

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Event:
        """The inverse of `to_json`. `BadRecord`: `data` is something else."""
        try:
            cards = tuple(None if c == "?" else _one(c) for c in data.get("cards", ()))
            seq, seat, bid = data["seq"], data["seat"], data.get("bid")
            if not all(
                isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 31
                for n in (seq, seat, 0 if bid is None else bid)
            ):
                raise BadRecord("an event's numbers must be whole and not negative")
            return Event(seq, seat, EventType(data["type"]), cards, bid)
        except (KeyError, TypeError, ValueError, DasanError) as error:
            raise BadRecord("this is not an event") from error


def _one(text: object) -> Card:
    (only,) = parse_cards(text if isinstance(text, str) else "")
    return only

"""Events at the table, in order. A state is the fold of its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dasan.arguments import shown
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
_TYPES = frozenset(EventType)


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
        """The inverse of `to_json`. `BadRecord`: `data` is something else; the message names the field."""
        if not isinstance(data, Mapping):
            raise BadRecord("an event is an object")
        for name in ("type", "seq", "seat"):
            if name not in data:
                raise BadRecord(f"{name!r} is missing")
        kind = data["type"]
        if not isinstance(kind, str) or kind not in _TYPES:
            raise BadRecord(f"'type' is wrong: there is no event {shown(kind)}")
        for name in ("seq", "seat", "bid"):
            n = data.get(name, 0)
            if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < 1 << 31:
                raise BadRecord(f"{name!r} is wrong: a whole number is expected")
        try:
            cards = tuple(None if c == "?" else _one(c) for c in data.get("cards", ()))
        except (TypeError, ValueError, DasanError) as error:
            raise BadRecord("'cards' is wrong: a list of cards is expected") from error
        return Event(data["seq"], data["seat"], EventType(kind), cards, data.get("bid"))


def _one(text: object) -> Card:
    (only,) = parse_cards(text if isinstance(text, str) else "")
    return only

"""The phases of a hand, and the exchange under way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dasan.cards import Card


class Phase(StrEnum):
    """Where a hand is: bidding, calling the partner's card, exchanging cards (W.20), playing, or over."""

    AUCTION = "auction"
    CALL = "call"
    EXCHANGE = "exchange"
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Cards that change hands before play (W.20): the loser gives, the winner offers two, the loser takes one."""

    winner: int
    loser: int
    given: Card | None = None
    offered: tuple[Card, ...] = ()

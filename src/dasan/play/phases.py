"""The phases of a hand, and the state of an exchange."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dasan.cards import Card


class Phase(StrEnum):
    """The phase of a hand: bidding, calling the partner's card, exchanging cards (W.20), playing, or over."""

    AUCTION = "auction"
    CALL = "call"
    EXCHANGE = "exchange"
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Cards that change hands before play (W.20): the loser gives, the winner offers two, the loser takes one.

    inner: the second and the last but one, if they exchange cards too (H.40). gifts: the number of gifts made so far
    (H.40).
    """

    winner: int
    loser: int
    given: Card | None = None
    offered: tuple[Card, ...] = ()
    inner: tuple[int, int] | None = None
    gifts: int = 0

    def gift(self, number: int) -> tuple[int, int, int]:
        """(giver, receiver, cards) of gift `number` of four (H.40)."""
        second, third = self.inner or (self.winner, self.loser)
        return (
            (self.loser, self.winner, 2),
            (third, second, 1),
            (self.winner, self.loser, 2),
            (second, third, 1),
        )[number]

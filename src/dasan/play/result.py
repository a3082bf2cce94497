"""The result of a hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a hand. payments: units by seat, which sum to zero. finish_order: the seats that went out, in
    order; where play goes on to the end, the last entry is the player left with cards (W.18). winners: seats,
    ascending; nobody has won a void hand (H.12). foul: the seat that failed to guard (D2.17), or None.
    """

    payments: tuple[int, ...]
    finish_order: tuple[int, ...]
    winners: tuple[int, ...]
    foul: int | None
    next_dealer: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "payments": list(self.payments),
            "finish_order": list(self.finish_order),
            "winners": list(self.winners),
            "foul": self.foul,
            "next_dealer": self.next_dealer,
        }

"""The result of a solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dasan.play.moves import Move


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of a hand under best play with all cards open.

    - value: the bidder's payment in games that pay a bid; the payment to the seat to act in games that end when one player is
      out; else the place in which the seat to act finishes, 1 for the Winner. None if unproved.
    - exact: whether `value` is proved. lower, upper: bounds that always hold.
    - moves: the proved values of legal moves, in the order of `legal_moves()`.
    - line: one line of best play, as far as the budget went.
    - nodes: search nodes used.
    - by_bidder: in the auction, the value of the hand to each seat if it became the bidder, for a bid of 1.
    - by_seat: with "max-n", the value for every seat, in the unit of `value`.
    - estimate: in Big Three, the bidder's mean payment in similar positions if the value is unproved.
    - scope: the assumption about the others: "two sides" (none: games that pay a bid), "two players" (none), "paranoid"
      (all others play together against the seat to act, whose value is what it can force), "max-n" (everybody plays for
      themselves; ties go to the move that is worst for the next player, then for the one after), or "auction".
    """

    value: int | None
    exact: bool
    lower: int | None
    upper: int | None
    moves: Mapping[Move, int]
    line: tuple[Move, ...]
    nodes: int
    scope: str
    estimate: float | None = None
    by_bidder: Mapping[int, Solution] = field(default_factory=dict)
    by_seat: Mapping[int, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        if self.scope == "auction":
            value = f"for {len(self.by_bidder)} bidders"
        else:
            value = f"value {self.value}" if self.exact else f"value from {self.lower} to {self.upper}"
        return f"<Solution {self.scope}, {value}, {self.nodes} nodes>"

    @classmethod
    def of_auction(cls, by_bidder: Mapping[int, Solution], nodes: int) -> Solution:
        """The solution of a state in the auction: a value for each seat as the bidder, and none for the state."""
        exact = all(solution.exact for solution in by_bidder.values())
        return cls(None, exact, None, None, {}, (), nodes, "auction", by_bidder=by_bidder)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, with moves as text."""
        out: dict[str, Any] = {
            "value": self.value,
            "exact": self.exact,
            "lower": self.lower,
            "upper": self.upper,
            "moves": {str(move): value for move, value in self.moves.items()},
            "line": [str(move) for move in self.line],
            "nodes": self.nodes,
            "scope": self.scope,
        }
        if self.estimate is not None:
            out["estimate"] = self.estimate
        if self.by_bidder:
            out["by_bidder"] = {str(seat): solution.to_json() for seat, solution in self.by_bidder.items()}
        if self.by_seat:
            out["by_seat"] = {str(seat): value for seat, value in self.by_seat.items()}
        return out

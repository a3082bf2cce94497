"""What a solver found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dasan.play.moves import Move


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of a hand under best play with all cards open.

    value: what the bidder is paid (Big Three), what the seat to act is paid (Big Two), the place in which the seat to
    act finishes, 1 for the Winner (Winner); None when unproved. exact: whether `value` is proved. lower, upper: bounds
    that hold in any case. moves: the proved value of each legal move, in the order of `legal_moves()`. line: one line
    of best play, as far as the budget went. nodes: positions looked at. by_bidder: in the auction the value of the hand
    to each seat if it became the bidder, for a bid of 1. by_seat: with "max-n", what every seat gets, as `value` counts.
    estimate: where the value of a position in the play of Big Three is unproved, what the bidder is paid in the mean of
    positions that look like it.

    scope: "two sides" (Big Three; no assumption), "two players" (no assumption), "paranoid" (all others play together
    against the seat to act, so that its value is what it can be sure of), "max-n" (everybody plays for themselves, and
    of moves equal for them take the one that is worst for the player after them, then for the next), or "auction".
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

    def to_json(self) -> dict[str, Any]:
        """As plain data, moves by their text."""
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

"""The outcome of one deal of a contest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """The outcome of one deal. mean, wins: of `a` over its seats, the earnings a hand (see `hands.earned`) and the share of hands
    that it or its side won. above, below: how often a `b` earned less, and more, than `a` in the same hand. roles: by role of
    `a`, hands and wins. moves, seconds: decisions of `a` and of `b`, and the time they took. faults: of each, by kind.
    """

    seed: int
    mean: float
    wins: float
    above: int
    below: int
    roles: dict[str, tuple[int, int]] = field(default_factory=dict)
    moves: tuple[int, int] = (0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    faults: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Outcome:
        """The outcome of `asdict`, through JSON."""
        roles = {name: (int(n), int(won)) for name, (n, won) in data["roles"].items()}
        moves, seconds, faults = data["moves"], data["seconds"], data["faults"]
        return replace(
            Outcome(**{**data, "roles": roles}),
            moves=(moves[0], moves[1]),
            seconds=(seconds[0], seconds[1]),
            faults=(faults[0], faults[1]),
        )

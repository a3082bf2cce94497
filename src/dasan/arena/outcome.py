"""The outcome of one deal of a contest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
        """The outcome of `asdict`, through JSON. ValueError: the data are something else."""
        try:
            (a, b), (mine, theirs), (one, other) = data["moves"], data["seconds"], data["faults"]
            roles = {name: (n, won) for name, (n, won) in data["roles"].items()}
            outcome = Outcome(
                **{**data, "roles": roles, "moves": (a, b), "seconds": (mine, theirs), "faults": (one, other)}
            )
            counts = [outcome.seed, outcome.above, outcome.below, a, b, *one.values(), *other.values()]
            counts += [n for pair in roles.values() for n in pair]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("this is no outcome of a deal") from error
        measured = (outcome.mean, outcome.wins, mine, theirs)
        if not all(isinstance(n, int) for n in counts) or not all(isinstance(n, (int, float)) for n in measured):
            raise ValueError("this is no outcome of a deal")
        return outcome

"""The outcome of one deal of a contest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

MOST = 1e15
"""The upper limit of every number in an outcome but the seed; real ones lie far below it."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one deal. mean, wins: over the seats of `a`, the earnings a hand (see `hands.earned`) and the
    share of hands that it or its side won. above, below: comparisons with each `b` in the same hand in which `a` earned
    more, and less. roles: hands and wins of `a` by its role. moves, seconds: decisions of `a` and of `b`, and their
    time. faults: of each, by kind.
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
        """The outcome from the JSON of its `asdict`. ValueError: the data are not an outcome, or have numbers that none has."""
        try:
            (a, b), (mine, theirs), (one, other) = data["moves"], data["seconds"], data["faults"]
            roles = {name: (n, won) for name, (n, won) in data["roles"].items()}
            outcome = Outcome(
                **{**data, "roles": roles, "moves": (a, b), "seconds": (mine, theirs), "faults": (one, other)}
            )
            counts = [outcome.above, outcome.below, a, b, *one.values(), *other.values()]
            counts += [n for pair in roles.values() for n in pair]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("this is not an outcome of a deal") from error
        measured = (outcome.mean, outcome.wins, mine, theirs)
        if (
            not all(isinstance(n, int) for n in (outcome.seed, *counts))
            or not all(isinstance(n, (int, float)) for n in measured)
            or not all(0 <= n < MOST for n in (*counts, mine, theirs))
            or not (abs(outcome.mean) < MOST and 0 <= outcome.wins <= 1)
            or not all(0 <= won <= n and n for n, won in roles.values())
        ):
            raise ValueError("this is not an outcome of a deal")
        return outcome


def by_role(outcomes: Iterable[Outcome]) -> dict[str, dict[str, float]]:
    """The hands of `a` in each role, and the share of them that it or its side won: {role: {"hands": n, "win_rate": share}}."""
    hands, wins = Counter[str](), Counter[str]()
    for one in outcomes:
        for role, (n, won) in one.roles.items():
            hands[role] += n
            wins[role] += won
    return {role: {"hands": n, "win_rate": round(wins[role] / n, 4)} for role, n in hands.items()}


def win_rate(outcomes: Iterable[Outcome]) -> float:
    """The share of hands that `a` or its side won, averaged over the deals; 0 if there is none. Void hands (H.12) do not count,
    nor do deals that have no others.
    """
    shares = [one.wins for one in outcomes if one.roles]
    return fmean(shares) if shares else 0.0

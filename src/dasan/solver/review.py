"""A finished hand looked at again: which moves kept the result that best play, with all hands open, would have had."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dasan.moves import Move
from dasan.solver import Solution, solve
from dasan.solver.budget import Cancel
from dasan.state import Phase, State


@dataclass(frozen=True, slots=True)
class Judged:
    """One move: who made it, what the position was worth before, what the move is worth, and which moves keep the value.

    kept: None where the budget did not suffice to tell. seq: the number of the move's event.
    """

    seq: int
    seat: int
    move: Move
    value: int | None
    worth: int | None
    kept: bool | None
    keeping: tuple[Move, ...]
    choices: int

    @property
    def forced(self) -> bool:
        return self.choices == 1

    def to_json(self) -> dict[str, Any]:
        return {
            "seq": self.seq,
            "seat": self.seat,
            "move": str(self.move),
            "value": self.value,
            "worth": self.worth,
            "kept": self.kept,
            "keeping": [str(move) for move in self.keeping],
            "choices": self.choices,
            "forced": self.forced,
        }


def review(
    moves: Iterable[tuple[State, Move]],
    *,
    seconds: float | None = 2,
    nodes: int | None = None,
    memory_mb: float = 256,
    cancel: Cancel | None = None,
    progress: Callable[[Judged], object] | None = None,
) -> list[Judged]:
    """Judge the plays and passes of a hand, given with the states in which they were made; the budget is for each."""
    out = []
    for state, move in moves:
        if state.phase is not Phase.PLAY:
            continue
        solution = solve(state, seconds=seconds, nodes=nodes, memory_mb=memory_mb, cancel=cancel)
        judged = _judged(state, move, solution)
        out.append(judged)
        if progress is not None:
            progress(judged)
    return out


def turning_point(judged: Iterable[Judged]) -> Judged | None:
    """The first move that did not keep the result."""
    return next((j for j in judged if j.kept is False), None)


def _judged(state: State, move: Move, solution: Solution) -> Judged:
    after = state.play(move)
    listed = next((m for m in solution.moves if _same(state, m, after)), None)
    worth = None if listed is None else solution.moves[listed]
    value = solution.value
    kept = None if value is None or worth is None else worth == value
    return Judged(
        seq=state.next_seq,
        seat=0 if state.to_act is None else state.to_act,
        move=move,
        value=value,
        worth=worth,
        kept=kept,
        keeping=tuple(m for m, v in solution.moves.items() if v == value),
        choices=len(state.legal_moves()),
    )


def _same(state: State, listed: Move, after: State) -> bool:
    """Whether a listed move does what led to `after`: the same, but for suits that make no difference."""
    if after.events[len(state.events)].type.value == "pass":
        return listed.type.value == "pass"
    if listed.combination is None:
        return False
    played = after.events[len(state.events)].cards
    ours = state.rules.combination(tuple(c for c in played if c is not None))
    same = (ours.family, ours.power, ours.strength) == (
        listed.combination.family,
        listed.combination.power,
        listed.combination.strength,
    )
    return same and (not state.rules.suits_ranked or set(played) == set(listed.cards))

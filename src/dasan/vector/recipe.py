"""The settings of batched environments: everything needed to recreate them except rules, number and seeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from dasan.arguments import MOST_WORKERS, WrongType, flag, shown, whole
from dasan.backends import Wanted

Moves = Literal["padded", "ragged"]
Output = bool | Literal["packed"]

MOST_HISTORY = 1024
"""More moves than any hand has."""


@dataclass(frozen=True)
class Recipe:
    """Validated arguments of `dasan.vector.make`. moves: None for no rows of moves."""

    session: bool
    threads: int
    observations: Output
    mask: Output
    legal: bool
    moves: Moves | None
    perfect: bool
    skip_forced: bool
    history: int
    backend: Wanted

    def __post_init__(self) -> None:
        checked = {
            "threads": whole(self.threads, "threads", 1, MOST_WORKERS),
            "session": flag(self.session, "session"),
            "legal": flag(self.legal, "legal"),
            "perfect": flag(self.perfect, "perfect"),
            "skip_forced": flag(self.skip_forced, "skip_forced"),
            "history": whole(self.history, "history", 0, MOST_HISTORY),
            "observations": _output(self.observations, "observations"),
            "mask": _output(self.mask, "mask"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.moves is not None and (not isinstance(self.moves, str) or self.moves not in get_args(Moves)):
            raise ValueError(f'moves is None, "padded" or "ragged", not {shown(self.moves)}')
        if self.moves is not None and not self.legal:
            raise ValueError("rows of moves stand in the order of the list of legal actions: leave legal=True")

    def for_scores(self) -> Recipe:
        """The same settings with the inputs of a score function, one move per step, in one thread."""
        seen = replace(self, observations=True, legal=True, moves="ragged", perfect=False)
        return replace(seen, threads=1, skip_forced=False, history=0)


def _output(value: object, what: str) -> Output:
    """Whether an output is written, or packed."""
    if isinstance(value, str) and value == "packed":
        return "packed"
    try:
        return flag(value, what)
    except WrongType:
        raise WrongType(f'{what} is True, False or "packed", not {shown(value)}') from None

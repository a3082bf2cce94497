"""What a bot is: it gets a view, and nothing else, and says a move."""

from __future__ import annotations

from typing import Protocol

from dasan.play.moves import Move
from dasan.play.view import View


class Bot(Protocol):
    """A player. `name` and `version` go into records; the same version plays the same way."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def choose(self, view: View) -> Move:
        """One of `view.legal_moves()`. ValueError if the seat of `view` is not to act."""
        ...


def choices(view: View) -> tuple[Move, ...]:
    """The legal moves of the seat to act; ValueError if it is not this view's turn."""
    moves = view.legal_moves()
    if not moves:
        raise ValueError("a bot is asked for a move when it is its turn")
    return moves

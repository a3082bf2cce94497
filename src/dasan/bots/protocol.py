"""The interface of a bot: it gets only a view, and chooses a move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from dasan.arguments import instance
from dasan.bots.explanation import Explanation
from dasan.play.moves import Move, MoveType
from dasan.play.view import View


@runtime_checkable
class Bot(Protocol):
    """A player. `name` and `version` go into records; the same version plays the same way."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def choose(self, view: View) -> Move:
        """One of `view.legal_moves()`. ValueError if the seat of `view` is not to act."""
        ...


@runtime_checkable
class ExplainingBot(Bot, Protocol):
    """A bot that also explains its moves, as all bots of `dasan.bot` do."""

    def explain(self, view: View) -> Explanation:
        """Candidates with values and reasons, the one that `choose` returns first. ValueError as for `choose`."""
        ...


class Named:
    """A base class of bots: the interpreter shows them by name."""

    def __repr__(self: Bot) -> str:
        return f"<bot {self.name}>"


def choices(view: View) -> tuple[Move, ...]:
    """The legal moves of the view's seat. ValueError: it is not that seat's turn. TypeError: `view` is not a view."""
    moves = instance(view, View, "a bot needs a view, such as state.view(seat)").legal_moves()
    if not moves:
        raise ValueError("a bot can only choose a move when it is its turn")
    return moves


def low_to_high(view: View, moves: Iterable[Move]) -> list[Move]:
    """Moves that name a bid or cards, from low to high, in whatever order a host lists them."""
    place = view.rules.order.place
    return sorted(moves, key=lambda move: (move.bid or 0, [place[c] for c in move.cards]))


def bid_up_to(view: View, level: int) -> Move:
    """The highest legal bid up to `level`; without one a pass, or the lowest bid if the seat must bid."""
    moves = choices(view)
    bids = low_to_high(view, (move for move in moves if move.bid is not None))
    fitting = [move for move in bids if (move.bid or 0) <= level]
    return fitting[-1] if fitting else next((move for move in moves if move.type is MoveType.PASS), bids[0])


def goes_out(view: View) -> Move | None:
    """The move that empties the hand, if there is one."""
    return next((move for move in choices(view) if len(move.cards) == len(view.hand)), None)

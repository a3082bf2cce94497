"""Two simple baselines, for which others have published figures.

Both always follow with their lowest play if they can, and pass in the auction if they may.
"""

from __future__ import annotations

from dasan.bots.protocol import choices, low_to_high
from dasan.bots.without_values import ExplainsByFacts
from dasan.play.moves import Move, MoveType
from dasan.play.view import View


class LowBot(ExplainsByFacts):
    """Leads its lowest single card. Deterministic."""

    name = "low"
    version = "1"

    def choose(self, view: View) -> Move:
        moves = choices(view)
        plays = [move for move in moves if move.combination is not None]
        if view.table is None and plays:
            return min(plays, key=lambda move: (len(move.cards), *_height(move)))
        return follow(view, moves)


class ShedBot(ExplainsByFacts):
    """Leads the largest play that contains its lowest card, the lowest on ties. Deterministic."""

    name = "shed"
    version = "1"

    def choose(self, view: View) -> Move:
        moves = choices(view)
        plays = [move for move in moves if move.combination is not None]
        if view.table is None and plays:
            lowest = view.hand[0]
            holding = [move for move in plays if lowest in move.cards] or plays
            return min(holding, key=lambda move: (-len(move.cards), *_height(move)))
        return follow(view, moves)


def follow(view: View, moves: tuple[Move, ...]) -> Move:
    """The lowest legal play; without one, a pass, or the lowest bid if the seat must bid."""
    plays = [move for move in moves if move.combination is not None]
    if plays:
        return min(plays, key=_height)
    return next((move for move in moves if move.type is MoveType.PASS), low_to_high(view, moves)[0])


def _height(move: Move) -> tuple[int, int]:
    play = move.combination
    return (0, 0) if play is None else (play.power, play.strength)

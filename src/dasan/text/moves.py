"""Moves and their values in words."""

from __future__ import annotations

from collections.abc import Sequence

from dasan.play.moves import Move, MoveType
from dasan.ruleset.rules import Rules
from dasan.text.words import listed, signed, signs

MOST_NAMED = 6
"""The most moves of a list to name; the rest are counted."""


def move_words(move: Move) -> str:
    """A move with suit symbols."""
    match move.type:
        case MoveType.PASS | MoveType.BID:
            return str(move)
        case MoveType.PLAY:
            return signs(move.cards)
        case _:
            return f"{move.type} {signs(move.cards)}"


def moves_words(moves: Sequence[Move], last: str = "or") -> str:
    """The first few moves, and how many more there are."""
    if not moves:
        return "moves were not proved"
    named = [move_words(move) for move in moves[:MOST_NAMED]]
    more = len(moves) - len(named)
    return listed([*named, f"{more} more"] if more else named, last)


def worth_words(rules: Rules, value: int) -> str:
    """A value in words: a payment, or a player's place."""
    return f"place {value}" if rules.counts_places else signed(value)

"""Shorthand for cards: suits that a player leaves out are filled in from the hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from dasan.cards import Card
from dasan.errors import Ambiguous, IllegalPlay
from dasan.play.fields import StateFields
from dasan.play.moves import Move, MoveType, check_form, read_move
from dasan.reasons import reason


def understand(state: StateFields, move: Move | str, legal: Callable[[], tuple[Move, ...]]) -> Move:
    """The intended move with complete cards; its phase checks whether it is legal.

    legal: returns the moves of the seat to act; a `move` that is one of these very objects is returned unchanged.
    """
    if isinstance(move, Move):
        if move.combination is not None:
            for listed in legal():
                if move is listed:
                    return move
        check_form(move)
        return Move(move.type, tuple(move.cards), move.bid)
    meant = read_move(move)
    exact = tuple(c for c in meant.cards if isinstance(c, Card))
    if len(exact) == len(meant.cards):
        return Move(meant.type, exact, meant.bid)
    short = Counter(c for c in meant.cards if isinstance(c, str))
    if meant.type is MoveType.CALL:
        raise Ambiguous(reason("call.suit"), clause=state.rules.cite["call"])
    held: Sequence[Card] = state.hands[state.mover]
    if meant.type is MoveType.TAKE and state.exchange is not None:
        held = state.exchange.offered
    chosen = list(exact)
    for rank, n in short.items():
        chosen += _fill_in(state, rank, n, held, exact)
    return Move(meant.type, tuple(chosen), meant.bid)


def _fill_in(state: StateFields, rank: str, n: int, held: Sequence[Card], taken: Sequence[Card]) -> list[Card]:
    left = [c for c in held if c.rank == rank]
    for c in taken:
        if c in left:
            left.remove(c)
    if len(left) < n:
        raise IllegalPlay(reason("lacking.rank.one" if n == 1 else "lacking.rank", n=n, rank=rank), clause="G.05")
    if len(set(left)) > 1 and n < len(left):
        rules = state.rules
        if rules.suits_matter:
            raise Ambiguous(
                reason("which", rank=rank, cards=" ".join(map(str, left))),
                clause=rules.cite["suits"],
            )
        if state.called in left:
            raise Ambiguous(reason("which.called", rank=rank, cards=state.called), clause="B4.07")
    return left[:n]

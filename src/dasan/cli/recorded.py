"""The hand in a record that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dasan.cli.files import read_text, shown
from dasan.cli.group import Refused
from dasan.errors import DasanError

if TYPE_CHECKING:
    from dasan.state import State

HandNumber: TypeAlias = Annotated[
    int | None, typer.Option("--hand", min=1, help="Which hand of a session; without it, the last with a move in it.")
]


def read_hand(file: str, number: int | None) -> State:
    """Hand `number` of a record; the last one in which somebody has moved if there is no number."""
    from dasan.record import replay
    from dasan.sessions import Session

    try:
        game = replay(read_text(file))
    except DasanError as error:
        raise Refused(f"{shown(file)}: {error}") from error
    hands = (*game.past, game.state) if isinstance(game, Session) else (game,)
    if number is None:
        return next((hand for hand in reversed(hands) if _moved(hand)), hands[-1])
    if number > len(hands):
        raise Refused(f"{shown(file)} has {len(hands)} {'hand' if len(hands) == 1 else 'hands'}, no hand {number}")
    return hands[number - 1]


def _moved(hand: State) -> bool:
    from dasan.events import MOVES

    return any(event.type in MOVES for event in hand.events)

"""Selection of the records and hands that a command reads from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar

import typer

from dasan.cli.files import read_text, shown
from dasan.cli.group import CannotRun
from dasan.cli.output import print_json, warn
from dasan.errors import DasanError

if TYPE_CHECKING:
    from dasan.play.sessions import Session
    from dasan.play.state import State
    from dasan.records.lines import Record

T = TypeVar("T")

RecordNumber: TypeAlias = Annotated[
    int | None,
    typer.Option("--number", min=1, help="Which record of a file with several; default: all in turn."),
]
HandNumber: TypeAlias = Annotated[
    int | None, typer.Option("--hand", min=1, help="Which hand of a session; default: the last with a move.")
]


def read_records(file: str, number: int | None, read: Callable[[Record], T]) -> dict[int, T]:
    """Apply `read` to each record of a file; results by position from 1. number: only this record; None: all.

    All are read before the first is used. `CannotRun`: a record is damaged, or there is no record with this number.
    """
    from dasan.records.lines import records

    by_number: dict[int, T] = {}
    last = 0
    place = 1
    try:
        for last, record in enumerate(records(read_text(file)), 1):
            if number in (None, last):
                place = last
                by_number[last] = read(record)
            if last == number:
                break
            place = 1
    except DasanError as error:
        raise CannotRun(f"{place_in(file, place)}: {error}") from error
    if not last:
        raise CannotRun(f"{shown(file)}: there is no record in it")
    if not by_number:
        raise CannotRun(f"{shown(file)} has {last} {'record' if last == 1 else 'records'}, no record {number}")
    return by_number


def read_games(file: str, number: int | None) -> dict[int, State | Session]:
    """The hands and sessions of a file, by position, as far as their cards are open; a line on stderr names records
    that hide cards. `CannotRun`: no hand of a record can be replayed.
    """
    from dasan.records.read import replay_open

    games: dict[int, State | Session] = {}
    for place, record in read_records(file, number, replay_open).items():
        if record.game is None:
            raise CannotRun(f"{place_in(file, place)}: {record.note} — G.02")
        if record.note is not None:
            warn(f"dasan: {place_in(file, place)}: {record.note} — G.02")
        games[place] = record.game
    return games


def read_hands(file: str, number: int | None, hand: int | None) -> dict[int, State]:
    """One hand of each record. hand: its number in the session; None: the last hand with a move."""
    by_number: dict[int, State] = {}
    for place, game in read_games(file, number).items():
        hands = hands_of(game)
        if hand is not None and hand > len(hands):
            raise no_hand(file, place, game, hand)
        moved = (one for one in reversed(hands) if _moved(one))
        by_number[place] = hands[hand - 1] if hand is not None else next(moved, hands[-1])
    return by_number


def hands_of(game: State | Session) -> tuple[State, ...]:
    from dasan.play.sessions import Session

    return (*game.past, game.state) if isinstance(game, Session) else (game,)


def no_hand(file: str, place: int, game: State | Session, hand: int) -> CannotRun:
    count = len(hands_of(game))
    return CannotRun(f"{place_in(file, place)} has {count} {'hand' if count == 1 else 'hands'}, no hand {hand}")


def place_in(file: str, place: int) -> str:
    """The name of a record in messages; the first has no number, because most files have only one."""
    return shown(file) if place == 1 else f"{shown(file)}, record {place}"


def print_found(rows: Sequence[object]) -> None:
    """Print results as JSON: one as an object, several as a list."""
    print_json(rows[0] if len(rows) == 1 else rows)


def _moved(hand: State) -> bool:
    from dasan.play.events import MOVES

    return any(event.type in MOVES for event in hand.events)

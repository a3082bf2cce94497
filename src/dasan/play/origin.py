"""The origin of a hand: who played, with which version, and the secret of the deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dasan.arguments import WrongType, shown
from dasan.version import __version__


@dataclass(frozen=True, slots=True)
class Origin:
    """Who played, with which version, and the secret of the deal: stored for the record; the rules never read it.

    The secret reveals no more than the state does, and is written to records only when the hand is over.
    """

    engine: str
    seats: tuple[dict[str, str], ...] = ()
    secret: bytes | None = field(default=None, repr=False)


MAX_TEXT = 1_000
"""The longest text about a seat, or in the header of a record, in characters."""
MAX_ENTRIES = 16
"""The most entries about one seat."""


def named(seats: object, players: int) -> tuple[dict[str, str], ...]:
    """Check and copy the names of seats for records: at most one dictionary of strings for each seat.

    TypeError: they have another type. ValueError: there are too many, or a text is too long or not Unicode.
    """
    if not isinstance(seats, Sequence) or isinstance(seats, str):
        raise WrongType(f"seats are a sequence of dictionaries, not {shown(seats)}")
    if len(seats) > players:
        raise ValueError(f"there are {players} seats, and names for {len(seats)}")
    for entry in seats:
        if not isinstance(entry, Mapping) or not all(isinstance(text, str) for pair in entry.items() for text in pair):
            raise WrongType(f"a seat is named with a dictionary of strings, not {shown(entry)}")
        if len(entry) > MAX_ENTRIES or any(len(text) > MAX_TEXT for pair in entry.items() for text in pair):
            raise ValueError(f"a seat has at most {MAX_ENTRIES} entries of {MAX_TEXT} characters")
        try:
            "".join(text for pair in entry.items() for text in pair).encode()
        except UnicodeEncodeError:
            raise ValueError("a seat's name has a lone surrogate, which UTF-8 cannot write") from None
    return tuple(dict(entry) for entry in seats)


def current_origin() -> Origin:
    return Origin(__version__)

"""Every exception of the package, with the clause it cites and the code it has on the wire.

There are three kinds of wrong input, and a fourth for records:

* `Malformed`: the input cannot be read;
* `IllegalPlay`: clear, but not allowed now;
* `Ambiguous`: shorthand that fits several different moves;
* `BadRecord`: a record that is damaged, forged or not ours.
"""

from __future__ import annotations

from typing import ClassVar


class DasanError(Exception):
    """A refusal: `.code` for programs, `.clause` for the rule book, `.message` for a player.

    >>> error = IllegalPlay("a run must be higher", clause="B3.15")
    >>> str(error), error.code
    ('a run must be higher — B3.15', 'illegal')
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, clause: str = "G.01") -> None:
        super().__init__(message, clause)
        self.message = message
        self.clause = clause

    def __str__(self) -> str:
        return f"{self.message} — {self.clause}"

    def __reduce__(self) -> tuple[object, ...]:
        notes = {"__notes__": self.__notes__} if hasattr(self, "__notes__") else None
        return (_rebuild, (type(self), self.message, self.clause), notes)


def _rebuild(kind: type[DasanError], message: str, clause: str) -> DasanError:
    return kind(message, clause=clause)


class Malformed(DasanError):
    """Input that cannot be read: no such card, too long, not text."""

    code = "malformed"


class IllegalPlay(DasanError):
    """A move that is clear but against a clause; the state is unchanged (G.01)."""

    code = "illegal"


class Ambiguous(DasanError):
    """Shorthand without suits where the choice of suits matters."""

    code = "ambiguous"


class BadRecord(Malformed):
    """A record that is not climb/1, is damaged, or does not replay to what it claims (G.03)."""

    code = "bad-record"

    def __init__(self, message: str, *, clause: str = "G.03") -> None:
        super().__init__(message, clause=clause)

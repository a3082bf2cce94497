"""The server's refusals, in addition to those of the rules."""

from __future__ import annotations

from typing import Literal, TypeAlias

from dasan.errors import DasanError
from dasan.reasons import reason

ErrorCode: TypeAlias = Literal[
    "malformed",
    "illegal",
    "ambiguous",
    "bad-record",
    "forbidden",
    "not-found",
    "damaged",
    "too-fast",
    "too-large",
    "unavailable",
]
"""Every error code on the wire; the first four come from the engine. ``too-fast`` and ``unavailable`` do not say
whether a command was carried out: clients retry with the same id.
"""

STATUS: dict[ErrorCode, int] = {
    "malformed": 400,
    "illegal": 409,
    "ambiguous": 409,
    "bad-record": 400,
    "forbidden": 403,
    "not-found": 404,
    "damaged": 410,
    "too-fast": 429,
    "too-large": 413,
    "unavailable": 503,
}
"""The HTTP status of each code."""


class Refused(Exception):
    """A refused request, with a code for programs and a sentence for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message


class OwnedElsewhere(Refused):
    """Another process owns the table."""

    def __init__(self) -> None:
        super().__init__("unavailable", reason("elsewhere"))


class Damaged(Refused):
    """What is stored is damaged: nobody can read it until the host restores it, so clients do not try again."""

    def __init__(self) -> None:
        super().__init__("damaged", reason("damaged"))


class Failed(Refused):
    """A table has failed."""

    def __init__(self) -> None:
        super().__init__("unavailable", reason("failed"))


class Banned(Refused):
    """The host has banned this player."""

    def __init__(self) -> None:
        super().__init__("forbidden", reason("banned"))


class CannotServe(DasanError):
    """The server cannot start; the message is one line for the person who started it, without a clause."""

    code = "cannot-serve"

    def __init__(self, message: str, *, clause: str = "") -> None:
        super().__init__(message, clause=clause)

    def __str__(self) -> str:
        return self.message


class OlderSchema(CannotServe):
    """The database has an older schema than this version of dasan, and must be migrated first."""

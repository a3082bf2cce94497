"""Logging of errors: their place and type, without their texts."""

from __future__ import annotations

import logging
import time
import traceback

from dasan.server.refusals import Refused

log = logging.getLogger("dasan.server")


def report(what: str, error: BaseException) -> None:
    """Log the place and type of an error without its text, which could name hidden cards (G.02).

    What the server refuses by itself says all there is to know by its type.
    """
    name = type(error).__qualname__
    fields = {"error": name}
    if not isinstance(error, Refused):
        frames = traceback.extract_tb(error.__traceback__)
        fields["where"] = " < ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in reversed(frames))
    log.error("%s: %s", what, name, extra=fields)


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000

"""Logging of errors: their location and type, without their messages."""

from __future__ import annotations

import logging
import traceback

from dasan.server.refusals import Refused

log = logging.getLogger("dasan.server")


def report(what: str, error: BaseException) -> None:
    """Log the location and type of an error without its message, which could name hidden cards (G.02).

    For the server's own refusals the type suffices.
    """
    name = type(error).__qualname__
    fields = {"error": name}
    if not isinstance(error, Refused):
        frames = traceback.extract_tb(error.__traceback__)
        fields["where"] = " < ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in reversed(frames))
    log.error("%s: %s", what, name, extra=fields)

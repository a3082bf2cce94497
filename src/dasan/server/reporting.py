"""How errors are logged: where and of which type, without their texts."""

from __future__ import annotations

import logging
import time
import traceback

from dasan.server.refusals import Refused

log = logging.getLogger("dasan.server")


def report(what: str, error: BaseException) -> None:
    """Log where an error arose and of which type, but not its text: that could name hidden cards (G.02).

    What the server refuses by itself says all there is to know by its type.
    """
    if isinstance(error, Refused):
        log.error("%s: %s", what, type(error).__qualname__)
        return
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("%s: %s\n%s", what, type(error).__qualname__, frames.rstrip())


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000

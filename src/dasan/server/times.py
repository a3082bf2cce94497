"""Times in milliseconds since 1970."""

from __future__ import annotations

import time
from datetime import UTC, datetime

HOUR = 60 * 60 * 1000
DAY = 24 * HOUR


def now() -> int:
    """The current time."""
    return time.time_ns() // 1_000_000


def moment(milliseconds: int, timespec: str = "milliseconds") -> str:
    """A time as ISO 8601, to the millisecond or to another unit.

    >>> moment(0), moment(1000, "seconds")
    ('1970-01-01T00:00:00.000+00:00', '1970-01-01T00:00:01+00:00')
    """
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec=timespec)


class SteadyTime:
    """The time in milliseconds since 1970 by the monotonic clock: it passes evenly, even if the machine's clock is set.

    Clocks of games use it: a machine's clock that jumps ahead would end turns, and one that is set back would prolong
    them.
    """

    def __init__(self, least: int) -> None:
        """Begin with the machine's clock, or with ``least`` if that is later."""
        self._offset = max(now(), least) - _monotonic()

    def now(self) -> int:
        """The current time."""
        return self._offset + _monotonic()

    def catch_up(self) -> None:
        """Continue with the machine's clock if that is later."""
        self._offset = max(self._offset, now() - _monotonic())


def _monotonic() -> int:
    """Milliseconds of the monotonic clock, which nobody can set."""
    return time.monotonic_ns() // 1_000_000

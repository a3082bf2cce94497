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

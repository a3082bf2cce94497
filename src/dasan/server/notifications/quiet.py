"""Quiet hours, without notifications, in the player's time zone."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


def zone_named(name: str) -> ZoneInfo | None:
    """The time zone with this name of the IANA database; None if there is none.

    >>> zone_named("Europe/Paris"), zone_named("../etc/passwd"), zone_named("Nowhere")
    (zoneinfo.ZoneInfo(key='Europe/Paris'), None, None)
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def quiet_until(now: int, zone: str, begins: int | None, ends: int | None) -> int | None:
    """The end of the quiet hours that contain ``now``, in milliseconds since 1970; None outside them.

    begins, ends: minutes of the day; hours that begin later than they end go past midnight. A time that the clocks skip in
    spring is read as an hour later.

    >>> at = lambda text: int(datetime.fromisoformat(text).timestamp() * 1000)
    >>> quiet_until(at("2026-11-26T23:30+01:00"), "Europe/Paris", 22 * 60, 8 * 60) == at("2026-11-27T08:00+01:00")
    True
    >>> quiet_until(at("2026-11-26T21:59+01:00"), "Europe/Paris", 22 * 60, 8 * 60) is None
    True
    >>> quiet_until(at("2026-10-25T02:10+01:00"), "Europe/Paris", 22 * 60, 150) == at("2026-10-25T02:30+01:00")
    True
    """
    time_zone = zone_named(zone) or ZoneInfo("UTC")
    if begins is None or ends is None or begins == ends:
        return None
    here = datetime.fromtimestamp(now / 1000, UTC).astimezone(time_zone)
    minute = here.hour * 60 + here.minute
    inside = begins <= minute < ends if begins < ends else minute >= begins or minute < ends
    if not inside:
        return None
    day = here.date() + timedelta(days=1 if minute >= ends else 0)
    # In autumn, when an hour comes twice, the end is in the same one as ``now``.
    end = datetime.combine(day, time(ends // 60, ends % 60, fold=here.fold if day == here.date() else 0), time_zone)
    return max(now + 1, int(end.timestamp() * 1000))

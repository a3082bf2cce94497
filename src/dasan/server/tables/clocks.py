"""Clocks as values: each seat's time, and the deadline of the seat to act. All times are milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dasan.server.protocol.table import Correspondence, Increment, PerMove, Speed, Untimed
from dasan.server.times import DAY

DEALING = 5000
"""The extra time for a hand's first turn, while the deal is shown."""
RETURNING = 10_000
"""The time of a player who has none left and takes the seat back from a bot."""


@dataclass(frozen=True)
class Clock:
    """left: each seat's time for the rest of the hand, in games with an increment. since: when the turn began, or when a
    bot took over from a person in it. used: how much of the turn the person had used by then; negative if the bot took over
    while the deal was shown.
    """

    left: tuple[int, ...] = ()
    since: int = 0
    used: int = 0

    @staticmethod
    def start(speed: Speed, players: int, at: int) -> Clock:
        """The clocks of a hand dealt at time ``at``."""
        left = (speed.seconds * 1000,) * players if isinstance(speed, Increment) else ()
        return Clock(left, at if isinstance(speed, Untimed | Correspondence) else at + DEALING)

    def deadline(self, speed: Speed, seat: int) -> int | None:
        """The deadline of ``seat``, which is to act."""
        match speed:
            case Untimed():
                return None
            case PerMove():
                return self.since + speed.seconds * 1000
            case Increment():
                return self.since + self.left[seat]
            case Correspondence():
                return self.since + speed.days * DAY

    def moved(self, speed: Speed, seat: int, at: int, *, timed: bool, lag: int = 0) -> Clock:
        """The clocks after ``seat`` has moved. timed: whether a person moved; otherwise only what a person had used of the
        turn counts. lag: the part of the turn that counts for nobody.
        """
        if not isinstance(speed, Increment):
            return Clock(self.left, at)
        used, more = (at - lag - self.since, speed.increment * 1000) if timed else (self.used, 0)
        rest = max(0, self.left[seat] - max(0, used)) + more
        return Clock((*self.left[:seat], rest, *self.left[seat + 1 :]), at)

    def taken_over(self, at: int, *, timed: bool) -> Clock:
        """The clocks after a bot has taken over the turn. timed: whether from a person, not from another bot."""
        return Clock(self.left, at, at - self.since) if timed else self

    def returned(self, seat: int, *, to_act: bool) -> Clock:
        """The clocks after the player of ``seat`` has taken it back. Their turn goes on, and the bot's time in it counts: nobody
        gets time, or keeps the bot from its move, by leaving and coming back.
        """
        left = self.left and (*self.left[:seat], self.left[seat] or RETURNING, *self.left[seat + 1 :])
        return Clock(left, self.since - self.used) if to_act else replace(self, left=left)

    def remaining(self, speed: Speed, seats: Sequence[int], to_act: int | None, now: int) -> list[int | None]:
        """Each seat's time at ``now``; None for games without clocks."""
        match speed:
            case Untimed():
                return [None for _ in seats]
            case PerMove():
                whole = speed.seconds * 1000
            case Correspondence():
                whole = speed.days * DAY
            case Increment():
                whole = 0
        shown = [self.left[s] if self.left else whole for s in seats]
        return [max(0, t - max(0, now - self.since)) if s == to_act else t for s, t in zip(seats, shown, strict=True)]


class Lag:
    """Lag compensation: the part of a connection's delay that clocks do not count, up to a quota that every move
    refills a little.

    >>> lag = Lag()
    >>> lag.measured(300), lag.forgiven(), lag.forgiven(), lag.forgiven()
    (None, 300, 300, 300)
    >>> lag.measured(60_000), lag.forgiven(), lag.forgiven()
    (None, 376, 124)
    """

    QUOTA = 1000
    REFILL = 100

    def __init__(self) -> None:
        self._delay = 0
        self._quota = self.QUOTA

    def measured(self, milliseconds: int) -> None:
        """Record a round-trip time; the shortest recent one counts, with slow decay."""
        self._delay = milliseconds if not self._delay else min(milliseconds, self._delay * 5 // 4 + 1)

    def forgiven(self) -> int:
        """The milliseconds to deduct from this move's time."""
        given = min(self._delay, self._quota)
        self._quota = min(self.QUOTA, self._quota - given + self.REFILL)
        return given

"""Players' addresses, collected in memory until they are stored."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

AGAIN = 60 * 60.0
"""Seconds after which the same player at the same address is stored again."""
MOST = 10_000


class Sightings:
    """Pairs of a player and an address; each counts once an hour.

    >>> sightings = Sightings(lambda: 0.0)
    >>> sightings.add("ann", "192.0.2.1"), sightings.add("ann", "192.0.2.1"), sightings.take()
    (None, None, [('ann', '192.0.2.1')])
    >>> sightings.add("ann", "192.0.2.1"), sightings.take()
    (None, [])
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._new: list[tuple[str, str]] = []

    def add(self, player: str, address: str) -> None:
        """Record that a player came from an address."""
        pair, moment = (player, address), self._clock()
        before = self._known.get(pair)
        if before is not None and moment < before + AGAIN:
            return
        self._known[pair] = moment
        self._known.move_to_end(pair)
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        self._new.append(pair)

    def take(self) -> list[tuple[str, str]]:
        """The pairs since the last call."""
        new, self._new = self._new, []
        return new

"""The visible time of a bot's move, drawn at random so that it does not reveal how long the bot thought.

A forced pass needs no time, while a chosen one may take a second: players who measured it would know which passes were
forced. So all moves of a bot take times from one distribution, wide enough for nearly all of its thinking. A choice
that takes longer is followed by another drawn time; a forced move counts as having the thinking time of one of the
bot's latest choices, so that it is late equally often. Under load all moves are late: forced ones also wait for a bot's
process.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable

LATEST = 256
"""The number of a bot's latest thinking times that are kept."""
COVERED = 0.98
"""The quantile of thinking times that the minimum time covers."""
LONGEST = 5000
"""The upper bound of the minimum time in milliseconds, however slow the machine is."""


class Pace:
    """Draws the times of the moves of all bots in this process.

    delay: the mean milliseconds of a fast bot's move; 0: moves are shown immediately, and reveal their times.

    >>> pace = Pace(600, random.Random(1))
    >>> pace.choice("greedy", 3, 1), pace.forced("greedy", 2)
    (512, 541)
    >>> Pace(0).choice("greedy", 3, 1), Pace(0).forced("greedy", 2)
    (3, 2)
    """

    def __init__(self, delay: int, chance: random.Random | None = None) -> None:
        self._delay = delay
        self._chance = chance or random.SystemRandom()
        self._thought: dict[Hashable, deque[int]] = {}

    def choice(self, bot: Hashable, needed: int, thought: int) -> int:
        """Milliseconds from the start of the turn to the bot's move, for a choice that took ``needed`` milliseconds.

        thought: the thinking time in milliseconds; the rest of ``needed`` was waiting.
        """
        if not self._delay:
            return needed
        drawn = self._drawn(bot, needed)
        self._thought.setdefault(bot, deque(maxlen=LATEST)).append(min(thought, needed))
        return drawn

    def forced(self, bot: Hashable, waited: int) -> int:
        """The same for a forced move, after a wait."""
        if not self._delay:
            return waited
        known = self._thought.get(bot)
        return self._drawn(bot, waited + (self._chance.choice(known) if known else 0))

    def _drawn(self, bot: Hashable, needed: int) -> int:
        times = sorted(self._thought.get(bot, ()))
        covered = 1.1 * times[int(COVERED * (len(times) - 1))] if times else 0.0
        least = max(0.8 * self._delay, min(covered, LONGEST))
        time = least * self._chance.uniform(1, 1.5)
        while time < needed:
            time += least * self._chance.uniform(0.5, 1)
        return int(time)

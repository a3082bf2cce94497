"""The time that a bot's move takes at the table: drawn at random, so that it does not tell how long the bot thought.

A bot whose only legal move is a pass needs no time, and one that chooses to pass may need a second: players who measured that
knew which passes were forced. So all moves of a bot take a time from one distribution, wide enough for nearly all of its
thinking. The few that take longer are followed by another drawn time; and a forced move counts as if the bot had thought for as
long as over one of its latest choices, so that it is late as often. When many tables wait for the processes of bots, all moves
are late: a forced one waits for a process too.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable

LATEST = 256
"""The number of a bot's choices whose times are known."""
COVERED = 0.98
"""The part of a bot's choices that its least time covers."""
LONGEST = 5000
"""Milliseconds: the least time is never longer, however slow the machine is."""


class Pace:
    """Draws the times of the moves of all bots in this process.

    delay: milliseconds that the move of a quick bot takes on average; 0: every move is shown at once, and tells its time.

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
        """Milliseconds from the beginning of its turn to the bot's move, for a choice that took ``needed`` of them.

        thought: how many of those the bot thought; the others it waited.
        """
        if not self._delay:
            return needed
        drawn = self._drawn(bot, needed)
        self._thought.setdefault(bot, deque(maxlen=LATEST)).append(min(thought, needed))
        return drawn

    def forced(self, bot: Hashable, waited: int) -> int:
        """The same for a move without a choice, after a wait."""
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

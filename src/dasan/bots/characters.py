"""The eight graded players that people can choose as opponents, from a beginner to the strongest.

Weaker players see less and look less far ahead; none of them makes random blunders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dasan.bots.protocol import Bot


@dataclass(frozen=True, slots=True)
class Character:
    """A player that people can choose. bot: its name for `dasan.bot`. line: one sentence about the person. how: one sentence
    on how it chooses. level: 1 the weakest, 8 the strongest.
    """

    bot: str
    name: str
    line: str
    how: str
    level: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"bot": self.bot, "name": self.name, "line": self.line, "how": self.how, "level": self.level}


CHARACTERS: tuple[Character, ...] = (
    Character(
        "level-1",
        "Little Wei",
        "Learned the game this morning and plays one card at a time.",
        "Leads the lowest single card and follows with the lowest play.",
        1,
    ),
    Character(
        "level-2",
        "Auntie Lin",
        "Gets rid of whatever hangs on her lowest card, and chats meanwhile.",
        "Leads the largest play that holds the lowest card and follows with the lowest play.",
        2,
    ),
    Character(
        "level-3",
        "Driver Zhao",
        "Keeps his groups together and never waits.",
        "Chooses by a rule of thumb: many low cards first, no group broken.",
        3,
    ),
    Character(
        "level-4",
        "Teacher Sun",
        "Plans the whole hand carefully, and forgets what was played.",
        "Plans how to empty the hand; remembers only the last eight events.",
        4,
    ),
    Character(
        "level-5",
        "Accountant Qian",
        "Counts every card and knows what is still out.",
        "Plans how to empty the hand and remembers every card.",
        5,
    ),
    Character(
        "level-6",
        "Old Chen",
        "Has played a million hands and moves without thinking.",
        "A network trained by self-play, without looking ahead.",
        6,
    ),
    Character(
        "level-7",
        "Doctor Mei",
        "Imagines a few ways that the cards may lie before she moves.",
        "The network, which tries its best moves out in 24 possible deals.",
        7,
    ),
    Character(
        "level-8",
        "Grandmother Fang",
        "Nobody has seen her hurry, and few have seen her lose.",
        "The network, which tries its best moves out in hundreds of possible deals.",
        8,
    ),
)
"""The graded players, the weakest first."""


def at_level(level: int) -> Callable[[int], Bot]:
    """A function that makes the player of a level from a seed."""

    def make(seed: int) -> Bot:
        return _make(level, seed)

    return make


def _make(level: int, seed: int) -> Bot:
    from dasan.bots.greedy import GreedyBot
    from dasan.bots.judgement import Temper
    from dasan.bots.net import NetBot
    from dasan.bots.search import Effort, StrongBot
    from dasan.bots.simple import LowBot, ShedBot
    from dasan.bots.thrifty import ThriftyBot

    name = f"level-{level}"
    match level:
        case 1:
            return LowBot(name)
        case 2:
            return ShedBot(name)
        case 3:
            return ThriftyBot(name)
        case 4:
            return GreedyBot(Temper(memory=8), name)
        case 5:
            return GreedyBot(name=name)
        case 6:
            return NetBot(name=name)
        case 7:
            return StrongBot(seed, Effort(worlds=24, width=4), name)
        case _:
            return StrongBot(seed, name=name)

"""The eight graded opponents, from a beginner to the strongest player.

The strongest looks ahead; weaker players overlook more of their plays, long ones most often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dasan.bots.protocol import ExplainingBot


@dataclass(frozen=True, slots=True)
class Character:
    """A player that people can choose. bot: its name for `dasan.bot`. line: what the person does, a phrase to follow the name.
    how: a sentence about how it chooses. level: 1 the weakest, 8 the strongest.
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
        "learned the game this morning",
        "A network trained by self-play chooses among the few plays that he notices, most of them single cards.",
        1,
    ),
    Character(
        "level-2",
        "Auntie Lin",
        "sheds low cards while chatting",
        "Notices more single cards than Little Wei, and a pair now and then.",
        2,
    ),
    Character(
        "level-3",
        "Driver Zhao",
        "plays what he sees first and never waits",
        "Overlooks many plays, and nearly all long ones.",
        3,
    ),
    Character(
        "level-4",
        "Teacher Sun",
        "knows every rule, and misses a combination now and then",
        "Overlooks many pairs, and most long plays.",
        4,
    ),
    Character(
        "level-5",
        "Accountant Qian",
        "counts every card",
        "Overlooks fewer plays than Teacher Sun, mostly long ones.",
        5,
    ),
    Character(
        "level-6",
        "Old Chen",
        "has played a million hands and does not think",
        "Overlooks fewer plays than Accountant Qian, mostly long ones.",
        6,
    ),
    Character(
        "level-7",
        "Doctor Mei",
        "misses less than Old Chen",
        "Notices more plays than Old Chen, and tries none of them out.",
        7,
    ),
    Character(
        "level-8",
        "Grandmother Fang",
        "few have seen her lose",
        "The network, which tries its best moves out in hundreds of possible deals.",
        8,
    ),
)
"""The graded players, the weakest first."""


def at_level(level: int, seed: int) -> ExplainingBot:
    """The graded player of this level."""
    from dasan.bots.net import NetBot
    from dasan.bots.overlooking import Overlooking
    from dasan.bots.search import StrongBot

    name = f"level-{level}"
    if level == 8:
        return StrongBot(seed, name=name)
    return Overlooking(NetBot(name=name, proofs=level == 7, sighted=True), name, seed)

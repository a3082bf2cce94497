"""The occupants of seats, and a table's constant facts."""

from __future__ import annotations

import base64
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import dasan
from dasan.bots import CHARACTERS
from dasan.play import fairness
from dasan.play.new_hand import hand_secret
from dasan.server.protocol.table import EventPlace, SubstituteReason, TableSettings


@dataclass(frozen=True)
class Chair:
    """A seat's occupant: a player by id, a bot by name, or nobody yet.

    program: whether the player declared itself a program. substitute: the bot that plays instead of the player or the
    chair's bot, and the reason. account: whether the name is the player's account's, which nobody else can have.
    """

    kind: Literal["human", "bot", "open"]
    name: str = ""
    player: str | None = field(default=None, repr=False)
    bot: str | None = None
    ready: bool = False
    silent: bool = False
    substitute: tuple[str, SubstituteReason] | None = None
    program: bool = False
    account: bool = False

    @property
    def shown(self) -> Literal["human", "program", "bot", "open"]:
        """The kind of occupant that the table shows."""
        return "program" if self.program else self.kind

    @property
    def plays(self) -> str | None:
        """The bot that moves for this seat; None if its player does."""
        return self.substitute[0] if self.substitute is not None else self.bot

    @property
    def left(self) -> bool:
        """Whether the player has left the game to a substitute."""
        return self.substitute is not None and self.substitute[1] == "left"

    @property
    def absent(self) -> bool:
        """Whether a substitute plays until the player is here again."""
        return self.substitute is not None and self.substitute[1] == "absent"

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "player": self.player,
            "bot": self.bot,
            "ready": self.ready,
            "silent": self.silent,
            "substitute": self.substitute and list(self.substitute),
            "program": self.program,
            **({"account": True} if self.account else {}),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Chair:
        substitute = data["substitute"]
        return Chair(**{**data, "substitute": None if substitute is None else (substitute[0], substitute[1])})


OPEN = Chair("open")


def next_host(people: Sequence[Chair]) -> Chair:
    """Who of these people becomes the host after the old one has left: the first who is not silent, or else the first."""
    return next((chair for chair in people if not chair.silent), people[0])


@dataclass(frozen=True)
class Head:
    """A table's constant facts. seed: the source of the secrets of all its hands. event: its duplicate event, if any;
    such a table plays one hand and shares its seed with other tables.
    """

    id: str
    rules: dasan.Rules = field(repr=False)
    settings: TableSettings
    seed: bytes = field(repr=False)
    event: EventPlace | None = None

    def secret(self, number: int) -> bytes:
        """The secret behind the shuffle of hand ``number``."""
        return hand_secret(self.seed, number)

    def commitment(self, number: int) -> str:
        """The commitment to that secret, published before anybody adds to the shuffle."""
        return fairness.commitment(self.secret(number))

    def page(self, number: int) -> str:
        """The id of hand ``number``'s permanent page: unguessable and deterministic."""
        label = "page" if self.event is None else f"page {self.id}"
        return _id(fairness.local_seed(self.seed, label, number))

    @property
    def rematch(self) -> str:
        """The id of the table that a rematch opens."""
        return _id(fairness.local_seed(self.seed, "rematch", 0))


def _id(chance: bytes) -> str:
    return base64.urlsafe_b64encode(chance[:9]).decode()


def called(bot: str) -> str:
    """The title of a bot.

    >>> called("level-1"), called("greedy")
    ('Little Wei', 'Greedy')
    """
    return next((one.name for one in CHARACTERS if one.bot == bot), bot.replace("-", " ").capitalize())


NAMES = (
    *("Mr Lin", "Auntie Hua", "Old Wang", "Xiao Yu", "Jie", "Lan", "Uncle Bo"),
    *("Dai", "Qing", "Granny Luo", "Master Hu", "Ling", "Kai", "Big Zhou"),
)
"""Names of bots at a table; the page translates them and draws a face for each."""
ALIKE = dict(zip((one.bot for one in CHARACTERS), (4, 1, 13, 0, 12, 2, 8, 9), strict=True))
"""The index in `NAMES` with each graded player's face."""


def bot_chairs(bots: Sequence[str | None], table: str) -> tuple[Chair | None, ...]:
    """A chair for every seat with a bot, with a unique name and face; None for the other seats.

    The first graded player of each grade has its own name. The other names are derived from the table's id and the
    seats.

    >>> [chair and chair.name for chair in bot_chairs(["level-1", None, "greedy", "level-1"], "an id")]
    ['Little Wei', None, 'Ling', 'Old Wang']
    """
    graded = {bot: bots.index(bot) for bot in bots if bot in ALIKE}
    taken = {ALIKE[bot] for bot in graded if bot is not None}
    first = functools.reduce(lambda total, letter: (total * 31 + ord(letter)) & 0xFFFFFFFF, table, 7)
    out: list[Chair | None] = []
    for seat, bot in enumerate(bots):
        if bot is not None and graded.get(bot) == seat:
            out.append(Chair("bot", called(bot), bot=bot))
            continue
        # Seats without a bot also reserve a name, so that the others keep theirs when a bot sits down.
        face = next(i for n in range(len(NAMES)) if (i := (first + seat * 5 + n) % len(NAMES)) not in taken)
        taken.add(face)
        out.append(None if bot is None else Chair("bot", NAMES[face], bot=bot))
    return tuple(out)

"""The rules of a game as one value.

A preset is a `Rules`; a variant is `dataclasses.replace`. Nothing here knows a game by name: `games/` fills these fields
in, and everything else reads them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from dasan.cards import Card, Order, format_cards, pack, parse_cards
from dasan.errors import IllegalPlay, Malformed
from dasan.ruleset.shapes import AnyShape, Combination, Flush, Run, recognise
from dasan.ruleset.validation import objection

OptionValue = bool | int | str


class Direction(StrEnum):
    """Where the next player sits: to the right, or to the left."""

    COUNTERCLOCKWISE = "counterclockwise"
    CLOCKWISE = "clockwise"


class FirstDealer(StrEnum):
    """How the first dealer of a session is found (B3.04, D2.18, W.04)."""

    DRAW_NUMBER = "draw"
    CUT_HIGHEST = "cut"
    RANDOM = "random"


class LaterLead(StrEnum):
    """Who leads the hands after the first."""

    OPENING = "opening"
    WINNER = "winner"
    LOSER = "loser"


class Guard(StrEnum):
    """What becomes of a player who does not guard a neighbour on the last card (D2.16, D2.17)."""

    FOUL = "foul"
    ENFORCED = "enforced"
    OFF = "off"


class Ending(StrEnum):
    """When a hand is over: as soon as one player is out, or when only one still holds cards."""

    FIRST_OUT = "first-out"
    LAST_IN = "last-in"


class NextDealer(StrEnum):
    """Who deals the next hand; a foul always goes before."""

    FIRST_OUT = "first-out"
    LAST_IN = "last-in"


class Restart(StrEnum):
    """When the highest two ends the trick at once (W.17)."""

    WHEN_UNBEATABLE = "when-unbeatable"
    ALWAYS = "always"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Auction:
    """Bids 1..`top`, opened by the holder of the lowest card of `suit` (B3.07–B3.10, H.01, H.02).

    `passing_is_final`: a pass drops the player out of the auction. `opener_may_pass`: if all pass the opener plays at 1.
    `must_dig`: holdings, written as ranks, that must bid `top`.
    """

    top: int = 3
    suit: str = "H"
    passing_is_final: bool = False
    opener_may_pass: bool = False
    must_dig: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """The bidder names a card of one of `ranks`; its holder is the partner (B4.03, B4.04)."""

    ranks: str


@dataclass(frozen=True, slots=True)
class OpeningLead:
    """The holder of `card` leads the first hand; with `in_the_lead` the card must be part of that lead."""

    card: str
    in_the_lead: bool


@dataclass(frozen=True, slots=True)
class BidScoring:
    """Sides pay each other the bid (B3.19, B4.06)."""

    type: Literal["bid"] = "bid"
    pay_each_winner: bool = False


@dataclass(frozen=True, slots=True)
class FixedScoring:
    """Every loser pays the same (D2.19); 0 keeps no score."""

    type: Literal["fixed"] = "fixed"
    stake: int = 1


@dataclass(frozen=True, slots=True)
class CardScoring:
    """Every loser pays for each card held when the first player went out (D2.19, W.22, W.23).

    `tiers`: (cards held at least, times), the last that applies counts. `unplayed`: times for a player who has played
    nothing in the hand, 0 to make no difference.
    """

    type: Literal["cards"] = "cards"
    tiers: tuple[tuple[int, int], ...] = ()
    unplayed: int = 0

    def cost(self, held: int, has_played: bool) -> int:
        if self.unplayed and not has_played:
            return held * self.unplayed
        return held * next((times for least, times in reversed(self.tiers) if held >= least), 1)


class _Citations(dict[str, str]):
    """The clause a refusal cites, by topic; for what a game has no clause about, G.01."""

    def __missing__(self, topic: str) -> str:
        return "G.01"


WORDS = frozenset({"settings", "clauses", "citations", "clause"})
"""Fields that say how rules are described, and decide nothing at the table."""


def _decisive(value: object) -> object:
    """The part of a rules value that its digest covers, as plain data."""
    if isinstance(value, tuple):
        return [_decisive(v) for v in value]
    if not is_dataclass(value):
        return value
    held = {f.name: (getattr(value, f.name), f.default) for f in fields(value) if f.name not in WORDS}
    return {name: _decisive(v) for name, (v, usual) in held.items() if name == "type" or v != usual}


@dataclass(frozen=True)
class Rules:
    """Everything that decides what may happen in a game. Immutable; equal rules have equal digests.

    ValueError for rules that nobody could play by (see `soundness`).

    >>> import dasan
    >>> dasan.rules("big-two").combination("3D 4S 5D 6C 7H").kind
    'straight'
    """

    name: str
    settings: tuple[tuple[str, OptionValue], ...]
    players: int
    direction: Direction
    decks: int
    jokers: bool
    ranks: str
    suits: str
    suits_ranked: bool
    shapes: tuple[AnyShape, ...]
    hand_size: int | None
    """Cards dealt to each player; None: the whole pack is dealt."""
    first_dealer: FirstDealer
    next_dealer: NextDealer
    ending: Ending
    scoring: BidScoring | FixedScoring | CardScoring
    clauses: tuple[str, ...]
    """Ids of the clauses in force."""
    citations: tuple[tuple[str, str], ...]
    """(topic, clause id): what a refusal cites."""
    cut: bool = False
    auction: Auction | None = None
    call: Call | None = None
    reveal_kitty: bool = False
    opening: OpeningLead | None = None
    later_lead: LaterLead = LaterLead.OPENING
    pass_is_final: bool = False
    guard: Guard = Guard.OFF
    announce_last_card: bool = False
    restart: Restart = Restart.OFF
    exchange: bool = False
    stake_chips: int = 0
    show_played: bool = True
    show_hands_after: bool = True

    def __post_init__(self) -> None:
        wrong = objection(self)
        if wrong is not None:
            raise ValueError(wrong)

    @property
    def options(self) -> dict[str, OptionValue]:
        """Every option of the preset by name, defaults included."""
        return dict(self.settings)

    @cached_property
    def order(self) -> Order:
        return Order(self.ranks, self.suits, self.suits_ranked)

    @cached_property
    def pack(self) -> tuple[Card, ...]:
        return pack(self.decks, self.jokers)

    @cached_property
    def kitty_size(self) -> int:
        return 0 if self.hand_size is None else len(self.pack) - self.players * self.hand_size

    @cached_property
    def most_cards(self) -> int:
        """The most cards a hand can hold."""
        if self.hand_size is None:
            return -(-len(self.pack) // self.players)
        return self.hand_size + self.kitty_size

    @cached_property
    def suits_matter(self) -> bool:
        """Whether two cards of one rank are different things to play."""
        return self.suits_ranked or any(isinstance(s, Flush) or (isinstance(s, Run) and s.flush) for s in self.shapes)

    @cached_property
    def cite(self) -> dict[str, str]:
        """The clause that a refusal cites, by topic."""
        return _Citations(self.citations)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that decides what may happen, in hexadecimal: what records and deals are bound to.

        Clause numbers and the list of options are left out, and so is every field that has its default: a later
        version may cite better or know more options, and still replays the records of this one (G.03).
        """
        text = json.dumps(_decisive(self), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The whole value as plain JSON data; `Rules.from_json` is its inverse."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @staticmethod
    def from_json(data: object) -> Rules:
        """Read what `to_json` wrote; `Malformed` if it is something else."""
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(Rules).validate_json(json.dumps(data), strict=True)
        except (ValidationError, TypeError, ValueError) as error:
            raise Malformed("that is not a set of rules") from error

    def combination(self, cards: str | Sequence[Card]) -> Combination:
        """The one combination that these cards are.

        Raises `Malformed` for text that names no cards of this pack, `IllegalPlay` (with the clause) for cards that are
        no combination in this game.
        """
        chosen = parse_cards(cards) if isinstance(cards, str) else tuple(cards)
        self.check_in_pack(chosen)
        if len(chosen) > self.most_cards:
            raise IllegalPlay(f"no hand holds {len(chosen)} cards", clause=self.cite["combination"])
        found = recognise(self.shapes, self.order, chosen)
        if found is None:
            raise _refusal(self, chosen)
        return found

    def check_in_pack(self, cards: Sequence[Card]) -> None:
        """Raise `Malformed` unless the pack contains all these cards at once."""
        if not cards:
            raise Malformed("name at least one card, like 4H")
        if len(cards) > 1:
            for c in set(cards):
                if cards.count(c) > self.decks:
                    raise Malformed(f"there are not {cards.count(c)} cards {c} in the pack", clause="G.05")
        for c in cards:
            if c.is_joker and not self.jokers:
                raise Malformed(f"{c} is not in the pack: this game has no jokers", clause=self.cite["pack"])


def _refusal(rules: Rules, cards: Sequence[Card]) -> IllegalPlay:
    """The refusal that explains best why these cards are no combination."""
    text = format_cards(rules.order.hand(cards))
    counts = Counter(c.rank for c in cards)
    if len(counts) > 1 and any(c.is_joker for c in cards):
        return IllegalPlay(f"{text} is no combination: a joker cannot be part of it", clause=rules.cite["joker"])
    if len(counts) > 2 and len(set(counts.values())) == 1:
        runs = [s for s in rules.shapes if isinstance(s, Run) and s.copies == max(counts.values()) and not s.flush]
        for run in runs:
            which = f"{run.shortest} or more" if run.longest > run.shortest else str(run.shortest)
            return IllegalPlay(
                f"{text} is no {run.kind}: it takes {which} consecutive ranks of {'-'.join(run.sequence)}",
                clause=run.clause,
            )
    return IllegalPlay(f"{text} is not a combination of this game", clause=rules.cite["combination"])

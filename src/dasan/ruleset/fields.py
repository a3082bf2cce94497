"""The fields of the rules of a game, properties derived from them, and their digest.

Shapes, catalogue and validation need only these; `Rules` adds the methods that need those modules.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from dasan.cards import JOKERS, Card, Order, pack
from dasan.errors import Malformed
from dasan.ruleset.policies import (
    Auction,
    BidScoring,
    Call,
    CardScoring,
    Direction,
    Ending,
    FirstDealer,
    FixedScoring,
    Guard,
    LaterLead,
    Leftover,
    NextDealer,
    OpeningLead,
    OptionValue,
    Restart,
)
from dasan.ruleset.shapes import AllJokers, AnyShape, Flush, Run, fewest_cards


def _once(shape: AnyShape) -> bool:
    """Whether a hand can contain only one play of the shape, because it takes all jokers."""
    return isinstance(shape, AllJokers)


class _Citations(dict[str, str]):
    """By topic, the clause that a refusal cites; G.01 for a topic on which the game has no clause."""

    def __missing__(self, topic: str) -> str:
        return "G.01"


WORDS = frozenset({"settings", "clauses", "citations", "clause", "excluded"})
"""Fields that only describe the rules and do not affect play."""


def _decisive(value: object) -> object:
    """The part of a rules value that its digest covers, as plain data."""
    if isinstance(value, tuple):
        return [_decisive(v) for v in value]
    if not is_dataclass(value):
        return value
    held = {f.name: (getattr(value, f.name), f.default) for f in fields(value) if f.name not in WORDS}
    return {name: _decisive(v) for name, (v, usual) in held.items() if name == "type" or v != usual}


@dataclass(frozen=True)
class RulesFields:
    """The rules of a game as data, and properties derived from them."""

    name: str
    """The preset."""
    settings: tuple[tuple[str, OptionValue], ...]
    """(option, value) of every option of the preset."""
    players: int
    direction: Direction
    decks: int
    """Packs shuffled together."""
    jokers: bool
    """Whether each pack has a black and a red joker."""
    ranks: str
    """Low to high: all thirteen, also those in `left_out`."""
    suits: str
    """Low to high: all four, also those in `left_out`."""
    suits_ranked: bool
    """Whether suits break ties between single cards."""
    shapes: tuple[AnyShape, ...]
    """The kinds of combination, low to high."""
    hand_size: int | None
    """Cards dealt to each player; None: the whole pack is dealt."""
    first_dealer: FirstDealer
    next_dealer: NextDealer
    ending: Ending
    scoring: BidScoring | FixedScoring | CardScoring
    clauses: tuple[str, ...]
    """Ids of the clauses in force."""
    citations: tuple[tuple[str, str], ...]
    """(topic, clause id): the clause that a refusal cites.

    Topics: pack, combination, beat, pass, end; suits, joker, opening, auction, bid, dig, opener, call, exchange and
    guard in games that have these; "bids" for a bid out of range, by default as "opener". For a play that is too low:
    "beat KIND", by the kind on the table; "tie KIND" if the two plays differ only in suits, and "bombs" if one of
    higher power is on the table, both by default as "beat KIND"; "classes of N" for a lower kind of N cards. "kinds of
    N" for another kind of N cards that cannot follow. Each is by default as "beat".
    """
    cut: bool = False
    """Whether the player on the dealer's left cuts the pack."""
    auction: Auction | None = None
    call: Call | None = None
    reveal_kitty: bool = False
    """Whether everybody sees the kitty when the bidder takes it."""
    opening: OpeningLead | None = None
    later_lead: LaterLead = LaterLead.OPENING
    pass_is_final: bool = False
    """Whether a pass lasts until the trick is over."""
    guard: Guard = Guard.OFF
    announce_last_card: bool = False
    """Whether an event says that a seat has one card left."""
    restart: Restart = Restart.OFF
    exchange: bool = False
    """Whether cards are exchanged between the hands of a session (W.20)."""
    stake_chips: int = 0
    """Counters that each player starts with; 0: balances start at 0."""
    show_played: bool = True
    """Whether views show the cards of earlier tricks."""
    show_hands_after: bool = True
    """Whether views show all hands when the hand is over."""
    left_out: str = ""
    """Ranks and suits whose cards are left out of the pack, like "3456DC"."""
    left_out_cards: str = ""
    """Single cards that are left out of the pack too, like "2C 3C"."""
    leftover: Leftover = Leftover.BIDDER
    """Who takes the cards that are left after the deal."""
    guard_pays: bool = False
    """Whether a guard who has fouled pays for all losers (H.28)."""
    dragon: bool = False
    """Whether a hand of all thirteen ranks wins at once (H.31)."""
    double_exchange: bool = False
    """Whether four players exchange cards between hands in two pairs (H.40)."""
    excluded: tuple[AnyShape, ...] = ()
    """Combinations that a house rule removes: the refusal cites the shape's clause."""

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields alone; cached properties such as the catalogue are computed again."""
        return {f.name: self.__dict__[f.name] for f in fields(self)}

    @property
    def options(self) -> dict[str, OptionValue]:
        """Every option of the preset by name, defaults included."""
        return dict(self.settings)

    @cached_property
    def order(self) -> Order:
        """How ranks and suits compare."""
        return Order(self.ranks, self.suits, self.suits_ranked)

    @cached_property
    def pack(self) -> tuple[Card, ...]:
        """Every card of the game; with two decks each appears twice."""
        return tuple(c for c in pack(self.decks, self.jokers) if not self._leaves_out(c))

    @cached_property
    def kitty_size(self) -> int:
        """The number of cards that are left when all hands are dealt."""
        return 0 if self.hand_size is None else len(self.pack) - self.players * self.hand_size

    @cached_property
    def most_cards(self) -> int:
        """The most cards a hand can hold."""
        if self.hand_size is None:
            return -(-len(self.pack) // self.players)
        return self.hand_size + (self.kitty_size if self.leftover is not Leftover.NOBODY else 0)

    @cached_property
    def suits_matter(self) -> bool:
        """Whether the choice between two cards of one rank can make a difference."""
        return self.suits_ranked or any(isinstance(s, Flush) or (isinstance(s, Run) and s.flush) for s in self.shapes)

    @cached_property
    def pays(self) -> bool:
        """Whether hands are paid; if not, the outcome is the places (W.22)."""
        return not isinstance(self.scoring, FixedScoring) or self.scoring.stake > 0

    @cached_property
    def has_sides(self) -> bool:
        """Whether the bidder's side plays against the others, for the bid (B3.19)."""
        return self.auction is not None and isinstance(self.scoring, BidScoring)

    @cached_property
    def counts_places(self) -> bool:
        """Whether the outcome is the order of finishing: play goes on to the end, and there are no sides (W.18)."""
        return self.ending is Ending.LAST_IN and not self.has_sides

    @cached_property
    def doubles(self) -> bool:
        """Whether anything doubles what a hand pays (H.15, H.16)."""
        return isinstance(self.scoring, BidScoring) and (self.scoring.bombs_double or self.scoring.spring_doubles)

    @cached_property
    def most_doublings(self) -> int:
        """An upper bound on how often the payment of a dealt hand is doubled, by bombs and by a spring (H.15, H.16).

        Every bomb may be played: 13 fours, each over the one before, end a hand of Dou Dizhu. A spring leaves more bombs unplayed
        than the one doubling that it adds, if each side holds two.
        """
        if not isinstance(self.scoring, BidScoring) or not self.doubles:
            return 0
        bombs = [shape for shape in self.shapes if shape.power > 0]
        fewest = min((fewest_cards(shape) for shape in bombs if not _once(shape)), default=len(self.pack) + 1)
        sizes = [self.hand_size or self.most_cards] * (self.players - 1) + [self.most_cards]
        most = sum(size // fewest for size in sizes)
        most += sum(map(_once, bombs)) * max((n - len(JOKERS)) // fewest + 1 - n // fewest for n in sizes)
        spring = self.scoring.spring_doubles and (not self.scoring.bombs_double or min(sizes) < 2 * fewest)
        number = most * self.scoring.bombs_double + spring
        return min(number, self.scoring.most_doublings or number)

    @cached_property
    def cite(self) -> dict[str, str]:
        """The clause that a refusal cites, by topic."""
        return _Citations(self.citations)

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of every field that decides play; records and deals contain it.

        It leaves out clause numbers, the list of options and every field with its default value, so a later version
        that cites other clauses or has more options still replays the records of this one (G.03).
        """
        text = json.dumps(_decisive(self), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def _leaves_out(self, c: Card) -> bool:
        if c.is_joker:
            return False
        return c.rank in self.left_out or c.suit in self.left_out or str(c) in self.left_out_cards

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
            if (self.left_out or self.left_out_cards) and self._leaves_out(c):
                raise Malformed(f"{c} is not in the pack of this game", clause=self.cite["pack"])

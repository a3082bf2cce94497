"""The policies of a game: enums and small dataclasses for fields of `Rules`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from dasan.arguments import Typed

OptionValue = bool | int | str


class Direction(StrEnum):
    """Where the next player sits: to the right, or to the left."""

    COUNTERCLOCKWISE = "counterclockwise"
    CLOCKWISE = "clockwise"


class FirstDealer(StrEnum):
    """How the first dealer of a session is chosen (B3.04, D2.18, W.04)."""

    DRAW_NUMBER = "draw"
    CUT_HIGHEST = "cut"
    RANDOM = "random"


class LaterLead(StrEnum):
    """Who leads the hands after the first."""

    OPENING = "opening"
    WINNER = "winner"
    LOSER = "loser"


class Guard(StrEnum):
    """What happens if a player does not guard a neighbour on the last card: a foul, a refusal, or nothing (D2.16, D2.17)."""

    FOUL = "foul"
    ENFORCED = "enforced"
    OFF = "off"


class Ending(StrEnum):
    """When a hand is over: as soon as one player is out, or when only one still holds cards."""

    FIRST_OUT = "first-out"
    LAST_IN = "last-in"


class NextDealer(StrEnum):
    """Who deals the next hand; after a foul it is always the player who committed it."""

    FIRST_OUT = "first-out"
    LAST_IN = "last-in"


class Restart(StrEnum):
    """Whether the highest two ends the trick at once (W.17)."""

    WHEN_UNBEATABLE = "when-unbeatable"
    WHEN_KNOWN_UNBEATABLE = "when-known-unbeatable"
    ALWAYS = "always"
    OFF = "off"


class Opener(StrEnum):
    """Who opens the auction: the holder of the lowest card of a suit (B3.07), or a player drawn for the hand (DD.02)."""

    LOWEST_CARD = "lowest-card"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Auction(Typed):
    """Bids 1..`top` (B3.07–B3.12, DD.02 and their house rules).

    `opener`: who opens; of `suit`, where the lowest card of a suit decides. `passing_is_final`: a pass drops the player out of
    the auction. `opener_may_pass`: if all pass the opener plays at 1, or with `all_pass_is_void` the hand is void (H.12).
    `must_dig`: holdings, written as ranks, that must bid `top`. `one_round`: every player speaks once (H.11). `passes_to_end`:
    the number of passes in a row that end the auction after a bid; 0: one of every other player (H.43). `bidder_leads`: the
    bidder leads, not the opener (H.13).
    """

    top: int = 3
    suit: str = "H"
    passing_is_final: bool = False
    opener_may_pass: bool = False
    must_dig: tuple[str, ...] = ()
    opener: Opener = Opener.LOWEST_CARD
    one_round: bool = False
    all_pass_is_void: bool = False
    passes_to_end: int = 0
    bidder_leads: bool = False

    def dig(self, hand: Collection[str]) -> str | None:
        """The holding that makes a dealt hand bid `top`, None without one (H.01). hand: the rank of every card."""
        return next((held for held in self.must_dig if not Counter(held) - Counter(hand)), None)


@dataclass(frozen=True, slots=True)
class Call(Typed):
    """The bidder names a card of one of `ranks`; its holder is the partner (B4.03, B4.04)."""

    ranks: str


class Leftover(StrEnum):
    """Who gets the cards left after the deal: the bidder, the holder of the lowest card dealt, or nobody (H.27)."""

    BIDDER = "bidder"
    LOWEST = "lowest"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class OpeningLead(Typed):
    """The holder of `card` leads the first hand; with `in_the_lead` the card must be part of that lead. `lowest_dealt`: the
    lowest card that was dealt takes the place of `card` (H.27).
    """

    card: str
    in_the_lead: bool
    lowest_dealt: bool = False


@dataclass(frozen=True, slots=True)
class BidScoring(Typed):
    """Sides pay each other the bid (B3.19, B4.06).

    `bombs_double`: every play of a kind with power doubles it (H.15). `spring_doubles`: so does a hand in which the losing
    side has hardly played (H.16). `most_doublings`: the limit of both together; 0: none.
    """

    type: Literal["bid"] = "bid"
    pay_each_winner: bool = False
    bombs_double: bool = False
    spring_doubles: bool = False
    most_doublings: int = 0


@dataclass(frozen=True, slots=True)
class FixedScoring(Typed):
    """Every loser pays the same (D2.19); 0 means no score is kept."""

    type: Literal["fixed"] = "fixed"
    stake: int = 1


@dataclass(frozen=True, slots=True)
class CardScoring(Typed):
    """Every loser pays for each card left in hand when the first player goes out (D2.19, W.22, W.23).

    `tiers`: (least cards held, payment for each), the last one that applies counts. `unplayed`: the payment for each
    card of a player who has played nothing in the hand; 0 for no difference. `twos_double`: every card of the highest
    rank that is held doubles the payment (H.29).
    """

    type: Literal["cards"] = "cards"
    tiers: tuple[tuple[int, int], ...] = ()
    unplayed: int = 0
    twos_double: bool = False

    def cost(self, held: int, has_played: bool, twos: int = 0) -> int:
        """The payment of a loser with `held` cards, `twos` of them of the highest rank."""
        times = next((times for least, times in reversed(self.tiers) if held >= least), 1)
        if self.unplayed and not has_played:
            times = self.unplayed
        return held * times << (twos if self.twos_double else 0)

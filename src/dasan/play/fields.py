"""The fields of a state, and `then`, with which a phase builds the next state from them.

The phases (`auction`, `exchange`, `tricks`, `scoring`), the view and the writer of records need only these; `State` adds the
methods that need those modules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self, TypedDict, TypeVar, Unpack

from dasan.cards import Card, Hand, missing, without
from dasan.errors import IllegalPlay, Malformed
from dasan.play.dealing import Deal, Position
from dasan.play.events import Event, EventType
from dasan.play.origin import Origin, current_origin
from dasan.play.phases import Exchange, Phase
from dasan.play.turns import in_turn
from dasan.reasons import reason
from dasan.ruleset.catalogue import Fit
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination


class Changes(TypedDict, total=False):
    """The fields that a phase may change."""

    hands: tuple[Hand, ...]
    kitty: tuple[Card, ...]
    phase: Phase
    to_act: int | None
    opener: int | None
    leader: int | None
    bidder: int | None
    bid: int | None
    called: Card | None
    partner: int | None
    partner_shown: bool
    table: Combination | None
    table_seat: int | None
    passed: tuple[int, ...]
    finished: tuple[int, ...]
    has_played: tuple[int, ...]
    exchange: Exchange | None
    must_include: Card | None
    watching: int | None
    foul: int | None
    payments: tuple[int, ...] | None
    played: tuple[Card, ...]
    bombs: int
    bidder_plays: int


@dataclass(frozen=True)
class StateFields:
    """One hand at one moment, as data. Seats are numbered from 0 in order of play.

    passed: seats whose pass still stands, in the auction or the trick. leader: the seat that leads or led the trick.
    opener: the seat that opens the auction, or led the hand. bid: the highest so far. watching: a guard who has just
    disobeyed (D2.17). bombs, bidder_plays: if the payment can be doubled, the number of bombs played, and of plays by
    the bidder's side (H.15, H.16).
    """

    rules: Rules
    begun: Deal | Position
    hands: tuple[Hand, ...]
    kitty: tuple[Card, ...]
    dealer: int
    phase: Phase
    to_act: int | None
    opener: int | None = None
    leader: int | None = None
    bidder: int | None = None
    bid: int | None = None
    called: Card | None = None
    partner: int | None = None
    partner_shown: bool = False
    table: Combination | None = None
    table_seat: int | None = None
    passed: tuple[int, ...] = ()
    finished: tuple[int, ...] = ()
    has_played: tuple[int, ...] = ()
    exchange: Exchange | None = None
    must_include: Card | None = None
    watching: int | None = None
    foul: int | None = None
    payments: tuple[int, ...] | None = None
    played: tuple[Card, ...] = ()
    bombs: int = 0
    bidder_plays: int = 0
    events: tuple[Event, ...] = ()
    first_seq: int = 1
    origin: Origin = field(default_factory=current_origin, compare=False, repr=False)

    _worked_out: ClassVar[tuple[str, ...]]
    """Names of cached properties, which the next state does not inherit."""

    def __init_subclass__(cls) -> None:
        worked_out = (
            name for part in cls.__mro__ for name, value in vars(part).items() if isinstance(value, cached_property)
        )
        cls._worked_out = tuple(worked_out)

    @property
    def mover(self) -> int:
        """The seat to act. `IllegalPlay`: the hand is over, so nobody is to act."""
        if self.to_act is None:
            raise IllegalPlay(reason("nobody-acts"), clause="G.04")
        return self.to_act

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """By seat, the number of cards in hand."""
        return tuple(map(len, self.hands))

    @property
    def active(self) -> tuple[int, ...]:
        """Seats that still hold cards."""
        return tuple(s for s, h in enumerate(self.hands) if h)

    @property
    def partners(self) -> frozenset[int]:
        """The bidder's side."""
        return frozenset(s for s in (self.bidder, self.partner) if s is not None)

    @property
    def next_seq(self) -> int:
        """The `seq` of the next event."""
        return self.first_seq + len(self.events)

    @cached_property
    def _fits(self) -> dict[int, tuple[Fit, ...]]:
        """By seat, the rows that its hand can play; computed on demand and passed on to the next state."""
        return {}

    def fits(self, seat: int) -> tuple[Fit, ...]:
        """Every row of the catalogue that `seat` holds, with its cards."""
        known = self._fits.get(seat)
        if known is None:
            called = self.called if self.called is not None and self.called in self.hands[seat] else None
            known = self._fits[seat] = self.rules.catalogue.fits(self.hands[seat], called)
        return known

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing changes

    def then(self, *events: tuple[int, EventType, tuple[Card, ...]], **changes: Unpack[Changes]) -> Self:
        """This state with `changes`, and `events` (seat, type, cards) added; a bid event takes its number from the
        `bid` of `changes`.
        """
        seq, bid = self.next_seq, changes.get("bid")
        added = [
            Event(seq + i, seat, type_, cards, bid if type_ is EventType.BID else None)
            for i, (seat, type_, cards) in enumerate(events)
        ]
        # Like `dataclasses.replace`, but several times faster: it copies fields unchecked and drops cached properties.
        after = object.__new__(type(self))
        values = self.__dict__.copy()
        object.__setattr__(after, "__dict__", values)
        for name in self._worked_out:
            values.pop(name, None)
        values.update(changes, events=(*self.events, *added))
        if after.called == self.called:
            values["_fits"] = {s: f for s, f in tuple(self._fits.items()) if after.hands[s] is self.hands[s]}
        return after

    def with_hand(self, seat: int, hand: Hand) -> tuple[Hand, ...]:
        """All hands, with `hand` in place of that of `seat`."""
        return (*self.hands[:seat], hand, *self.hands[seat + 1 :])

    def hand_less(self, seat: int, cards: Sequence[Card]) -> Hand:
        """The hand of `seat` without `cards`, which it holds."""
        return Hand(without(self.hands[seat], cards))

    def check_cards(self, cards: Sequence[Card]) -> None:
        """Raise unless these cards exist together in the pack and in the hand of the seat to act."""
        self.rules.check_in_pack(cards)
        lacking = missing(cards, self.hands[self.mover])
        if lacking:
            raise IllegalPlay(reason("lacking", cards=" ".join(map(str, lacking))), clause="G.05")

    def seat_after(self, seat: int, *, out_of: Sequence[int] = ()) -> int:
        """The next other seat in order of play that still holds cards and is not in `out_of`."""
        following = next(in_turn(self.hands, seat, out_of), None)
        if following is None:
            raise Malformed("nobody is left to act", clause="G.04")
        return following


AnyState = TypeVar("AnyState", bound=StateFields)
"""The type of a state: a phase returns the type that it is given."""

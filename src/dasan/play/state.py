"""The state of one hand: a frozen value. `play` returns the next one or raises; nothing is changed in place.

What happens in each phase stands in `auction`, `exchange` and `tricks`; what a hand is worth in `scoring`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dasan.cards import Card, Hand, missing, without
from dasan.errors import IllegalPlay, Malformed
from dasan.play import auction, tricks
from dasan.play import exchange as exchanging
from dasan.play.dealing import Deal, Position
from dasan.play.events import Event, EventType
from dasan.play.moves import Move, MoveType
from dasan.play.shorthand import understand
from dasan.ruleset import catalogue as tables
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination
from dasan.version import __version__

if TYPE_CHECKING:
    from dasan.play.view import View


class Phase(StrEnum):
    AUCTION = "auction"
    CALL = "call"
    EXCHANGE = "exchange"
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Result:
    """How a hand ended. payments: units by seat, sum zero. finish_order: those who went out, in order; where play
    goes on to the end the last one in closes it (W.18). foul: the seat that failed to guard (D2.17).
    """

    payments: tuple[int, ...]
    finish_order: tuple[int, ...]
    winners: tuple[int, ...]
    foul: int | None
    next_dealer: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """Cards that change hands before play (W.20): the loser gives, the winner offers two, the loser takes one."""

    winner: int
    loser: int
    given: Card | None = None
    offered: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Who played, with which version, and the secret behind the deal: carried along for the record, never looked at by
    the rules. The secret tells no more than the state does, and is written only once the hand is over.
    """

    engine: str
    seats: tuple[dict[str, str], ...] = ()
    secret: bytes | None = field(default=None, repr=False)


def current_origin() -> Origin:
    return Origin(__version__)


@dataclass(frozen=True)
class State:
    """One hand at one moment. Seats count from 0 in order of play.

    passed: seats whose pass still stands, in the auction or the trick. leader: who leads or led the trick. opener: who
    opens the auction, or led the hand. bid: the highest so far. watching: a guard who has just disobeyed (D2.17).
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
    events: tuple[Event, ...] = ()
    first_seq: int = 1
    origin: Origin = field(default_factory=current_origin, compare=False, repr=False)

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        return tuple(len(h) for h in self.hands)

    @property
    def active(self) -> tuple[int, ...]:
        """Seats that still hold cards."""
        return tuple(s for s, h in enumerate(self.hands) if h)

    @property
    def partners(self) -> frozenset[int]:
        """The bidder's side."""
        return frozenset(s for s in (self.bidder, self.partner) if s is not None)

    @cached_property
    def result(self) -> Result | None:
        """None until the hand is over."""
        from dasan.play.scoring import result

        return result(self) if self.phase is Phase.OVER else None

    @cached_property
    def _legal(self) -> tuple[Move, ...]:
        match self.phase:
            case Phase.AUCTION:
                return auction.legal_bids(self)
            case Phase.CALL:
                return auction.legal_calls(self)
            case Phase.EXCHANGE:
                return exchanging.legal_exchanges(self)
            case Phase.PLAY:
                return tricks.legal_plays(self)
            case Phase.OVER:
                return ()

    def legal_moves(self) -> tuple[Move, ...]:
        """Every move of the seat to act, in a fixed order; empty when the hand is over.

        Plays are *canonical*: of plays that differ only in suits which cannot make a difference, one is listed, with
        the lowest suits. In Big Three no suit makes one, but for the called card (B4.07); in Big Two every suit does, so
        all sets are listed; in Winner one play stands for all with the same kind, ranks and deciding suit, and the
        suits of the other cards are the lowest that do not change the kind. `play` accepts any legal set of cards.
        """
        return self._legal

    @cached_property
    def _fits(self) -> dict[int, tuple[tables.Fit, ...]]:
        """What each seat's hand can play, worked out on demand and handed on to the next state."""
        return {}

    def fits(self, seat: int) -> tuple[tables.Fit, ...]:
        """Every row of the action table that `seat` holds, with its cards."""
        known = self._fits.get(seat)
        if known is None:
            called = self.called if self.called is not None and self.called in self.hands[seat] else None
            known = self._fits[seat] = tables.compile(self.rules).fits(self.hands[seat], called)
        return known

    def play(self, move: Move | str) -> State:
        """The state after `move` by the seat to act.

        Raises `Malformed` for text that is no move, `Ambiguous` for shorthand that leaves a choice that matters, and
        `IllegalPlay` with the clause for a move that is not allowed now; this state stays as it is (G.01).
        """
        if self.phase is Phase.OVER:
            raise IllegalPlay("the hand is over", clause=self.rules.cite["end"])
        said = understand(self, move)
        match said.type:
            case MoveType.BID:
                return auction.bid(self, said)
            case MoveType.CALL:
                return auction.call(self, said)
            case MoveType.GIVE | MoveType.OFFER | MoveType.TAKE:
                return exchanging.exchange(self, said)
            case MoveType.PASS if self.phase is Phase.AUCTION:
                return auction.bid(self, said)
            case MoveType.PASS:
                return tricks.pass_(self)
            case MoveType.PLAY:
                return tricks.play(self, said)

    def view(self, seat: int | None) -> View:
        """What `seat` may know, or a spectator (None): see `dasan.play.view` (G.02, G.06)."""
        from dasan.play.view import view

        return view(self, seat)

    def record(self, view: int | str | None = "all") -> str:
        """The hand so far as climb/1 text: the whole truth, or with `view` only what that seat may know."""
        from dasan.records.write import write_state

        return write_state(self, view)

    # What the phases build the next state with.

    def then(self, *events: tuple[int, EventType, tuple[Card, ...]], bid: int | None = None, **changes: Any) -> State:
        """This state with `changes`, and `events` (seat, type, cards) added; a bid event is for `bid`."""
        seq = self.next_seq
        added = tuple(
            Event(seq + i, seat, type_, cards, bid if type_ is EventType.BID else None)
            for i, (seat, type_, cards) in enumerate(events)
        )
        if bid is not None:
            changes["bid"] = bid
        # What `replace` does, fifteen times as fast: a field is copied as it is, what was worked out is left behind.
        after = object.__new__(State)
        values = after.__dict__
        values.update(self.__dict__)
        for name in _WORKED_OUT:
            values.pop(name, None)
        values.update(changes, events=self.events + added)
        if after.called == self.called:
            values["_fits"] = {s: f for s, f in tuple(self._fits.items()) if after.hands[s] is self.hands[s]}
        return after

    @property
    def next_seq(self) -> int:
        return self.first_seq + len(self.events)

    def with_hand(self, seat: int, hand: Hand) -> tuple[Hand, ...]:
        return (*self.hands[:seat], hand, *self.hands[seat + 1 :])

    def check_holds(self, seat: int, cards: Sequence[Card]) -> None:
        lacking = missing(cards, self.hands[seat])
        if lacking:
            raise IllegalPlay(f"you do not hold {' '.join(str(c) for c in lacking)}", clause="G.05")

    def seat_after(self, seat: int, *, out_of: Sequence[int] = ()) -> int:
        """The next seat in order of play that still holds cards and is not in `out_of`."""
        n = self.rules.players
        for step in range(1, n + 1):
            following = (seat + step) % n
            if self.hands[following] and following not in out_of:
                return following
        raise Malformed("nobody is left to act", clause="G.04")

    def hand_less(self, seat: int, cards: Sequence[Card]) -> Hand:
        return Hand(without(self.hands[seat], cards))


_WORKED_OUT = tuple(name for name, value in vars(State).items() if isinstance(value, cached_property))
"""Properties of a state that are remembered in it."""

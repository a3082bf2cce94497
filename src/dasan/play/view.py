"""Views: the only code that decides what a seat, or a spectator, may know (G.02, G.06)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from dasan.arguments import seat as seat_of
from dasan.arguments import whole
from dasan.cards import Card, Hand, texts
from dasan.play.choices import Choices, Choosing
from dasan.play.dealing import Deal, Position, table_at_start
from dasan.play.events import Event, EventType
from dasan.play.fields import StateFields
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Phase
from dasan.play.result import Result
from dasan.play.scoring import doublings, result
from dasan.play.tricks import must_guard
from dasan.play.turns import barred, guarded, in_turn
from dasan.ruleset.policies import Leftover
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination
from dasan.text.description import describe


@dataclass(frozen=True)
class View:
    """A hand as seen from `seat` (None: a spectator). It has no reference to the state.

    hand: the seat's own cards. begun, events: hidden cards are None. partner: None until this seat knows. offered:
    the two cards offered in Winner's exchange, if the seat is one of the two who see them. played: cards of earlier
    tricks, if the rules show them (B3.22). hands, kitty: after the end of the hand, if the rules show them (G.06).
    doublings: how often bombs and the rocket have doubled the payment (H.15). bidder_plays: the number of plays by
    the bidder's side, if that can double it too (H.16); only the bidder's own while the partner is hidden.

    Only for the seat to act: must_include, the card that its lead must contain (D2.11); guarding, the neighbour who
    holds one card, so that a single must be the seat's highest (D2.16).
    """

    rules: Rules
    seat: int | None
    phase: Phase
    to_act: int | None
    hand: Hand
    hand_sizes: tuple[int, ...]
    dealer: int
    opener: int | None
    leader: int | None
    bidder: int | None
    bid: int | None
    called: Card | None
    partner: int | None
    table: Combination | None
    table_seat: int | None
    passed: tuple[int, ...]
    finished: tuple[int, ...]
    has_played: tuple[int, ...]
    offered: tuple[Card, ...] | None
    begun: Deal | Position
    events: tuple[Event, ...]
    played: tuple[Card, ...] | None
    hands: tuple[Hand, ...] | None
    kitty: tuple[Card, ...] | None
    result: Result | None
    must_include: Card | None
    guarding: int | None
    doublings: int
    bidder_plays: int
    _legal: tuple[Move, ...]

    def __repr__(self) -> str:
        who = "a spectator" if self.seat is None else f"seat {self.seat}"
        whose = "" if self.to_act is None else f", seat {self.to_act} to act"
        return f"<View {self.rules.name}, of {who}, {self.phase.value}{whose}>"

    def __str__(self) -> str:
        """The view in English sentences, as `describe` gives them."""
        return self.describe()

    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves of this seat, as `State.legal_moves` lists them; empty if it is not to act."""
        return self._legal

    def answering(self) -> tuple[int, ...]:
        """The other seats that may answer a play by this seat now, in order of play (D2.12). Empty for a spectator."""
        return () if self.seat is None else tuple(in_turn(self.hand_sizes, self.seat, barred(self.rules, self.passed)))

    def waiting(self) -> tuple[int, ...]:
        """The other seats that may still act in the trick if this seat passes now, in order of play; empty if the
        pass ends it.
        """
        return () if self.seat is None else tuple(in_turn(self.hand_sizes, self.seat, (*self.passed, self.table_seat)))

    def to_json(self, *, since: int = 0) -> dict[str, Any]:
        """Plain JSON data, as the server sends it. since: the number of initial events to leave out."""
        since = whole(since, "since", 0)
        doubled = {"doublings": self.doublings, "bidder_plays": self.bidder_plays} if self.rules.doubles else {}
        return {
            "seat": self.seat,
            "players": self.rules.players,
            "preset": self.rules.name,
            "phase": str(self.phase),
            "to_act": self.to_act,
            "hand": texts(self.hand),
            "hand_sizes": list(self.hand_sizes),
            "dealer": self.dealer,
            "opener": self.opener,
            "leader": self.leader,
            "bidder": self.bidder,
            "bid": self.bid,
            "called": None if self.called is None else str(self.called),
            "partner": self.partner,
            "table": None if self.table is None else {"kind": self.table.kind, "cards": texts(self.table.cards)},
            "table_seat": self.table_seat,
            "passed": list(self.passed),
            "finished": list(self.finished),
            "offered": None if self.offered is None else texts(self.offered),
            "events": [event.to_json() for event in self.events[since:]],
            "legal_moves": self._moves_json(),
            "must_include": None if self.must_include is None else str(self.must_include),
            "guarding": self.guarding,
            "played": None if self.played is None else texts(self.played),
            "left": self._left(),
            "hands": None if self.hands is None else [texts(h) for h in self.hands],
            "kitty": None if self.kitty is None else texts(self.kitty),
            "result": None if self.result is None else self.result.to_json(),
            **doubled,
        }

    def describe(self, language: str = "en") -> str:
        """Everything the seat knows in plain sentences, and its legal moves, numbered from 1 in the order of
        `legal_moves`.

        language: one of en, fr, zh-Hans and zh-Hant; ValueError: another.

        >>> import dasan
        >>> state = dasan.start(dasan.rules("big-two"), ["4S", "5C", "6D 9D", "7H"], table="3C", table_seat=1, to_act=2)
        >>> print(state.view(2).describe().partition("It is")[2])
         your turn. Your legal moves:
        1. play 6D (single card)
        2. play 9D (single card)
        3. pass
        """
        return describe(self.to_json(), self.rules, language)

    def _left(self) -> list[dict[str, Any]] | None:
        """For each rank, low to high, the number of cards neither in the seat's hand nor played; None if the rules do
        not show played cards (B3.22).
        """
        if self.played is None:
            return None
        seen = Counter(c.rank for c in self.hand)
        seen.update(c.rank for c in self.played)
        seen.update(c.rank for c in _on_table(self.begun, self.events))
        pack = Counter(c.rank for c in self.rules.order.hand(self.rules.pack))
        return [{"rank": rank, "n": n - seen[rank]} for rank, n in pack.items()]

    def _moves_json(self) -> list[dict[str, Any]]:
        if self.phase is not Phase.PLAY or not self._legal:
            return [_move_json(move, None) for move in self._legal]
        choosing = Choosing(self.rules, self.hand, self.called, self.must_include)
        return [_move_json(move, choosing.of(move)) for move in self._legal]


def look(state: StateFields, seat: int | None, legal: Callable[[], tuple[Move, ...]] = tuple) -> View:
    """The view of `seat`. legal: returns the moves of the seat to act; called only for that seat. ValueError: there is no such
    seat.
    """
    rules = state.rules
    if seat is not None:
        seat = seat_of(seat, rules.players, "who looks")
    shown = state.phase is Phase.OVER and rules.show_hands_after
    events = state.events if shown else _events(state, seat)
    deal = state.exchange
    acts = seat is not None and seat == state.to_act
    sees_offer = deal is not None and state.phase is Phase.EXCHANGE and seat in (deal.winner, deal.loser)
    # Set the fields directly, as the constructor does.
    seen = object.__new__(View)
    seen.__dict__.update(
        rules=rules,
        seat=seat,
        phase=state.phase,
        to_act=state.to_act,
        hand=state.hands[seat] if seat is not None else Hand(),
        hand_sizes=state.hand_sizes,
        dealer=state.dealer,
        opener=state.opener,
        leader=state.leader,
        bidder=state.bidder,
        bid=state.bid,
        called=state.called,
        partner=state.partner if _knows_sides(state, seat) else None,
        table=state.table,
        table_seat=state.table_seat,
        passed=state.passed,
        finished=state.finished,
        has_played=state.has_played,
        offered=(deal.offered or None) if deal is not None and sees_offer else None,
        begun=_begun(state, seat, shown),
        events=events,
        played=_earlier(state) if rules.show_played else None,
        hands=state.hands if shown else None,
        kitty=_kitty(state) if shown and rules.leftover is not Leftover.NOBODY else None,
        result=result(state) if state.phase is Phase.OVER else None,
        must_include=state.must_include if acts else None,
        guarding=_guarded(state) if acts and state.phase is Phase.PLAY else None,
        doublings=doublings(rules, state.bombs, spring=False),
        bidder_plays=state.bidder_plays if _knows_sides(state, seat) else _plays_of_bidder(state),
        _legal=legal() if acts else (),
    )
    return seen


def _guarded(state: StateFields) -> int | None:
    return None if must_guard(state) is None else guarded(state.rules, state.hand_sizes, state.mover, state.passed)


def _events(state: StateFields, seat: int | None) -> tuple[Event, ...]:
    """The events as `seat` may see them. Only events before the first play can hide cards."""
    events = state.events
    for i, event in enumerate(events):
        if event.type is EventType.PLAY:
            break
        if event.type in _MAY_HIDE and not _visible(state, seat, event):
            hidden = Event(event.seq, event.seat, event.type, (None,) * len(event.cards), event.bid)
            events = (*events[:i], hidden, *events[i + 1 :])
    return events


_MAY_HIDE = (EventType.KITTY, EventType.OFFER)


def _visible(state: StateFields, seat: int | None, event: Event) -> bool:
    """Whether `seat` may see the cards of a kitty or an offer."""
    if event.type is EventType.KITTY:
        return event.seat == seat or state.rules.reveal_kitty
    deal = state.exchange
    return deal is not None and seat is not None and seat in (deal.winner, deal.loser)


def _knows_sides(state: StateFields, seat: int | None) -> bool:
    """Whether `seat` may know who the bidder's partner is, if there is one (B4.04)."""
    return state.partner is None or state.partner_shown or (seat is not None and seat == state.partner)


def _plays_of_bidder(state: StateFields) -> int:
    """The number of plays by the bidder alone: a hidden partner's plays would reveal it. 2 stands for several before
    a position.
    """
    began = isinstance(state.begun, Position) and state.bidder in state.begun.has_played
    return 2 * began + sum(e.type is EventType.PLAY and e.seat == state.bidder for e in state.events)


def _begun(state: StateFields, seat: int | None, shown: bool) -> Deal | Position:
    """The beginning of the hand with every other hand hidden, unless all are shown; the bidder sees the kitty in an
    event. No view shows cards that nobody takes (H.27).
    """
    begun = state.begun
    if shown:
        nobody = state.rules.leftover is Leftover.NOBODY
        return replace(begun, kitty=(None,) * len(begun.kitty)) if nobody else begun
    known = known_at_start(begun, seat)
    if isinstance(begun, Position) and isinstance(known, Position):
        partner = begun.partner if state.partner_shown else None
        plays = begun.bidder_plays if _knows_sides(state, seat) else None
        return replace(known, partner=partner, bidder_plays=plays)
    return known


def known_at_start(begun: Deal | Position, seat: int | None) -> Deal | Position:
    """How the hand began, without what play or the end of the hand may show `seat` later: the other hands, the kitty, and in a
    position the sides.
    """
    hands = tuple([cards if s == seat else (None,) * len(cards) for s, cards in enumerate(begun.hands)])
    kitty = (None,) * len(begun.kitty)
    if isinstance(begun, Position):
        return replace(begun, hands=hands, kitty=kitty, partner=None, watching=None, bidder_plays=None)
    return replace(begun, hands=hands, kitty=kitty)


def _earlier(state: StateFields) -> tuple[Card, ...]:
    """The cards of finished tricks: all that have been seen played, less those played since the last trick ended (B3.22)."""
    seen = (*table_at_start(state.begun), *state.played)
    return seen[: len(seen) - len(_on_table(state.begun, state.events))]


def _on_table(begun: Deal | Position, events: Sequence[Event]) -> list[Card]:
    """The cards played since the last trick ended, with those that lay there when the hand began."""
    trick = list(takewhile(lambda e: e.type is not EventType.TRICK, reversed(events)))
    plays = [c for event in trick if event.type is EventType.PLAY for c in event.cards if c is not None]
    return [*table_at_start(begun), *plays] if len(trick) == len(events) else plays


def _kitty(state: StateFields) -> tuple[Card, ...]:
    return tuple(c for c in state.begun.kitty if c is not None)


def _move_json(move: Move, choices: Choices | None) -> dict[str, Any]:
    cards = texts(move.cards)
    text = " ".join(cards) if move.type is MoveType.PLAY else str(move)
    out: dict[str, Any] = {"move": text, "type": str(move.type)}
    if cards:
        out["cards"] = cards
    if move.bid is not None:
        out["bid"] = move.bid
    if move.combination is not None:
        out["kind"] = move.combination.kind
    if choices is not None:
        out["fixed"] = texts(choices.fixed)
        out["choices"] = [choice.to_json() for choice in choices.choices]
        if choices.other:
            out["other"] = [texts(cards) for cards in choices.other]
    return out

"""From a seed to hands: the first dealer, the shuffle, the cut and the deal; and the two ways a hand begins.

Draws, cuts and deals are part of the record, never moves (G.04).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dasan.cards import Card, Order, missing
from dasan.play import fairness
from dasan.play.events import Event, EventType
from dasan.ruleset.policies import Direction, FirstDealer, Leftover, Opener
from dasan.ruleset.rules import Rules

NUMBERS = {"A": 1, "T": 10, "J": 0, "Q": 0, "K": 0}
"""The values of drawn face cards and aces if numbers decide; other cards count their number (B3.04)."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A hand as dealt. Hidden cards are None in a redacted copy.

    hands: one tuple for each seat, in the order of the game. cut: the number of cards lifted off the top; cutter: the seat that
    cut. leader and exchange (winner, loser, and in H.40 the second and the last but one): set by a session for the hands after
    the first. commitment, contributions: see `fairness`. opener: the player drawn to open the auction (DD.02). The secret is not
    part of it.
    """

    number: int
    dealer: int
    hands: tuple[tuple[Card | None, ...], ...]
    kitty: tuple[Card | None, ...] = ()
    cut: int | None = None
    cutter: int | None = None
    leader: int | None = None
    exchange: tuple[int, ...] | None = None
    commitment: str | None = None
    contributions: tuple[str, ...] = ()
    opener: int | None = None


def partner_in_exchange(exchange: Sequence[int], seat: int) -> int:
    """The seat that exchanges cards with `seat` (W.20, H.40). exchange: as in `Deal`. ValueError: `seat` is not part of it."""
    return exchange[exchange.index(seat) ^ 1]


@dataclass(frozen=True, slots=True)
class Position:
    """A hand that begins from a position: the arguments of `dasan.start`."""

    hands: tuple[tuple[Card | None, ...], ...]
    dealer: int
    leader: int | None = None
    kitty: tuple[Card | None, ...] = ()
    bidder: int | None = None
    bid: int | None = None
    called: Card | None = None
    partner: int | None = None
    table: tuple[Card, ...] = ()
    table_seat: int | None = None
    to_act: int | None = None
    passed: tuple[int, ...] = ()
    finished: tuple[int, ...] = ()
    has_played: tuple[int, ...] = ()
    payments: tuple[int, ...] = ()
    watching: int | None = None
    bombs: int | None = None
    bidder_plays: int | None = None
    foul: int | None = None

    def is_complete_deal(self, rules: Rules) -> bool:
        """Whether nobody has played yet, nor taken up the kitty: it is still there, if a bidder takes it."""
        if rules.leftover is Leftover.BIDDER:
            return rules.kitty_size == 0 and sum(map(len, self.hands)) == len(rules.pack)
        return all(len(h) == rules.hand_size for h in self.hands) and (
            rules.leftover is Leftover.NOBODY or bool(self.kitty)
        )


def table_at_start(begun: Deal | Position) -> tuple[Card, ...]:
    """The cards that lay on the table when the hand began."""
    return begun.table if isinstance(begun, Position) else ()


def draw_first_dealer(rules: Rules, seed: bytes) -> tuple[int, tuple[Event, ...]]:
    """The first dealer of a session, and the draws that decide it, as events from seq 0 (B3.04, D2.18, W.04)."""
    stream = fairness.Stream(seed)
    events: list[Event] = []

    def add(seat: int, type_: EventType, cards: tuple[Card, ...] = ()) -> None:
        events.append(Event(len(events), seat, type_, cards))

    if rules.first_dealer is FirstDealer.RANDOM:
        dealer = stream.below(rules.players)
        add(dealer, EventType.DEALER)
        return dealer, tuple(events)
    left = list(fairness.shuffle(stream, rules.pack))
    drawing = list(range(rules.players))
    while len(drawing) > 1:
        if len(left) < len(drawing):
            # All drawn cards go back, so that a tie that outlasts the pack (two decks) starts over.
            left = list(fairness.shuffle(stream, rules.pack))
        drawn = {seat: left.pop(0) for seat in drawing}
        for seat, c in drawn.items():
            add(seat, EventType.DRAW, (c,))
        worth = {seat: draw_value(rules, c) for seat, c in drawn.items()}
        drawing = [seat for seat in drawing if worth[seat] == max(worth.values())]
        if rules.first_dealer is FirstDealer.CUT_HIGHEST:
            left = list(fairness.shuffle(stream, rules.pack))
    add(drawing[0], EventType.DEALER)
    return drawing[0], tuple(events)


def drawn_dealer(rules: Rules, events: Sequence[Event]) -> int | None:
    """The first dealer decided by these draws; None if the draws are impossible (B3.04, W.04)."""
    drawing = list(range(rules.players))
    left = list(events[:-1])
    if rules.first_dealer is not FirstDealer.RANDOM:
        while len(drawing) > 1:
            draws, left = left[: len(drawing)], left[len(drawing) :]
            drawn = [c for e in draws for c in e.cards if c is not None]
            if [e.seat for e in draws] != drawing or len(drawn) != len(drawing) or missing(drawn, rules.pack):
                return None
            worth = [draw_value(rules, c) for c in drawn]
            drawing = [seat for seat, value in zip(drawing, worth, strict=True) if value == max(worth)]
    dealer = events[-1]
    wanted = (dealer.seat,) if rules.first_dealer is FirstDealer.RANDOM else tuple(drawing)
    ok = not left and wanted == (dealer.seat,) and dealer.type is EventType.DEALER and not dealer.cards
    return dealer.seat if ok else None


def cutter(rules: Rules, dealer: int) -> int | None:
    """The seat that cuts the pack, on the dealer's left (B3.05); None if there is no cut."""
    if not rules.cut:
        return None
    # If play goes to the right, the player on the left acts before the dealer.
    step = -1 if rules.direction is Direction.COUNTERCLOCKWISE else 1
    return (dealer + step) % rules.players


def draw_value(rules: Rules, c: Card) -> int:
    """The value of a card in the draw for the deal: its number, 0 for a joker (B3.04), or its place in the game's
    order (W.04).
    """
    if rules.first_dealer is FirstDealer.DRAW_NUMBER:
        if c.is_joker:
            return 0
        return NUMBERS.get(c.rank) if c.rank in NUMBERS else int(c.rank)  # type: ignore[return-value]
    return rules.order.value[c]


def deal_hand(
    rules: Rules,
    seed: bytes,
    *,
    number: int,
    dealer: int,
    leader: int | None = None,
    exchange: tuple[int, ...] | None = None,
    commitment: str | None = None,
    contributions: tuple[str, ...] = (),
) -> Deal:
    """Shuffle, cut and deal (B3.05, B3.06, D2.18, W.04)."""
    stream = fairness.Stream(seed)
    deck = list(fairness.shuffle(stream, rules.pack))
    cut = None
    if rules.cut:
        cut = 1 + stream.below(len(deck) - 1)
        deck = deck[cut:] + deck[:cut]
    hands, kitty = spread(deck, rules.players, dealer, rules.hand_size, rules.order)
    opener = stream.below(rules.players) if draws_opener(rules) else None
    cut_by = cutter(rules, dealer)
    return Deal(number, dealer, hands, kitty, cut, cut_by, leader, exchange, commitment, contributions, opener)


def draws_opener(rules: Rules) -> bool:
    """Whether a player is drawn to open the auction of each hand (DD.02)."""
    return rules.auction is not None and rules.auction.opener is Opener.RANDOM


def spread(
    deck: Sequence[Card], players: int, dealer: int, each: int | None, order: Order
) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """Deal `deck` one card at a time, dealer first; all of it, or `each` cards a player and the rest to the kitty."""
    dealt = len(deck) if each is None else each * players
    hands: list[list[Card]] = [[] for _ in range(players)]
    for i, c in enumerate(deck[:dealt]):
        hands[(dealer + i) % players].append(c)
    return tuple(order.hand(h) for h in hands), order.hand(deck[dealt:])

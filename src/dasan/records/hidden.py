"""Check a hand that hides cards, by replaying it with the hidden cards dealt so that every move is possible.

Most checks do not depend on hidden cards: whose turn it is, whether cards are a combination, and which combination
beats another. Duties do (to guard, to give the highest card), so a hand is refused only if no deal of the hidden
cards makes it legal.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from dasan.cards import Card, card, format_cards, parse_cards
from dasan.errors import BadRecord, DasanError
from dasan.play.dealing import partner_in_exchange
from dasan.play.events import Event, EventType
from dasan.play.origin import Origin
from dasan.records.form import check_form
from dasan.records.lines import Line
from dasan.records.reader import Reader
from dasan.ruleset.rules import Rules

TRIES = 6
"""The number of deals of the hidden cards to try."""
CERTAIN = frozenset(
    (
        *("turn", "over", "nobody-acts", "leader", "count", "count.one", "kind", "higher", "class"),
        *("too-many", "combination", "joker", "run", "run.exact", "bids", "bid", "no-bid"),
        *("play.phase", "pass.phase", "auction.closed", "call.closed", "call.rank"),
        *("exchange.closed", "exchange.now", "exchange.take"),
    )
)
"""Ids of refusals that do not depend on where the hidden cards are."""


def check_hidden(rules: Rules, lines: Sequence[Line], origin: Origin) -> int | None:
    """The number of the line up to which the hand in `lines` is legal; None if all of it is.

    `BadRecord`: no deal of the hidden cards makes it legal.
    """
    if lines[0].get("type") not in ("deal", "start"):
        raise BadRecord(f"line {lines[0].number}: a deal is expected")
    check_form(rules, lines)
    try:
        visible = _Visible(rules, lines)
    except (DasanError, KeyError, TypeError, ValueError, IndexError, AttributeError):
        return lines[0].number
    twice = visible.known() - Counter(rules.pack)
    if twice:
        raise BadRecord(
            f"line {lines[0].number}: the {min(map(str, twice))} of this hand is in two places", clause="G.05"
        )
    furthest, rejected = lines[0].number, dict[str, bool]()
    for attempt in range(TRIES):
        try:
            filled = visible.filled(random.Random(attempt))
            if filled is None:
                continue
            Reader(rules, origin, filled).hand(seq=None)
        except BadRecord as error:
            why = getattr(getattr(error.__cause__, "message", None), "id", None)
            rejected[error.message] = why in CERTAIN
            number = re.match(r"line (\d+)", error.message)
            furthest = max(furthest, int(number[1]) if number else 0)
        except (DasanError, KeyError, TypeError, ValueError, IndexError, AttributeError):
            continue
        else:
            return None
    if len(rejected) == 1 and all(rejected.values()):
        raise BadRecord(next(iter(rejected)))
    return furthest


@dataclass
class _Visible:
    """The cards of the deal, as far as the lines of a hand reveal them."""

    rules: Rules
    lines: Sequence[Line]
    dealt: list[list[Card]] = field(init=False)
    kitty: list[Card] = field(default_factory=list)
    least: dict[int, int] = field(default_factory=dict)
    """For each seat that had to give its highest cards: the lowest value that it gave (W.20, H.40)."""
    offered: list[Card] = field(default_factory=list)
    """The offered cards, if they are known."""
    taken: Card | None = None

    def __post_init__(self) -> None:
        deal = self.lines[0]
        self.is_whole = deal["type"] == "deal"
        self.sizes = [len(text.split()) for text in deal["hands"]]
        self.kitty_size = len(deal.get("kitty", "").split())
        self.table = list(parse_cards(deal.get("table", "")))
        own = [[] if "?" in text else list(parse_cards(text)) for text in deal["hands"]]
        if len(own) != self.rules.players:
            raise ValueError
        self.dealt = [list(hand) for hand in own]
        self.events = [Event.from_json(line) for line in self.lines[1:] if "seat" in line]
        took = next((e.seat for e in self.events if e.type is EventType.KITTY), None)
        self.taker = deal.get("bidder") if self.kitty_size else None  # takes up the kitty, if the hand begins after that
        self.bidder = took if took is not None else self.taker
        self.exchanging = tuple(deal.get("exchange", (None, None)))
        self.winner = self.exchanging[0]
        gained: list[list[Card]] = [[] for _ in own]
        for event in self.events:
            for one in filter(None, event.cards):
                self._see(event, one, own, gained)

    def _see(self, event: Event, card: Card, own: list[list[Card]], gained: list[list[Card]]) -> None:
        match event.type:
            case EventType.PLAY if card in gained[event.seat]:
                gained[event.seat].remove(card)
            case EventType.GIVE if card in gained[event.seat]:
                gained[event.seat].remove(card)
                gained[partner_in_exchange(self.exchanging, event.seat)].append(card)
            case EventType.OPEN if card in gained[event.seat]:
                pass
            case EventType.PLAY if event.seat == self.taker and own[event.seat] and card not in own[event.seat]:
                self.kitty.append(card)
            case EventType.PLAY | EventType.OPEN | EventType.PARTNER | EventType.GIVE:
                again = event.type in (EventType.OPEN, EventType.PARTNER) and card in self.dealt[event.seat]
                if not own[event.seat] and not again and not self._opened(event, card):
                    self.dealt[event.seat].append(card)
                if event.type is EventType.GIVE:
                    if event.seat in self.exchanging[1::2]:
                        value = self.rules.order.value[card]
                        self.least[event.seat] = min(value, self.least.get(event.seat, value))
                    gained[partner_in_exchange(self.exchanging, event.seat)].append(card)
                if event.type is EventType.OPEN and self.rules.auction is not None:
                    place = self.rules.order.place
                    suit = [c for c in self.rules.pack if c.suit == card.suit and place[c] < place[card]]
                    self.kitty += [c for c in suit if all(c not in hand for hand in own)]
            case EventType.OFFER:
                if not own[self.winner]:
                    self.dealt[self.winner].append(card)
                gained[self.winner].append(card)
                self.offered.append(card)
            case EventType.TAKE:
                self.taken = card
                if card in self.offered:
                    gained[self.winner].remove(card)
                elif len(self.offered) < 2 and not own[self.winner]:
                    self.dealt[self.winner].append(card)
                gained[event.seat].append(card)
            case EventType.KITTY:
                self.kitty.append(card)
            case _:
                pass

    def _opened(self, event: Event, card: Card) -> bool:
        """Whether this card is already known, because the seat opened with it."""
        opened = next((e for e in self.events if e.type is EventType.OPEN), None)
        return opened is not None and event is not opened and opened.seat == event.seat and card in opened.cards

    def known(self) -> Counter[Card]:
        """The cards whose dealt places are known."""
        return Counter(c for hand in (*self.dealt, self._lying(), self.table) for c in hand)

    def _lying(self) -> list[Card]:
        """The known cards of the kitty, less those that the bidder has played."""
        return [c for c in dict.fromkeys(self.kitty) if self.bidder is None or c not in self.dealt[self.bidder]]

    def filled(self, rng: random.Random) -> list[Line] | None:
        """The lines with hidden cards filled in at random; None if there is no place left for one of them."""
        held = [list(hand) for hand in self.dealt]
        kitty = self._lying()
        left = list((Counter(self.rules.pack) - self.known()).elements())
        rng.shuffle(left)
        self._give_called(held, left, rng)
        if self.bidder is not None:
            while len(held[self.bidder]) > self.sizes[self.bidder]:
                kitty.append(held[self.bidder].pop())
        value = self.rules.order.value
        for seat in sorted(range(len(held)), key=lambda s: self.least.get(s, inf)):
            while len(held[seat]) < self.sizes[seat]:
                fit = [c for c in left if value[c] <= self.least.get(seat, inf)]
                if not fit:
                    return None
                left.remove(fit[0])
                held[seat].append(fit[0])
        kitty += left if self.is_whole else left[: max(0, self.kitty_size - len(kitty))]
        if len(kitty) != self.kitty_size:
            return None
        deal = {**self.lines[0], "hands": [format_cards(self.rules.order.hand(hand)) for hand in held]}
        if kitty:
            deal["kitty"] = format_cards(self.rules.order.hand(kitty))
        out = [Line(deal, self.lines[0].number)]
        for line in self.lines[1:]:
            hides = "?" in line.get("cards", ())
            out.append(Line({**line, "cards": self._shown(line, held, kitty)} if hides else line, line.number))
        return out

    def _give_called(self, held: list[list[Card]], left: list[Card], rng: random.Random) -> None:
        """In a position with a secret partner, put the called card into the hand of somebody other than the bidder."""
        deal = self.lines[0]
        called = card(deal["called"]) if "called" in deal and "partner" not in deal else None
        able = [s for s, hand in enumerate(held) if len(hand) < self.sizes[s] and s != deal.get("bidder")]
        if called in left and able:
            left.remove(called)
            held[rng.choice(able)].append(called)

    def _shown(self, line: Line, held: list[list[Card]], kitty: list[Card]) -> list[str]:
        """The cards of an event that hides them."""
        if line["type"] == EventType.KITTY:
            return [str(c) for c in self.rules.order.hand(kitty)]
        others = list(held[self.winner])
        offered = [self.taken or others[0]]
        others.remove(offered[0])
        return [str(c) for c in self.rules.order.hand([*offered, others[0]])]

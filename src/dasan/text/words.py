"""Events at a table as sentences for a player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dasan.cards import Card, format_cards
from dasan.errors import DasanError
from dasan.play.dealing import Deal, Position
from dasan.play.events import Event, EventType
from dasan.play.result import Result
from dasan.ruleset.policies import Leftover
from dasan.ruleset.rules import Rules

SUIT_SIGNS = {"D": "♦", "C": "♣", "H": "♥", "S": "♠"}
KINDS = {
    "pair-run": "run of pairs",
    "triplet-run": "run of triplets",
    "quad-run": "run of quads",
    "quad": "four of a kind",
    "two-pair": "two pairs",
    "full-house": "full house",
    "four-plus-one": "four of a kind with one card",
    "straight-flush": "straight flush",
    "triplet-with-single": "triplet with a single card",
    "triplet-with-pair": "triplet with a pair",
    "plane-with-singles": "plane with single cards",
    "plane-with-pairs": "plane with pairs",
    "four-with-singles": "four of a kind with two single cards",
    "four-with-pairs": "four of a kind with two pairs",
    "joker-bomb": "bomb of jokers",
}
"""The words for a kind, if they differ from its name."""

BIDDERS = {"dou-dizhu": "landlord"}
"""The word for the bidder by preset, if its players have their own."""

YOU = "You"
"""The name that records give to the person who saved them."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def rank_sign(c: Card) -> str:
    """A card's rank as printed on its face: `10` for a ten, `★` for a joker."""
    return "★" if c.is_joker else c.rank.replace("T", "10")


def suit_sign(c: Card) -> str:
    """A card's suit symbol; for a joker, the letter of its colour."""
    return SUIT_SIGNS.get(c.suit, c.rank)


def signs(cards: Iterable[Card | None]) -> str:
    """Cards with suit symbols.

    >>> from dasan.cards import parse_cards
    >>> signs(parse_cards("TH 4S RJ"))
    '10♥ 4♠ RJ'
    """
    return " ".join("?" if c is None else str(c) if c.is_joker else rank_sign(c) + suit_sign(c) for c in cards)


def kind_words(kind: str) -> str:
    return KINDS.get(kind, kind)


def bidder_word(rules: Rules) -> str:
    """What the players of a game call its bidder.

    >>> import dasan
    >>> [bidder_word(dasan.rules(preset)) for preset in ("big-three", "dou-dizhu")]
    ['bidder', 'landlord']
    """
    return BIDDERS.get(rules.name, "bidder")


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row.

    >>> listed(["bid 2", "bid 3", "pass"], "or")
    'bid 2, bid 3 or pass'
    """
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def signed(number: int) -> str:
    """A payment: +2, 0 or −2, with a proper minus sign."""
    return f"{number:+d}".replace("-", "−") if number else "0"


def seat_names(seats: Sequence[dict[str, str]], players: int) -> tuple[str, ...]:
    """Names for the seats of a record: the name or kind written there, made unique by the seat's number.

    >>> seat_names([{"kind": "human"}, {"kind": "bot", "name": "greedy"}, {"kind": "bot", "name": "greedy"}], 3)
    ('human', 'greedy 1', 'greedy 2')
    """
    given = [(s.get("name") or s.get("kind") or "seat").strip() for s in seats] + ["seat"] * (players - len(seats))
    names = [f"{name} {i}" if given.count(name) > 1 else name for i, name in enumerate(given[:players])]
    return tuple(_printable(name) for name in names)


def _printable(name: str) -> str:
    """Remove control characters, which an untrusted record could send to a terminal."""
    return "".join(c if c.isprintable() else "?" for c in name)[:40]


@dataclass(frozen=True)
class Words:
    """Sentences about one table.

    names: by seat. me: the seat addressed as "you". cards: a function that writes cards.
    """

    rules: Rules
    names: tuple[str, ...]
    me: int | None = None
    cards: Callable[[Iterable[Card | None]], str] = format_cards

    def name(self, seat: int) -> str:
        return "you" if seat == self.me else self.names[seat]

    def does(self, seat: int, verb: str, rest: str = "") -> str:
        """A sentence with the seat as its subject; `verb` is in the form for "you".

        >>> import dasan
        >>> Words(dasan.rules("big-two"), ("Me", "Bot 1", "Bot 2", "Bot 3"), 0).does(1, "pass")
        'Bot 1 passes.'
        """
        mine, theirs = _FORMS.get(verb, (verb, verb + "s"))
        return _sentence(f"{self.name(seat)} {mine if seat == self.me else theirs} {rest}".rstrip())

    def begun(self, begun: Deal | Position, number: int) -> str:
        """A sentence about the beginning of the hand: the dealer, and where the pack was cut."""
        sentence = f"Hand {number}. {self.does(begun.dealer, 'deal')}"
        if isinstance(begun, Deal) and begun.cut is not None and begun.cutter is not None:
            cards = "1 card" if begun.cut == 1 else f"{begun.cut} cards"
            sentence += " " + self.does(begun.cutter, "cut", f"{cards} off the pack")
        return sentence

    def event(self, event: Event) -> str:
        seat, cards = event.seat, self.cards(event.cards)
        hidden = None in event.cards
        match event.type:
            case EventType.BID:
                return self.does(seat, "bid", str(event.bid))
            case EventType.PASS:
                return self.does(seat, "pass")
            case EventType.CALL:
                return self.does(seat, "call", f"the {cards}: whoever holds it is the partner")
            case EventType.PLAY:
                return self.does(seat, "play", f"{cards}{self._kind(event)}")
            case EventType.GIVE:
                # In H.40 the receivers give cards back, also as gifts.
                return self.does(seat, "give", f"the {cards} away{'' if self.rules.double_exchange else ' as tribute'}")
            case EventType.OFFER:
                return self.does(seat, "offer", "two cards" if hidden else cards)
            case EventType.TAKE:
                return self.does(seat, "take", f"the {cards}")
            case EventType.OPEN:
                doing = "open" if self.rules.auction is not None else "lead"
                what = "the auction" if self.rules.auction is not None else "the hand"
                return self.does(seat, doing, f"{what}, holding the {cards}" if cards else what)
            case EventType.KITTY:
                taken = "the card left over" if self.rules.leftover is Leftover.LOWEST else "the kitty"
                return self.does(seat, "take", taken if hidden or not cards else f"{taken}: {cards}")
            case EventType.LAST_CARD:
                return f"LAST CARD! {self.does(seat, 'have', 'one card left')}"
            case EventType.TRICK:
                return self.does(seat, "lead", "the next trick")
            case EventType.PARTNER:
                is_ = "are" if seat == self.me else "is"
                return self.does(seat, "hold", f"the called {cards} and {is_} the bidder's partner")
            case EventType.DRAGON:
                return self.does(seat, "show", f"a dragon: {cards}")
            case EventType.OUT:
                return self.does(seat, "be", "out of cards")
            case EventType.DRAW:
                return self.does(seat, "draw", f"the {cards}")
            case EventType.DEALER:
                return self.does(seat, "deal", "the first hand")

    def _kind(self, event: Event) -> str:
        try:
            kind = self.rules.combination([c for c in event.cards if c is not None]).kind
        except DasanError:
            return ""
        return "" if kind == "single" else f" ({kind_words(kind)})"

    def result(self, result: Result) -> list[str]:
        """Who won, who fouled, in which order they finished, and who pays what."""
        if not result.winners:
            return ["Nobody bid: the hand is void and is dealt again."]
        winners = [self.name(s) for s in result.winners]
        sentences = [
            _sentence(f"{listed(winners)} {'win' if len(winners) > 1 or result.winners == (self.me,) else 'wins'}")
        ]
        if len(result.finish_order) > 1:
            order = [f"{_ORDINALS[i]} {self.name(s)}" for i, s in enumerate(result.finish_order)]
            sentences.append(_sentence(f"The order: {', '.join(order)}"))
        sentences += self.foul(result)
        if self.rules.pays:
            paid = [f"{self.name(s)} {signed(p)}" for s, p in enumerate(result.payments)]
            sentences.append(_sentence(", ".join(paid)))
        return sentences

    def foul(self, result: Result) -> list[str]:
        """Who did not guard the last card, and whether that player pays for all; empty if nobody fouled."""
        if result.foul is None:
            return []
        paying = [self.does(result.foul, "pay", "for all losers")] if self.rules.guard_pays else []
        return [self.does(result.foul, "commit", "a foul: the neighbour's last card was not guarded"), *paying]

    def balances(self, balances: Sequence[int]) -> str:
        show = str if self.rules.stake_chips else signed
        unit = "Counters" if self.rules.stake_chips else "Balances"
        return f"{unit}: {', '.join(f'{self.name(s)} {show(b)}' for s, b in enumerate(balances))}."


_FORMS = {"have": ("have", "has"), "be": ("are", "is"), "pass": ("pass", "passes")}
"""Irregular verbs: the form for "you" and the form for others."""


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] + "."

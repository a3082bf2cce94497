"""Cards and packs, and their notation.

A card is written rank then suit, `4H`, `TS`; the jokers are `BJ` (black, the lower) and `RJ` (red). Each game has its
own ranking: see `Order`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dasan.arguments import WrongType, items, shown
from dasan.errors import Malformed

RANKS = "3456789TJQKA2"
SUITS = "DCHS"
JOKERS = "BR"
MAX_TEXT = 600
"""Longest text, in characters, that is read as cards: three times what a player could hold."""

_SYMBOLS = str.maketrans(
    {"♦": "D", "♣": "C", "♥": "H", "♠": "S", "♢": "D", "♧": "C", "♡": "H", "♤": "S", ",": " ", "-": " "}
    | dict.fromkeys("\ufe0e\ufe0f\ufeff", "")
)
_TOKEN = re.compile(r"(?:10|[2-9TJQKA])[DCHS]?|[BR]J")
_SUIT_FIRST = re.compile(r"([DCHS])(10|[2-9TJQKA])")


class Card:
    """One card of a pack: a value. There is one object per card, so `==` is identity, and it never changes.

    >>> card("4H").rank, card("4H").suit, str(card("10s"))
    ('4', 'H', 'TS')
    >>> Card("4", "H") == card("4H")
    True
    """

    __slots__ = ("_text", "rank", "suit")

    rank: str
    suit: str
    _text: str

    def __new__(cls, rank: str, suit: str) -> Card:
        """The card with this rank and suit; a joker is ("B", "J") or ("R", "J"). `Malformed`: there is none."""
        known = _CARDS.get(rank + suit) if isinstance(rank, str) and isinstance(suit, str) else None
        if known is None:
            raise Malformed(f"there is no card of rank {_quote(str(rank))} and suit {_quote(str(suit))}")
        return known

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a card never changes")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a card never changes")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"card({self._text!r})"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (card, (self._text,))

    @property
    def is_joker(self) -> bool:
        """Whether this is the black or the red joker."""
        return self.suit == "J"


def _made(rank: str, suit: str) -> Card:
    made = object.__new__(Card)
    for name, value in (("rank", rank), ("suit", suit), ("_text", rank + suit)):
        object.__setattr__(made, name, value)
    return made


_CARDS = {r + s: _made(r, s) for r in RANKS for s in SUITS} | {j + "J": _made(j, "J") for j in JOKERS}


def card(text: str) -> Card:
    """The card that `text` names, or `Malformed`."""
    known = _CARDS.get(text) if isinstance(text, str) else None
    if known is not None:
        return known
    cards = parse_cards(text) if isinstance(text, str) else ()
    if len(cards) != 1:
        raise Malformed(f"{_quote(str(text))} is not a card")
    return cards[0]


def tokens(text: str) -> tuple[Card | str, ...]:
    """The cards in `text`, in the order written, rank or suit first; a rank without a suit stays a one-letter string.

    >>> tokens("10♥, ♠4 5")
    (card('TH'), card('4S'), '5')
    """
    if not isinstance(text, str):
        raise Malformed("cards are text, like 4H 10S")
    if len(text) > MAX_TEXT:
        raise Malformed(f"that is {len(text)} characters long; cards take at most {MAX_TEXT}")
    out: list[Card | str] = []
    for word in text.translate(_SYMBOLS).upper().split():
        word = _SUIT_FIRST.sub(r"\2\1", word) if _SUIT_FIRST.fullmatch(word) else word
        if not _TOKEN.fullmatch(word):
            raise Malformed(f"{_quote(word)} is not a card: write rank then suit, like 4H, TS or RJ")
        word = word.replace("10", "T")
        out.append(_CARDS[word] if len(word) == 2 else word)
    return tuple(out)


def spelled_out(text: str) -> tuple[Card, ...] | None:
    """The cards in `text` if it is exactly as `format_cards` writes it; None for all other text, which `tokens` reads.

    >>> spelled_out("TH 4S"), spelled_out("10H 4S")
    ((card('TH'), card('4S')), None)
    """
    try:
        return tuple([_CARDS[word] for word in text.split(" ")])
    except KeyError:
        return None


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards separated by spaces, commas or hyphens; every card needs its suit. `Malformed`: the text is
    something else.

    >>> parse_cards("4h 10♠")
    (card('4H'), card('TS'))
    """
    out: list[Card] = []
    for token in tokens(text):
        if isinstance(token, str):
            raise Malformed(f"{_quote(token)} needs a suit: D, C, H or S")
        out.append(token)
    return tuple(out)


def cards_of(cards: str | Iterable[Card]) -> tuple[Card, ...]:
    """Cards from text, or from a sequence of cards. TypeError: something else is among them."""
    if isinstance(cards, str):
        return parse_cards(cards)
    out = items(cards, "cards are text or a sequence of cards")
    for c in out:
        if not isinstance(c, Card):
            raise WrongType(f"a sequence of cards has cards in it, like dasan.card('4H'), not {shown(c)}")
    return out


def format_cards(cards: Iterable[Card | None]) -> str:
    """Cards as text, hidden ones (`None`) as `?`."""
    return " ".join(texts(cards))


def texts(cards: Iterable[Card | None]) -> list[str]:
    """The text of each card, `?` for hidden ones (`None`)."""
    return ["?" if c is None else c._text for c in cards]


def pack(decks: int = 1, jokers: bool = False) -> tuple[Card, ...]:
    """A fresh pack in a fixed order: by rank 3..2, suits ♦♣♥♠, then jokers, each card `decks` times.

    >>> len(pack()), len(pack(2, jokers=True))
    (52, 108)
    """
    once = list(_CARDS.values()) if jokers else list(_CARDS.values())[:52]
    return tuple(c for c in once for _ in range(decks))


def _quote(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:24] + "…")


class Hand(tuple[Card, ...]):
    """Cards sorted low to high in their game's order; prints as `parse_cards` reads."""

    def __str__(self) -> str:
        return format_cards(self)

    def __repr__(self) -> str:
        return f"Hand({str(self)!r})"


@dataclass(frozen=True)
class Order:
    """How one game ranks its cards: `ranks` and `suits` from low to high; `suits_ranked` if suits break ties.

    Jokers rank above all and have no suit (W.03).
    """

    ranks: str
    suits: str
    suits_ranked: bool

    @cached_property
    def place(self) -> dict[Card, tuple[int, int]]:
        """(rank, suit) of every card as numbers, 0 lowest."""
        ranks = self.ranks + JOKERS
        return {
            c: (ranks.index(c.rank), 0 if c.is_joker else self.suits.index(c.suit))
            for c in _CARDS.values()
            if c.rank in ranks
        }

    @cached_property
    def value(self) -> dict[Card, int]:
        """The strength of a card as a single; cards of one rank are equal if suits do not count."""
        return {c: r * 4 + (s if self.suits_ranked else 0) for c, (r, s) in self.place.items()}

    @cached_property
    def at(self) -> dict[tuple[int, int], Card]:
        return {place: c for c, place in self.place.items()}

    def hand(self, cards: Iterable[Card]) -> Hand:
        return Hand(sorted(cards, key=self.place.__getitem__))


def missing(cards: Iterable[Card], held: Sequence[Card]) -> list[Card]:
    """The cards of `cards` that `held` does not contain, duplicates counted."""
    left = list(held)
    out: list[Card] = []
    for c in cards:
        if c in left:
            left.remove(c)
        else:
            out.append(c)
    return out


def without(held: Iterable[Card], cards: Iterable[Card]) -> list[Card]:
    """`held` less `cards`, duplicates counted; `ValueError` if one is not there."""
    left = list(held)
    for c in cards:
        left.remove(c)
    return left

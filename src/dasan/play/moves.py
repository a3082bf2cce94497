"""The moves of a player, and their notation.

`pass` · `bid 2` · `call 8C` · cards to play, `4H 4S` · in Winner's exchange `give 2S`, `offer 3D 4C`, `take 3D`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from dasan.arguments import WrongType, instance, shown, whole
from dasan.cards import MAX_TEXT, Card, cards_of, format_cards, spelled_out, tokens
from dasan.errors import Malformed
from dasan.ruleset.shapes import Combination


class MoveType(StrEnum):
    PASS = "pass"
    BID = "bid"
    CALL = "call"
    PLAY = "play"
    GIVE = "give"
    OFFER = "offer"
    TAKE = "take"


@dataclass(frozen=True, slots=True)
class Move:
    """One move; `str(move)` is the text that `State.play` reads. Moves with equal fields are equal.

    cards: the cards of the move, a sequence of `Card`. bid: the number of a bid. `Malformed`: there is no move of
    this type. TypeError: `cards` is not a sequence of cards, or `bid` is not a whole number. ValueError: `combination` is of
    other cards.
    """

    type: MoveType
    cards: tuple[Card, ...] = ()
    bid: int | None = None
    combination: Combination | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if type(self.type) is not MoveType:
            if not isinstance(self.type, str) or self.type not in tuple(MoveType):
                raise Malformed(f"a move is one of {', '.join(MoveType)}, not {shown(self.type)}")
            object.__setattr__(self, "type", MoveType(self.type))
        if self.bid is not None and type(self.bid) is not int:
            object.__setattr__(self, "bid", whole(self.bid, "a bid"))
        given: object = self.cards
        if isinstance(given, str):
            raise WrongType(f"the cards of a move are cards, not the text {shown(given)}")
        if type(given) is not tuple or not all(type(c) is Card for c in given):
            object.__setattr__(self, "cards", cards_of(self.cards))
        if self.combination is not None:
            named = instance(self.combination, Combination, "the combination of a move is what rules.combination gives")
            if self.type is not MoveType.PLAY or (
                named.cards != self.cards and Counter(named.cards) != Counter(self.cards)
            ):
                raise ValueError(f"the combination of a move is that of its cards, not {named}")

    def __reduce__(self) -> tuple[object, ...]:
        return _checked, (self.type, self.cards, self.bid, self.combination)

    def __repr__(self) -> str:
        return f"Move({str(self)!r})"

    def __str__(self) -> str:
        match self.type:
            case MoveType.PASS:
                return "pass"
            case MoveType.BID:
                return f"bid {self.bid}"
            case MoveType.PLAY:
                return format_cards(self.cards)
            case _:
                return f"{self.type} {format_cards(self.cards)}"


PASS = Move(MoveType.PASS)


def plays(combinations: Iterable[Combination]) -> list[Move]:
    """The moves that play these combinations, which come from the rules; skips the checks of `Move`, which would take
    most of the time.
    """
    # Exact sets of cards are a `Hand`.
    return [_checked(MoveType.PLAY, tuple(c.cards), None, c) for c in combinations]


def _checked(type_: MoveType, cards: tuple[Card, ...], bid: int | None, combination: Combination | None) -> Move:
    """A move from parts that have been checked already."""
    move = object.__new__(Move)
    _set_type(move, type_)
    _set_cards(move, cards)
    _set_bid(move, bid)
    _set_combination(move, combination)
    return move


_set_type, _set_cards, _set_bid, _set_combination = (
    Move.__dict__[name].__set__ for name in ("type", "cards", "bid", "combination")
)
"""Setters for the fields of a frozen move, twice as fast as `object.__setattr__`."""


def check_form(move: Move) -> None:
    """Raise `Malformed` unless `move` has exactly the parts that a move of its type has."""
    wanted = {MoveType.PASS: 0, MoveType.BID: 0, MoveType.OFFER: 2}.get(move.type, 1)
    named = len(move.cards)
    several = (move.type is MoveType.PLAY and named > 1) or (move.type is MoveType.GIVE and named == 2)
    if named != wanted and not several:
        raise Malformed(_FORMS[move.type])
    if (move.bid is not None) is not (move.type is MoveType.BID):
        raise Malformed(_FORMS[MoveType.BID])


_FORMS = {
    MoveType.PASS: "pass names no cards",
    MoveType.BID: "a bid is a number, like bid 2",
    MoveType.CALL: "call names one card, like call 8C",
    MoveType.PLAY: "play names cards, like play 4H 4S",
    MoveType.GIVE: "give names one card, or two in an exchange of two, like give 2S",
    MoveType.OFFER: "offer names two cards, like offer 3D 4C",
    MoveType.TAKE: "take names one card, like take 3D",
}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A parsed move that has not been resolved against a hand: cards may lack their suits."""

    type: MoveType
    cards: tuple[Card | str, ...] = ()
    bid: int | None = None


def read_move(text: str) -> Spoken:
    """Parse `text`. `Malformed`: it is not a move.

    >>> read_move("bid 2").bid, read_move("5 5").cards
    (2, ('5', '5'))
    """
    if not isinstance(text, str):
        raise Malformed("a move is text, like 4H 4S or pass")
    if len(text) > MAX_TEXT:
        raise Malformed(f"that is {len(text)} characters long; a move takes at most {MAX_TEXT}")
    cards: tuple[Card | str, ...] | None = spelled_out(text)
    if cards is not None:
        return Spoken(MoveType.PLAY, cards)
    text = " ".join(text.replace("\ufeff", "").split())
    word, _, rest = text.partition(" ")
    word = word.lower()
    if word.startswith("bid") and word[3:].isdigit() and not rest:
        word, rest = "bid", word[3:]
    if word == "pass" and not rest:
        return Spoken(MoveType.PASS)
    if word == "bid":
        if not (rest.strip().isascii() and rest.strip().isdigit() and len(rest.strip()) < 3):
            raise Malformed(_FORMS[MoveType.BID])
        return Spoken(MoveType.BID, bid=int(rest))
    if word in ("call", "give", "offer", "take", "play"):
        type_ = MoveType(word)
        cards = tokens(rest)
        wanted = 2 if type_ is MoveType.OFFER else 1
        several = type_ is MoveType.PLAY or (type_ is MoveType.GIVE and len(cards) == 2)
        if len(cards) != wanted and not (several and cards):
            raise Malformed(_FORMS[type_])
        return Spoken(type_, cards)
    cards = tokens(text)
    if not cards:
        raise Malformed("say a move: cards like 4H 4S, or pass")
    return Spoken(MoveType.PLAY, cards)

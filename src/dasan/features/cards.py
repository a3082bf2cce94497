"""Cards as flags, and names for the places of a feature row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dasan.cards import Card
from dasan.ruleset.rules import Rules


@dataclass(frozen=True, slots=True)
class Feature:
    """`size` numbers from place `start` of a row.

    flags: whether they are all 0 or 1. scale: no value is above it, so that a value divided by it is from 0 to 1.
    """

    name: str
    start: int
    size: int
    flags: bool
    text: str
    scale: int = 1


def by_rank(rules: Rules) -> bool:
    """Whether cards are shown as counts of ranks, because suits make no difference."""
    return not rules.suits_ranked and rules.hand_size is not None


def ranks(rules: Rules) -> int:
    """How many ranks there are, the jokers two of them."""
    return len(rules.ranks) + 2 * rules.jokers


def copies(rules: Rules) -> int:
    """The most cards of one rank in the pack."""
    return len(rules.suits) * rules.decks


def card_slots(rules: Rules) -> int:
    """The number of flags of a set of cards; see `card_flags`."""
    return copies(rules) * ranks(rules) if by_rank(rules) else (52 + 2 * rules.jokers) * rules.decks


def _slot(rules: Rules, c: Card) -> int:
    rank, suit = rules.order.place[c]
    return 4 * rank + suit if rank < 13 else 39 + rank


def card_flags(rules: Rules, cards: Iterable[Card | None]) -> list[int]:
    """Cards as flags. Games of ranks alone (`by_rank`): place 13 × n + rank is 1 if more than n cards of the rank are there, n
    from 0 to 3 (with jokers 15 × n, with two decks to 7). The other games: place 4 × rank + suit, the jokers at 52 and 53;
    with two decks a second such block for cards that are there twice.
    """
    out = [0] * card_slots(rules)
    known = [c for c in cards if c is not None]
    if by_rank(rules):
        for rank, n in Counter(rules.order.place[c][0] for c in known).items():
            for i in range(n):
                out[ranks(rules) * i + rank] = 1
    else:
        block = 52 + 2 * rules.jokers
        for c, n in Counter(known).items():
            for i in range(n):
                out[block * i + _slot(rules, c)] = 1
    return out


def one_flag(size: int, place: int | None) -> list[int]:
    """`size` flags, the one at `place` set."""
    return [int(i == place) for i in range(size)]


def kinds(rules: Rules) -> tuple[str, ...]:
    """The kinds of combinations, in the order of the rules."""
    return tuple(dict.fromkeys(shape.kind for shape in rules.shapes))


def most_held(rules: Rules) -> int:
    """The most cards that a seat can hold at any time, the card given to it in an exchange among them."""
    return rules.most_cards + int(rules.exchange)


def eights(n: int) -> int:
    """`n`, rounded up to a multiple of eight."""
    return -(-n // 8) * 8

"""Sets of cards as flags, and the named parts of a feature row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from dasan.cards import Card
from dasan.ruleset.rules import Rules


@dataclass(frozen=True, slots=True)
class Feature:
    """`size` numbers of a row, starting at index `start`.

    flags: whether every value is 0 or 1. text: what the values mean. scale: the upper bound of the values, so that a value
    divided by it lies from 0 to 1.
    """

    name: str
    start: int
    size: int
    flags: bool
    text: str
    scale: int = 1


V = TypeVar("V", bound=Callable[..., Iterable[int]])


@dataclass(frozen=True)
class Plane(Generic[V]):
    """A feature independent of the rules. values: computes its numbers. when: whether rows have it, given the rules
    and whether hands follow one another. The rest is as in `Feature`.
    """

    name: str
    text: str
    size: Callable[[Rules], int]
    values: V
    when: Callable[[Rules, bool], bool] = lambda rules, session: True
    flags: bool = True
    scale: Callable[[Rules], int] = lambda rules: 1

    def at(self, start: int, rules: Rules) -> Feature:
        """The feature with these rules, at index `start` of a row."""
        return Feature(self.name, start, self.size(rules), self.flags, self.text, self.scale(rules))


def by_rank(rules: Rules) -> bool:
    """Whether cards are shown as counts of ranks, because suits make no difference."""
    return not rules.suits_ranked and rules.hand_size is not None


def ranks(rules: Rules) -> int:
    """The number of ranks; each joker counts as one."""
    return len(rules.ranks) + 2 * rules.jokers


def copies(rules: Rules) -> int:
    """The most cards of one rank in the pack."""
    return len(rules.suits) * rules.decks


def card_slots(rules: Rules) -> int:
    """The number of flags that encode a set of cards; see `card_flags`."""
    return copies(rules) * ranks(rules) if by_rank(rules) else (52 + 2 * rules.jokers) * rules.decks


def _slot(rules: Rules, c: Card) -> int:
    rank, suit = rules.order.place[c]
    return 4 * rank + suit if rank < 13 else 39 + rank


def card_flags(rules: Rules, cards: Iterable[Card | None]) -> list[int]:
    """Cards as flags; hidden cards (None) are left out.

    Games of ranks alone (`by_rank`): flag 13 × n + rank is 1 if the set contains more than n cards of that rank, n from 0
    to 3 (15 × n with jokers; n to 7 with two decks). Other games: flag 4 × rank + suit, the jokers at 52 and 53; with two
    decks a second block of the same layout flags the cards that the set contains twice.
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


def flag_ranks(rules: Rules) -> list[int]:
    """The rank of each flag of `card_flags`."""
    flags = range(card_slots(rules))
    if by_rank(rules):
        return [flag % ranks(rules) for flag in flags]
    slots = [flag % (52 + 2 * rules.jokers) for flag in flags]
    return [slot // 4 if slot < 52 else slot - 39 for slot in slots]


def one_flag(size: int, place: int | None) -> list[int]:
    """`size` flags: 1 at `place`, else 0; all are 0 if `place` is None."""
    return [int(i == place) for i in range(size)]


def kinds(rules: Rules) -> tuple[str, ...]:
    """The kinds of combinations, in the order of the rules."""
    return tuple(dict.fromkeys(shape.kind for shape in rules.shapes))


def most_held(rules: Rules) -> int:
    """The most cards that a seat can hold at any time, including a card given to it in an exchange."""
    return rules.most_cards + int(rules.exchange) + int(rules.double_exchange)


def eights(n: int) -> int:
    """`n` rounded up to a multiple of eight."""
    return -(-n // 8) * 8

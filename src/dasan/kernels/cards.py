"""Cards as bits of words: bit 16 × suit + rank in games that count ranks (Big Three, Dou Dizhu), and bit 4 × rank + suit
in the others.

With two decks a second word has the cards that are there twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from dasan.cards import Card, Hand
from dasan.features import by_rank
from dasan.ruleset.rules import Rules


@lru_cache(maxsize=64)
def card_bits(rules: Rules) -> Mapping[Card, int]:
    """By card, the word that has only its bit."""
    ranks_counted = by_rank(rules)
    return MappingProxyType(
        {
            card: 1 << (16 * suit + rank if ranks_counted else 4 * rank + suit)
            for card, (rank, suit) in rules.order.place.items()
        }
    )


def words_of(rules: Rules, cards: Iterable[Card]) -> tuple[np.uint64, np.uint64]:
    """Cards as two words: those present, and those present twice."""
    bits = card_bits(rules)
    one = two = 0
    for card in cards:
        two |= one & bits[card]
        one |= bits[card]
    return np.uint64(one), np.uint64(two)


def hand_of(rules: Rules, one: int | np.uint64, two: int | np.uint64 = 0) -> Hand:
    """The inverse of `words_of`."""
    bits = card_bits(rules)
    return rules.order.hand(card for word in (int(one), int(two)) for card, bit in bits.items() if word & bit)

"""Sets of cards as flags: sets that differ for the rules have different flags."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

import dasan
from dasan.features import card_flags, card_slots

pytestmark = pytest.mark.full


@pytest.mark.parametrize("jokers", [False, True])
@pytest.mark.parametrize("decks", [1, 2])
def test_every_count_of_a_rank_has_a_flag_of_its_own(decks: int, jokers: bool) -> None:
    """In rules of ranks alone: a joker is not a second card of another rank."""
    rules = replace(
        dasan.rules("big-three"), decks=decks, jokers=jokers, hand_size=len(dasan.cards.pack(decks, jokers)) // 3
    )
    place = rules.order.place
    held: dict[int, list[dasan.Card]] = {}
    for c in rules.pack:
        held.setdefault(place[c][0], []).append(c)
    seen: Counter[int] = Counter()
    for cards in held.values():
        flags = [frozenset(i for i, on in enumerate(card_flags(rules, cards[:n])) if on) for n in range(len(cards) + 1)]
        assert [len(on) for on in flags] == list(range(len(cards) + 1))
        assert all(fewer < more for fewer, more in pairwise(flags))
        seen.update(flags[-1])
    assert len(seen) == sum(seen.values()) == len(rules.pack)
    assert max(seen) < card_slots(rules)


@pytest.mark.parametrize("options", [{}, {"jokers": True}, {"decks": 2}, {"decks": 2, "jokers": True}], ids=str)
def test_every_card_has_a_flag_of_its_own(options: dict[str, bool | int]) -> None:
    """In games where suits count, with two packs for each of two equal cards."""
    rules = dasan.rules("winner", **options)
    flags = [tuple(card_flags(rules, [c])) for c in dict.fromkeys(rules.pack)]
    assert len(set(flags)) == len(flags)
    assert sum(card_flags(rules, rules.pack)) == len(rules.pack)

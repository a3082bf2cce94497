"""Random hands for comparisons, biased towards combinations and near misses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

from .classify import PLACES

# The runs of Big Three and Winner, and Big Two's straights but the one over the top, lie in these.
SEQUENCES = (PLACES, "456789TJQK", "3456789TJQKA2")
SHAPES = ("any", "dense", "suited", "runs", "fours", "high")


def hand(rng: random.Random, pack: Sequence[str], shape: str, size: int) -> list[str]:
    """A hand of `size` cards of the pack.

    any: as dealt. dense: few neighbouring ranks. suited: mostly one suit. runs: a long run, and cards of the same
    ranks. fours: all there are of a few ranks. high: jokers, twos, aces, threes and kings.
    """
    left = rng.sample(pack, len(pack))
    sequence = rng.choice(SEQUENCES)
    match shape:
        case "any":
            wanted = []
        case "dense":
            start = rng.randrange(len(sequence) - 4)
            wanted = [card for card in left if card[0] in sequence[start : start + 5]]
        case "suited":
            long, short = rng.sample("DCHS", 2)
            wanted = [card for card in left if card[1] == long][: size - 2]
            wanted += [card for card in left if card[1] == short]
        case "runs":
            start = rng.randrange(len(sequence) - 6)
            window = sequence[start : start + 9]
            run = {card[0]: card for card in left if card[0] in window}
            wanted = list(run.values())[: size - 1] + [card for card in left if card[0] in window]
        case "fours":
            ranks = rng.sample(sorted({card[0] for card in left}), 3)
            wanted = [card for card in left if card[0] in ranks]
        case _:
            wanted = [card for card in left if card[0] in "BR2A3K"]
    chosen: list[str] = []
    for card in [*wanted, *left]:
        if len(chosen) < size and chosen.count(card) < pack.count(card):
            chosen.append(card)
    return chosen


def two_hands(rng: random.Random, pack: Sequence[str], shape: str, size: int) -> tuple[list[str], list[str]]:
    """Two hands of one pack; half of the time both from the same few cards, so that one beats the other's plays."""
    if rng.random() < 0.5:
        both = hand(rng, pack, shape, 2 * size)
        rng.shuffle(both)
        return both[:size], both[size:]
    own = hand(rng, pack, shape, size)
    return own, hand(rng, without(pack, own), shape, size)


def without(pack: Sequence[str], taken: Sequence[str]) -> list[str]:
    """The pack less these cards."""
    left = list(pack)
    for card in taken:
        left.remove(card)
    return left


def near_a_run(rng: random.Random, pack: Sequence[str]) -> list[str]:
    """A run of singles, pairs, triplets or quads of any length, perhaps in one suit, perhaps with one card wrong."""
    shuffled = rng.sample(pack, len(pack))
    sequence = rng.choice(SEQUENCES)
    times = rng.choice((1, 1, 2, 3, 4))
    length = rng.randint(1, min(len(sequence), 26 // times))
    start = rng.randrange(len(sequence) - length + 1)
    suits = rng.choice(("DCHS", "DCHS", rng.choice("DCHS")))
    cards: list[str] = []
    for letter in dict.fromkeys(sequence[start : start + length]):
        cards += [card for card in shuffled if card[0] == letter and card[1] in suits][:times]
    wrong = rng.choice(("nothing", "nothing", "missing", "extra", "other"))
    left = without(pack, cards)
    if wrong in ("missing", "other") and len(cards) > 1:
        cards.pop(rng.randrange(len(cards)))
    if wrong in ("extra", "other"):
        cards.append(rng.choice(left))
    return cards


def all_sets(cards: Sequence[str]) -> list[tuple[str, ...]]:
    """Every set of one or more of these cards, once, sorted; identical cards of two decks are not distinguished."""
    ordered = sorted(cards)
    sets = [held for size in range(1, len(ordered) + 1) for held in combinations(ordered, size)]
    return list(dict.fromkeys(sets))

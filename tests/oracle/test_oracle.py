"""The oracle's own tests, Big Three and Big Two: the examples of the clauses, and their consequences."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest

from .classify import (
    BIG_THREE,
    PRESETS,
    WINNER,
    Options,
    Reading,
    beats,
    classify,
    fresh_pack,
)
from .reading import ascending, kind, mixed, neither, over, suited

big_three_presets = pytest.mark.parametrize("preset", BIG_THREE)


# Big Three


@big_three_presets
def test_b3_02_ranks_and_no_suits(preset: str) -> None:
    ascending(preset, *(r + s for r, s in zip("456789TJQKA23", "HSDCHSDCHSDCH", strict=True)))
    neither(preset, "4H", "4S")
    neither(preset, "3H 3S", "3C 3D")


@big_three_presets
def test_b3_02_no_jokers_and_one_pack(preset: str) -> None:
    assert kind(preset, "BJ") is None
    assert kind(preset, "4H 4H") is None
    assert kind(preset, "") is None


@big_three_presets
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4H", "single"),
        ("3H 3S", "pair"),
        ("2H 2S 2D", "triplet"),
        ("AH AS AD AC", "quad"),
        ("4H 5S 6D", "straight"),
        ("4H 5S 6D 7D 8D 9D TD JD QD KD", "straight"),
        ("4H 5H 6H", "straight"),
        ("5H 5S 6D 6H 7C 7D", "pair-run"),
        ("5H 5S 5D 6D 6H 6C 7C 7D 7H", "triplet-run"),
        ("8H 8S 8D 8C 9D 9H 9C 9S TC TD TH TS", "quad-run"),
        ("4H 5S", None),
        ("4H 4S 5H 5S", None),
        ("4H 4S 4D 5H 5S 5D", None),
        ("4H 4S 4D 5H", None),
        ("4H 4S 4D 5H 5S", None),
        ("4H 5S 6D 8D", None),
        ("4H 5S 6D 6C", None),
        ("5H 5S 6D 6H 7C", None),
        ("4H 6H 8H TH QH", None),
    ],
)
def test_b3_13_kinds(preset: str, text: str, expected: str | None) -> None:
    assert kind(preset, text) == expected


@big_three_presets
def test_b3_14_no_run_through_ace_two_or_three(preset: str) -> None:
    for text in ("QH KS AD", "KH AS 2D", "AH 2S 3D", "2H 3S 4D", "3H 4S 5D", "QH QS KD KS AD AH", "JH QH KH AD"):
        assert kind(preset, text) is None
    assert kind(preset, "JH QH KH") == "straight"


@big_three_presets
def test_b3_15_same_kind_same_number_strictly_higher(preset: str) -> None:
    table = "6H 7S 8D 9C"
    assert over(preset, "7H 8S 9D TC", table)
    assert over(preset, "TH JS QD KC", table)
    for text in ("8H 9S TD JC QH", "6S 7D 8C 9H", "JH JS JD JC", "5H 6S 7D 8C", "AH"):
        assert not over(preset, text, table)
    ascending(preset, "4H 4S", "KH KS", "AH AS", "2H 2S", "3H 3S")
    ascending(preset, "4H 4S 5H 5S 6H 6S", "5D 5C 6D 6C 7D 7C", "JH JS QH QS KH KS")


def test_b3_23_the_example_trick_by_trick() -> None:
    ascending("big-three", "5D 5C", "9H 9S", "KD KC", "2H 2S")
    ascending("big-three", "5H 6S 7D", "JH QS KC")


# Big Two


def test_d2_02_ranks_then_suits() -> None:
    pack = [r + s for r in "3456789TJQKA2" for s in "DCHS"]
    ascending("big-two", *pack)
    assert pack[0] == "3D"
    assert pack[-1] == "2S"


def test_h_06_clubs_below_diamonds() -> None:
    clubs_low = [r + s for r in "3456789TJQKA2" for s in "CDHS"]
    ascending("big-two", *clubs_low, suit_order="clubs-low")
    ascending("big-two", "7H 7C", "7S 7D", suit_order="clubs-low")
    ascending("big-two", "3C 5C 7C 9C TC", "3D 5D 7D 9D TD", suit_order="clubs-low")
    ascending("big-two", "3S 4D 5S 6H 7C", "3S 4D 5S 6H 7D", suit_order="clubs-low")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3D", "single"),
        ("3D 3S", "pair"),
        ("3D 3S 3H", None),
        ("3D 3S 3H 3C", None),
        ("3D 3S 4H 4C", None),
        ("3D 4S", None),
        ("3D 4S 5D 6D 7D", "straight"),
        ("3D 4S 5D 6D", None),
        ("3D 4S 5D 6D 7D 8D", None),
        ("3D 4D 5D 6D 8D", "flush"),
        ("3D 4D 5D 6D 7D 9D", None),
        ("3D 3S 3H 4H 4C", "full-house"),
        ("3D 3S 3H 3C 4C", "four-plus-one"),
        ("3D 4D 5D 6D 7D", "straight-flush"),
        ("3D 3S 4H 4C 5C", None),
        ("3D 3S 3H 4C 5C", None),
        ("BJ", None),
        ("3D 3D", None),
    ],
)
def test_d2_03_and_d2_05_kinds(text: str, expected: str | None) -> None:
    assert kind("big-two", text) == expected


def test_d2_03_triples_when_asked_for_compare_by_rank() -> None:
    assert kind("big-two", "3D 3S 3H", triples=True) == "triplet"
    ascending("big-two", "3H 3S 3C", "4D 4C 4H", "AD AC AH", "2D 2C 2H", triples=True)
    neither("big-two", "5H 5S 5C", "5H 5S 5D", triples=True)


def test_d2_04_pairs_by_rank_then_higher_suit() -> None:
    ascending("big-two", "3H 3C", "3S 3D", "TS TC", "QH QC", "AS AD", "2H 2D", "2S 2C")
    neither("big-two", "3S 3D", "3S 3H")


def test_d2_05_classes_of_five() -> None:
    ascending(
        "big-two",
        "TH JH QH KH AC",
        "3D 4D 5D 6D 8D",
        "3D 3C 3H 4D 4C",
        "3D 3C 3H 3S 4C",
        "AD 2D 3D 4D 5D",
    )
    assert not over("big-two", "3D 3C", "3D")
    assert not over("big-two", "2S", "3D 3C")


def test_d2_06_where_straights_lie() -> None:
    for ranks in ("A2345", "23456", "34567", "9TJQK", "TJQKA"):
        assert kind("big-two", mixed(ranks)) == "straight"
    for ranks in ("JQKA2", "QKA23", "KA234", "34568"):
        assert kind("big-two", mixed(ranks)) is None
        assert kind("big-two", suited(ranks)) == "flush"


def test_d2_07_straights_by_their_ending_card() -> None:
    ascending(
        "big-two",
        "AS 2S 3S 4S 5D",
        "AD 2D 3D 4D 5S",
        "2S 3S 4S 5S 6D",
        "3D 4D 5D 6D 7C",
        "9S TS JS QS KD",
        "TH JH QH KH AC",
        "TC JC QC KC AH",
    )
    neither("big-two", "3D 4D 5D 6D 7C", "3S 4S 5S 6S 7C")


def test_d2_08_flushes_by_rank_then_suit() -> None:
    ascending("big-two", "7S 9S JS QS KS", "3C 6C 8C TC AC", "3S 6S 8S TS AS", "3H 4H 5H 7H 2H")
    neither("big-two", "3H 4H 5H 7H 2H", "9H JH KH AH 2H")


def test_d2_08_flushes_by_suit_first() -> None:
    flushes = ("3D 4D 5D 7D 2D", "3C 4C 5C 7C 9C", "3C 4C 5C 7C 2C", "3H 4H 5H 7H 8H", "3S 4S 5S 7S 8S")
    ascending("big-two", *flushes, "3S 4S 5S 6S 2S", flush_order="suit")
    assert over("big-two", "3D 4D 5D 7D 2D", "7S 9S JS QS KS", flush_order="rank")


def test_d2_09_full_house_by_triple_and_four_plus_one_by_four() -> None:
    ascending("big-two", "6D 6C 6H AS AH", "TD TC TH 3D 3C", "KD KC KH AS AD", "2D 2C 2S 3D 3C")
    ascending("big-two", "TD TC TH TS 2S", "AD AC AH AS 3D")
    neither("big-two", "6D 6C 6H AS AH", "6D 6C 6H 3S 3H")


def test_d2_10_straight_flushes_as_straights() -> None:
    ascending(
        "big-two",
        "AS 2S 3S 4S 5S",
        "2D 3D 4D 5D 6D",
        "TC JC QC KC AC",
        "TH JH QH KH AH",
        "TS JS QS KS AS",
    )


def test_h_03_hong_kong_straights() -> None:
    ascending(
        "big-two",
        "3S 4S 5S 6S 7D",
        "4D 5D 6D 7D 8C",
        "TS JS QS KS AD",
        "JD QD KD AS 2D",
        "JD QD KD AD 2S",
        straights="hong-kong",
    )
    for ranks in ("A2345", "23456", "QKA23"):
        assert kind("big-two", mixed(ranks), straights="hong-kong") is None
        assert kind("big-two", suited(ranks), straights="hong-kong") == "flush"
    assert kind("big-two", "JS QS KS AS 2S", straights="hong-kong") == "straight-flush"


def test_h_04_taiwan_straights() -> None:
    ascending(
        "big-two",
        "AS 2S 3S 4S 5D",
        "3S 4S 5S 6S 7D",
        "TD JD QD KD AS",
        "2D 3S 4S 5S 6S",
        "2S 3D 4D 5D 6D",
        straights="taiwan",
    )
    ascending("big-two", "TS JS QS KS AS", "2D 3D 4D 5D 6D", straights="taiwan")
    assert kind("big-two", "JD QD KD AD 2S", straights="taiwan") is None


def test_h_05_no_twos_in_straights() -> None:
    ascending("big-two", "3S 4S 5S 6S 7D", "TD JD QD KD AS", straights="no-twos")
    for ranks in ("A2345", "23456", "JQKA2"):
        assert kind("big-two", mixed(ranks), straights="no-twos") is None
        assert kind("big-two", suited(ranks), straights="no-twos") == "flush"


def test_h_07_fours_and_h_08_two_pairs() -> None:
    assert kind("big-two", "3D 3S 3H 3C", fours=True) == "quad"
    assert kind("big-two", "3D 3S 3H 3C", two_pairs=True) is None
    assert kind("big-two", "3D 3S 4H 4C", two_pairs=True) == "two-pair"
    assert kind("big-two", "3D 3S 9H 9C", two_pairs=True) == "two-pair"
    assert kind("big-two", "3D 3S 4H 4C", fours=True) is None
    ascending("big-two", "3D 3C 3H 3S", "4D 4C 4H 4S", "2D 2C 2H 2S", fours=True)
    ascending(
        "big-two",
        "QH QS KD KC",
        "3D 3S KH KC",
        "3D 3S KS KC",
        "4D 4S 2H 2C",
        "3D 3C 3H 3S",
        "4D 4C 4H 4S",
        fours=True,
        two_pairs=True,
    )
    neither("big-two", "3D 3S KS KC", "4D 4S KS KH", two_pairs=True)


def test_h_09_no_fours_plus_one() -> None:
    assert kind("big-two", "3D 3S 3H 3C 4C", four_plus_one=False) is None
    assert kind("big-two", "3D 3S 3H 3C 4C", four_plus_one=False, fours=True) is None
    ascending("big-two", "3D 3C 3H 4D 4C", "AD 2D 3D 4D 5D", four_plus_one=False)


# For every game


def subsets(cards: Sequence[str], largest: int) -> Iterator[tuple[str, ...]]:
    for size in range(1, largest + 1):
        yield from combinations(cards, size)


@pytest.mark.parametrize("preset", PRESETS)
def test_beats_is_a_strict_order_within_tricks(preset: str) -> None:
    """B3.15, D2.12, W.06: irreflexive, asymmetric and transitive."""
    options: Options = {"decks": 2, "jokers": True, "min_straight": 3} if preset in WINNER else {}
    rng = random.Random(1)
    pack = fresh_pack(preset, options)
    relations: set[Reading] = set()
    for _ in range(6):
        ranks = rng.sample("3456789TJQKA2BR", 4)
        hand = [card for card in pack if card[0] in ranks]
        of_suit = rng.choice("DCHS")
        for pool in (hand, [card for card in pack if card[1] == of_suit]):
            for cards in subsets(rng.sample(pool, min(9, len(pool))), 6):
                reading = classify(preset, options, cards)
                if reading:
                    relations.add(reading)
    readings = rng.sample(sorted(relations, key=str), min(60, len(relations)))
    higher = {a: {b for b in readings if beats(preset, options, a, b)} for a in readings}
    for a in readings:
        assert a not in higher[a]
        for b in higher[a]:
            assert a not in higher[b]
            assert higher[b] <= higher[a], f"{a} beats {b}, which beats more"

"""The oracle's own tests: the examples of the clauses, and what follows from them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement

import pytest

from .classify import (
    BIG_THREE,
    PRESETS,
    WINNER,
    Options,
    Reading,
    Value,
    beats,
    classify,
    fresh_pack,
)


def read(preset: str, text: str, **options: Value) -> Reading:
    reading = classify(preset, options, text.split())
    assert reading is not None, f"{text} should be a combination in {preset}"
    return reading


def kind(preset: str, text: str, **options: Value) -> str | None:
    reading = classify(preset, options, text.split())
    return reading.kind if reading else None


def over(preset: str, a: str, b: str, **options: Value) -> bool:
    return beats(preset, options, read(preset, a, **options), read(preset, b, **options))


def ascending(preset: str, *texts: str, **options: Value) -> None:
    """Every later play beats every earlier one, and none the other way or itself."""
    for low, high in combinations(range(len(texts)), 2):
        assert over(preset, texts[high], texts[low], **options), f"{texts[high]} over {texts[low]}"
    for low, high in combinations_with_replacement(range(len(texts)), 2):
        assert not over(preset, texts[low], texts[high], **options), f"{texts[low]} over {texts[high]}"


def neither(preset: str, a: str, b: str, **options: Value) -> None:
    assert not over(preset, a, b, **options)
    assert not over(preset, b, a, **options)


def mixed(ranks: str) -> str:
    """Cards of these ranks in several suits."""
    return " ".join(rank + "DCHS"[place % 4] for place, rank in enumerate(ranks))


def suited(ranks: str) -> str:
    return " ".join(rank + "S" for rank in ranks)


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


# Winner

winner_presets = pytest.mark.parametrize("preset", WINNER)
TWO_DECKS: dict[str, Value] = {"decks": 2, "jokers": True}


@winner_presets
def test_w_03_singles_by_rank_then_suit_and_jokers_above(preset: str) -> None:
    pack = [r + s for r in "3456789TJQKA2" for s in "DCHS"]
    ascending(preset, *pack, "BJ", "RJ", jokers=True)
    neither(preset, "4H", "4H", decks=2)
    neither(preset, "RJ", "RJ", decks=2, jokers=True)


@winner_presets
def test_w_01_w_02_cards_that_are_not_in_the_pack(preset: str) -> None:
    assert kind(preset, "BJ") is None
    assert kind(preset, "4H 4H") is None
    assert kind(preset, "4H 4H", decks=2) == "pair"
    assert kind(preset, "4H 4H 4H", decks=2) is None
    assert kind(preset, "BJ BJ", jokers=True) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3D", "single"),
        ("3D 3S", "pair"),
        ("3D 3S 4H 4C", "pair-run"),
        ("3D 3S 4H 4C 5H 5C", "pair-run"),
        ("3D 3S 5H 5C", None),
        ("3D 3S 3H", "triplet"),
        ("3D 3S 3H 4D 4S 4H", "triplet-run"),
        ("3D 3S 3H 5D 5S 5H", None),
        ("3D 3S 3H 5D 5S", "full-house"),
        ("3D 3S 3H 3C", "quad"),
        ("3D 3S 3H 3C 5D", "bomb"),
        ("3D 3S 3H 3C 5D 5S", None),
        ("3D 3S 3H 3C 4D 4S 4C 4H", None),
        ("3D 4S 5H 6C 7D", "straight"),
        ("3D 4S 5H 6C", None),
        ("3D 4S 5H 6C 7D 8D 9D TD JD", "straight"),
        ("3D 4S 5H 6C 7D 9D", None),
        ("3D 4D 5D 6D 7D", "straight-flush"),
        ("3D 4D 5D 6D 8D", None),
        ("3D 3S 3H 4D 4S 4H 5C", None),
        ("3D 3S 4D 4S 5C", None),
    ],
)
def test_w_06_kinds(text: str, expected: str | None) -> None:
    assert kind("winner", text) == expected


@winner_presets
def test_w_07_pairs_and_runs_of_pairs(preset: str) -> None:
    ascending(preset, "KH KD", "KS KC", "AC AD", "2H 2C")
    ascending(preset, "3D 3S 4C 4H", "3D 3C 4D 4S", "4D 4C 5D 5C")
    neither(preset, "3D 3S 4C 4S", "3H 3C 4D 4S")
    neither(preset, "KS KC", "KS KD", decks=2)
    neither(preset, "KS KS", "KS KD", decks=2)
    assert not over(preset, "4D 4C 5D 5C 6D 6C", "3D 3S 4C 4H")


@winner_presets
def test_w_07_w_12_pairs_of_jokers(preset: str) -> None:
    assert kind(preset, "BJ RJ", decks=2, jokers=True) is None
    ascending(preset, "2H 2C", "2S 2S", "BJ BJ", "RJ RJ", decks=2, jokers=True)
    neither(preset, "BJ BJ", "BJ BJ", decks=2, jokers=True)
    assert kind(preset, "BJ BJ RJ RJ", decks=2, jokers=True) is None
    assert kind(preset, "2H 2S BJ BJ", decks=2, jokers=True) is None
    assert kind(preset, "AH AD BJ BJ", decks=2, jokers=True) is None


@winner_presets
def test_w_08_by_rank_alone(preset: str) -> None:
    ascending(preset, "3D 3S 3H", "KD KC KH", "AD AC AH", "2D 2C 2H")
    neither(preset, "KD KC KH", "KD KC KS")
    ascending(preset, "3D 3S 3H AH AS", "4D 4C 4H 3D 3C", "2D 2C 2H 3D 3C")
    neither(preset, "3D 3S 3H AH AS", "3D 3S 3C 4H 4S")
    neither(preset, "3D 3S 3H", "3D 3S 3H", decks=2)
    ascending(preset, "3D 3C 3H 3S", "2D 2C 2H 2S")
    ascending(preset, "AD AC AH 2D 2C 2H", "2D 2C 2H 3D 3C 3H", "QD QC QH KD KC KH", "KD KC KH AD AC AH")
    neither(preset, "QD QC QH KD KC KH", "QD QC QH KD KC KS")


@winner_presets
def test_w_08_a_full_house_has_two_ranks(preset: str) -> None:
    assert kind(preset, "3D 3D 3S 3S 3H", decks=2) == ("bomb" if preset == "winner" else None)
    assert kind(preset, "3D 3D 3S 4S 4S", decks=2) == "full-house"


@winner_presets
def test_w_09_the_sequence(preset: str) -> None:
    for ranks in ("A2345", "23456", "TJQKA", "A23456789", "3456789TJQKA", "23456789TJQKA"):
        assert kind(preset, mixed(ranks)) == "straight"
    for ranks in ("KA234", "QKA23", "JQKA2", "3456789TQKA2", "456789TJQKA2"):
        assert kind(preset, mixed(ranks)) is None
    assert kind(preset, "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AC") is None
    assert kind(preset, "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", decks=2) is None
    ascending(preset, "AS 2S 3S 4S 5D", "2D 3S 4S 5S 6S", "3D 4S 5S 6S 7S", "TD JS QS KS AS")
    ascending(preset, "AS AH 2S 2H", "2D 2C 3D 3C", "3D 3C 4D 4C", "KD KC AD AC")
    assert kind(preset, "KD KC AD AC 2D 2C") is None
    assert kind(preset, "AD AC 3D 3C") is None


@winner_presets
@pytest.mark.parametrize("shortest", [3, 4, 5])
def test_w_09_min_straight(preset: str, shortest: int) -> None:
    for length in range(2, 8):
        ranks = "A234567"[:length]
        assert kind(preset, mixed(ranks), min_straight=shortest) == ("straight" if length >= shortest else None)
        expected = "straight-flush" if length >= shortest else None
        assert kind(preset, suited(ranks), min_straight=shortest) == expected


@winner_presets
def test_w_09_thirteen_ranks_count_from_the_two(preset: str) -> None:
    """A straight of all ranks is decided by its 2, the lowest card of the higher reading."""
    rest = "3S 4D 5D 6D 7D 8D 9D TD JD QD KD"
    ascending(preset, f"2D AS {rest}", f"2S AD {rest}")
    pairs = " ".join(f"{r}D {r}C" for r in "23456789TJQK")
    ascending(preset, f"{pairs} AD AC", f"{pairs} AD AH")


@winner_presets
def test_w_10_straights_by_their_lowest_card(preset: str) -> None:
    ascending(preset, "3D 4S 5S 6S 7S", "3C 4D 5D 6D 7D", "3S 4D 5D 6D 7D", "4D 5D 6S 7S 8S")
    neither(preset, "3D 4S 5S 6S 7S", "3D 4C 5D 6D 7D")
    assert not over(preset, "4D 5D 6S 7S 8S 9D", "3D 4S 5S 6S 7S")


@winner_presets
def test_w_10_by_a_full_rank(preset: str) -> None:
    neither(preset, "3D 4S 5S 6S 7S", "3S 4D 5D 6D 7D", straight_tie="rank")
    neither(preset, "3D 4D 5D 6D 7D", "3S 4S 5S 6S 7S", straight_tie="rank")
    ascending(preset, "3S 4S 5D 6D 7S", "4D 5S 6S 7S 8S", straight_tie="rank")
    ascending(preset, "3D 3S 4C 4H", "3D 3C 4D 4S", straight_tie="rank")


@winner_presets
def test_w_11_w_14_straight_flushes(preset: str) -> None:
    ascending(preset, "AS 2S 3S 4S 5S", "2D 3D 4D 5D 6D", "2S 3S 4S 5S 6S", "TS JS QS KS AS")
    neither(preset, "3D 4D 5D 6D 7D 8D", "TS JS QS KS AS")
    for text in ("2S", "2S 2H", "3D 3C 4D 4C", "2S 2H 2D", "2S 2H 2D AS AH", "KD AS QS JS TS", "8D 9S TS JS QS KS"):
        assert over(preset, "AD 2D 3D 4D 5D", text)
        assert not over(preset, text, "AD 2D 3D 4D 5D")


@pytest.mark.parametrize("other", ["quad", "single", "pair", "full-house", "straight", "pair-run", "triplet-run"])
def test_w_13_a_bomb_on_any_trick(other: str) -> None:
    text = {
        "quad": "2D 2C 2H 2S",
        "single": "RJ",
        "pair": "2H 2S",
        "full-house": "2D 2C 2H AS AH",
        "straight": "TS JS QS KD AS",
        "pair-run": "KD KC AD AC",
        "triplet-run": "KD KC KH AD AC AH",
    }[other]
    assert kind("winner", text, jokers=True) == other
    ascending("winner", text, "3D 3C 3H 3S 4D", jokers=True)


def test_w_13_bombs_among_themselves() -> None:
    ascending("winner", "3D 3C 3H 3S 2S", "4D 4C 4H 4S 3D", "2D 2C 2H 2S 3D", "AD 2D 3D 4D 5D")
    neither("winner", "4D 4C 4H 4S 3D", "4D 4C 4H 4S 2S")
    neither("winner", "4D 4C 4H 4S 3D", "4D 4C 4H 4S 4S", decks=2)
    ascending("winner", "4D 4C 4H 4S 4S", "5D 5D 5C 5C 3D", decks=2)


def test_w_12_a_joker_only_as_the_odd_card_of_a_bomb() -> None:
    for joker in ("BJ", "RJ"):
        assert kind("winner", f"3D 3C 3H 3S {joker}", jokers=True) == "bomb"
        assert kind("winner", f"3D 3C 3H {joker}", jokers=True) is None
        assert kind("winner", f"3D {joker}", jokers=True) is None
        assert kind("winner", f"JD QS KD AD {joker}", jokers=True) is None
        assert kind("winner", f"3D 3C 3H {joker} {joker}", **TWO_DECKS) is None
        assert kind("winner", f"{joker} {joker} 2S", **TWO_DECKS) is None
        assert kind("winner-bomb", f"3D 3C 3H 3S {joker}", jokers=True) is None


@pytest.mark.parametrize(("preset", "options"), [("winner-bomb", {}), ("winner", {"bomb": "quad"})])
def test_w_15_four_alone_is_the_bomb(preset: str, options: Options) -> None:
    assert kind(preset, "3D 3C 3H 3S", **options) == "bomb"
    assert kind(preset, "3D 3C 3H 3S 4D", **options) is None
    assert kind(preset, "3D 3D 3C 3H 3S", **{**options, "decks": 2}) is None
    for text in ("2S", "2H 2S", "2H 2S 2D", "2D 2C 2H AS AH", "TS JS QS KD AS", "TS JS QS KS AS"):
        ascending(preset, text, "3D 3C 3H 3S", "4D 4C 4H 4S", **options)
    neither(preset, "3D 3D 3H 3H", "3D 3C 3H 3S", **{**options, "decks": 2})


@winner_presets
def test_h_10_suits_never_break_a_tie(preset: str) -> None:
    for low, high in [
        ("3D", "3S"),
        ("3D 3C", "3H 3S"),
        ("3D 3C 4D 4C", "3H 3S 4H 4S"),
        ("3D 4S 5S 6S 7S", "3S 4D 5D 6D 7D"),
        ("3D 4D 5D 6D 7D", "3S 4S 5S 6S 7S"),
    ]:
        assert over(preset, high, low)
        neither(preset, high, low, suits_ranked=False)
    ascending(preset, "3S", "4D", "2S", "BJ", "RJ", suits_ranked=False, jokers=True)
    ascending(preset, "3S 4D 5D 6D 7D", "4D 5S 6S 7S 8S", suits_ranked=False)


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
    found: set[Reading] = set()
    for _ in range(6):
        ranks = rng.sample("3456789TJQKA2BR", 4)
        hand = [card for card in pack if card[0] in ranks]
        of_suit = rng.choice("DCHS")
        for pool in (hand, [card for card in pack if card[1] == of_suit]):
            for cards in subsets(rng.sample(pool, min(9, len(pool))), 6):
                reading = classify(preset, options, cards)
                if reading:
                    found.add(reading)
    readings = rng.sample(sorted(found, key=str), min(60, len(found)))
    higher = {a: {b for b in readings if beats(preset, options, a, b)} for a in readings}
    for a in readings:
        assert a not in higher[a]
        for b in higher[a]:
            assert a not in higher[b]
            assert higher[b] <= higher[a], f"{a} beats {b}, which beats more"

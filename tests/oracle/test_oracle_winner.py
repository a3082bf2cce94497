"""The oracle's own tests, Winner: the examples of the clauses, and their consequences."""

from __future__ import annotations

import pytest

from .classify import (
    WINNER,
    Options,
    Value,
)
from .reading import ascending, kind, mixed, neither, over, suited

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

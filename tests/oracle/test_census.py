"""The census: the number of plays of each kind, counted by the oracle, which pencil and paper can check."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest

from .classify import BIG_THREE, BIG_THREE_RANKS, STRAIGHTS, Value, classify


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("preset", BIG_THREE)
def test_b3_census_of_combinations_by_rank(preset: str) -> None:
    """B3.13, B3.14: 13 each of single, pair, triplet and quad; 36, 36, 26 and 21 runs that fit in 20 cards."""
    census: Counter[str] = Counter()
    for times in range(1, 5):
        for length in range(1, 20 // times + 1):
            for ranks in combinations(BIG_THREE_RANKS, length):
                reading = classify(preset, {}, [r + s for r in ranks for s in "DCHS"[:times]])
                if reading is not None:
                    census[reading.kind] += 1
    assert census == {
        "single": 13,
        "pair": 13,
        "triplet": 13,
        "quad": 13,
        "straight": 36,
        "pair-run": 36,
        "triplet-run": 26,
        "quad-run": 21,
    }


def big_two_census(size: int, **options: Value) -> Counter[str]:
    """All sets of `size` cards by kind.

    Which suits they have makes a difference to the kind only when all the ranks differ and all the suits are
    the same, so one set stands for many.
    """
    census: Counter[str] = Counter()
    for ranks in combinations_with_replacement("3456789TJQKA2", size):
        times = Counter(ranks)
        if max(times.values()) > 4:
            continue
        ways = prod(comb(4, count) for count in times.values())
        cards = [r + s for r in times for s in "SHCD"[: times[r]]]
        if size > 1 and len(times) == size:
            for s in "DCHS":
                reading = classify("big-two", options, [r + s for r in ranks])
                census[reading.kind if reading else "nothing"] += 1
            ways -= 4
            cards[0] = ranks[0] + "D"
        reading = classify("big-two", options, cards)
        census[reading.kind if reading else "nothing"] += ways
    assert census.total() == comb(52, size)
    return census


def test_d2_03_d2_04_census_of_small_plays() -> None:
    assert big_two_census(1) == {"single": 52}
    assert big_two_census(2) == {"pair": 78, "nothing": 1248}
    assert big_two_census(3) == {"nothing": 22100}
    assert big_two_census(3, triples=True)["triplet"] == 52
    assert big_two_census(4) == {"nothing": 270725}
    assert big_two_census(4, fours=True)["quad"] == 13
    assert big_two_census(4, two_pairs=True)["two-pair"] == comb(13, 2) * 36


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize(
    ("straights", "windows", "plain", "flushes", "straight_flushes", "in_all"),
    [
        ("ace-low-or-high", 10, 10_200, 5_108, 40, 19_716),
        ("taiwan", 10, 10_200, 5_108, 40, 19_716),
        ("hong-kong", 9, 9_180, 5_112, 36, 18_696),
        ("no-twos", 8, 8_160, 5_116, 32, 17_676),
    ],
)
def test_d2_05_h_03_h_04_h_05_census_of_five_card_plays(
    straights: str, windows: int, plain: int, flushes: int, straight_flushes: int, in_all: int
) -> None:
    census = big_two_census(5, straights=straights)
    nothing = census.pop("nothing")
    assert len(STRAIGHTS[straights]) == windows
    assert census == {
        "straight": plain,
        "flush": flushes,
        "full-house": 3_744,
        "four-plus-one": 624,
        "straight-flush": straight_flushes,
    }
    assert census.total() == in_all == comb(52, 5) - nothing
    assert big_two_census(5, straights=straights, four_plus_one=False).total() - in_all == nothing


@pytest.mark.full
def test_d2_05_only_equal_suits_make_a_difference_to_the_kind() -> None:
    """What the census rests on, for all sets of five cards of some ranks."""
    for ranks in ("A23K", "345678"):
        by_pattern: dict[tuple[str, bool], set[str | None]] = {}
        for cards in combinations([r + s for r in ranks for s in "DCHS"], 5):
            pattern = ("".join(card[0] for card in cards), len({card[1] for card in cards}) == 1)
            reading = classify("big-two", {}, cards)
            by_pattern.setdefault(pattern, set()).add(reading.kind if reading else None)
        assert all(len(readings) == 1 for readings in by_pattern.values())


def test_w_09_number_of_one_deck_straights() -> None:
    """All suits of every run of ranks, straight flushes among them; thirteen ranks are one straight, not two."""
    straights = 0
    for length in range(5, 14):
        for ranks in combinations("A23456789TJQK", length):
            if classify("winner", {}, [ranks[0] + "D", *(r + "S" for r in ranks[1:])]):
                straights += 4**length
    windows = {5: 10, 6: 9, 7: 8, 8: 7, 9: 6, 10: 5, 11: 4, 12: 3, 13: 1}
    assert straights == sum(count * 4**length for length, count in windows.items()) == 141_670_400

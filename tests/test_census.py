"""The number of plays of each kind, which a player can check with paper and pencil."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import pytest
from tests.golden import pinned
from tests.playing import Options

import dasan
from dasan.ruleset.catalogue import compile

FIVE = ("straight", "flush", "full-house", "four-plus-one", "straight-flush")

BIG_TWO: list[tuple[Options, tuple[int, ...], int]] = [
    ({}, (10_200, 5_108, 3_744, 624, 40), 19_716),
    ({"straights": "taiwan"}, (10_200, 5_108, 3_744, 624, 40), 19_716),
    ({"straights": "hong-kong"}, (9_180, 5_112, 3_744, 624, 36), 18_696),
    ({"straights": "no-twos"}, (8_160, 5_116, 3_744, 624, 32), 17_676),
    ({"flush_order": "suit"}, (10_200, 5_108, 3_744, 624, 40), 19_716),
    ({"suit_order": "clubs-low"}, (10_200, 5_108, 3_744, 624, 40), 19_716),
    ({"four_plus_one": False}, (10_200, 5_108, 3_744, 0, 40), 19_092),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("options", "by_class", "in_all"), BIG_TWO, ids=lambda v: str(v) if isinstance(v, dict) else "")
def test_d2_05_hands_of_five_cards(options: Options, by_class: tuple[int, ...], in_all: int) -> None:
    """n straights of 4^5 suits, less 4 in one suit each; 4 × C(13, 5) flushes, less the straight ones; 13 × 4 × 12 × 6
    full houses; 13 × 48 fours with a fifth card; 4n straight flushes.
    """
    census = compile(dasan.rules("big-two", **options)).census()
    windows = by_class[-1] // 4
    assert tuple(census.get(kind, 0) for kind in FIVE) == by_class
    assert by_class[:3] == (windows * (4**5 - 4), 4 * comb(13, 5) - 4 * windows, 13 * 4 * 12 * 6)
    assert by_class[3] in (13 * 48, 0)
    assert sum(by_class) == in_all
    assert (census["single"], census["pair"]) == (52, 13 * 6)


@pytest.mark.full
def test_d2_03_h_07_h_08_plays_of_three_and_four_cards() -> None:
    rules = dasan.rules("big-two", triples=True, fours=True, two_pairs=True)
    catalogue = rules.catalogue
    assert catalogue.census()["triplet"] == 13 * 4
    assert catalogue.census()["quad"] == 13
    assert catalogue.census()["two-pair"] == comb(13, 2) * 6 * 6
    assert len({row.cards for row in catalogue.rows}) == len(catalogue.rows)
    assert catalogue.scope == "complete"
    for row in catalogue.rows[::97]:
        assert row.cards is not None
        assert rules.combination(row.cards).strength == row.strength
        assert rules.combination(row.cards).kind == row.kind


@pytest.mark.parametrize("preset", ["big-three", "big-three-denexa", "big-three-fr"])
def test_b3_13_b3_14_combinations_by_rank(preset: str) -> None:
    """Runs of length n lie in 4..K in 11 - n ways: 8 + 7 + … + 1 = 36; of triplets and quads only those in 20 cards."""
    census = compile(dasan.rules(preset)).census()
    assert census == {
        "single": 13,
        "pair": 13,
        "triplet": 13,
        "quad": 13,
        "straight": 36,
        "pair-run": 36,
        "triplet-run": 8 + 7 + 6 + 5,
        "quad-run": 8 + 7 + 6,
    }


def test_b4_07_rows_with_and_without_the_called_card() -> None:
    """13 cards a hand: runs of 13 // copies ranks; every row that could contain a called card exists twice."""
    catalogue = compile(dasan.rules("big-three-4p"))
    census = Counter(row.kind for row in catalogue.rows if row.called is False)
    assert census == {
        "single": 13,
        "pair": 13,
        "triplet": 13,
        "quad": 13,
        "straight": 36,
        "pair-run": 8 + 7 + 6 + 5,
        "triplet-run": 8 + 7,
        "quad-run": 8,
    }
    with_it = Counter(row.kind for row in catalogue.rows if row.called)
    assert all(with_it[kind] == 7 for kind in ("single", "pair", "triplet", "quad")), "a card of rank 4 to 10"
    assert {row.called for row in catalogue.rows} == {True, False}


def mean_leads(rules: dasan.Rules, *, containing: str | None = None) -> Fraction:
    """The exact mean number of plays in a random hand of 13: each of k cards is in C(52 - k, 13 - k) of C(52, 13) hands.

    containing: the mean number of plays with this card, in a random hand that holds it.
    """
    rows = rules.catalogue.rows
    if containing is None:
        return sum((Fraction(comb(52 - r.size, 13 - r.size), comb(52, 13)) for r in rows), Fraction(0))
    card = dasan.card(containing)
    with_it = [r for r in rows if r.cards is not None and card in r.cards]
    return sum((Fraction(comb(52 - r.size, 13 - r.size), comb(51, 12)) for r in with_it), Fraction(0))


@pytest.mark.parametrize(
    ("straights", "leads", "openings"),
    [("ace-low-or-high", "28.025", "5.1889"), ("hong-kong", "27.519", "4.1787")],
)
def test_d2_11_mean_number_of_leads_and_openings(straights: str, leads: str, openings: str) -> None:
    rules = dasan.rules("big-two", straights=straights, triples=True)
    assert f"{float(mean_leads(rules)):.3f}" == leads
    assert f"{float(mean_leads(rules, containing='3D')):.4f}" == openings


def test_w_09_straights_of_one_pack() -> None:
    """Rows are canonical: a straight for each place, length and suit of its lowest card; straight flushes by suit."""
    catalogue = compile(dasan.rules("winner", players=3))
    assert catalogue.scope == "canonical"
    places = [15 - n for n in range(5, 13)] + [1]
    census = catalogue.census()
    assert census["straight"] == census["straight-flush"] == 4 * sum(places)
    complete = sum(p * 4**n for n, p in zip(range(5, 14), places, strict=True))
    assert complete == 141_670_400, "all choices of suits of every straight: why rows are canonical"
    assert complete + 4**13 == 208_779_264, "the same, were all 13 ranks two straights"
    assert census["pair-run"] == 3 * sum(15 - n for n in range(2, 10)), "up to 18 cards; ♦ is no pair's higher suit"
    assert census["triplet-run"] == sum(15 - n for n in range(2, 7))
    assert census["full-house"] == 13 * 12
    assert census["bomb"] == 13 * 12
    assert (census["single"], census["pair"], census["triplet"], census["quad"]) == (52, 39, 13, 13)


def census_text() -> str:
    """Rows of the catalogue by kind, for every preset and every option that changes them."""
    setups: list[tuple[str, Options]] = [(name, {}) for name in dasan.PRESETS]
    changed: list[Options] = [
        {"triples": True},
        {"straights": "hong-kong"},
        {"straights": "taiwan"},
        {"straights": "no-twos"},
        {"fours": True},
        {"two_pairs": True},
        {"four_plus_one": False},
    ]
    setups += [("big-two", options) for options in changed]
    for players in range(3, 9):
        for decks in (1, 2):
            for jokers in (False, True):
                if not (players == 3 and decks == 2) and not (players > 6 and decks == 1):
                    setups.append(("winner", {"players": players, "decks": decks, "jokers": jokers}))
    short: list[Options] = [{"min_straight": 3}, {"straight_tie": "rank"}, {"suits_ranked": False}]
    setups += [("winner", options) for options in short]
    lines = ["Rows of the catalogue by kind: in Big Three a choice of ranks, in Big Two a set of cards, in Winner a"]
    lines.append("choice of ranks with the suit that decides.")
    for preset, options in setups:
        catalogue = compile(dasan.rules(preset, **options))
        named = " ".join([preset, *(f"{k}={v}" for k, v in options.items())])
        lines += ["", f"{named}: {len(catalogue.rows):,} rows ({catalogue.scope})"]
        lines += [f"  {count:>7,} {kind}" for kind, count in catalogue.census().items()]
    return "\n".join(lines) + "\n"


@pytest.mark.full
def test_the_census_of_every_preset_is_pinned() -> None:
    pinned("census.txt", census_text())

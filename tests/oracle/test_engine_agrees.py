"""The engine and the oracle, side by side: every set of cards of many hands, every option that touches combinations.

Hands are biased towards combinations (`hands.py`), because most sets of many cards are none.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import pytest

import dasan

from .classify import BIG_THREE, PRESETS, WINNER, Options, Reading, Value, beats, classify, complete, fresh_pack
from .hands import SHAPES, all_sets, hand, near_a_run, two_hands, without

Cards = tuple[str, ...]

CHOICES: dict[str, dict[str, tuple[Value, ...]]] = {
    **{preset: {} for preset in BIG_THREE},
    "big-two": {
        "straights": ("ace-low-or-high", "hong-kong", "taiwan", "no-twos"),
        "suit_order": ("diamonds-low", "clubs-low"),
        "flush_order": ("rank", "suit"),
        "triples": (False, True),
        "fours": (False, True),
        "two_pairs": (False, True),
        "four_plus_one": (True, False),
    },
    "winner": {
        "decks": (1, 2),
        "jokers": (False, True),
        "min_straight": (5, 4, 3),
        "straight_tie": ("suit", "rank"),
        "bomb": ("quad-plus-one", "quad"),
        "suits_ranked": (True, False),
    },
}
CHOICES["winner-bomb"] = {name: values for name, values in CHOICES["winner"].items() if name != "bomb"}

# What keeps a table position to the comparison of combinations: no duty of the guard, no trick cut short.
PLAIN: dict[str, dict[str, Value]] = {
    **{preset: {} for preset in BIG_THREE},
    "big-two": {"guard": "off"},
    "winner": {"two_of_spades_restart": "off"},
    "winner-bomb": {"two_of_spades_restart": "off"},
}


def every_choice(preset: str, within: Options) -> list[dict[str, Value]]:
    """All the ways to set the options that touch combinations, of those that agree with `within`.

    Where suits are not ranked no straight is decided by its suit (H.10).
    """
    names = CHOICES[preset]
    every = [dict(zip(names, values, strict=True)) for values in product(*names.values())]
    return [
        options
        for options in every
        if within.items() <= options.items()
        and (options.get("suits_ranked") is not False or options["straight_tie"] == "rank")
    ]


def every_pair_of_choices(preset: str) -> list[dict[str, Value]]:
    """A few settings in which any two compatible values come together at least once."""
    every = every_choice(preset, {})
    missing = {pair for options in every for pair in combinations(options.items(), 2)}
    chosen = []
    while missing:
        chosen.append(max(every, key=lambda options: len(missing.intersection(combinations(options.items(), 2)))))
        missing -= set(combinations(chosen[-1].items(), 2))
    return chosen or every


def said(options: Options) -> str:
    return " ".join(f"{name}={value}" for name, value in options.items()) or "as it is"


def compare_kinds(
    rng: random.Random, rules: dasan.Rules, options: Options, sets: Iterable[Sequence[str]]
) -> dict[Cards, tuple[Reading, dasan.Combination]]:
    """Check that both read every set of cards alike, in any order of the cards; returns those that are combinations."""
    known = {}
    for cards in sets:
        text = " ".join(rng.sample(cards, len(cards)))
        reading = classify(rules.name, options, cards)
        try:
            combination = rules.combination(text)
        except dasan.IllegalPlay:
            combination = None
        kinds = (reading and reading.kind, combination and combination.kind)
        assert kinds[0] == kinds[1], f"{rules.name} {said(options)}: {text} is {kinds[0]}, not {kinds[1]}"
        if reading is None or combination is None:
            continue
        assert sorted(map(str, combination.cards)) == sorted(cards), f"{rules.name} {said(options)}: {text}"
        known[tuple(sorted(cards))] = (reading, combination)
    return known


def compare_beats(
    rng: random.Random,
    preset: str,
    options: Options,
    known: Mapping[Cards, tuple[Reading, dasan.Combination]],
    tries: int,
) -> None:
    """Check that both agree which plays are higher, for random pairs of one kind and number of cards, and of any two."""
    families: dict[tuple[str, int], list[tuple[Reading, dasan.Combination]]] = {}
    for reading, combination in known.values():
        families.setdefault((reading.kind, reading.size), []).append((reading, combination))
    lists = list(families.values())
    for turn in range(tries):
        first = rng.choice(lists)
        second = first if turn % 2 else rng.choice(lists)
        (a, engine_a), (b, engine_b) = rng.choice(first), rng.choice(second)
        expected = beats(preset, options, a, b)
        assert engine_a.beats(engine_b) is expected, (
            f"{preset} {said(options)}: {engine_a.cards} over {engine_b.cards} should be {expected}"
        )


def canonical(preset: str, cards: Cards, reading: Reading, called: str | None) -> object:
    """The key of a move in a list: all the cards in Big Two; else kind, ranks, and what decides, which is a suit in
    Winner, and in Big Three whether the called card is played (B4.07).
    """
    if preset == "big-two":
        return cards
    ranks = "".join(sorted(card[0] for card in cards))
    return (reading.kind, ranks, reading.strength, called in cards)


def position(
    rng: random.Random, rules: dasan.Rules, own: Sequence[str], table: Cards | None, called: str | None
) -> dasan.State:
    """Seat 0 with these cards to lead, or to follow the table; the others hold three cards each."""
    pack = fresh_pack(rules.name, rules.options)
    left = without(pack, [*own, *(table or ())])
    rng.shuffle(left)
    if called in left:
        left.remove(called)
        left.insert(0, called)
    hands = [" ".join(own)] + [" ".join(left[3 * seat : 3 * seat + 3]) for seat in range(rules.players - 1)]
    bidder, bid = (None, None) if rules.name not in BIG_THREE else (1 if called in own else 0, 1)
    if table is None:
        return dasan.start(rules, hands, leader=0, bidder=bidder, bid=bid, called=called)
    last = rules.players - 1
    return dasan.start(
        rules, hands, bidder=bidder, bid=bid, called=called, table=" ".join(table), table_seat=last, to_act=0
    )


def compare_moves(
    rng: random.Random,
    rules: dasan.Rules,
    options: Options,
    own: Sequence[str],
    known: Mapping[Cards, tuple[Reading, object]],
    table: Cards | None,
) -> None:
    """The list of moves is the oracle's, and `play` takes any legal set of cards and no other."""
    preset = rules.name
    called = None
    if preset == "big-three-4p":
        callable_cards = [card for card in fresh_pack(preset, options) if card[0] in "456789T"]
        own_ones = [card for card in own if card in callable_cards]
        others = without(callable_cards, [c for c in [*own, *(table or ())] if c in callable_cards])
        called = rng.choice(own_ones if own_ones and rng.random() < 0.5 else others)
    state = position(rng, rules, own, table, called)
    legal = {cards: reading for cards, (reading, _) in known.items()}
    if table is not None:
        on_table = classify(preset, options, table)
        assert on_table is not None
        legal = {cards: r for cards, r in legal.items() if beats(preset, options, r, on_table)}
    where = f"{preset} {said(options)}: {' '.join(own)} on {table}, called {called}"

    listed = state.legal_moves()
    assert len(set(map(str, listed))) == len(listed), where
    assert ("pass" in map(str, listed)) is (table is not None), where
    plays = [tuple(sorted(map(str, move.cards))) for move in listed if move.cards]
    assert set(plays) <= set(legal), f"{where}: {set(plays) - set(legal)}"
    expected = {canonical(preset, cards, reading, called) for cards, reading in legal.items()}
    keys = {canonical(preset, cards, legal[cards], called) for cards in plays}
    assert keys == expected, f"{where}: not listed {expected - keys}"

    tried = [rng.sample(own, rng.randint(1, min(6, len(own)))) for _ in range(4)]
    tried += [list(cards) for cards in rng.sample(sorted(known), min(4, len(known)))]
    for cards in tried:
        text = " ".join(rng.sample(cards, len(cards)))
        if tuple(sorted(cards)) in legal:
            assert state.play(text).hand_sizes[0] == len(own) - len(cards), where
        else:
            with pytest.raises(dasan.IllegalPlay):
                state.play(text)


def some_tables(rng: random.Random, preset: str, options: Options, cards: Sequence[str], count: int) -> list[Cards]:
    """Plays of this hand, of as many kinds and sizes as there are."""
    families: dict[tuple[str, int], list[Cards]] = {}
    for held in all_sets(cards):
        reading = classify(preset, options, held)
        if reading is not None:
            families.setdefault((reading.kind, reading.size), []).append(held)
    return [rng.choice(family) for family in rng.sample(list(families.values()), min(count, len(families)))]


KINDS = {
    **{
        preset: {"single", "pair", "triplet", "quad", "straight", "pair-run", "triplet-run", "quad-run"}
        for preset in BIG_THREE
    },
    "big-two": {"single", "pair", "straight", "flush", "full-house", "four-plus-one", "straight-flush"},
    "winner": {"single", "pair", "pair-run", "triplet", "triplet-run", "full-house", "quad"}
    | {"straight", "bomb", "straight-flush"},
    "winner-bomb": {"single", "pair", "pair-run", "triplet", "triplet-run", "full-house"}
    | {"straight", "bomb", "straight-flush"},
}


def shares() -> list[tuple[str, dict[str, Value]]]:
    """The work of the test of every option, in parts of similar size."""
    parts: list[tuple[str, dict[str, Value]]] = [(preset, {}) for preset in BIG_THREE]
    for preset, names in (
        ("big-two", ("straights", "suit_order", "flush_order")),
        ("winner", ("decks", "jokers", "min_straight")),
    ):
        for values in product(*(CHOICES[preset][name] for name in names)):
            parts.append((preset, dict(zip(names, values, strict=True))))
    return parts


def name(value: object) -> str:
    return said(value) if isinstance(value, dict) else str(value)


@pytest.mark.sampled(6, 10)
@pytest.mark.parametrize("size", [7, pytest.param(9, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("preset", "within"), shares(), ids=name)
def test_every_set_of_cards_of_many_hands_under_every_option(preset: str, within: Options, size: int) -> None:
    rng = random.Random(f"{preset} {said(within)}")
    shapes = list(SHAPES)
    for options in every_choice(preset, within):
        rules = dasan.rules(preset, **options)
        known: dict[Cards, tuple[Reading, dasan.Combination]] = {}
        rng.shuffle(shapes)
        for shape in shapes[:2]:
            cards = hand(rng, fresh_pack(preset, options), shape, size)
            known |= compare_kinds(rng, rules, options, all_sets(cards))
        compare_beats(rng, preset, options, known, 200)


@pytest.mark.sampled(2, 4)
@pytest.mark.parametrize("runs_tried", [500, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("preset", PRESETS)
def test_sets_of_cards_of_any_size(preset: str, runs_tried: int) -> None:
    """Long runs, up to all thirteen ranks twice where a hand can be so large, and near misses."""
    rng = random.Random(f"{preset} of any size")
    for options in [dict[str, Value](), *every_pair_of_choices(preset)]:
        if preset in WINNER and options.get("decks") != 2:
            options["players"] = 3
        rules = dasan.rules(preset, **options)
        pack = fresh_pack(preset, options)
        runs = [near_a_run(rng, pack) for _ in range(runs_tried)]
        largest = 20 if rules.players == 3 and preset in BIG_THREE else -(-len(pack) // rules.players)
        known = compare_kinds(rng, rules, options, [cards for cards in runs if len(cards) <= largest])
        for shape in SHAPES:
            known |= compare_kinds(rng, rules, options, [hand(rng, pack, shape, 5) for _ in range(100)])
        compare_beats(rng, preset, options, known, 1000)
        if options.keys() <= {"players"}:
            assert {reading.kind for reading, _ in known.values()} == KINDS[preset]


@pytest.mark.sampled(5, 10)
@pytest.mark.parametrize("size", [8, pytest.param(9, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("preset", "options"),
    [(preset, options) for preset in PRESETS for options in every_pair_of_choices(preset)],
    ids=name,
)
def test_moves_of_leader_and_follower(preset: str, options: dict[str, Value], size: int) -> None:
    """B3.15, D2.12, W.06, W.13, W.14, W.15: the lists of moves, and what `play` accepts, for hands of `size` cards."""
    rng = random.Random(f"moves of {preset} {said(options)}")
    rules = dasan.rules(preset, **options, **PLAIN[preset])
    for shape in SHAPES * (1 if CHOICES[preset] else 3):
        own, others = two_hands(rng, fresh_pack(preset, options), shape, size)
        known = compare_kinds(rng, rules, options, all_sets(own))
        compare_moves(rng, rules, options, own, known, None)
        for table in some_tables(rng, preset, options, others, 5):
            compare_moves(rng, rules, options, own, known, table)


def thirteens() -> Iterator[Any]:
    """Every preset with every shape of hand; every run has one shape each."""
    for number, preset in enumerate(("big-three", "big-three-4p", "big-two", "winner", "winner-bomb")):
        for place, shape in enumerate(SHAPES):
            yield pytest.param(preset, shape, marks=[] if place == number % len(SHAPES) else pytest.mark.slow)


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize(("preset", "shape"), list(thirteens()))
def test_hands_of_thirteen_cards(preset: str, shape: str) -> None:
    """All the 8,191 sets of a full hand, its leads, and its answers to plays of all kinds."""
    rng = random.Random(f"thirteen of {preset}, {shape}")
    rules = dasan.rules(preset, **PLAIN[preset])
    own = hand(rng, fresh_pack(preset, {}), shape, 13)
    others = hand(rng, without(fresh_pack(preset, {}), own), shape, 9)
    known = compare_kinds(rng, rules, {}, all_sets(own))
    compare_beats(rng, preset, {}, known, 500)
    for table in (None, *some_tables(rng, preset, {}, others, 10)):
        compare_moves(rng, rules, {}, own, known, table)


@pytest.mark.parametrize("preset", WINNER)
def test_h_10_settles_how_straights_are_decided(preset: str) -> None:
    """Where suits are not ranked, straights need no option."""
    rng = random.Random(f"H.10 {preset}")
    options: Options = {"suits_ranked": False, "min_straight": 3}
    rules = dasan.rules(preset, suits_ranked=False, min_straight=3)
    assert complete(preset, options)["straight_tie"] == rules.options["straight_tie"] == "rank"
    for shape in SHAPES:
        own, others = two_hands(rng, fresh_pack(preset, options), shape, 9)
        known = compare_kinds(rng, rules, options, all_sets(own))
        for table in (None, *some_tables(rng, preset, options, others, 4)):
            compare_moves(rng, rules, options, own, known, table)

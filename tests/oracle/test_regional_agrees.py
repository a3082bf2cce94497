"""The engine against the naive reading of `regional`: every set of cards of random hands, what beats what, lists of moves."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import pytest

import dasan

from . import regional
from .classify import Options, Reading, Value
from .hands import SHAPES, all_sets, hand, near_a_run, without

Read = Callable[[Sequence[str], Options], Reading | None]
Beats = Callable[[Reading, Reading, Options], bool]
GAMES: Mapping[str, tuple[Read, Beats]] = {
    "dou-dizhu": (regional.dou_dizhu, lambda a, b, options: regional.dou_dizhu_beats(a, b)),
    "big-three": (regional.big_three, regional.big_three_beats),
    "big-two": (regional.big_two, regional.big_two_beats),
    "winner": (regional.winner, regional.winner_beats),
}
PLAIN: Mapping[str, dict[str, Value]] = {
    "big-two": {"guard": "off"},
    "winner": {"suits_ranked": False, "jokers": True},
    "dou-dizhu": {},
    "big-three": {},
}
CHOICES: Mapping[str, dict[str, tuple[Value, ...]]] = {
    "dou-dizhu": {"kickers": ("any", "distinct"), "joker_kickers": (False, True)},
    "big-three": {"bombs": (False, True), "runs_to": ("king", "ace"), "runs": ("all", "singles-and-pairs")},
    "big-two": {
        "flushes": (True, False),
        "five_card_order": ("ranked", "own-kind"),
        "bombs": (False, True),
        "suit_order": ("diamonds-low", "clubs-low"),
        "straights": ("ace-low-or-high", "taiwan"),
        "triples": (True,),
    },
    "winner": {
        "decks": (1, 2),
        "twos_in_runs": (True, False),
        "min_pair_run": (2, 3),
        "min_triplet_run": (3,),
        "bomb": ("any-size", "quad", "quad-plus-one"),
        "joker_bomb": (True, False),
        "full_houses": (False, True),
        "straight_flushes": (True, False),
    },
}


def settings(game: str) -> list[dict[str, Value]]:
    names = CHOICES[game]
    every = [dict(zip(names, values, strict=True)) for values in product(*names.values())]
    return random.Random(game).sample(every, min(10, len(every)))


CASES = [(game, options) for game in GAMES for options in settings(game)]


def name(value: object) -> str:
    return " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


def sets_of(rng: random.Random, rules: dasan.Rules, size: int) -> list[tuple[str, ...]]:
    pack = [str(c) for c in rules.pack]
    shapes = [rng.choice(SHAPES), "dense", "fours"]
    sets = [cards for shape in shapes for cards in all_sets(hand(rng, pack, shape, size))]
    return [
        *sets,
        *(tuple(cards) for cards in (near_a_run(rng, pack) for _ in range(60)) if len(cards) <= rules.most_cards),
    ]


@pytest.mark.parametrize(("game", "options"), CASES, ids=name)
def test_kinds_and_what_beats_what(game: str, options: dict[str, Value]) -> None:
    rng = random.Random(f"{game} {name(options)}")
    rules = dasan.rules(game, **PLAIN[game], **options)
    read, beats = GAMES[game]
    known: list[tuple[Reading, dasan.Combination]] = []
    for cards in sets_of(rng, rules, 7):
        reading = read(cards, rules.options)
        try:
            made = rules.combination(" ".join(rng.sample(cards, len(cards))))
        except dasan.IllegalPlay:
            made = None
        assert (reading and reading.kind) == (made and made.kind), (cards, reading, made)
        if reading is not None and made is not None:
            known.append((reading, made))
    by_form: dict[tuple[str, int], list[tuple[Reading, dasan.Combination]]] = {}
    for entry in known:
        by_form.setdefault((entry[0].kind, entry[0].size), []).append(entry)
    forms = list(by_form.values())
    for turn in range(400):
        first = rng.choice(forms)
        (a, mine), (b, theirs) = rng.choice(first), rng.choice(first if turn % 2 else rng.choice(forms))
        assert mine.beats(theirs) is beats(a, b, rules.options), (mine, theirs)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kickers", "joker_kickers"), list(product(("any", "distinct"), (False, True))))
def test_moves_of_leader_and_follower_in_dou_dizhu(kickers: str, joker_kickers: bool) -> None:
    """DD.04 to DD.06: of every choice of ranks the list has one move, and no other."""
    rng = random.Random(f"{kickers} {joker_kickers}")
    rules = dasan.rules("dou-dizhu", kickers=kickers, joker_kickers=joker_kickers)
    pack = [str(c) for c in rules.pack]
    for shape in ("dense", "fours", "high", "runs"):
        own = hand(rng, pack, shape, 10)
        others = hand(rng, without(pack, own), shape, 8)
        legal = {cards: regional.dou_dizhu(cards, rules.options) for cards in all_sets(own)}
        tables = [cards for cards in all_sets(others) if regional.dou_dizhu(cards, rules.options)]
        for table in (None, *rng.sample(tables, 6)):
            rest = without(pack, [*own, *(table or ())])
            hands = [" ".join(own), " ".join(rest[:3]), " ".join(rest[3:6])]
            if table is None:
                state = dasan.start(rules, hands, bidder=0, leader=0)
            else:
                state = dasan.start(rules, hands, bidder=0, table=" ".join(table), table_seat=2, to_act=0)
            on_table = regional.dou_dizhu(table, rules.options) if table is not None else None
            wanted = {
                (reading.kind, "".join(sorted(card[0] for card in cards)))
                for cards, reading in legal.items()
                if reading and (on_table is None or regional.dou_dizhu_beats(reading, on_table))
            }
            plays = [m for m in state.legal_moves() if m.combination is not None]
            listed = [(m.combination.kind, "".join(sorted(str(c)[0] for c in m.cards))) for m in plays if m.combination]
            assert len(set(listed)) == len(listed)
            assert set(listed) == wanted, (own, table)

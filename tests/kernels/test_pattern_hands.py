"""The kernels of Winner against the engine, move by move, over players, decks, jokers and every option."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dasan
from dasan.cards import Card
from dasan.kernels.patterns import hands as pattern_hands
from dasan.kernels.patterns import play as pattern_play
from dasan.kernels.patterns.tables import PatternCatalogue, pattern_catalogue, pattern_policy
from dasan.play.moves import Move, MoveType
from dasan.ruleset.shapes import AnyShape, Flush, Groups, Run

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("winner", {}),
    ("winner", {"players": 3, "scoring": "cards", "jokers": True}),
    ("winner", {"players": 5, "min_straight": 3}),
    ("winner", {"players": 6, "straight_tie": "rank"}),
    ("winner", {"decks": 2, "jokers": True}),
    ("winner", {"players": 6, "decks": 2, "bomb": "quad", "scoring": "cards"}),
    ("winner", {"players": 8, "jokers": True, "min_straight": 4, "scoring": "cards"}),
    ("winner", {"two_of_spades_restart": "always"}),
    ("winner", {"two_of_spades_restart": "off", "jokers": True}),
    ("winner", {"suits_ranked": False, "decks": 2}),
    ("winner", {"suits_ranked": False, "players": 3, "min_straight": 3}),
    ("winner-bomb", {"scoring": "cards"}),
    ("winner-bomb", {"players": 7}),
    ("zheng-shangyou", {}),
    ("winner", {"full_houses": False, "twos_in_runs": False, "min_pair_run": 3}),
]
SEED = np.uint64(20_26)


def cards_of(rules: dasan.Rules, one: int, two: int) -> list[Card]:
    out = []
    for c in dict.fromkeys(rules.pack):
        rank, suit = rules.order.place[c]
        out += [c] * ((one >> (4 * rank + suit) & 1) + (two >> (4 * rank + suit) & 1))
    return out


def move_of(state: dasan.State, row: int) -> Move:
    if row == pattern_hands.PASS:
        return next(m for m in state.legal_moves() if m.type is MoveType.PASS)
    assert state.to_act is not None
    cards = next(c.cards for r, c in state.fits(state.to_act) if r.id == row)
    return next(m for m in state.legal_moves() if m.cards == cards)


@pytest.mark.full
@pytest.mark.sampled(1, 5)
@pytest.mark.parametrize(("preset", "options"), VARIANTS, ids=str)
def test_random_hands_are_the_engines_hands(preset: str, options: dict[str, Any]) -> None:
    """Every ply is legal in the engine, and the number of legal moves, payments and finishing order agree. Since the
    hand ends in both, the cards picked for a row are the same.
    """
    rules = dasan.rules(preset, **options)
    t, p = pattern_catalogue(rules), pattern_policy(rules)
    n = rules.players
    one, two = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    scratch = np.zeros(pattern_play.PLAY_WORDS, np.uint64)
    payments, order = np.zeros(n, np.int64), np.zeros(n, np.int64)
    random = SEED
    for number in range(25):
        trace = np.zeros(3 * 2000, np.int64)
        dealer = number % n
        random = np.uint64(pattern_hands.deal_all(random, t.pack.copy(), one, two, dealer, n))
        hands = [cards_of(rules, int(a), int(b)) for a, b in zip(one, two, strict=True)]
        state = dasan.start(rules, hands, dealer=dealer)
        after, plies = pattern_hands.random_hand(random, one, two, dealer, scratch, t, p, payments, order, trace)
        random = np.uint64(after)
        for seat, row, legal in trace[: 3 * plies].reshape(-1, 3).tolist():
            assert state.to_act == seat
            assert len(state.legal_moves()) == legal
            state = state.play(move_of(state, row))
        assert state.result is not None
        assert state.result.payments == tuple(payments.tolist())
        assert state.result.finish_order == tuple(order.tolist())


def words_of(rules: dasan.Rules, cards: Sequence[Card]) -> tuple[np.uint64, np.uint64]:
    one = two = 0
    for c, n in Counter(cards).items():
        rank, suit = rules.order.place[c]
        one |= 1 << (4 * rank + suit)
        two |= (n > 1) << (4 * rank + suit)
    return np.uint64(one), np.uint64(two)


def found_rows(scratch: np.ndarray[Any, np.dtype[np.uint64]], end: int, t: PatternCatalogue) -> list[int]:
    n = pattern_play.choices(end, scratch)
    return [pattern_play.choice(i, scratch, t) for i in range(n)]


def many_hands(rules: dasan.Rules, source: random.Random) -> list[list[Card]]:
    """Hands in which the rare kinds are common: of few suits, of few ranks, and of any cards."""
    out = []
    for size in (*range(1, rules.most_cards + 1), *[rules.most_cards] * 10):
        suits = source.sample("DCHS", source.randrange(1, 3))
        start = source.randrange(12)
        ranks = ("A23456789TJQKA")[start : start + source.randrange(2, 6)]
        for pack in (
            rules.pack,
            [c for c in rules.pack if str(c)[1:] in suits],
            [c for c in rules.pack if str(c)[0] in ranks],
        ):
            out.append(source.sample(pack, min(size, len(pack))))
    return out


@pytest.mark.full
@pytest.mark.sampled(6, 6)
@pytest.mark.parametrize(("preset", "options"), VARIANTS, ids=str)
def test_hands_can_play_what_the_catalogue_says(preset: str, options: dict[str, Any]) -> None:
    """Leads, answers to any play, the cards that each takes, and whether any cards are left that beat a play."""
    rules = dasan.rules(preset, **options)
    catalogue, t = rules.catalogue, pattern_catalogue(rules)
    scratch = np.zeros(pattern_play.PLAY_WORDS, np.uint64)
    source = random.Random(5)
    seen = set()
    for hand in many_hands(rules, source):
        one, two = words_of(rules, hand)
        fits = catalogue.fits(rules.order.hand(hand))
        _, end = pattern_play.find(one, two, -1, True, scratch, t)
        assert sorted(found_rows(scratch, end, t)) == [row.id for row, _ in fits]
        seen |= {row.kind for row, _ in fits}
        for row, combination in fits:
            taken = map(np.uint64, pattern_play.cards_of(row.id, one, two, t))
            assert tuple(taken) == words_of(rules, combination.cards)
        for row, combination in (*source.sample(fits, min(len(fits), 4)), *source.sample(fits, min(len(fits), 1))):
            other = catalogue.rows[source.randrange(len(catalogue.rows))]
            target = replace(combination, family=other.family, power=other.power, strength=other.strength)
            for over, against in ((row.id, combination), (other.id, target)):
                beaters = [fit.id for fit, _ in fits if fit.beats(against)]
                ordinary, end = pattern_play.find(one, two, over, True, scratch, t)
                assert sorted(found_rows(scratch, end, t)) == beaters
                _, end = pattern_play.find(one, two, over, False, scratch, t)
                assert end == ordinary
                limit = source.randrange(1, 8)
                expected = catalogue.any_beats(rules.order.hand(hand), against, limit)
                assert pattern_play.any_beats(one, two, over, limit, scratch, t) == expected
    assert seen == {row.kind for row in catalogue.rows}


@pytest.mark.full
def test_every_card_goes_to_every_seat_equally_often() -> None:
    """Chi-square below its 99.9 % quantile: 51 × 3 degrees of freedom, and one for two cards with the same seat."""
    t = pattern_catalogue(dasan.rules("winner"))
    one, two = np.zeros(4, np.uint64), np.zeros(4, np.uint64)
    counts = np.zeros((52, 4))
    together = 0
    hands = 8000
    for number in range(hands):
        pattern_hands.deal_all(np.uint64(number << 32), t.pack.copy(), one, two, number % 4, 4)
        held = (one[None, :] >> np.arange(52, dtype=np.uint64)[:, None]) & np.uint64(1)
        assert (held.sum(axis=0) == 13).all()
        counts += held
        together += int((held[20] & held[21]).sum())
    assert float(((counts - hands / 4) ** 2).sum() / (hands / 4)) < 215
    expected = hands * 12 / 51
    assert (together - expected) ** 2 / (expected * (1 - 12 / 51)) < 10.8


def _run(kind: str, copies: int, sequence: str = "A23456789TJQKA", **changes: Any) -> Run:
    chosen = {"shortest": 3, "longest": 5, **changes}
    return Run(kind=kind, clause="W.06", copies=copies, sequence=sequence, **chosen)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ((Flush(kind="flush", clause="W.06", size=5),), "Flush, which patterns does not know"),
        ((Groups(kind="two-pairs", clause="W.06", main=2, side=2, by_suit=True),), "by_suit is True, not False"),
        ((_run("crowned", 1, shortest=5, crown="23456"),), "crown is '23456', not ''"),
        ((_run("plain", 2, plain=True),), "copies is 2, not 1 where suits make the kind"),
        ((_run("odd", 2, "3579J"),), "not at most 14 ranks that follow one another"),
        (tuple(_run(f"run {n}", n, shortest=2, longest=13) for n in range(1, 9)), "not at most 96"),
    ],
)
def test_unknown_kinds_are_refused(shapes: tuple[AnyShape, ...], words: str) -> None:
    rules = dasan.rules("winner")
    others = tuple(shape for shape in rules.shapes if not isinstance(shape, Run))
    with pytest.raises(ValueError, match=f"backend patterns does not play these rules: .*{words}"):
        pattern_catalogue(replace(rules, shapes=(*others, *shapes)))

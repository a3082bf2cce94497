"""The plan is the best one, and the outlook never claims too much."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.playing import Options, at_random, every_setup, rules_of

import dasan
from dasan import Card, Rules
from dasan.bots.heuristics.outlook import Outlook, unseen
from dasan.bots.heuristics.plan import Plan
from dasan.bots.heuristics.sides import enmity
from dasan.play.turns import ends_trick


def fewest_plays(rules: Rules, hand: tuple[Card, ...]) -> int:
    """The fewest plays that a hand can be split into, by trying every set of cards."""

    @cache
    def playable(cards: tuple[Card, ...]) -> bool:
        try:
            rules.combination(cards)
        except dasan.DasanError:
            return False
        return True

    @cache
    def best(left: tuple[Card, ...]) -> int:
        if not left:
            return 0
        first, rest = left[0], left[1:]
        least = len(left)
        for bits in range(1 << len(rest)):
            chosen = (first, *(c for i, c in enumerate(rest) if bits >> i & 1))
            if playable(chosen):
                least = min(least, 1 + best(tuple(c for i, c in enumerate(rest) if not bits >> i & 1)))
        return least

    return best(hand)


@pytest.mark.sampled(4, 16)
@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
@pytest.mark.parametrize("seed", range(12))
def test_a_plan_has_the_fewest_plays(preset: str, seed: int) -> None:
    rules = dasan.rules(preset, min_straight=3) if preset == "winner" else dasan.rules(preset)
    low = rules.order.hand(rules.pack)[:28]
    hand = rules.order.hand(random.Random(seed).sample(low, 9))
    plan = Plan(rules, rules.catalogue.fits(hand), lambda play: 1.0)
    assert plan.cost(plan.number(hand)) == fewest_plays(rules, tuple(hand))
    for c in hand:
        rest = tuple(x for x in hand if x is not c)
        assert plan.cost(plan.number(rest)) == fewest_plays(rules, rest)


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two"])
def test_the_bound_of_what_is_left_after_a_play_is_not_above_its_cost(preset: str) -> None:
    rules, chance = dasan.rules(preset), random.Random(5)
    hand = rules.order.hand(chance.sample(rules.pack, 13))
    fits = rules.catalogue.fits(hand)
    plan = Plan(rules, fits, [chance.uniform(-1, 1) for _ in fits])
    for _, play in fits:
        taken = plan.number(play.cards)
        bound = plan.at_least(plan.number(hand), taken)
        assert bound is not None
        assert bound <= plan.cost(plan.number(hand) - taken) + 1e-9


def test_a_plan_out_of_budget_still_parts_the_hand() -> None:
    rules = dasan.rules("big-three")
    hand = rules.order.hand(dasan.deal(rules, seed=1).hands[0])
    fits = rules.catalogue.fits(hand)
    short = Plan(rules, fits, lambda play: 1.0, budget=0)
    assert short.cost(short.number(hand)) == len({c.rank for c in hand})


@pytest.mark.sampled(2, 8)
@every_setup
def test_what_stands_for_certain_cannot_be_beaten(setup: tuple[str, Options]) -> None:
    rules = rules_of(setup)
    compiled = rules.catalogue
    rng = random.Random(5)
    certain = 0
    for seed in range(3):
        state = dasan.deal(rules, seed=seed)
        while state.to_act is not None:
            view = state.view(state.to_act)
            if state.phase is dasan.Phase.PLAY:
                sides = tuple(abs(e) for e in enmity(view))
                outlook = Outlook(view, sides, 0.4)
                cards = list(Counter(unseen(view)).elements())
                most = max(n for s, n in enumerate(view.hand_sizes) if s != view.seat)
                for move in view.legal_moves()[-12:]:
                    if move.combination is not None and outlook.stands(move.combination) == 1:
                        certain += 1
                        if ends_trick(rules, move.combination):
                            continue
                        held = [h for s, h in enumerate(state.hands) if h and s != view.seat]
                        assert not any(compiled.any_beats(h, move.combination, len(h)) for h in held)
                        if len(held) == 1:
                            assert not compiled.any_beats(cards, move.combination, most)
            state = state.play(at_random(state, rng))
    assert certain


@pytest.mark.parametrize("preset", ["winner", "winner-bomb", "big-two"])
def test_whether_the_hidden_cards_beat_a_play_is_known_where_one_hand_has_them_all(preset: str) -> None:
    few: dict[str, Any] = {"players": 2, "hand_size": 6, "left_out": "34567QKA28", "opening": None, "exchange": False}
    rules, rng = replace(dasan.rules(preset), **few), random.Random(3)
    answers: set[tuple[int, bool]] = set()
    for _ in range(400):
        cards = rng.sample(rules.pack, len(rules.pack))
        plays = [play.cards for _, play in rules.catalogue.fits(rules.order.hand(cards[6:])) if len(play.cards) < 6]
        to_beat = rng.choice(plays)
        held = [c for c in cards[6:] if c not in to_beat]
        state = dasan.start(rules, [cards[:6], held], table=to_beat, table_seat=1, to_act=0)
        outlook = Outlook(state.view(0), (0.0, 1.0), 0.4)
        for _, play in rules.catalogue.fits(state.hands[0]):
            if len(play.cards) == len(held):
                try:
                    beaten = rules.combination(held).beats(play)
                except dasan.IllegalPlay:
                    beaten = False
                assert outlook.whole_hand_beats(play) == beaten
                answers.add((len(held), beaten))
    assert {(n, beaten) for n in (1, 5) for beaten in (False, True)} <= answers


@every_setup
def test_what_a_play_stands_for_does_not_depend_on_what_was_asked_before(setup: tuple[str, Options]) -> None:
    """Plays asked together, alone, and in any order."""
    state = dasan.deal(rules_of(setup), seed=2)
    while state.to_act is not None and state.phase is not dasan.Phase.PLAY:
        state = state.play(state.legal_moves()[0])
    view = state.view(state.to_act)
    plays = [move.combination for move in view.legal_moves() if move.combination is not None][:40]
    sides = enmity(view)
    wanted = [Outlook(view, sides, 0.4).stands(play) for play in plays]
    mixed = random.Random(1).sample(range(len(plays)), len(plays))
    for order in (range(len(plays)), range(len(plays))[::-1], mixed):
        outlook = Outlook(view, sides, 0.4)
        assert outlook.all_stand([plays[i] for i in order]) == [wanted[i] for i in order]
        assert [Outlook(view, sides, 0.4).tops(play) for play in plays] == [outlook.tops(play) for play in plays]

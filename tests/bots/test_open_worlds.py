"""Moves of Big Three valued by the solver in worlds that fit a view."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.bots.hidden import shuffled_for

import dasan
from dasan import worlds
from dasan.bots.sampling.beliefs import by_likelihood, evenly
from dasan.bots.sampling.open_worlds import by_solver, solvable
from dasan.bots.search import Effort, SearchBot, StrongBot
from dasan.networks.trained import fitted
from dasan.solver.open_hands import held_words
from dasan.worlds.kitties import with_kitty

pytestmark = pytest.mark.full

WORLDS = 3


def late(rules: dasan.Rules, seed: int, cards: int = 22) -> dasan.State:
    """A hand with at most this many cards left, in which the seat to act has a choice and cannot go out."""
    state, thrifty = dasan.deal(rules, seed=seed), dasan.bot("thrifty")
    while state.to_act is not None:
        hand = len(state.hands[state.to_act])
        legal = state.legal_moves()
        if sum(state.hand_sizes) <= cards and len(legal) > 2 and all(len(move.cards) < hand for move in legal):
            return state
        state = state.play(thrifty.choose(state.view(state.to_act)))
    return late(rules, seed + 100, cards)


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
@pytest.mark.parametrize("seed", [1, 2])
def test_values_are_the_solver_s_for_the_side_of_the_seat(preset: str, seed: int) -> None:
    rules = dasan.rules(preset)
    assert solvable(rules)
    state = late(rules, seed)
    view = state.view(state.to_act)
    moves = view.legal_moves()
    tried = by_solver(view, moves, evenly(view, WORLDS, seed), nodes=10**6)
    for k, world in enumerate(worlds.sample(view, WORLDS, seed)):
        solution = dasan.solve(world, nodes=10**6)
        side = world.partners if view.seat in world.partners else set(range(rules.players)) - world.partners
        share = len(world.partners) / len(side) * (1 if view.seat in world.partners else -1)
        assert [tried.values[i, k] for i in range(len(moves))] == [share * solution.moves[move] for move in moves]


def test_held_words_count_the_cards_of_each_rank() -> None:
    rng = random.Random(3)
    for _ in range(50):
        counts = [rng.randrange(5) for _ in range(13)]
        cards = sum(1 << (16 * suit + rank) for rank, n in enumerate(counts) for suit in rng.sample(range(4), n))
        words = sum(1 << (16 * k + rank) for rank, n in enumerate(counts) for k in range(n))
        assert held_words(np.array([cards], np.uint64)).tolist() == [words]


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_hidden_cards_change_no_move(preset: str) -> None:
    rng, state = random.Random(4), late(dasan.rules(preset), 5, 30)
    seat = state.mover
    bots: list[SearchBot | StrongBot] = [
        SearchBot(3, Effort(worlds=6, width=3)),
        SearchBot(3, Effort(worlds=6, width=3, pool=16)),
    ]
    bots += [StrongBot(3, Effort(worlds=6, width=3, pool=16)), StrongBot(3, Effort(worlds=6, width=3, opened=6))]
    for bot in bots:
        move = bot.choose(state.view(seat))
        assert move in state.legal_moves()
        for _ in range(2):
            assert bot.choose(shuffled_for(state, seat, rng).view(seat)) == move


def test_search_keeps_greedy_s_move_where_no_other_is_clearly_better(monkeypatch: pytest.MonkeyPatch) -> None:
    state = late(dasan.rules("big-three"), 23, 30)
    view = state.view(state.to_act)
    search = dasan.bot("search")
    free = search.explain(view)
    monkeypatch.setattr("dasan.bots.search.LEAD", 2.0)
    move = search.choose(view)
    assert move == dasan.bot("greedy").choose(view) != free.moves[0].move
    explanation = search.explain(view)
    assert explanation.moves[0].move == move
    assert {one.move: one.value for one in explanation.moves} == {one.move: one.value for one in free.moves}
    assert explanation.moves[0].reasons[0].id == "expected-open"


def test_likely_worlds_are_drawn_from_the_pool_with_their_weights() -> None:
    rules = dasan.rules("big-three")
    fit = fitted(rules)
    assert fit is not None
    state = late(rules, 2, 30)
    view = state.view(state.to_act)
    beliefs = by_likelihood(view, 20, 3, fit, pool=64)
    pool = with_kitty(view, worlds.deals(view, 64, 3), 3).one.tolist()
    assert len(beliefs.deals) == len(beliefs.weights) <= 20
    assert beliefs.weights.sum() == 20
    assert all(row in pool for row in beliefs.deals.one.tolist())
    assert len(beliefs.part(1, 3)) == 2


def test_strong_names_the_mean_and_the_score_of_which_a_value_is_made() -> None:
    state = late(dasan.rules("big-three"), 1)
    effort = Effort(worlds=6, width=3)
    strong = StrongBot(3, effort)
    for one in strong.explain(state.view(state.to_act)).moves:
        ids = [reason.id for reason in one.reasons if reason.id in ("expected", "network")]
        assert ids == ([] if one.value is None else ["expected", "network"])
        if one.value is not None:
            mean, score = (float(reason.values["value"]) for reason in one.reasons[:2])
            assert one.value == pytest.approx((6 * mean + effort.trust * score) / (6 + effort.trust), abs=0.01)


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_strong_gives_the_solver_as_much_weight_as_rollouts(preset: str) -> None:
    state = late(dasan.rules(preset), 1)
    view = state.view(state.to_act)
    apart, both = (
        {one.move: one for one in StrongBot(3, Effort(worlds=6, width=3, opened=opened)).explain(view).moves}
        for opened in (0, 6)
    )
    tried = [move for move, one in both.items() if one.value is not None]
    assert len(tried) == 3
    for move in tried:
        ids = [reason.id for reason in both[move].reasons]
        assert ids[:3] == ["expected", "network", "expected-open"]
        opened, alone = float(both[move].reasons[2].values["value"]), apart[move].value
        assert alone is not None
        assert both[move].value == pytest.approx((opened + alone) / 2, abs=0.01)


def test_strong_says_of_a_move_that_it_tries_in_no_deal_what_the_network_expects() -> None:
    state = dasan.start(dasan.rules("big-three"), ["4H 6H", "5C 7D", "8D 9C TD"], bidder=0, bid=2, leader=0)
    state = state.play("4H").play("5C").play("pass")
    judged = dasan.bot("strong").explain(state.view(0)).moves[0]
    assert str(judged.move) == "6H"
    assert [reason.id for reason in judged.reasons][:2] == ["network", "goes-out"]

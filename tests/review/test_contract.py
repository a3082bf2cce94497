"""The chance to win as the bidder, over deals consistent with what a seat could know in the auction."""

from __future__ import annotations

import pytest

import dasan
from dasan.bots.seeds import seed_of
from dasan.review.contract import contract
from dasan.worlds.states import Sampler

pytestmark = pytest.mark.full


def test_the_chance_is_the_share_of_sampled_deals_that_the_solver_wins() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=3)
    view = state.view(state.to_act)
    made = contract(view, worlds=4, nodes=1_000_000)
    won = []
    for world in Sampler(view).states(4, seed_of(view, 0)):
        value = dasan.solve(world, nodes=4_000_000).by_bidder[world.mover].value
        assert value is not None
        won.append(value > 0)
    assert made is not None
    assert made.chance.mean == sum(won) / 4
    assert made.proved == 4


def test_the_values_are_those_of_the_chance_and_the_bid() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=11)
    made = contract(state.view(state.to_act), worlds=16, nodes=200)
    assert made is not None
    assert made == contract(state.view(state.to_act), worlds=16, nodes=200)
    assert 0 <= made.chance.low <= made.chance.mean <= made.chance.high <= 1
    assert made.chance.samples == 16
    assert 0 <= made.proved < 16
    # Each of the two others pays the bid to the bidder, or gets it.
    assert made.paid == {bid: pytest.approx(bid * made.paid[1]) for bid in (1, 2, 3)}


@pytest.mark.parametrize("preset", ["wa-keng", "wa-keng-4"])
def test_wa_keng_has_a_chance_too(preset: str) -> None:
    state = dasan.deal(dasan.rules(preset), seed=1)
    made = contract(state.view(state.to_act), worlds=8, nodes=200)
    assert made is not None
    assert sorted(made.paid) == [move.bid for move in state.legal_moves() if move.bid is not None]


def test_other_games_have_none() -> None:
    state = dasan.deal(dasan.rules("dou-dizhu"), seed=1)
    assert contract(state.view(state.to_act)) is None

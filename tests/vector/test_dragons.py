"""Hands that the deal decides (H.31): nobody moves, and environments continue with the next hand."""

from __future__ import annotations

import pytest

import dasan
from dasan import vector
from dasan.interpreted.dealing import deal_hand
from dasan.play.dealing import Deal
from dasan.play.new_hand import begin

SEED = 1785
"""A session whose second hand is a dragon's."""


def begun(env: vector.VectorEnv) -> Deal:
    deal = env.dealt(0).begun
    assert isinstance(deal, Deal)
    return deal


@pytest.mark.full
@pytest.mark.parametrize("later_lead", ["winner", "three-of-diamonds"])
def test_h_31_play_goes_on_after_a_hand_that_the_deal_decides(later_lead: str) -> None:
    rules = dasan.rules("big-two", dragon=True, later_lead=later_lead)
    env = vector.make(rules, 1, seed=SEED, session=True, backend="engine")
    numbers = [begun(env).number]
    while len(numbers) < 3:
        env.step(env.sample())
        if env.done[0]:
            numbers.append(begun(env).number)
            if len(numbers) == 2:
                decided = begin(rules, deal_hand(rules, int(env._base[0]), 1, dealer=0))
                assert decided.result is not None
                (winner,) = decided.result.finish_order
                assert (begun(env).dealer, begun(env).leader) == (winner, winner if later_lead == "winner" else None)
    assert numbers == [1, 3, 4]

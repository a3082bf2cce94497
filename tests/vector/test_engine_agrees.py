"""Batched environments against the engine, move by move: legal actions, turns, features, payments, places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.vector.covering import allowed, pairwise, single_changes, values
from tests.vector.differential import follow
from tests.vector.proof import carry_out, tasks

import dasan
from dasan import vector

GAMES = ("big-three", "big-three-4p", "big-two", "winner", "dou-dizhu")
"""The other presets have the same options."""
SHARES = 6
"""The number of tests among which the settings of a game are divided; finding these takes a while."""


@pytest.mark.parametrize("preset", GAMES)
def test_a_few_hands_are_the_engines(preset: str) -> None:
    session = preset == "winner"
    moves: vector.Moves = "ragged" if session else "padded"
    listed = preset != "dou-dizhu"  # the features of its 28,506 actions take most of a second to make
    env = vector.make(preset, 4, seed=20_26, session=session, moves=listed and moves, perfect=True)
    assert follow(env, 4, every=10).hands >= 4


@pytest.mark.full
@pytest.mark.sampled(4, 4)
@pytest.mark.parametrize("session", [False, True], ids=["hand", "session"])
@pytest.mark.parametrize("preset", list(dasan.PRESETS))
@pytest.mark.parametrize("hands", [50, pytest.param(250, marks=pytest.mark.slow)])
def test_environments_are_the_engines_hands(preset: str, session: bool, hands: int) -> None:
    moves: vector.Moves = "ragged" if session else "padded"
    env = vector.make(preset, 25, seed=20_26, session=session, moves=moves, perfect=True)
    assert follow(env, hands, every=25).hands >= hands


@pytest.mark.full
@pytest.mark.sampled(6, 6)
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("preset", GAMES)
def test_every_pair_of_option_values(preset: str, share: int) -> None:
    for number, setting in list(enumerate(pairwise(preset)[0]))[share::SHARES]:
        moves: vector.Moves | bool = "ragged" if number % 5 == 0 else False
        rules = dasan.rules(preset, **setting)
        env = vector.make(rules, 3, seed=7, session=number % 2 == 1, moves=moves, perfect=True)
        follow(env, 3, every=15)


@pytest.mark.sampled(0, 8)
@pytest.mark.full
@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_the_covering_set_has_every_pair_that_the_rules_allow(preset: str) -> None:
    settings, refused = pairwise(preset)
    options = dasan.PRESETS[preset].options
    for a in options:
        for b in options:
            for x in values(a):
                for y in values(b):
                    if a.name < b.name:
                        held = any((s[a.name], s[b.name]) == (x, y) for s in settings)
                        known = ((a.name, x), (b.name, y)) in refused or ((b.name, y), (a.name, x)) in refused
                        assert held != known
    assert all(allowed(preset, setting) for setting in settings)
    for change in single_changes(preset):  # some options matter only beside another
        assert any(change.items() <= setting.items() for setting in settings), change


@pytest.mark.full
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_rules_of_ones_own(preset: str) -> None:
    """Shapes in another order, so that ids do not grow with the bits of kernels; and fewer than 64 actions."""
    rules = dasan.rules(preset)
    for shapes in (rules.shapes[::-1], rules.shapes[:2]):
        memory = np.full(1 << 12, 7, np.uint8)
        own = replace(rules, shapes=shapes)
        size = 3 * vector.make(own, 1).num_actions
        mask = memory[1024 : 1024 + size].view(np.bool_).reshape(3, -1)
        follow(vector.make(own, 3, seed=1, buffers={"mask": mask}), 9)
        assert (memory[:1024] == 7).all()
        assert (memory[1024 + size :] == 7).all()


@pytest.mark.full
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_passes_end_no_auction_where_every_player_speaks_once(preset: str) -> None:
    """H.11 and H.43 together, which no option allows."""
    rules = dasan.rules(preset)
    assert rules.auction is not None
    auction = replace(rules.auction, one_round=True, passes_to_end=1)
    follow(vector.make(replace(rules, auction=auction), 2, seed=1, backend="compiled"), 12, every=15)


@pytest.mark.slow
def test_the_long_proof_in_short() -> None:
    """Like `python -m tests.vector.proof`, with a hundredth of the hands."""
    for task in tasks(1_000, 20, 20):
        assert carry_out(task).hands >= task.hands


@pytest.mark.full
def test_h_40_two_cards_in_return_may_be_more_moves_than_plays() -> None:
    """The winner returns any two of fifteen cards, and without combinations a hand has few plays."""
    rules = dasan.rules("winner", exchange="double")
    env = vector.make(replace(rules, shapes=rules.shapes[:1]), 2, seed=1, session=True, backend="engine")
    follow(env, 6, every=40)

"""Environments that continue from positions: the hands afterwards, and the positions that they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import dasan
from dasan import vector, worlds
from dasan.backends import Wanted

pytestmark = pytest.mark.full


def start_of(env: vector.VectorEnv, i: int) -> tuple[object, ...]:
    begun = env.dealt(i).begun
    return begun.hands, begun.kitty, begun.dealer


def play_to_the_end(env: vector.VectorEnv) -> list[tuple[object, ...]]:
    """Play until the first hand of every environment is over; returns the starts of the hands after them."""
    after: dict[int, tuple[object, ...]] = {}
    while len(after) < env.num_envs:
        env.step(env.sample())
        for i in env.done.nonzero()[0].tolist():
            after.setdefault(i, start_of(env, i))
    return [after[i] for i in range(env.num_envs)]


@pytest.mark.parametrize("backend", ["auto", "engine"])
@pytest.mark.parametrize("preset", ["big-three", "big-two", "big-two-hong-kong", "winner", "dou-dizhu"])
def test_the_hands_after_a_position_are_those_that_would_have_come_next(preset: str, backend: Wanted) -> None:
    """Every environment has its own; once all of them had the same."""
    rules = dasan.rules(preset)
    positions = worlds.Positions(rules, 3, backend=backend)
    for i in range(3):
        positions.put(i, dasan.deal(rules, seed=1))
    env = vector.make(rules, 3, seed=5, backend=backend)
    play_to_the_end(env)
    numbers = env.hand_numbers
    env.load(positions)
    assert np.array_equal(env.hand_numbers, numbers)
    after = play_to_the_end(env)
    for i, number in enumerate(numbers.tolist()):
        begun = env.first_state(i, number + 1)().begun
        assert after[i] == (begun.hands, begun.kitty, begun.dealer)


@pytest.mark.parametrize("backend", ["auto", "engine"])
def test_a_position_in_an_exchange_is_refused_where_hands_form_no_sessions(backend: Wanted) -> None:
    """W.20: its moves have no ids there; compiled code once wrote them beyond the end of the mask."""
    session = vector.make("winner", 1, seed=1, session=True, backend=backend)
    play_to_the_end(session)
    state = session.dealt(0)
    assert state.phase == "exchange"
    positions = worlds.Positions(state.rules, 1, backend=backend)
    positions.put(0, state)
    env = vector.make("winner", 1, seed=1, backend=backend)
    shown = env.to_act.copy(), env.mask.copy()
    with pytest.raises(ValueError, match="in an exchange only where hands form sessions"):
        env.load(positions)
    assert np.array_equal(env.to_act, shown[0])
    assert np.array_equal(env.mask, shown[1])
    session.load(positions)
    assert session.action_text(int(session.legal[0, 0])) == str(state.legal_moves()[0])

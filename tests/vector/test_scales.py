"""No feature exceeds its scale, and observations can be written to the caller's array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan
from dasan import worlds
from dasan.features import encode, encode_into

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("game", "options"), [("big-three", {}), ("big-two", {}), ("winner", {"players": 3, "session": True})]
)
def test_no_feature_exceeds_its_scale(game: str, options: dict[str, Any]) -> None:
    env = dasan.vector.make(game, 64, seed=2, moves="ragged", **options)
    assert env.obs is not None
    assert env.moves is not None
    assert env.move_starts is not None
    most_seen, most_moves = np.zeros(env.num_features, np.uint8), np.zeros(env.num_move_features, np.uint8)
    for _ in range(150):
        most_seen = np.maximum(most_seen, env.obs.max(axis=0))
        most_moves = np.maximum(most_moves, env.moves[: env.move_starts[-1]].max(axis=0))
        env.step(env.sample())
    for features, most in ((env.features, most_seen), (env.move_features, most_moves)):
        for feature in features:
            largest = int(most[feature.start : feature.start + feature.size].max())
            assert largest <= feature.scale, feature
            assert feature.scale == 1 if feature.flags else feature.scale > 1, feature


def test_an_observation_is_written_into_an_array() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=1)
    view = state.view(state.to_act)
    rows = np.zeros((2, len(encode(view))), np.uint8)
    encode_into(view, rows[1])
    assert rows[1].tolist() == encode(view)
    with pytest.raises(ValueError, match="an observation has 368 numbers, not 2"):
        encode_into(view, [0, 0])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_position_tells_its_leader_that_the_opening_card_must_be_led(players: int) -> None:
    """D2.11, H.27: the environments' observation of a position before the first lead is that of the view."""
    rules = dasan.rules("big-two", players=players)
    dealt = dasan.deal(rules, seed=4)
    leader = dealt.mover
    *hands, kitty = ([c for c in cards if c is not None] for cards in (*dealt.begun.hands, dealt.begun.kitty))
    opened, placed = (dasan.start(rules, hands, kitty=kitty, leader=named) for named in (None, leader))
    assert opened.must_include == placed.must_include == dealt.must_include is not None
    moved = placed.play(placed.legal_moves()[0])
    other = (leader + 1) % players
    elsewhere = dasan.start(rules, hands, kitty=kitty, leader=other)
    flag = next(f for f in dasan.features.layout(rules) if f.name == "must_include").start
    assert [encode(state.view(other))[flag] for state in (dealt, opened, placed)] == [1, 1, 0]
    for state in (dealt, opened, placed, moved, elsewhere):
        positions = worlds.Positions(rules, 1)
        positions.put(0, state)
        env = dasan.vector.make(rules, 1, seed=1)
        env.load(positions)
        assert env.obs is not None
        assert env.obs[0, flag] == encode(state.view(state.to_act))[flag] == (state.must_include is not None)

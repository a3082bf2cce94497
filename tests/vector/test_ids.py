"""Ids of moves with wrong arguments, and pickled environments."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any, cast

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.play.action_ids import action_ids
from dasan.play.moves import MoveType

pytestmark = pytest.mark.full


def test_where_a_card_is_called_an_id_needs_it() -> None:
    """Without this argument, a play with the called card would have the id of a play without it."""
    rules = dasan.rules("big-three-4p")
    ids = action_ids(rules)
    state = dasan.deal(rules, seed=2).play("bid 3")
    assert ids.text(ids.of(state.legal_moves()[0])).startswith("call ")
    state = state.play(state.legal_moves()[0])
    rng = random.Random(2)
    while state.to_act is not None:
        for number in {ids.of(move, state.called) for move in state.legal_moves()}:
            assert ids.of(ids.move(number, state), state.called) == number
        play = next(move for move in state.legal_moves() if move.type is MoveType.PLAY or len(state.legal_moves()) == 1)
        if play.type is MoveType.PLAY:
            with pytest.raises(TypeError, match=r"pass the called card: ids.of\(move, state.called\)"):
                ids.of(play)
        state = state.play(rng.choice(state.legal_moves()))


def test_a_move_of_another_game_has_no_id() -> None:
    three, winner = action_ids(dasan.rules("big-three")), action_ids(dasan.rules("winner"))
    for ids, move in (
        (three, dasan.Move(MoveType.BID, bid=4)),
        (three, dasan.Move(MoveType.CALL, (dasan.card("8C"),))),
        (three, dasan.Move(MoveType.PLAY, (dasan.card("RJ"),))),
        (three, dasan.Move(MoveType.PLAY, (dasan.card("4H"), dasan.card("5H")))),
        (winner, dasan.Move(MoveType.GIVE, (dasan.card("2S"),))),
    ):
        with pytest.raises((ValueError, dasan.DasanError)):
            ids.of(move)
    with pytest.raises(TypeError, match="ids are of moves"):
        three.of(cast(Any, "4H"))


def test_a_pickle_goes_on_with_buffers_of_its_own() -> None:
    env = vector.make("big-two", num_envs=3, seed=5, moves="ragged", session=True, backend="engine", guard="off")
    assert env.obs is not None
    env.step(env.sample())
    for again in (pickle.loads(pickle.dumps(env)), copy.copy(env), copy.deepcopy(env)):
        assert (again.rules, again.num_envs, again.seed, again.session) == (env.rules, 3, 5, True)
        assert again.move_starts is not None
        assert again.obs is not None
        assert np.array_equal(again.obs, env.obs)
        assert again.moves is not None
        assert env.moves is not None
        assert np.array_equal(again.moves, env.moves)
        assert not np.may_share_memory(again.obs, env.obs)
        assert np.array_equal(again.anew().to_act, vector.make(env.rules, 3, 5, session=True).to_act)


def test_the_last_one_in_has_the_last_place() -> None:
    env = vector.make("winner", num_envs=1, seed=0, backend="engine")
    while not env.done[0]:
        env.step(env.sample())
    assert sorted(env.places[0]) == [1, 2, 3, 4]
    for wrong in (True, 2.0, 0):
        with pytest.raises(ValueError, match="num_envs is a whole number from 1 to"):
            vector.make("winner", num_envs=cast(int, wrong))

"""Moves that win for sure do win, whatever the others do."""

from __future__ import annotations

import random

import pytest

import dasan
from dasan.bots.certain import certain
from dasan.bots.net import NetBot

GREEDY = dasan.bot("greedy")


def others_go_wild(state: dasan.State, seat: int, rng: random.Random) -> dasan.State:
    """`seat` makes certain moves, the others random ones, until a hand is empty."""
    while state.to_act is not None and all(state.hands[s] for s in range(state.rules.players)):
        moves = state.legal_moves()
        if state.to_act == seat and len(moves) > 1:
            moves = tuple(certain(state.view(seat), moves))
            assert moves, f"nothing is certain any more: {state.record()}"
        state = state.play(rng.choice(moves))
    return state


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_who_makes_certain_moves_goes_out_first(preset: str) -> None:
    rng, tried = random.Random(preset), 0
    for seed in range(12):
        state = dasan.deal(dasan.rules(preset), seed=seed)
        while state.to_act is not None and all(state.hands[s] for s in range(state.rules.players)):
            seat, moves = state.to_act, state.legal_moves()
            if state.phase == "play" and len(moves) > 1:
                sure = certain(state.view(seat), moves)
                if sure:
                    assert set(sure) <= set(moves)
                    for _ in range(8):
                        end = others_go_wild(state.play(rng.choice(sure)), seat, rng)
                        assert not end.hands[seat]
                        tried += 1
                    break
            state = state.play(GREEDY.choose(state.view(seat)))
    assert tried > 40


def test_the_network_makes_a_certain_move_and_says_so() -> None:
    found = 0
    for seed in range(40):
        state = dasan.deal(dasan.rules("big-three"), seed=seed)
        while state.to_act is not None:
            view = state.view(state.to_act)
            move = NetBot().choose(view)
            sure = certain(view, view.legal_moves()) if len(view.legal_moves()) > 1 else ()
            if sure and not any(len(one.cards) == len(view.hand) for one in sure):
                assert move in sure
                told = NetBot().explain(view).moves[0]
                assert told.move == move
                assert "cannot-be-stopped" in {reason.id for reason in told.reasons}
                found += 1
            state = state.play(move)
        if found > 3:
            return
    pytest.fail("no certain move was met")

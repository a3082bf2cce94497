"""Endgames of Big Two and Winner against minimax over the engine without memory or pruning."""

from __future__ import annotations

import random

import pytest

import dasan
from dasan.ruleset import Ending
from dasan.solver import solve


def plain(state: dasan.State, seat: int) -> int:
    """What `seat` can be sure of: payment, or place, where less is better."""
    places = state.rules.ending is Ending.LAST_IN
    if places and seat in state.finished:
        return state.finished.index(seat) + 1
    if state.result is not None:
        return state.result.finish_order.index(seat) + 1 if places else state.result.payments[seat]
    values = [plain(state.play(move), seat) for move in state.legal_moves()]
    return max(values) if (state.to_act == seat) != places else min(values)


def endgame(rules: dasan.Rules, source: random.Random, cards: int, out: int) -> dasan.State:
    """A few cards, shared by all but `out` players, who have finished."""
    pack = list(rules.pack)
    source.shuffle(pack)
    seats = list(range(rules.players))
    source.shuffle(seats)
    finished, playing = seats[:out], seats[out:]
    hands: list[list[dasan.Card]] = [[] for _ in seats]
    for i, c in enumerate(pack[:cards]):
        hands[playing[i % len(playing)]].append(c)
    return dasan.start(rules, hands, finished=finished, leader=playing[0])


CASES = [
    (dasan.rules("big-two"), 8, 0, "paranoid"),
    (dasan.rules("big-two", guard="off", scoring="cards"), 8, 0, "paranoid"),
    (dasan.rules("winner", players=3), 5, 0, "paranoid"),
    (dasan.rules("winner", players=3), 6, 1, "two players"),
    (dasan.rules("winner", players=4, decks=2, jokers=True), 6, 2, "two players"),
]


@pytest.mark.parametrize(("rules", "cards", "out", "scope"), CASES)
def test_equal_to_minimax(rules: dasan.Rules, cards: int, out: int, scope: str) -> None:
    source = random.Random(cards)
    for _ in range(12):
        state = endgame(rules, source, cards, out)
        seat = state.to_act or 0
        solution = solve(state, seconds=20)
        assert solution.exact
        assert solution.scope == scope
        assert solution.value == plain(state, seat), state.record()
        assert solution.moves == {move: plain(state.play(move), seat) for move in state.legal_moves()}
        for move in solution.line:
            state = state.play(move)
        assert plain(state, seat) == solution.value


def test_bounds_hold_where_the_budget_ends() -> None:
    source = random.Random(1)
    for rules, cards, out, _ in CASES:
        state = endgame(rules, source, cards, out)
        value = solve(state).value
        for nodes in (0, 1, 5, 50):
            found = solve(state, nodes=nodes)
            assert found.nodes <= nodes
            assert found.lower is not None
            assert found.upper is not None
            assert value is not None
            assert found.lower <= value <= found.upper
            assert found.value in (None, value)

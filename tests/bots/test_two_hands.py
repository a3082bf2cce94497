"""Two players left in Winner: the count of wins agrees with the solver, and greedy achieves it."""

from __future__ import annotations

import pytest

import dasan
from dasan.bots.heuristics.two_hands import winning

pytestmark = pytest.mark.full

POSITIONS = (
    (["4C 6D 7H", "5H 8C"], 0),
    (["4H 9D 9S TC TS", "9H AC AH 3S"], 1),
    (["3C 4C 5C KD", "3H 3S 2D"], 0),
    (["5C 6C 9D", "2S 4H 4D"], 1),
)


def start(hands: list[str], leader: int, **rules: str) -> dasan.State:
    """A hand of three players in which the third has gone out."""
    return dasan.start(
        dasan.rules("winner", players=3, **rules), [*hands, ""], finished=(2,), has_played=(0, 1, 2), leader=leader
    )


@pytest.mark.parametrize("restart", ["when-unbeatable", "always"])
@pytest.mark.parametrize(("hands", "leader"), POSITIONS)
def test_winning_moves_are_those_of_the_solver(hands: list[str], leader: int, restart: str) -> None:
    state = start(hands, leader, two_of_spades_restart=restart)
    seen = 0
    for _ in range(6):
        if state.to_act is None:
            break
        solution = dasan.solve(state, nodes=100_000)
        best = {move for move, place in solution.moves.items() if place == 2}
        unseen_is_known = hidden_is_the_others(state)
        if unseen_is_known:
            winners = winning(state.view(state.to_act))
            assert winners is not None
            assert set(winners) == best
            seen += 1
        state = state.play(dasan.bot("greedy").choose(state.view(state.to_act)))
    assert seen or not hidden_is_the_others(start(hands, leader))


def hidden_is_the_others(state: dasan.State) -> bool:
    """Whether the seat to act can deduce the other's cards: nothing else is hidden."""
    seat = state.to_act
    assert seat is not None
    return winning(state.view(seat)) is not None


def test_greedy_never_gives_away_a_counted_win() -> None:
    count = 0
    for seed in range(6):
        state = dasan.deal(dasan.rules("winner", players=3), seed=seed)
        while state.to_act is not None:
            view = state.view(state.to_act)
            move = dasan.bot("greedy").choose(view)
            proved = winning(view)
            if proved:
                assert move in proved
                count += len(proved) < len(view.legal_moves())
            state = state.play(move)
    assert count >= 3

"""Perft: nodes by depth from fixed deals, and whole trees of small endgames; `python -m tests.test_perft` prints them."""

from __future__ import annotations

import pytest

import dasan


def perft(state: dasan.State, depth: int) -> int:
    """Positions at `depth` moves from here; a finished hand counts once at any depth below it."""
    if depth == 0 or state.to_act is None:
        return 1
    moves = state.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(state.play(move), depth - 1) for move in moves)


def table(preset: str) -> list[int]:
    state = dasan.deal(dasan.rules(preset), seed=1)
    return [perft(state, depth) for depth in range(1, 5 if state.phase == "auction" else 4)]


ENDGAMES = {
    "big-three": dasan.start(dasan.rules("big-three"), ["5H 5S 8D", "9C 9D JS", "4H TD TS"], bidder=0, bid=2, leader=0),
    "big-two": dasan.start(dasan.rules("big-two"), ["4H 9S", "5D 5C", "8D 2S", "3S KD"], leader=1),
    "winner": dasan.start(dasan.rules("winner", players=3), ["4H 9S", "5D 5C", "8D 2S"], leader=1, has_played=[0, 1, 2]),
}


def leaves(state: dasan.State) -> int:
    """Ways the hand can end from here, counted by sequence of moves."""
    return 1 if state.to_act is None else sum(leaves(state.play(m)) for m in state.legal_moves())


PINNED = {
    "big-three": [3, 32, 156, 722],
    "big-three-denexa": [3, 61, 230, 957],
    "big-three-fr": [3, 76, 267, 1208],
    "big-three-4p": [3, 26, 343, 1951],
    "big-two": [6, 48, 231],
    "winner": [18, 90, 625],
    "winner-bomb": [17, 135, 738],
}
PINNED_LEAVES = {"big-three": 245, "big-two": 31, "winner": 56}


@pytest.mark.parametrize("preset", list(dasan.PRESETS))
def test_nodes_by_depth(preset: str) -> None:
    assert table(preset) == PINNED[preset]


@pytest.mark.parametrize("name", list(ENDGAMES))
def test_whole_endgames(name: str) -> None:
    assert leaves(ENDGAMES[name]) == PINNED_LEAVES[name]


if __name__ == "__main__":
    print({preset: table(preset) for preset in dasan.PRESETS})
    print({name: leaves(state) for name, state in ENDGAMES.items()})

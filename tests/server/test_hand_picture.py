"""The picture of a finished hand."""

from __future__ import annotations

import random
import re

import dasan
from dasan.play.events import MOVES, EventType
from dasan.server.store.hand import FinishedHand, Player
from dasan.server.study.hand_picture import picture


def finished() -> dasan.State:
    chance = random.Random(4)
    state = dasan.deal(dasan.rules("big-two"), seed=4)
    while state.to_act is not None:
        state = state.play(chance.choice(state.legal_moves()))
    return state


def test_the_last_play_lies_on_the_table_after_passes() -> None:
    state = finished()
    players = tuple(Player(seat, f"Player {seat}", None, "greedy", "player", 0, won=False) for seat in range(4))
    hand = FinishedHand(
        "h", "t", 1, "big-two", 0, shown=True, rated=False, result={}, opening=[], record="", players=players
    )
    lying, passes = None, 0
    for event in state.events:
        if event.type not in MOVES:
            continue
        if event.type is EventType.PLAY:
            lying = event
        passes += event.type is EventType.PASS
        assert lying is not None
        svg = picture(hand, state, event.seq)
        assert f"→ Player {lying.seat}<" in svg
        on_table = svg[svg.index("→") :]
        assert len(re.findall("<rect", on_table)) == len(lying.cards)
    assert passes > 10


def test_words_that_depend_on_the_language_are_marked() -> None:
    state = finished()
    players = tuple(Player(seat, f"Player {seat}", None, "greedy", "player", 0, won=False) for seat in range(4))
    hand = FinishedHand(
        "h", "t", 1, "big-two", 0, shown=True, rated=False, result={}, opening=[], record="", players=players
    )
    words = re.findall(r'data-word="(\w+)"', picture(hand, state, None))
    assert words == ["title", "0", "1", "2", "3"]

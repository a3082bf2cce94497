"""The picture of a finished hand."""

from __future__ import annotations

import random
import re

import dasan
from dasan.play.events import MOVES, EventType
from dasan.server.store.hand import FinishedHand, Player
from dasan.server.study.hand_picture import picture


def finished(state: dasan.State) -> dasan.State:
    chance = random.Random(4)
    while state.to_act is not None:
        state = state.play(chance.choice(state.legal_moves()))
    return state


def stored(state: dasan.State) -> FinishedHand:
    seats = range(state.rules.players)
    players = tuple(Player(seat, f"Player {seat}", None, "greedy", "player", 0, won=False) for seat in seats)
    return FinishedHand(
        "h", "t", 1, state.rules.name, 0, shown=True, rated=False, result={}, opening=[], record="", players=players
    )


def test_the_last_play_lies_on_the_table_after_passes() -> None:
    state = finished(dasan.deal(dasan.rules("big-two"), seed=4))
    hand = stored(state)
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
    state = finished(dasan.deal(dasan.rules("big-two"), seed=4))
    words = re.findall(r'data-word="(\w+)"', picture(stored(state), state, None))
    assert words == ["title", "0", "1", "2", "3"]


def test_a_moment_of_the_auction_shows_the_bid_so_far() -> None:
    state = finished(dasan.deal(dasan.rules("big-three"), seed=5).play("bid 1").play("bid 3"))
    first, second = (event for event in state.events if event.type is EventType.BID)
    for seq, bid in ((first.seq, 1), (second.seq, 3), (None, 3)):
        assert re.findall(r"★ (\d)", picture(stored(state), state, seq)) == [str(bid)]


def test_cards_that_nobody_takes_are_in_no_picture() -> None:
    """H.27: with two players, half of the pack stays face down."""
    for players, shown in ((2, 26), (3, 52)):
        state = finished(dasan.deal(dasan.rules("big-two", players=players), seed=5))
        svg = picture(stored(state), state, None)
        assert len(re.findall(r'<rect width="50"', svg)) == shown

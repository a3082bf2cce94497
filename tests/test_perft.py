"""Perft: positions reached after so many moves from fixed deals, through `legal_moves`; and endgames to the very end.

A wrong list of moves anywhere changes these numbers; a player or another program can recount them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.golden import pinned
from tests.playing import Options, setup_id

import dasan
from dasan import State
from dasan.play.events import MOVES

DEALS: tuple[tuple[str, Options, int], ...] = (
    ("big-three", {}, 5),
    ("big-three-denexa", {}, 6),
    ("big-three-fr", {"opener_may_pass": True}, 5),
    ("big-three-4p", {}, 5),
    ("big-two", {}, 3),
    ("big-two", {"straights": "taiwan", "triples": True, "fours": True, "two_pairs": True}, 3),
    ("winner", {}, 3),
    ("winner", {"players": 3}, 3),
    ("winner", {"players": 6, "decks": 2, "jokers": True}, 3),
    ("winner", {"suits_ranked": False, "min_straight": 3}, 3),
    ("winner-bomb", {}, 3),
)
"""Rules, and the depth to count from the deal of seed 2024."""

ENDS: tuple[tuple[str, Options, int], ...] = (
    ("big-three", {}, 4),
    ("big-three-denexa", {}, 3),
    ("big-three-fr", {}, 3),
    ("big-three-4p", {}, 3),
    ("big-two", {"guard": "foul"}, 2),
    ("big-two", {"guard": "enforced", "pass_is_final": True}, 3),
    ("winner", {}, 2),
    ("winner", {"jokers": True, "two_of_spades_restart": "always"}, 2),
    ("winner", {"players": 3, "min_straight": 3}, 3),
    ("winner-bomb", {}, 2),
)
"""Rules, and how many cards each player has left."""


def perft(state: State, depth: int) -> int:
    """The number of sequences of this many moves from `state`; a finished hand is a leaf of its own depth only."""
    legal = state.legal_moves()
    if depth <= 1:
        return len(legal) if depth else 1
    return sum(perft(state.play(move), depth - 1) for move in legal)


def to_the_end(state: State) -> Iterator[State]:
    """The number of ways to play a hand to its end."""
    if state.phase == "over":
        yield state
        return
    for move in state.legal_moves():
        yield from to_the_end(state.play(move))


def reduced(preset: str, options: Options, left: int) -> State:
    """An endgame of a random deal: this many cards per player, of few ranks, so that plays can be beaten."""
    rules = dasan.rules(preset, **options)
    rng = random.Random(f"{preset} {left}")
    ranks = [*rng.sample("6789TJQ", 3), "2"]
    pack = [c for c in rules.pack if c.rank in ranks or c.is_joker]
    cards = rng.sample(pack, left * rules.players)
    hands = [" ".join(str(c) for c in rules.order.hand(cards[i :: rules.players])) for i in range(rules.players)]
    if rules.auction is None:
        return dasan.start(rules, hands, leader=0)
    called = next((str(c) for c in cards[1 :: rules.players] if c.rank in "6789T"), None) if rules.call else None
    return dasan.start(rules, hands, leader=0, bidder=0, bid=2, called=called)


def start_of(preset: str, options: Options) -> State:
    return dasan.deal(dasan.rules(preset, **options), seed=2024)


def deal_text(preset: str, options: Options, depth: int) -> str:
    state = start_of(preset, options)
    lines = [setup_id((preset, options))]
    lines += [f"  seat {s}: {hand}" for s, hand in enumerate(state.hands)]
    if state.kitty:
        lines.append(f"  kitty: {' '.join(map(str, state.kitty))}")
    lines += [f"  depth {n}: {perft(state, n):,}" for n in range(1, depth + 1)]
    return "\n".join(lines) + "\n"


def end_text(preset: str, options: Options, left: int) -> str:
    state = reduced(preset, options, left)
    won, fouls, lengths = Counter[int](), 0, Counter[int]()
    for end in to_the_end(state):
        assert end.result is not None
        won[end.result.finish_order[0]] += 1
        fouls += end.result.foul is not None
        lengths[sum(e.type in MOVES for e in end.events)] += 1
    lines = [setup_id((preset, options))]
    lines += [f"  seat {s}: {hand}" for s, hand in enumerate(state.hands)]
    if state.called:
        lines.append(f"  called: {state.called}")
    lines.append(f"  ways to play it out: {won.total():,}, of {min(lengths)} to {max(lengths)} moves")
    lines += [f"  seat {seat} out first: {n:,}" for seat, n in sorted(won.items())]
    if fouls:
        lines.append(f"  with a foul: {fouls:,}")
    return "\n".join(lines) + "\n"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("preset", "options", "depth"), DEALS, ids=lambda v: str(v))
def test_moves_from_fixed_deals(preset: str, options: Options, depth: int) -> None:
    name = setup_id((preset, options)).replace(" ", ",")
    pinned(f"perft/{name}.txt", deal_text(preset, options, depth))


DEEPER = (("big-three", 7), ("big-three-4p", 6), ("big-two", 5), ("winner", 4), ("winner-bomb", 4))


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "depth"), DEEPER)
def test_moves_from_fixed_deals_deeper(preset: str, depth: int) -> None:
    pinned(f"perft/{preset}.deeper.txt", deal_text(preset, {}, depth))


@pytest.mark.sampled(5, 5)
@pytest.mark.parametrize(("preset", "options", "left"), ENDS, ids=lambda v: str(v))
def test_endgames_played_out_in_every_way(preset: str, options: Options, left: int) -> None:
    name = setup_id((preset, options)).replace(" ", ",")
    pinned(f"endgames/{name}.txt", end_text(preset, options, left))

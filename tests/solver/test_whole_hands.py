"""Whole hands of a reduced pack, from the first lead to the end, and every way to start in the middle of one."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.solver.minimax import wins
from tests.solver.positions import RULES, payment

import dasan

pytestmark = pytest.mark.full

CALLED_RANKS = "456789T"


def whole(players: int, ranks: int, source: random.Random) -> dasan.State:
    """All cards of a few ranks dealt, the remainder to the bidder; any seat on lead, with four players any partner."""
    rules = RULES[players]
    low = source.randrange(14 - ranks)
    chosen = list(range(low, low + ranks)) if source.random() < 0.7 else source.sample(range(13), ranks)
    if players == 4 and not any(rules.ranks[rank] in CALLED_RANKS for rank in chosen):
        chosen[0] = source.choice([rank for rank in range(13) if rules.ranks[rank] in CALLED_RANKS])
    pack = [c for c in rules.pack if rules.order.place[c][0] in chosen]
    source.shuffle(pack)
    bidder, leader = source.randrange(players), source.randrange(players)
    each = len(pack) // players
    hands = [[pack.pop() for _ in range(each)] for _ in range(players)]
    hands[bidder] += pack
    if players == 3:
        return dasan.start(rules, hands, bidder=bidder, bid=1, leader=leader)
    callable_ = [
        c for c in rules.pack if c.rank in CALLED_RANKS and any(c in h for h in hands if h is not hands[bidder])
    ]
    if not callable_:
        return whole(players, ranks, source)
    return dasan.start(rules, hands, bidder=bidder, bid=1, leader=leader, called=source.choice(callable_))


def again(state: dasan.State) -> dasan.State:
    """The same position, made by `start` from its cards."""
    return dasan.start(
        state.rules,
        state.hands,
        bidder=state.bidder,
        bid=state.bid,
        called=state.called,
        partner=state.partner,
        leader=state.leader if state.table is not None else state.to_act,
        table=None if state.table is None else state.table.cards,
        table_seat=state.table_seat,
        to_act=state.to_act,
        passed=state.passed,
    )


def kind(state: dasan.State) -> tuple[int, int, str]:
    """The number of players, the seat to act counted from the bidder, and the progress of the trick."""
    trick = "lead" if state.table is None else "passes pending" if state.passed else "mid-trick"
    return state.rules.players, ((state.to_act or 0) - (state.bidder or 0)) % state.rules.players, trick


def compare(hands: int, ranks: int, source: random.Random) -> Counter[tuple[int, int, str]]:
    """Solve every position of this many random hands, also made by `start`, sometimes with all moves."""
    seen: Counter[tuple[int, int, str]] = Counter()
    for i in range(hands):
        wins.cache_clear()
        state = whole(3 + i % 2, ranks, source)
        while state.phase is dasan.Phase.PLAY:
            seen[kind(state)] += 1
            value = payment(state)
            every = source.random() < 0.1
            for same in (state, again(state)):
                solution = dasan.solve(same, nodes=10**7, memory_mb=1, moves=every)
                assert solution.exact
                assert solution.value == value, state.record()
                if every:
                    assert solution.moves == {move: payment(same.play(move)) for move in same.legal_moves()}
            state = state.play(source.choice(state.legal_moves()))
    return seen


EVERY_KIND = {
    (players, seat, trick)
    for players in (3, 4)
    for seat in range(players)
    for trick in ("lead", "mid-trick", "passes pending")
}


def test_whole_hands_equal_minimax() -> None:
    source = random.Random(1)
    seen = compare(24, 4, source) + compare(1, 5, source)
    assert set(seen) == EVERY_KIND
    assert min(seen.values()) > 4


@pytest.mark.slow
def test_many_whole_hands_equal_minimax() -> None:
    source = random.Random(2)
    seen = compare(600, 3, source) + compare(600, 4, source) + compare(100, 5, source)
    assert set(seen) == EVERY_KIND
    assert seen.total() > 15_000

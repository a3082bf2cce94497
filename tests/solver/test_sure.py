"""Positions that the solver settles without search: against every way to split a hand into sets, and against minimax."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
import pytest
from tests.solver.minimax import wins
from tests.solver.positions import RULES, WA_KENG, payment, played_out

import dasan
from dasan.kernels.ranks.solver.position import mover_of, on_lead, owner_of
from dasan.kernels.ranks.solver.sure_wins import filled, new_cover, sets_cover, surely
from dasan.kernels.ranks.tables import rank_catalogue
from dasan.solver.open_hands import position

pytestmark = pytest.mark.full

PARTS: dict[int, list[tuple[int, ...]]] = {
    0: [()],
    1: [(1,)],
    2: [(2,), (1, 1)],
    3: [(3,), (2, 1), (1, 1, 1)],
    4: [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)],
}
"""Every way to play this many cards of one rank as sets."""
Counts = list[int]


def word(hand: Counts) -> np.uint64:
    return np.uint64(sum(1 << (16 * copy + rank) for rank, n in enumerate(hand) for copy in range(n)))


def covers(hand: Counts, enemy: Counts, smallest: int) -> bool:
    """Whether some split of the hand leaves at most one loser, and no enemy can go out on the sets led before.

    enemy: of each rank, the most cards that one of them holds. smallest: the number of cards of the enemy with fewer.
    """
    tops = [max((rank for rank, n in enumerate(enemy) if n >= copies), default=-1) for copies in range(1, 5)]
    ranks = [rank for rank, n in enumerate(hand) if n]
    for parting in product(*(PARTS[hand[rank]] for rank in ranks)):
        lost, won = [0] * 5, [0] * 5
        for rank, sets in zip(ranks, parting, strict=True):
            for copies in sets:
                lost[copies] += rank < tops[copies - 1]
                won[copies] += rank > tops[copies - 1]
        left = [max(0, a - b) for a, b in zip(lost, won, strict=True)]
        if sum(left) > 1:
            continue
        last = max((copies for copies in range(1, 5) if (left if any(left) else lost)[copies]), default=0)
        if sum(copies * n for copies, n in enumerate(lost)) - last < smallest:
            return True
    return False


def hands(source: random.Random) -> Iterator[tuple[Counts, Counts, int]]:
    """Hands of many losers with large high sets, some of whose cards also win one by one."""
    while True:
        hand = [source.choice((0, 0, 1, 1, 2, 2, 3)) for _ in range(9)] + [
            source.choice((0, 1, 2, 3, 4)) for _ in range(4)
        ]
        enemy = [source.choice((0, 1, 1, 2, 3)) for _ in range(10)] + [
            source.choice((0, 0, 1, 2, 2, 3)) for _ in range(3)
        ]
        while sum(n > 0 for n in hand) > 8:
            hand[source.randrange(9)] = 0
        enemy = [min(n, 4 - m) for n, m in zip(enemy, hand, strict=True)]
        yield hand, enemy, source.randint(3, 18)


def test_a_hand_that_is_covered_can_be_parted_so() -> None:
    source = random.Random(4)
    count = 0
    for (hand, enemy, smallest), _ in zip(hands(source), range(20_000), strict=False):
        if sets_cover(word(hand), np.uint64(filled(word(enemy))), 0, 0, 0, smallest):
            count += 1
            assert covers(hand, enemy, smallest), (hand, enemy, smallest)
    assert count > 3_000


@pytest.mark.parametrize("games", [RULES, WA_KENG])
def test_what_is_sure_is_so(games: Mapping[int, dasan.Rules]) -> None:
    """A seat reported as winning wins with best play: the seat to act, the owner of the trick, or another one."""
    source = random.Random(8)
    room = new_cover()
    seen: Counter[str] = Counter()
    while seen.total() < 2_500:
        wins.cache_clear()
        for state in played_out(source, source.choice((7, 8, 9, 10)), games):
            at = position(state)
            words = np.array([*at.hands, 0], np.uint64)
            context = np.uint64(at.context)
            n = state.rules.players
            value = surely(words, 0, n, np.uint64(at.side), context, rank_catalogue(games[n]), room)
            if value == 0:
                continue
            assert (value > 0) == (payment(state) > 0), state.record()
            mover = int(mover_of(context))
            if on_lead(context):
                seen["on lead"] += 1
            elif (value > 0) == bool(at.side >> mover & 1):
                seen["the mover's side"] += 1
            elif (value > 0) == bool(at.side >> int(owner_of(context)) & 1):
                seen["the owner's side, not the mover's"] += 1
    assert len(seen) == 3
    assert min(seen.values()) > 25

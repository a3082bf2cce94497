"""The memory of the solver's table and cached children; the table loses nothing while it grows."""

from __future__ import annotations

import random
from weakref import WeakKeyDictionary

import numpy as np
import pytest

import dasan
from dasan.arrays import U
from dasan.kernels.proofs.transpositions import find, packed, spread, store
from dasan.kernels.ranks.solver import search as solver_search
from dasan.records.retrace import moves_of
from dasan.review.best_play import review
from dasan.review.rounds import judge_within
from dasan.solver.budget import Budget
from dasan.solver.open_hands import OpenHands

pytestmark = pytest.mark.full

BUCKET = 64
"""Bytes."""


@pytest.mark.parametrize("memory", [0, 100, 10_000, 3_000_000, 100_000_000])
def test_what_is_kept_counts_as_memory(memory: int) -> None:
    search = solver_search.new_search(memory)
    assert search.transpositions.nbytes + search.move_cache.nbytes <= max(memory, BUCKET)
    assert search.transpositions.nbytes + search.move_cache.nbytes > memory - 2 * BUCKET
    assert search.move_cache.nbytes <= memory // 8


@pytest.mark.parametrize("last", [3, 5, 8, 12])
def test_a_table_that_grows_loses_nothing(last: int) -> None:
    """From one bucket to any number of them."""
    source = random.Random(last)
    table = np.zeros(8 * last, np.uint64)
    entries: list[tuple[np.uint64, np.uint64, int]] = []
    buckets = 1
    while True:
        room = 4 * buckets - sum(int(word) != 0 for word in table[::2])
        for _ in range(room // 3):
            key, check = U(source.getrandbits(64) | 1), U(source.getrandbits(64))
            store(table, U(buckets), key, check, U(packed(len(entries) + 1, 7)), 1)
            entries.append((key, check, len(entries) + 1))
        for key, check, number in entries:
            entry = int(find(table, U(buckets), key, check))
            assert entry == 0 or entry & 0xFFFFFF == number
        count = sum(int(find(table, U(buckets), key, check)) != 0 for key, check, _ in entries)
        assert count == sum(int(word) != 0 for word in table[::2])
        if buckets == last:
            break
        buckets = int(spread(table, buckets))
    assert count > 0


@pytest.fixture
def most_at_once(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The most megabytes of all tables of open hands together, measured whenever another is made."""
    there: WeakKeyDictionary[OpenHands, float] = WeakKeyDictionary()
    taken: list[float] = []
    make = OpenHands.__init__

    def counted(self: OpenHands, state: dasan.State, memory_mb: float, budget: Budget) -> None:
        there[self] = memory_mb
        taken.append(sum(there.values()))
        make(self, state, memory_mb, budget)

    monkeypatch.setattr(OpenHands, "__init__", counted)
    return taken


def called(plays: int) -> dasan.State:
    """A hand for four with bids, a call and the first plays."""
    hand = dasan.deal(dasan.rules("big-three-4p"), seed=2).play("bid 1").play("pass").play("bid 3")
    for _ in range(plays + 1):
        hand = hand.play(hand.legal_moves()[0])
    return hand


@pytest.mark.parametrize("within", [False, True])
def test_a_review_with_bids_and_a_call_takes_no_more_than_it_may(within: bool, most_at_once: list[float]) -> None:
    hand = called(3)
    if within:
        assert list(judge_within(hand, 0.0, memory_mb=16))
    else:
        review(hand, nodes=100, memory_mb=16)
    assert len(most_at_once) > 1
    assert max(most_at_once) <= 16.001


def test_a_bid_solved_after_a_play_takes_no_more_than_it_may(most_at_once: list[float]) -> None:
    hand = called(1)
    dasan.solve_many([hand, next(state for state, _ in moves_of(hand))], processes=1, nodes=100, memory_mb=16)
    assert len(most_at_once) > 1
    assert max(most_at_once) <= 16.001

"""What the solver's table and kept children take, and that the table loses nothing while it grows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dasan.kernels.proofs.transpositions import find, packed, spread, store
from dasan.kernels.ranks.solver import search as solver_search

U = np.uint64
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
            place = int(find(table, U(buckets), key, check))
            if place >= 0:
                assert int(table[place]) & 0xFFFFFF == number
        found = sum(int(find(table, U(buckets), key, check)) >= 0 for key, check, _ in entries)
        assert found == sum(int(word) != 0 for word in table[::2])
        if buckets == last:
            break
        buckets = int(spread(table, buckets))
    assert found > 0

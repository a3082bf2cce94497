"""Several threads search one position with one transposition table, and find the same value."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import pytest

import dasan
from dasan import processes
from dasan.arrays import Longs, U
from dasan.bench.works import late
from dasan.kernels.proofs import loop, transpositions
from dasan.solver import proving
from dasan.solver.budget import Budget


@pytest.mark.full
@pytest.mark.parametrize(("game", "cards"), [("big-three", 30), ("big-three-4p", 30), ("winner", 18), ("dou-dizhu", 16)])
def test_threads_find_what_one_finds(game: str, cards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "SLICE", 500)
    rules = dasan.rules(game)
    together = 0
    for place in range(12):
        state = late(rules, cards, random.Random(place))
        one, three = (dasan.solve(state, nodes=1_000_000, threads=threads) for threads in (1, 3))
        assert (three.value, three.exact) == (one.value, True)
        both = three.moves.keys() & one.moves.keys()  # either may leave moves unproved
        assert [three.moves[move] for move in both] == [one.moves[move] for move in both]
        together += three.nodes > 2_000
    assert together > 1


def test_half_of_an_entry_is_not_found() -> None:
    table = np.zeros(4 * transpositions.BUCKET_WORDS, U)
    key, other, check = U(0x1234567890ABCDE1), U(0x1234567890ABCDE3), U(0)
    assert transpositions.store(table, U(1), key, check, transpositions.WON, 1) == 1
    assert transpositions.store(table, U(1), other, check, transpositions.LOST, 1) == 1
    assert transpositions.numbers_in(transpositions.find(table, U(1), key, check)) == transpositions.WON
    table[1] = table[3]  # another thread has written one word of two
    assert transpositions.find(table, U(1), key, check) == 0
    assert transpositions.numbers_in(transpositions.find(table, U(1), other, check)) == transpositions.LOST


@dataclass
class Stub:
    """A search that proves nothing. together: how many searches went on in each slice."""

    counters: Longs = field(default_factory=lambda: np.zeros(8, np.int64))
    together: list[int] = field(default_factory=list)

    def prove(self, budget: Budget, most: int | None) -> int:
        return proving.prove_within(budget, most, self, lambda _: 0, lambda _: Stub(), self._search_on)

    def _search_on(self, searches: list[Stub], nodes: int) -> tuple[int, int]:
        assert self.counters[loop.SHARED] == (len(searches) > 1)
        self.together.append(len(searches))
        return 0, nodes * len(searches)


@pytest.mark.parametrize(
    ("threads", "most", "together"),
    [(1, 100_000, [1] * 5), (2, 100_000, [1, 2, 2]), (4096, 140_000, [1, 3, 3]), (3, 30_000, [1, 1])],
)
def test_more_threads_join_when_the_work_is_worth_it(
    threads: int, most: int, together: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most one for each processor."""
    monkeypatch.setattr(processes, "processors", lambda: 3)
    for budget, limit in ((Budget(None, None, threads=threads), most), (Budget(None, most, threads=threads), None)):
        stub = Stub()
        assert stub.prove(budget, limit) == 0
        assert (stub.together, budget.used) == (together, most)


def test_the_table_is_not_shared_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(nodes: int) -> None:
        if nodes > proving.SLICE:
            raise KeyboardInterrupt

    monkeypatch.setattr(processes, "processors", lambda: 2)
    stub = Stub()
    with pytest.raises(KeyboardInterrupt):
        stub.prove(Budget(None, 100_000, stop, threads=2), None)
    assert (stub.together, stub.counters[loop.SHARED]) == ([1, 2], 0)


@pytest.mark.parametrize(
    ("threads", "error"),
    [(0, ValueError), (-1, ValueError), (100_000, ValueError), (True, TypeError), (2.0, TypeError), ("2", TypeError)],
)
def test_the_number_of_threads_is_checked(threads: object, error: type[Exception]) -> None:
    state = dasan.start(dasan.rules("big-three"), ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)
    with pytest.raises(error, match="threads is a whole number from 1 to 4096"):
        dasan.solve(state, threads=threads)  # type: ignore[arg-type]
    assert dasan.solve(state, threads=np.int8(2)).value == 4  # type: ignore[arg-type]

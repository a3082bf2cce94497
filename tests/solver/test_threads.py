"""Several threads search one position with one transposition table, and find the same value."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dasan
from dasan.bench.works import late
from dasan.kernels.proofs import transpositions
from dasan.solver import proving

U = np.uint64


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


@pytest.mark.parametrize(("threads", "error"), [(0, ValueError), (1.5, TypeError), ("2", TypeError)])
def test_the_number_of_threads_is_checked(threads: object, error: type[Exception]) -> None:
    state = dasan.start(dasan.rules("big-three"), ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)
    with pytest.raises(error, match="threads"):
        dasan.solve(state, threads=threads)  # type: ignore[arg-type]

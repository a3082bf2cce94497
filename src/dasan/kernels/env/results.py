"""The results of whole hands, for every family of kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Bytes, Ints, Longs
from dasan.kernels.runtime.compiled import woven

NOBODY = -1
"""In place of the seat that went out: the hand is void."""


class HandResults(NamedTuple):
    """Results of n hands. payments: [n, seats]. places: [n, seats], 1 for the first out, 0 where there is none. plies: [n]."""

    payments: Longs
    places: Bytes
    plies: Ints


def new_results(hands: int, players: int) -> HandResults:
    """Allocate the results of `hands` hands."""
    return HandResults(
        np.zeros((hands, players), np.int64), np.zeros((hands, players), np.uint8), np.zeros(hands, np.int32)
    )


@woven
def write_result(k: int, payments: Longs, out: int, plies: int, results: HandResults) -> None:
    """Write the result of hand `k` in which seat `out`, or NOBODY, was the first and only one to go out."""
    for seat in range(payments.shape[0]):
        results.payments[k, seat] = payments[seat]
    if out >= 0:
        results.places[k, out] = 1
    results.plies[k] = plies

"""The results of whole hands, for every family of kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.runtime.compiled import woven

Numbers = npt.NDArray[np.int64]
NOBODY = -1
"""In place of the seat that went out: the hand is void."""


class HandResults(NamedTuple):
    """Results of n hands. payments: [n, seats]. places: [n, seats], 1 for the first out, 0 where there is none. plies: [n]."""

    payments: Numbers
    places: npt.NDArray[np.uint8]
    plies: npt.NDArray[np.int32]


def new_results(hands: int, players: int) -> HandResults:
    """Allocate the results of `hands` hands."""
    return HandResults(
        np.zeros((hands, players), np.int64), np.zeros((hands, players), np.uint8), np.zeros(hands, np.int32)
    )


@woven
def write_result(k: int, payments: Numbers, out: int, plies: int, results: HandResults) -> None:
    """Write the result of hand `k` in which seat `out`, or NOBODY, was the first and only one to go out."""
    for seat in range(payments.shape[0]):
        results.payments[k, seat] = payments[seat]
    if out >= 0:
        results.places[k, out] = 1
    results.plies[k] = plies

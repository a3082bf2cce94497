"""Kernels that step one hand, which an interface calls a move at a time: a parcel holds all that the hand needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.runtime.compiled import belonging_to, lean
from dasan.kernels.runtime.parcels import opened

OVER = -1
"""The answer of a move that ends the hand."""
SEATS = 16
"""Other answers are the number of legal actions × SEATS + the seat to act."""


class Hand(NamedTuple):
    """The arguments of a backend's functions for one hand.

    states, buffers, tables, scratch: as the backend has them, for one environment. one, two: [1, seats + 1], the cards of a
    deal, and those that are there twice.
    """

    states: Any
    buffers: Any
    tables: Any
    scratch: npt.NDArray[np.uint64]
    one: npt.NDArray[np.uint64]
    two: npt.NDArray[np.uint64]


def kernels(
    module: str, step: Callable[..., bool], publish: Callable[..., None], fill: Callable[..., None]
) -> tuple[Callable[[Hand, int], int], Callable[[Hand], int]]:
    """Two kernels of a backend's `playout`, whose name is `module`: move(parcel, action) and deal(parcel).

    Both leave the legal actions in `buffers.legal`, and return OVER or the number as under SEATS.
    """

    @lean
    @belonging_to(module)
    def move(parcel: Hand, action: int) -> Any:
        hand = opened(parcel)
        if step(hand.states, action, hand.buffers, hand.tables, hand.scratch):
            return OVER
        publish(hand.states, hand.buffers, hand.tables, hand.scratch)
        return hand.buffers.num_legal[0] * SEATS + hand.buffers.to_act[0]

    @lean
    @belonging_to(module)
    def deal(parcel: Hand) -> Any:
        hand = opened(parcel)
        fill(hand.states, 0, hand.one, hand.two, hand.tables)
        publish(hand.states, hand.buffers, hand.tables, hand.scratch)
        return hand.buffers.num_legal[0] * SEATS + hand.buffers.to_act[0]

    return move, deal


__all__ = ["OVER", "SEATS", "Hand", "kernels"]

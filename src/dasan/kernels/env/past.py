"""The last moves of each hand, and forced moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Ints
from dasan.kernels.env.buffers import NONE, Buffers, nth_legal, signed
from dasan.kernels.runtime.compiled import lean, woven

_0 = np.uint64(0)


class Past(NamedTuple):
    """The last moves of n hands.

    actions: [n, k], the ids of the last k moves that everybody saw, the latest first; NONE where there are fewer. seats: [n, k],
    who made them. private: ids from here on belong to the exchange between hands, which two seats see.
    """

    actions: Ints
    seats: npt.NDArray[np.int8]
    private: int


@woven
def remember(i: int, action: int, seat: int, buffers: Buffers, past: Past) -> None:
    """Record the move just made in environment `i`; if it ended the hand, clear the history."""
    actions, seats = past.actions, past.seats
    most = actions.shape[1]
    if buffers.done[i]:
        for k in range(most):
            actions[i, k] = seats[i, k] = NONE
    elif most > 0 and action < past.private:
        for k in range(most - 1, 0, -1):
            actions[i, k] = actions[i, k - 1]
            seats[i, k] = seats[i, k - 1]
        actions[i, 0] = action
        seats[i, 0] = seat


@lean
def remember_one(i: int, action: int, seat: int, buffers: Buffers, past: Past) -> None:
    """`remember`, called by Python."""
    remember(i, action, seat, buffers, past)


@lean
def remember_all(actions: Ints, seats: npt.NDArray[np.int8], buffers: Buffers, past: Past) -> None:
    """`remember` one move in each environment."""
    for i in range(actions.shape[0]):
        remember(i, signed(actions[i]), signed(seats[i]), buffers, past)


@woven
def forced(i: int, buffers: Buffers) -> bool:
    """Whether the seat to act in environment `i` has one legal action, in a hand that has begun."""
    return bool((buffers.num_legal[i] == 1) & (buffers.done[i] == 0))


@woven
def only_legal(i: int, buffers: Buffers) -> int:
    """The legal action of environment `i`, if it has one."""
    if buffers.written.legal:
        return signed(buffers.legal[i, 0])
    return nth_legal(i, _0, buffers)

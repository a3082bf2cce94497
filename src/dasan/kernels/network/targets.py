"""Targets of decisions: kept in chains by environment and seat until the hand is over, then counted from its end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.arrays import Flags, Floats, Ints, Longs
from dasan.kernels.runtime.compiled import compiled

NOTHING = -1


@compiled
def link(slots: Ints, envs: Longs, seats: npt.NDArray[np.int8], before: Ints, last: Ints) -> None:
    """Append slots[k] to the chain of (envs[k], seats[k]): before[slot] is the one before it, last[env, seat] the end."""
    for k in range(len(slots)):
        before[slots[k]] = last[envs[k], seats[k]]
        last[envs[k], seats[k]] = slots[k]


@compiled
def settle(
    envs: Longs,
    payments: Floats,
    trace: float,
    before: Ints,
    last: Ints,
    values: Floats,
    explored: Flags,
    targets: Floats,
    ready: Ints,
    count: int,
) -> int:
    """Set the targets of all decisions of the hands that `envs` have ended, empty their chains, and list the slots.

    payments: [environments, seats] of all environments. The last decision of a seat aims at its payment. An earlier one
    aims at (1 - trace) x the value of the next one + trace x the target of the next one; where the next one was explored,
    at its value alone, which is that of the best move. ready[:count] are listed already; returns the new count.
    """
    fade = np.float32(trace)
    rest = np.float32(1) - fade
    for k in range(len(envs)):
        i = envs[k]
        for seat in range(last.shape[1]):
            slot = last[i, seat]
            target = payments[i, seat]
            while slot != NOTHING:
                targets[slot] = target
                ready[count] = slot
                count += 1
                target = values[slot] if explored[slot] else rest * values[slot] + fade * target
                slot = before[slot]
            last[i, seat] = NOTHING
    return count

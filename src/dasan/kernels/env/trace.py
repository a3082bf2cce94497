"""The trace of a hand that whole-hand kernels write for tests: three numbers a ply, if the array has room."""

from __future__ import annotations

from dasan.arrays import Longs
from dasan.kernels.runtime.compiled import woven


@woven
def write_ply(trace: Longs, ply: int, seat: int, code: int, legal: int) -> None:
    """Write the seat, the game's code of its action, and the number of legal actions."""
    if trace.shape[0] > 0:
        trace[3 * ply] = seat
        trace[3 * ply + 1] = code
        trace[3 * ply + 2] = legal

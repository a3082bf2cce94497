"""Backends that use the engine's states: the interpreted engine, and the search of open hands."""

from __future__ import annotations

from dasan.backends.contract import Backend, Purpose, payable

ENGINE = Backend(
    name="engine",
    purposes=(Purpose.ENVIRONMENTS, Purpose.WORLDS),
    summary="the interpreted engine: every rules value whose payments fit into 32 bits",
    compiled=False,
    together=(payable,),
)
ENDGAME = Backend(
    name="endgame",
    purposes=(Purpose.SOLVER, Purpose.ENDGAME),
    summary="interpreted search of the engine's states: every rules value",
    compiled=False,
)

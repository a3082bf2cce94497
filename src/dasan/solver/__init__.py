"""Exact analysis with all hands open: values, best moves and lines for any state.

Importing this loads no compiled code; the first call does.
"""

from __future__ import annotations

from dasan.solver.many import solve_many
from dasan.solver.solution import Solution
from dasan.solver.solving import solve

__all__ = ["Solution", "solve", "solve_many"]

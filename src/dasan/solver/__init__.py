"""Exact analysis with all hands open: values, best moves and lines for any state.

Importing this loads no compiled code; the first call does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from dasan.solver.budget import Budget, Cancel
from dasan.solver.solution import Solution

if TYPE_CHECKING:
    from dasan.state import State


def solve(
    state: State,
    *,
    seconds: float | None = 10,
    nodes: int | None = None,
    memory_mb: float = 512,
    moves: bool = True,
    progress: Callable[[int], object] | None = None,
    cancel: Cancel | None = None,
) -> Solution:
    """The result of `state` under best play with all hands open, and the value of every legal move.

    The search stops after `seconds`, or after `nodes` positions: then the clock is not looked at, and equal calls give
    equal answers. Its table takes at most `memory_mb`. What was not proved until then is left out: the answer says
    `exact=False` and gives bounds. Without `moves` neither the moves nor the line are looked for. `progress` is called
    now and then with the number of positions so far; `cancel.is_set()` stops the search. Any number of threads may
    solve at the same time.

    What `value` counts, and what is assumed with more than two players, stands in `Solution`. ValueError for a hand
    that is over, or whose cards are not all known.

    >>> import dasan
    >>> state = dasan.start(dasan.rules("big-three"), ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)
    >>> solution = dasan.solve(state)
    >>> solution.value, {str(move): value for move, value in solution.moves.items()}
    (4, {'4H': 4, '3D': 4, '4H 4S': 4})
    """
    from dasan.solver import endgame, open_hands
    from dasan.state import Phase

    if state.phase is Phase.OVER:
        raise ValueError("the hand is over")
    if any(len(hand) == 0 for hand in state.hands) and not state.finished:
        raise ValueError("not all hands are known")
    budget = Budget(seconds, nodes, progress, cancel)
    if not open_hands.applies(state):
        return endgame.solve_endgame(state, budget, moves=moves)
    from dasan.kernels.rank_solver import warm_up

    warm_up()
    budget.start()
    if state.phase is Phase.AUCTION:
        return open_hands.solve_auction(state, memory_mb, budget)
    if state.phase is Phase.CALL:
        return open_hands.solve_call(state, memory_mb, budget)
    solver = open_hands.OpenHands(state, memory_mb, budget)
    return open_hands.solve_play(state, solver, budget, moves=moves)


def solve_many(states: Iterable[State], *, workers: int | None = None, **options: Any) -> list[Solution]:
    """`solve` for each state, in their order, over `workers` processes (default: one a processor); options as for it."""
    todo = list(states)
    if workers == 1 or len(todo) < 2:
        return [solve(state, **options) for state in todo]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(solve, **options), todo, chunksize=max(1, len(todo) // 64)))


__all__ = ["Solution", "solve", "solve_many"]

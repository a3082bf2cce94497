"""Solve many states: states of one deal in sequence with a shared transposition table, different deals in parallel."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from dasan.arguments import amount, flag, instance, items, whole
from dasan.cluster import check_cluster, over_cluster
from dasan.processes import worker_processes
from dasan.solver.budget import Budget
from dasan.solver.solution import Solution
from dasan.solver.solving import MOST_MB, Scope, Warm, known_scope, solve_warm

if TYPE_CHECKING:
    from dasan.play.state import State

TOGETHER = 50
"""The most states of one deal that share a transposition table; the rest go to other processes."""


def solve_many(
    states: Iterable[State],
    *,
    processes: int | None = None,
    seconds: float | None = 10,
    nodes: int | None = None,
    memory_mb: float = 512,
    moves: bool = True,
    scope: Scope | None = None,
    cluster: str | None = None,
    workers: int | None = None,
) -> list[Solution]:
    """`solve` for each state; returns the solutions in the same order.

    - seconds, nodes: the budget for each state. With `nodes` the answers do not depend on the number of processes.
    - processes: their number, one for each processor by default. memory_mb: the memory for each of them.
    - cluster: the address of a Ray cluster to run on, or "auto" for the one that this machine belongs to; needs the
      extra `cluster`.
    - moves, scope: as for `solve`. workers: the name of `processes` in version 0.1.0.

    Up to 50 states of the same deal are solved one after the other with one transposition table, so that results for
    one help with the next. TypeError or ValueError, raised before the first search: an element is not a state, the
    budget or the number of processes is out of range, or the address of the cluster is empty.
    `dasan.cluster.ClusterError`: the cluster failed.
    """
    from dasan.play.state import State

    given = items(states, "solve_many takes states")
    todo = [instance(state, State, "solve_many takes states, such as those from dasan.deal") for state in given]
    processes = workers if processes is None else processes
    processes = None if processes is None else whole(processes, "processes", 1)
    if cluster is not None:
        check_cluster(instance(cluster, str, "cluster is an address or 'auto'"))
    Budget(seconds, nodes)
    memory_mb = amount(memory_mb, "memory_mb", MOST_MB)
    moves, scope = flag(moves, "moves"), known_scope(scope)
    groups = _by_deal(todo)
    work = partial(_solve_deal, seconds=seconds, nodes=nodes, memory_mb=memory_mb, moves=moves, scope=scope)
    deals = [[todo[i] for i in group] for group in groups]
    if cluster is not None:
        parts = dict(over_cluster(work, deals, cluster, memory_mb))
        by_deal = [parts[place] for place in range(len(deals))]
    elif processes == 1 or len(deals) < 2:
        by_deal = [work(deal) for deal in deals]
    else:
        with worker_processes(processes) as pool:
            by_deal = list(pool.map(work, deals, chunksize=max(1, len(deals) // 64)))
    out: dict[int, Solution] = {}
    for group, solutions in zip(groups, by_deal, strict=True):
        out.update(zip(group, solutions, strict=True))
    return [out[i] for i in range(len(todo))]


def _by_deal(states: list[State]) -> list[list[int]]:
    """Indices of states, grouped by their deal, at most `TOGETHER` to a group."""
    groups: dict[object, list[int]] = {}
    for i, state in enumerate(states):
        groups.setdefault(state.begun, []).append(i)
    return [group[k : k + TOGETHER] for group in groups.values() for k in range(0, len(group), TOGETHER)]


def _solve_deal(
    states: list[State],
    *,
    seconds: float | None,
    nodes: int | None,
    memory_mb: float,
    moves: bool,
    scope: Scope | None,
) -> list[Solution]:
    warm = Warm(memory_mb)
    return [solve_warm(state, warm, Budget(seconds, nodes), moves=moves, scope=scope) for state in states]

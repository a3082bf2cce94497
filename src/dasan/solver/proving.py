"""Proof-number search within a budget, in as many threads as it allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dasan.solver.budget import Budget

SLICE = 20_000
"""Nodes between checks of the clock: a few hundredths of a second. Further threads join after the first slice."""

S = TypeVar("S")


def prove_within(
    budget: Budget,
    most: int | None,
    search: S,
    begin: Callable[[S], int],
    another: Callable[[S], S],
    search_on: Callable[[list[S], int], tuple[int, int]],
) -> int:
    """The value of a position: 1 if its claim is proved, -1 if disproved, 0 if `most` nodes or the budget did not suffice.

    begin: puts the position into a search and returns its value, 0 if it is not known at once. another: makes a search
    for a further thread, with the table of the first. search_on: continues all searches for a number of nodes each;
    returns the value and the nodes used in total.
    """
    from dasan.kernels.proofs.loop import join, part
    from dasan.processes import processors

    searches = [search]
    value, spent = begin(search), 0
    try:
        while value == 0 and not budget.over():
            left = budget.left(None if most is None else most - spent)
            long = spent and (left is None or left > SLICE * len(searches))
            if long and len(searches) < min(budget.threads, processors()):
                helper = another(search)
                join(search, helper)
                value = begin(helper)
                searches.append(helper)
                continue
            step = SLICE if left is None else min(SLICE, left // len(searches))
            if step <= 0:
                break
            value, nodes = search_on(searches, step)
            spent += nodes
            budget.spend(nodes)
    finally:
        part(search)
    return value

"""Depth-first proof-number search, written once: a factory weaves the functions of a game into the loop.

A position's proof number estimates the work left to prove the claim, its disproof number the work to disprove it. The search
expands the most-proving position; the transposition table keeps the numbers of all others. It can stop anywhere and resume,
because its whole state is in arrays.

Several searches of one position, each in a thread of its own, can share a table. A search that goes down to a position makes
it look harder in the table until it comes back, so that the others prefer another.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="arg-type,assignment,no-any-return,return-value"

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np

from dasan.arrays import Longs, U, Words
from dasan.kernels.proofs.transpositions import (
    BUCKET_WORDS,
    CODES,
    INFINITE,
    LARGEST,
    coded,
    decoded,
    disproof_in,
    find,
    numbers_in,
    packed,
    proof_in,
    spread,
    store,
)
from dasan.kernels.runtime.compiled import belonging_to, lean, woven

_0, _24 = U(0), U(24)
KEY, CHECK = 0, 1
"""Columns of `keys`, a row a ply, and of `children`, a row a child."""
FIRST, COUNT, BEST, PROOF_LIMIT, DISPROOF_LIMIT, SINCE = 0, 1, 2, 3, 4, 5
"""Columns of `plies`, a row a ply: its first child and how many there are (`KNOWN` or `NEW`: not expanded), the child being
searched, the numbers at which the ply is left, and the nodes counted when it was expanded."""
KNOWN, NEW = -1, -2
"""COUNT of a ply that is not expanded: whether the transposition table had the position when the search went down to it. The root
counts as new."""
NODES, FILLED, BUCKETS, AT, SHARED = 0, 1, 2, 3, 5
"""Words of `counters`: nodes expanded, places filled and buckets in use of `transpositions`, the ply the search is at, and
whether other threads use the table. Word 4 is the game's."""
HARDER = 3
"""A position that a search goes down to looks harder by one part in 2 ** HARDER."""


def new_counters(buckets: int, most: int) -> Longs:
    """The counters of a search that begins with `buckets` of at most `most` buckets, a power of two, in use."""
    counters = np.zeros(8, np.int64)
    counters[BUCKETS] = min(buckets, 1 << (most.bit_length() - 1))
    return counters


@woven
def enter_root(search: Any, key: np.uint64, check: np.uint64) -> int:
    """Start at ply 0, whose key is given: 1 if the transposition table has it proved, -1 if disproved, else 0."""
    search.keys[0, KEY] = key
    search.keys[0, CHECK] = check
    search.plies[0, FIRST] = 0
    search.plies[0, COUNT] = NEW
    search.plies[0, PROOF_LIMIT] = INFINITE
    search.plies[0, DISPROOF_LIMIT] = INFINITE
    search.counters[AT] = 0
    entry = find(search.transpositions, U(search.counters[BUCKETS]), key, check)
    if entry != _0:
        if proof_in(entry) == 0:
            return 1
        if disproof_in(entry) == 0:
            return -1
    return 0


@woven
def weigh(numbers: Words, first: int, count: int, ours: bool) -> tuple[int, int, int, int]:
    """The best child of `count` from `first` on, its number, the second smallest number, and the sum of the other number.

    For the side to move the smallest number counts, for the other side the sum. ours: whether that side proves the claim.
    """
    mine = _0 if ours else _24
    other = _24 if ours else _0
    smallest = second = lightest = U(CODES)
    best = first
    total = 0
    for child in range(first, first + count):
        number = (numbers[child] >> mine) & U(CODES)
        opposite = (numbers[child] >> other) & U(CODES)
        if number < smallest or (number == smallest and opposite < lightest):
            second = smallest
            smallest = number
            lightest = opposite
            best = child
        elif number < second:
            second = number
        total += decoded(opposite)
    least = decoded(smallest)
    if least == 0:
        total = INFINITE
    elif total == 0:
        least = INFINITE
    elif total > LARGEST:
        total = LARGEST
    return best, least, decoded(second), total


@woven
def _discourage(search: Any, child: int, buckets: int, ours: bool) -> int:
    """Make a child look harder to the other threads; return 1 if that used a free place of the table, else 0."""
    mine = _0 if ours else _24
    number = decoded((search.numbers[child] >> mine) & U(CODES))
    harder = min(number + (number >> HARDER) + 1, LARGEST)
    numbers = (search.numbers[child] & ~(U(CODES) << mine)) | (coded(harder) << mine)
    key, check = search.children[child, KEY], search.children[child, CHECK]
    return store(search.transpositions, U(buckets), key, check, numbers, 1)


def make_proceed(
    module: str,
    ours: Callable[..., bool],
    expand: Callable[..., None],
    leave: Callable[..., None],
    follow: Callable[..., None],
) -> Callable[..., int]:
    """The loop of a game: proceed(search, claim, until) continues the search; 1 if the claim is proved, -1 if disproved, 0 if
    the node counter reached `until` or the transposition table filled up first.

    search: has keys, plies, children, numbers (packed, by child), counters and transpositions; claim: what the functions read.
    module: the name of the game's module. ours(search, ply, claim): whether the side to move proves the claim.
    expand(search, ply, ours, buckets, claim): list the children of a ply. leave(search, ply, best, proved, claim):
    called when the numbers of a ply are final for now; proved: whether `best` decides it.
    follow(search, ply, best, nodes, claim): write the position after child `best` to the next ply; it may be called again for
    another child before the search goes down.
    """

    @woven
    @belonging_to(module)
    def descend(search: Any, ply: int, best: int, limits: tuple[int, int], mine: bool, known: bool) -> None:
        search.plies[ply, BEST] = best
        below = ply + 1
        search.keys[below, KEY] = search.children[best, KEY]
        search.keys[below, CHECK] = search.children[best, CHECK]
        search.plies[below, FIRST] = search.plies[ply, FIRST] + search.plies[ply, COUNT]
        search.plies[below, COUNT] = KNOWN if known else NEW
        search.plies[below, PROOF_LIMIT] = limits[0] if mine else limits[1]
        search.plies[below, DISPROOF_LIMIT] = limits[1] if mine else limits[0]

    @lean
    @belonging_to(module)
    def proceed(search: Any, claim: Any, until: int) -> int:
        ply = search.counters[AT]
        nodes = search.counters[NODES]
        filled = search.counters[FILLED]
        buckets = search.counters[BUCKETS]
        grows = buckets * BUCKET_WORDS < search.transpositions.shape[0]
        out = 0
        while True:
            mine = ours(search, ply, claim)
            if search.plies[ply, COUNT] < 0:
                if nodes >= until or (grows and filled >= 2 * buckets):
                    break
                nodes += 1
                search.plies[ply, SINCE] = nodes
                expand(search, ply, mine, U(buckets), claim)
            best, smallest, second, total = weigh(
                search.numbers, search.plies[ply, FIRST], search.plies[ply, COUNT], mine
            )
            my_limit = search.plies[ply, PROOF_LIMIT if mine else DISPROOF_LIMIT]
            other_limit = search.plies[ply, DISPROOF_LIMIT if mine else PROOF_LIMIT]
            if smallest >= my_limit or total >= other_limit or smallest == 0 or total == 0:
                proof = smallest if mine else total
                numbers = packed(proof, total if mine else smallest)
                work = nodes - search.plies[ply, SINCE] + 1
                filled += store(
                    search.transpositions, U(buckets), search.keys[ply, KEY], search.keys[ply, CHECK], numbers, work
                )
                leave(search, ply, best, smallest == 0, claim)
                if ply == 0:
                    out = 1 if proof == 0 else -1
                    break
                ply -= 1
                search.numbers[search.plies[ply, BEST]] = numbers
                continue
            # Before the table look-up, so that the lines that it prefetches arrive meanwhile.
            follow(search, ply, best, nodes, claim)
            # Another line may have decided the child since its numbers were stored.
            entry = find(search.transpositions, U(buckets), search.children[best, KEY], search.children[best, CHECK])
            if entry != _0 and numbers_in(entry) != search.numbers[best]:
                search.numbers[best] = numbers_in(entry)
                continue
            if search.counters[SHARED] != 0:
                filled += _discourage(search, best, buckets, mine)
            others = decoded((search.numbers[best] >> (_24 if mine else _0)) & U(CODES))
            limits = min(my_limit, second + 1 + (second >> 2)), other_limit - total + others
            descend(search, ply, best, limits, mine, entry != _0)
            ply += 1
        search.counters[AT] = ply
        search.counters[NODES] = nodes
        search.counters[FILLED] = filled
        return out

    return proceed


def join(search: Any, helper: Any) -> None:
    """Let `helper`, a search of the same position for another thread, use the table of `search`."""
    search.counters[SHARED] = 1
    kept = helper.counters[NODES]
    helper.counters[:] = search.counters
    helper.counters[NODES] = kept


def part(search: Any) -> None:
    """Let `search` have its table to itself again."""
    search.counters[SHARED] = 0


def run_for(proceed: Callable[..., int], searches: Sequence[Any], claim: Any, nodes: int) -> tuple[int, int]:
    """Continue each search for `nodes` nodes; return (value, nodes of all). The transposition table grows as it fills.

    searches: of the same position, with one table; each runs in a thread of its own.
    """
    counters = [search.counters for search in searches]
    before = sum(int(c[NODES]) for c in counters)
    limits = [int(c[NODES]) + nodes for c in counters]
    value = 0
    while value == 0 and any(c[NODES] < limit for c, limit in zip(counters, limits, strict=True)):
        filled = int(counters[0][FILLED])
        value = _run(proceed, searches, claim, limits)
        filled += sum(int(c[FILLED]) - filled for c in counters)
        buckets = int(counters[0][BUCKETS])
        if value == 0 and filled >= 2 * buckets and buckets * BUCKET_WORDS < searches[0].transpositions.shape[0]:
            buckets = spread(searches[0].transpositions, buckets)
        for c in counters:
            c[FILLED], c[BUCKETS] = filled, buckets
    return value, sum(int(c[NODES]) for c in counters) - before


def _run(proceed: Callable[..., int], searches: Sequence[Any], claim: Any, limits: list[int]) -> int:
    if len(searches) == 1:
        return int(proceed(searches[0], claim, limits[0]))
    with ThreadPoolExecutor(len(searches)) as threads:
        values = list(threads.map(proceed, searches, repeat(claim), limits))
    return next((int(value) for value in values if value != 0), 0)

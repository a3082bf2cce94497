"""All arrangements of unseen cards in places, and uniform sampling from them.

Cards that some place may not take, or whose number in a place is constrained, are *special* and are dealt by counts: a
stratum fixes how many of each group go where, and its weight is the number of ways to do that. The other cards, the
*rest*, may only be bounded from above (a place takes none higher than its limit). The places with the fewest candidates
are served first, each from the lowest cards of the rest: whatever they take, the others have the same number of
choices, so that every arrangement is equally likely.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, product
from math import comb, prod

from dasan.cards import Card
from dasan.worlds.stream import WorldStream

Place = int
Counts = tuple[tuple[int, ...], ...]
KITTY, GONE = -1, -2
"""Places that are not seats: the face-down kitty, and the cards played before a given position."""


@dataclass(frozen=True)
class Task:
    """The cards to distribute, and the places for them.

    free: the number of unseen cards that each place takes. cards: the unseen cards, as many as all places take. value:
    the order of cards for limits. limits: the highest value that a place takes. barred: places that must not get a
    card. weighed: ranks whose counts `weigh` reads. weigh: the number of worlds that one arrangement represents, given
    the counts of these ranks in each place; 0 if it is impossible.
    """

    free: Mapping[Place, int]
    cards: Sequence[Card]
    value: Mapping[Card, int]
    limits: Mapping[Place, int]
    barred: Mapping[Card, frozenset[Place]]
    weighed: frozenset[str]
    weigh: Callable[[Mapping[Place, Counter[str]]], int]


@dataclass(frozen=True)
class Layout:
    """places: in the order in which they are served. groups: the special cards in groups, then the rest, low to high.

    ends[g][p]: place p may take only the first ends[g][p] cards of group g. strata: pairs of counts [g][p], the cards of group
    g that place p gets, and the number of worlds with these counts.
    """

    places: tuple[Place, ...]
    groups: tuple[tuple[Card, ...], ...]
    ends: Counts
    strata: tuple[tuple[Counts, int], ...]

    @cached_property
    def total(self) -> int:
        """The number of worlds."""
        return sum(weight for _, weight in self.strata)

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """Cumulative thresholds: a random 64-bit word selects the first stratum whose threshold is above it."""
        return tuple((at << 64) // self.total for at in accumulate(weight for _, weight in self.strata))

    def draw(self, stream: WorldStream) -> dict[Place, list[Card]]:
        """Draw one arrangement: the cards of each place."""
        out: dict[Place, list[Card]] = {place: [] for place in self.places}
        counts = self.strata[0][0]
        if len(self.strata) > 1:
            counts = self.strata[bisect_right(self.thresholds, stream.word())][0]
        for group, ends, needs in zip(self.groups, self.ends, counts, strict=True):
            pool = list(group)
            at = 0
            for place, end, need in zip(self.places, ends, needs, strict=True):
                if need < len(pool) - at:
                    for i in range(at, at + need):
                        j = i + stream.below(end - i)
                        pool[i], pool[j] = pool[j], pool[i]
                out[place] += pool[at : at + need]
                at += need
        return out

    def all(self) -> Iterator[tuple[dict[Place, list[Card]], float]]:
        """Every arrangement, and the number of worlds that it represents."""
        for counts, weight in self.strata:
            dealt = [list(_dealt(*group)) for group in zip(self.groups, self.ends, counts, strict=True)]
            for chosen in product(*dealt):
                placed = {place: [c for parts in chosen for c in parts[p]] for p, place in enumerate(self.places)}
                yield placed, weight / prod(map(len, dealt))


def _dealt(cards: tuple[Card, ...], ends: Sequence[int], needs: Sequence[int]) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Every way to serve places in order: each gets `needs` of the first `ends` cards, counted before any is taken."""
    if not needs:
        yield ()
        return
    for chosen in combinations(range(ends[0]), needs[0]):
        rest = tuple(c for i, c in enumerate(cards) if i not in chosen)
        for more in _dealt(rest, [end - needs[0] for end in ends[1:]], needs[1:]):
            yield (tuple(cards[i] for i in chosen), *more)


def lay_out(task: Task) -> Layout:
    """Compute the layout of a task. ValueError: no arrangement is possible."""
    top = max(task.value.values(), default=0)
    limit = {place: task.limits.get(place, top) for place in task.free}
    places = tuple(sorted(task.free, key=lambda place: limit[place]))
    special: dict[object, list[Card]] = {}
    rest: list[Card] = []
    for c in sorted(task.cards, key=lambda c: (task.value[c], str(c))):
        if c in task.barred:
            special.setdefault(c, []).append(c)
        elif c.rank in task.weighed:
            special.setdefault((c.rank, task.value[c] if task.limits else None), []).append(c)
        else:
            rest.append(c)
    groups = (*(tuple(cards) for cards in special.values()), tuple(rest))
    values = [task.value[c] for c in rest]
    open_to = tuple(bisect_right(values, limit[place]) for place in places)
    ends = (*((len(g),) * len(places) for g in groups[:-1]), open_to)
    allowed = [
        tuple(place not in task.barred.get(g[0], ()) and task.value[g[0]] <= limit[place] for place in places)
        for g in groups[:-1]
    ]
    strata = []
    for shares in _shares(groups[:-1], allowed, [task.free[place] for place in places]):
        needs = [task.free[place] - sum(share[p] for share in shares) for p, place in enumerate(places)]
        ways = _ways_of_rest(open_to, needs)
        for group, share in zip(groups, shares, strict=False):
            ways *= _multinomial(len(group), share)
        if ways and task.weighed:
            got: dict[Place, Counter[str]] = {place: Counter() for place in places}
            for group, share in zip(groups, shares, strict=False):
                for place, n in zip(places, share, strict=True):
                    got[place][group[0].rank] += n
            ways *= task.weigh(got)
        if ways:
            strata.append(((*shares, tuple(needs)), ways))
    if not strata or sum(task.free.values()) != len(task.cards):
        raise ValueError("no cards that could be hidden explain what has been seen")
    return Layout(places, groups, ends, tuple(strata))


def _shares(
    groups: Sequence[tuple[Card, ...]], allowed: Sequence[tuple[bool, ...]], free: Sequence[int]
) -> Iterator[Counts]:
    """Every way to distribute `groups` by counts. allowed: the places that each may go to. free: the capacity of each
    place.
    """
    if not groups:
        yield ()
        return
    for share in _share(len(groups[0]), [n if ok else 0 for n, ok in zip(free, allowed[0], strict=True)]):
        left = [n - m for n, m in zip(free, share, strict=True)]
        for more in _shares(groups[1:], allowed[1:], left):
            yield (share, *more)


def _share(n: int, free: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if not free:
        if n == 0:
            yield ()
        return
    for here in range(max(0, n - sum(free[1:])), min(n, free[0]) + 1):
        for more in _share(n - here, free[1:]):
            yield (here, *more)


def _ways_of_rest(open_to: Sequence[int], needs: Sequence[int]) -> int:
    ways, taken = 1, 0
    for end, need in zip(open_to, needs, strict=True):
        ways *= comb(max(0, end - taken), need)
        taken += need
    return ways


def _multinomial(n: int, share: Sequence[int]) -> int:
    ways = 1
    for k in share:
        ways *= comb(n, k)
        n -= k
    return ways

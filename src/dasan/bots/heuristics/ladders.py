"""The catalogue sorted to answer "what beats this?": for each family its rows from high to low, merged into rungs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dasan.cards import Card
from dasan.ruleset.catalogue import Row, lanes
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination, Groups, Kickers

if TYPE_CHECKING:
    from dasan.arrays import Longs, Words

Counts = tuple[tuple[int, int], ...]
Family = tuple[str, int]
"""The name of a family, and the power of its plays."""


@dataclass(frozen=True, slots=True)
class Rung:
    """Rows of a family that need the same cards, so that a hand holds all of them or none. strength: that of the
    strongest row.

    counts: the least number of cards of each rank; need: the same as `lanes`. cards: the exact cards, if suits
    matter, else None. bits: those cards as one number, one bit each. also: (kind, strength) of plays of other
    families that one of the rows beats, see `Combination.also`. run: if it needs n cards of each of several
    consecutive ranks, (n, first rank, rank after the last).
    """

    strength: int
    size: int
    counts: Counts
    cards: tuple[Card, ...] | None = None
    bits: int = 0
    need: int = 0
    also: tuple[tuple[str, int], ...] = ()
    run: tuple[int, int, int] | None = None

    def beats_across(self, play: Combination) -> bool:
        """Whether one of the rows beats `play`, which has another family and the same power."""
        return any(play.kind == kind and play.strength >= least for kind, least in self.also)


@dataclass(frozen=True, slots=True)
class Ladder:
    """A family's rungs of one power, high to low. also: whether some beat plays of other families. group: the number
    of cards if each rung needs that many of one rank, of any suits; else 0. runs: `Rung.run` of each, if all need the
    same number of cards of each of their ranks; else empty.

    bits, descending: uint64 and int64 [rungs], the cards of each rung and its strength, if the pack has at most 64
    cards, all different, and rungs are exact sets of cards; else bits is None.
    """

    size: int
    power: int
    rungs: tuple[Rung, ...]
    strengths: tuple[int, ...]
    """The strengths of the rungs, low to high."""
    also: bool
    group: int
    runs: tuple[tuple[int, int, int], ...]
    bits: Words | None
    descending: Longs

    def height(self, strength: int) -> float:
        """The fraction of the family, 0 to 1, that is lower than `strength`."""
        return bisect_left(self.strengths, strength) / len(self.strengths)


@dataclass(frozen=True, slots=True)
class Ladders:
    """All families of some rules; a family with plays of several powers appears once for each power.

    exact: whether rungs are exact sets of cards. unit: each different card's bit. across: (family, power) of plays
    that beat plays of other families. ranks: the number of ranks, jokers included.
    """

    exact: bool
    unit: dict[Card, int]
    by_family: dict[Family, Ladder]
    across: tuple[Family, ...]
    ranks: int


@lru_cache(maxsize=64)
def ladders(rules: Rules) -> Ladders:
    """The ladders of `rules`; the same object for equal rules."""
    rows = rules.catalogue.rows
    exact = any(row.cards is not None for row in rows)
    unit = {c: 1 << i for i, c in enumerate(dict.fromkeys(rules.pack))}
    single = exact and len(unit) == len(rules.pack) <= 64
    families: dict[Family, list[Row]] = {}
    for row in rows:
        families.setdefault((row.family, row.power), []).append(row)
    by_family = {
        name: _ladder(family[0], _exact(family, unit) if exact else _canonical(family, rules, unit), single)
        for name, family in families.items()
    }
    across = tuple(name for name, ladder in by_family.items() if ladder.also)
    return Ladders(exact, unit, by_family, across, 1 + max(rank for rank, _ in rules.order.place.values()))


def _ladder(first: Row, members: Iterable[Rung], single: bool) -> Ladder:
    import numpy as np

    rungs = sorted(members, key=lambda rung: rung.strength)[::-1]
    descending = np.array([rung.strength for rung in rungs], np.int64)
    bits = np.array([rung.bits for rung in rungs], np.uint64) if single else None
    also = any(rung.also for rung in rungs)
    needs = {rung.counts[0][1] if rung.cards is None and len(rung.counts) == 1 else 0 for rung in rungs}
    group = needs.pop() if len(needs) == 1 else 0
    runs = tuple([rung.run for rung in rungs if rung.run is not None])
    if len(runs) < len(rungs) or len({n for n, _, _ in runs}) > 1:
        runs = ()
    strengths = tuple(descending[::-1].tolist())
    return Ladder(first.size, first.power, tuple(rungs), strengths, also, group, runs, bits, descending)


def _exact(rows: list[Row], unit: dict[Card, int]) -> Iterable[Rung]:
    for row in rows:
        cards = row.cards or ()
        yield Rung(row.strength, row.size, row.pattern.counts, cards, sum(unit[c] for c in cards), 0, row.also)


def _canonical(rows: list[Row], rules: Rules, unit: dict[Card, int]) -> Iterable[Rung]:
    """One rung for all rows with the same counts, ignoring suits; flushes and single cards have rungs of their own.

    A play with kickers, a full house, or a bomb with an odd card counts as held by the player who holds the main groups, which
    all rows of the same strength share.
    """
    at = rules.order.at
    together: dict[Counts, tuple[int, frozenset[tuple[str, int]]]] = {}
    for row in rows:
        pattern = row.pattern
        if pattern.flush:
            cards = tuple(at[rank, pattern.suit] for rank, _ in pattern.counts)
            yield Rung(row.strength, row.size, pattern.counts, cards, sum(unit[c] for c in cards), row.need, row.also)
        elif row.size == 1 and pattern.suit >= 0:
            card = at[pattern.decider, pattern.suit]
            yield Rung(row.strength, 1, pattern.counts, (card,), unit[card], row.need, row.also)
        else:
            counts = pattern.counts
            if isinstance(row.shape, Groups):
                counts = tuple((rank, min(n, row.shape.main)) for rank, n in counts[:1])
            elif isinstance(row.shape, Kickers):
                counts = counts[: row.shape.groups(row.size)]
            strength, also = together.get(counts, (0, frozenset()))
            together[counts] = (max(strength, row.strength), also.union(row.also))
    for counts, (strength, also) in together.items():
        yield Rung(strength, rows[0].size, counts, None, 0, lanes(counts), tuple(sorted(also)), _run(counts))


def _run(counts: Counts) -> tuple[int, int, int] | None:
    """See `Rung.run`."""
    first, n = counts[0]
    return (n, first, first + len(counts)) if counts == tuple((first + i, n) for i in range(len(counts))) else None

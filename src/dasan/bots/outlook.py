"""Estimates from unseen cards: the chance that a play wins the trick, and that another player goes out over it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from math import comb, prod

from dasan.bots.ladders import Ladder, Rung, ladders
from dasan.cards import Card
from dasan.play.events import EventType
from dasan.play.view import View
from dasan.ruleset.catalogue import lanes
from dasan.ruleset.shapes import Combination

CLUSTER = {1: 1.0, 2: 0.6, 3: 0.6, 4: 0.5, 5: 0.3}
"""By number of cards, the holders for each exact set that is held: below 1, for a hand with one full house often has several."""
KEPT = 0.25
"""The probability that the last cards of a hand, if there are several, were kept because they are one play."""
_NEVER = 1e-9


def unseen(view: View, memory: int | None = None) -> Counter[Card]:
    """The cards that this seat has seen neither in its hand nor on the table.

    memory: a player that remembers only the plays among so many of the last events.
    """
    left = Counter(view.rules.pack)
    left.subtract(view.hand)
    for event in view.events if memory is None else view.events[len(view.events) - min(memory, len(view.events)) :]:
        if event.type is EventType.PLAY:
            left.subtract(c for c in event.cards if c is not None)
    return +left


class Outlook:
    """Probabilities, on the assumption that the hidden cards are dealt at random to those who still hold some.

    A play is taken to be beaten by higher ones of its family and by those of a higher `power`: where rules have `also_beats`, it
    stands less often than this says.

    enmity: see `sides.enmity`. willing: the probability that a player who can beat a play does. memory: see `unseen`.
    """

    def __init__(self, view: View, enmity: Sequence[float], willing: float, memory: int | None = None) -> None:
        rules = view.rules
        self._ladders = ladders(rules)
        self._place = rules.order.place
        self._left = unseen(view, memory)
        self._total = max(1, self._left.total())
        self._ranks: Counter[int] = Counter()
        for c, n in self._left.items():
            self._ranks[self._place[c][0]] += n
        self._have = lanes(self._ranks.items())
        unit = self._ladders.unit
        self._seen_bits = sum(unit[c] for c in unit if c not in self._left) if self._ladders.exact else 0
        seats = [s for s, held in enumerate(view.hand_sizes) if held and s != view.seat]
        self._others = [(s, view.hand_sizes[s], enmity[s]) for s in seats]
        self._foes = [(size, min(1.0, size / self._total), (1 + e) / 2) for _, size, e in self._others if e > -1]
        self._stay = 1 - willing
        self._stands: dict[tuple[str, int, int], float] = {}
        self._tails: dict[tuple[int, int], tuple[float, ...]] = {}
        self._climbs: dict[str, tuple[list[int], list[float]]] = {}
        self._powers: dict[int, float] = {}
        self._wholes: dict[int, int] = {}

    def stands(self, play: Combination) -> float:
        """The probability that no opponent beats `play`; exactly 1 where nobody can (but for `also_beats`)."""
        key = (play.family, play.power, play.strength)
        known = self._stands.get(key)
        if known is None:
            mass = self._mass(play)
            known = self._stands[key] = 1.0 if mass < _NEVER else self._stay**mass
        return known

    def tops(self, play: Combination) -> bool:
        """Whether `play` beats every play on which it may be made: no opponent can beat it, or make one that is as high."""
        strengths, masses = self._climb(play.family)
        at = bisect_left(strengths, play.strength)
        return (masses[at] if at < len(masses) else 0.0) + self._power_above(play.power) < _NEVER

    @cached_property
    def bombs(self) -> bool:
        """Whether an opponent may hold a play that beats plays of other kinds."""
        return self._power_above(min(ladder.power for ladder in self._ladders.by_family.values())) >= _NEVER

    def height(self, play: Combination) -> float:
        """The share of its family, 0 to 1, that `play` is higher than, including cards already played."""
        return self._ladders.by_family[play.family].height(play.strength)

    def odds_out(self, play: Combination) -> list[tuple[int, float]]:
        """(seat, its enmity × the probability that its whole hand beats `play`) for every seat that could go out over it.

        The number is negative for a friend.
        """
        n = len(play.cards)
        seats = [(seat, e) for seat, size, e in self._others if size == n]
        if not seats:
            return []
        chance = self.whole_hand_beats(play)
        return [(seat, e * chance) for seat, e in seats]

    def whole_hand_beats(self, play: Combination) -> float:
        """The probability that a player with as many cards as `play` has could go out over it."""
        n = len(play.cards)
        ways = sum(self._deals(rung) for rung in self._above(play) if rung.size == n and self._feasible(rung))
        chance = min(1.0, ways / comb(max(self._total, n), n))
        if n > 1 and ways:
            chance += (1 - chance) * KEPT * ways / max(ways, self._whole(n))
        return chance

    def _whole(self, size: int) -> int:
        """The number of hands of `size` hidden cards that are one play."""
        known = self._wholes.get(size)
        if known is None:
            known = self._wholes[size] = sum(
                self._deals(rung)
                for ladder in self._ladders.by_family.values()
                for rung in ladder.rungs
                if rung.size == size and self._feasible(rung)
            )
        return known

    def _above(self, play: Combination) -> list[Rung]:
        ladder = self._ladders.by_family[play.family]
        higher = [r for r in ladder.rungs if r.strength > play.strength]
        for other in self._ladders.by_family.values():
            if other.power > play.power and other.size == len(play.cards):
                higher += other.rungs
        return higher

    def _deals(self, rung: Rung) -> int:
        """The number of hands of hidden cards that are this rung and nothing else."""
        if rung.cards is not None:
            return prod(self._left[c] for c in rung.cards)
        ways = prod(comb(self._ranks[rank], n) for rank, n in rung.counts)
        rest = rung.size - sum(n for _, n in rung.counts)
        return ways * comb(max(0, self._total - 4), rest) if rest else ways

    def _mass(self, play: Combination) -> float:
        """The expected number of ways to beat `play` that opponents hold."""
        strengths, masses = self._climb(play.family)
        at = bisect_right(strengths, play.strength)
        return (masses[at] if at < len(masses) else 0.0) + self._power_above(play.power)

    def _climb(self, family: str) -> tuple[list[int], list[float]]:
        """The strengths of a family that could be held, low to high, and the mass from each upwards."""
        known = self._climbs.get(family)
        if known is None:
            ladder = self._ladders.by_family[family]
            weighed = [(r.strength, m) for r, m in self._weighed(ladder) if m > 0]
            masses = list(accumulate(m for _, m in weighed))
            known = self._climbs[family] = ([s for s, _ in reversed(weighed)], masses[::-1])
        return known

    def _power_above(self, power: int) -> float:
        known = self._powers.get(power)
        if known is None:
            known = self._powers[power] = sum(
                m
                for ladder in self._ladders.by_family.values()
                if ladder.power > power
                for _, m in self._weighed(ladder)
            )
        return known

    def _weighed(self, ladder: Ladder) -> list[tuple[Rung, float]]:
        if all(size < ladder.size for size, _, _ in self._foes):
            return []
        if self._ladders.exact:
            each = CLUSTER.get(ladder.size, 0.3) * self._dealt_to_foes(ladder.size)
            seen = self._seen_bits
            return [(r, each) for r in ladder.rungs if not r.bits & seen]
        return [(r, self._held(r)) for r in ladder.rungs if self._feasible(r)]

    def _feasible(self, rung: Rung) -> bool:
        if self._ladders.exact:
            return not rung.bits & self._seen_bits
        if rung.cards is not None:
            left = self._left
            return all(c in left for c in rung.cards)
        return rung.need & self._have == rung.need

    def _dealt_to_foes(self, size: int) -> float:
        """The expected number of opponents who hold `size` given cards."""
        of = comb(self._total, size)
        return sum(weight * comb(held, size) for held, _, weight in self._foes) / of if of else 0.0

    def _held(self, rung: Rung) -> float:
        """The expected number of opponents who hold a rung."""
        if rung.cards is not None:
            copies = prod(self._left[c] for c in rung.cards)
            return copies * sum(w * p**rung.size for held, p, w in self._foes if held >= rung.size)
        if rung.size == 1:
            return self._ranks[rung.counts[0][0]] * sum(w * p for _, p, w in self._foes)
        tails = [self._tail(n, self._ranks[rank]) for rank, n in rung.counts]
        return sum(
            weight * prod(tail[i] for tail in tails)
            for i, (held, _, weight) in enumerate(self._foes)
            if held >= rung.size
        )

    def _tail(self, n: int, out_of: int) -> tuple[float, ...]:
        """For each opponent the probability to hold `n` or more of `out_of` hidden cards."""
        known = self._tails.get((n, out_of))
        if known is None:
            known = self._tails[n, out_of] = tuple(
                sum(comb(out_of, k) * p**k * (1 - p) ** (out_of - k) for k in range(n, out_of + 1))
                for _, p, _ in self._foes
            )
        return known

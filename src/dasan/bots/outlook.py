"""Estimates from unseen cards: the chance that a play wins the trick, and that another player goes out over it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from math import comb, prod

from dasan.bots.ladders import Family, Ladder, Rung, ladders
from dasan.cards import Card
from dasan.errors import DasanError
from dasan.play.dealing import Position
from dasan.play.events import EventType
from dasan.play.view import View
from dasan.ruleset.catalogue import lanes
from dasan.ruleset.shapes import Combination

CLUSTER = {1: 1.0, 2: 0.6, 3: 0.6, 4: 0.5, 5: 0.3}
"""By number of cards, the holders for each exact set that is held: below 1, for a hand with one full house often has several."""
KEPT = 0.25
"""The probability that the last cards of a hand, if there are several, were kept because they are one play."""
_UNSURE = 1 - 1e-9
"""The most that a play stands which an opponent might beat."""


def unseen(view: View, memory: int | None = None) -> Counter[Card]:
    """The cards that this seat has seen neither in its hand nor on the table.

    memory: a player that remembers only the plays among so many of the last events.
    """
    left = Counter(view.rules.pack)
    left.subtract(view.hand)
    recent = view.events if memory is None else view.events[len(view.events) - min(memory, len(view.events)) :]
    if isinstance(view.begun, Position) and len(recent) == len(view.events):
        left.subtract(view.begun.table)
    for event in recent:
        if event.type is EventType.PLAY:
            left.subtract(c for c in event.cards if c is not None)
    return +left


Weights = tuple[list[int], list[float]]


class Outlook:
    """Probabilities, on the assumption that the hidden cards are dealt at random to those who still hold some.

    enmity: see `sides.enmity`. willing: the probability that a player who can beat a play does. memory: see `unseen`.
    """

    def __init__(self, view: View, enmity: Sequence[float], willing: float, memory: int | None = None) -> None:
        rules = self._rules = view.rules
        self._ladders = ladders(rules)
        self._place = rules.order.place
        self._left = unseen(view, memory)
        self._total = max(1, self._left.total())
        self._ranks: Counter[int] = Counter()
        for c, n in self._left.items():
            self._ranks[self._place[c][0]] += n
        self._have = lanes(self._ranks.items())
        unit = self._ladders.unit
        self._seen_bits = sum(bit for c, bit in unit.items() if c not in self._left)
        seats = [s for s, held in enumerate(view.hand_sizes) if held and s != view.seat]
        self._others = [(s, view.hand_sizes[s], enmity[s]) for s in seats]
        self._foes = [(size, min(1.0, size / self._total), (1 + e) / 2) for _, size, e in self._others if e > -1]
        self._stay = 1 - willing
        self._stands: dict[tuple[str, str, int, int], float] = {}
        self._tails: dict[tuple[int, int], tuple[float, ...]] = {}
        self._climbs: dict[Family, tuple[list[int], list[float]]] = {}
        self._powers: dict[int, float] = {}
        self._wholes: dict[int, int] = {}
        self._weights: dict[Family, Weights] = {}
        self._ways: dict[tuple[Family, int], tuple[list[int], list[int]]] = {}
        self._out: dict[tuple[str, str, int, int, int], float] = {}

    def stands(self, play: Combination) -> float:
        """The probability that no opponent beats `play`; exactly 1 where nobody can."""
        key = (play.kind, play.family, play.power, play.strength)
        known = self._stands.get(key)
        if known is None:
            mass = self._mass(play)
            known = self._stands[key] = min(_UNSURE, self._stay**mass) if mass else 1.0
        return known

    def tops(self, play: Combination) -> bool:
        """Whether `play` beats every play on which it may be made: no opponent can beat it, or make one that is as high."""
        strengths, masses = self._climb((play.family, play.power))
        at = bisect_left(strengths, play.strength)
        as_high = masses[at] if at < len(masses) else 0.0
        return not (as_high or self._power_above(play.power) or self._across(play))

    @cached_property
    def bombs(self) -> bool:
        """Whether an opponent may hold a play that beats plays of other kinds."""
        lowest = min(ladder.power for ladder in self._ladders.by_family.values())
        across = (self._weighed(self._ladders.by_family[family]) for family in self._ladders.across)
        return self._power_above(lowest) > 0 or any(rung.also for held in across for rung, _ in held)

    def height(self, play: Combination) -> float:
        """The share of its family, 0 to 1, that `play` is higher than, including cards already played."""
        return self._ladders.by_family[play.family, play.power].height(play.strength)

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
        """The probability that a player with as many cards as `play` has could go out over it; 0 or 1 where these are all cards
        that are hidden.
        """
        n = len(play.cards)
        if self._total == n:
            return float(self._hidden_beat(play))
        key = (play.kind, play.family, play.power, play.strength, n)
        known = self._out.get(key)
        if known is None:
            ways = self._ways_to_beat(play)
            known = min(1.0, ways / comb(max(self._total, n), n))
            if n > 1 and ways:
                known += (1 - known) * KEPT * ways / max(ways, self._whole(n))
            self._out[key] = known
        return known

    def _hidden_beat(self, play: Combination) -> bool:
        """Whether the hidden cards together are a play that beats `play`."""
        try:
            return self._rules.combination(tuple(self._left.elements())).beats(play)
        except DasanError:
            return False

    def _whole(self, size: int) -> int:
        """The number of hands of `size` hidden cards that are one play."""
        known = self._wholes.get(size)
        if known is None:
            totals = (self._ways_from(family, size)[1] for family in self._ladders.by_family)
            known = self._wholes[size] = sum(total[0] for total in totals if total)
        return known

    def _ways_to_beat(self, play: Combination) -> int:
        """The number of hands of hidden cards that are one play of the size of `play` and beat it."""
        n = len(play.cards)
        strengths, totals = self._ways_from((play.family, play.power), n)
        at = bisect_right(strengths, play.strength)
        ways = totals[at] if at < len(totals) else 0
        for family, ladder in self._ladders.by_family.items():
            if ladder.power > play.power and ladder.size == n and (totals := self._ways_from(family, n)[1]):
                ways += totals[0]
        for ladder in self._others_of_power(play):
            beating = (r for r in ladder.rungs if r.size == n and r.beats_across(play) and self._feasible(r))
            ways += sum(map(self._deals, beating))
        return ways

    def _ways_from(self, family: Family, size: int) -> tuple[list[int], list[int]]:
        """The strengths of a family that `size` hidden cards can make, low to high, and the number of hands from each upwards."""
        known = self._ways.get((family, size))
        if known is None:
            ladder = self._ladders.by_family[family]
            if ladder.bits is not None:
                strengths = self._alive(ladder)[::-1] if ladder.size == size else []
                known = strengths, list(range(len(strengths), 0, -1))
            else:
                deals = [(r.strength, self._deals(r)) for r in ladder.rungs if r.size == size and self._feasible(r)]
                known = [s for s, _ in reversed(deals)], list(accumulate(ways for _, ways in deals))[::-1]
            self._ways[family, size] = known
        return known

    def _alive(self, ladder: Ladder) -> list[int]:
        """Of a ladder with `bits`, the strengths of the rungs of which no card has been seen, high to low."""
        import numpy as np

        assert ladder.bits is not None
        there = (ladder.bits & np.uint64(self._seen_bits)) == 0
        alive: list[int] = ladder.descending[there].tolist()
        return alive

    def _others_of_power(self, play: Combination) -> Iterator[Ladder]:
        """The ladders of other families and the same power that have plays which beat some of other families."""
        ladders = self._ladders
        return (
            ladders.by_family[name, power]
            for name, power in ladders.across
            if power == play.power and name != play.family
        )

    def _deals(self, rung: Rung) -> int:
        """About how many hands of hidden cards are this rung and nothing else: what lies beside a group may be any cards."""
        if rung.cards is not None:
            return prod(self._left[c] for c in rung.cards)
        ways = prod(comb(self._ranks[rank], n) for rank, n in rung.counts)
        rest = rung.size - sum(n for _, n in rung.counts)
        return ways * comb(max(0, self._total - 4), rest) if rest else ways

    def _mass(self, play: Combination) -> float:
        """The expected number of ways to beat `play` that opponents hold."""
        strengths, masses = self._climb((play.family, play.power))
        at = bisect_right(strengths, play.strength)
        return (masses[at] if at < len(masses) else 0.0) + self._power_above(play.power) + self._across(play)

    def _across(self, play: Combination) -> float:
        """The mass of other families of the same power (`also_beats`)."""
        return sum(
            m for ladder in self._others_of_power(play) for rung, m in self._weighed(ladder) if rung.beats_across(play)
        )

    def _climb(self, family: Family) -> tuple[list[int], list[float]]:
        """The strengths of a family that could be held, low to high, and the mass from each upwards."""
        known = self._climbs.get(family)
        if known is None:
            held = [(strength, mass) for strength, mass in zip(*self._masses(family), strict=True) if mass > 0]
            masses = list(accumulate(mass for _, mass in held))
            known = self._climbs[family] = ([s for s, _ in reversed(held)], masses[::-1])
        return known

    def _power_above(self, power: int) -> float:
        known = self._powers.get(power)
        if known is None:
            higher = (family for family, ladder in self._ladders.by_family.items() if ladder.power > power)
            known = self._powers[power] = sum(chain.from_iterable(self._masses(family)[1] for family in higher))
        return known

    def _masses(self, family: Family) -> Weights:
        """The strengths of the rungs of a family that could be held, high to low, and the mass of each."""
        known = self._weights.get(family)
        if known is None:
            ladder = self._ladders.by_family[family]
            if ladder.bits is None:
                weighed = self._weighed(ladder)
                known = [r.strength for r, _ in weighed], [mass for _, mass in weighed]
            elif self._beyond(ladder):
                known = [], []
            else:
                alive = self._alive(ladder)
                known = alive, [self._each(ladder)] * len(alive)
            self._weights[family] = known
        return known

    def _beyond(self, ladder: Ladder) -> bool:
        """Whether no opponent has enough cards for a play of the ladder."""
        return all(size < ladder.size for size, _, _ in self._foes)

    def _each(self, ladder: Ladder) -> float:
        """The mass of each rung of exact cards."""
        return CLUSTER.get(ladder.size, 0.3) * self._dealt_to_foes(ladder.size)

    def _weighed(self, ladder: Ladder) -> list[tuple[Rung, float]]:
        if self._beyond(ladder):
            return []
        if self._ladders.exact:
            each, seen = self._each(ladder), self._seen_bits
            return [(r, each) for r in ladder.rungs if not r.bits & seen]
        return [(r, self._held(r)) for r in ladder.rungs if self._feasible(r)]

    def _feasible(self, rung: Rung) -> bool:
        if rung.cards is not None:
            return not rung.bits & self._seen_bits
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

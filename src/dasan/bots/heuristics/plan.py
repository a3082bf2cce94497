"""Split a hand into plays at the least cost, by a search with a budget.

A hand is one number with a field for each rank (or, where the catalogue lists exact sets, for each card), so that removing a
play is a subtraction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from dasan.bots.heuristics.ladders import ladders
from dasan.cards import Card
from dasan.ruleset.catalogue import Fit
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination, Groups

_WIDTH = 5
_MASK = (1 << _WIDTH) - 1
_SPARE = 1 << (_WIDTH - 1)


class _Numbering(NamedTuple):
    """The encoding of hands as numbers under some rules. unit: the number of each card. spare: the highest bit of
    each field. exact: whether every card has a field of its own. rows: by row of the catalogue, its plays as numbers.
    free: whether no play has a `Part.whole`.
    """

    unit: dict[Card, int]
    spare: int
    exact: bool
    rows: dict[int, Part]
    free: bool


@lru_cache(maxsize=64)
def _numbering(rules: Rules) -> _Numbering:
    exact, place = ladders(rules).exact, rules.order.place
    cards = rules.order.hand(dict.fromkeys(rules.pack))
    unit = {c: 1 << (_WIDTH * (i if exact else place[c][0])) for i, c in enumerate(cards)}
    spare = sum({u * _SPARE for u in unit.values()})
    free = exact or not any(isinstance(row.shape, Groups) for row in rules.catalogue.rows)
    return _Numbering(unit, spare, exact, {}, free)


class Part(NamedTuple):
    """A play as a number. lowest: the bit at which its first field begins. alone: its number of cards if it has only
    that field, else 0. whole: the fields of its ranks if playing it leaves no card of them, else 0. height: see
    `Ladder.height`.
    """

    number: int
    lowest: int
    alone: int
    whole: int
    height: float


class Parts:
    """The plays that a hand can be split into, also as numbers; all plans of a hand share them."""

    def __init__(self, rules: Rules, fits: Iterable[Fit]) -> None:
        self.numbering = _numbering(rules)
        known = self.numbering.rows
        self.plays: list[Combination] = []
        self.numbers: list[Part] = []
        for row, play in fits:
            part = known.get(row.id)
            if part is None:
                taken = self.number(play.cards)
                low = lowest(taken)
                count = taken >> low
                whole = _fields(taken) if isinstance(row.shape, Groups) and not self.numbering.exact else 0
                height = ladders(rules).by_family[row.family, row.power].height(row.strength)
                part = known[row.id] = Part(taken, low, count if count <= _MASK else 0, whole, height)
            self.plays.append(play)
            self.numbers.append(part)

    def number(self, cards: Iterable[Card]) -> int:
        """The number of some cards."""
        return sum(map(self.numbering.unit.__getitem__, cards))

    def holds(self, number: int, taken: int) -> bool:
        """Whether the cards of `taken` are among those of `number`."""
        spare = self.numbering.spare
        return ((number | spare) - taken) & spare == spare


_From = tuple[dict[int, float], list[float], list[tuple[int, float, int]]]
"""The plays whose lowest cards are of one rank: the prices of groups of this rank by size, the least cost of 0, 1, 2
… of its cards in such groups, and the other plays with their prices and `Part.whole`.
"""


class Plan:
    """The cheapest partition of a hand, and of the rest of it after a play.

    fits: the plays of the hand. cost: the cost of a play, or of each of `fits`; costs add up. budget: the number of
    hands to search; further ones are only split into groups of single ranks.
    """

    def __init__(
        self,
        rules: Rules,
        fits: Iterable[Fit] | Parts,
        cost: Callable[[Combination], float] | Sequence[float],
        budget: int = 3000,
    ) -> None:
        parts = fits if isinstance(fits, Parts) else Parts(rules, fits)
        self.number = parts.number
        self._spare = parts.numbering.spare
        self._free = parts.numbering.free
        self._budget = budget
        self._known: dict[int, float] = {0: 0.0}
        same: dict[int, dict[int, float]] = {}
        mixed: dict[int, tuple[float, int, int]] = {}
        costs = [cost(play) for play in parts.plays] if callable(cost) else cost
        for (taken, low, count, whole, _), price in zip(parts.numbers, costs, strict=True):
            if count:
                prices = same.setdefault(low, {})
                if count not in prices or price < prices[count]:
                    prices[count] = price
            elif taken not in mixed or price < mixed[taken][0]:
                mixed[taken] = (price, low, whole)
        self._from: dict[int, _From] = {
            low: (prices, [0.0, prices[1]] if 1 in prices else [0.0], []) for low, prices in same.items()
        }
        for taken, (price, low, whole) in mixed.items():
            self._from[low][2].append((taken, price, whole))

    def cost(self, number: int) -> float:
        """The least cost of a split of the cards of `number` into plays."""
        cost = self._known.get(number)
        return self._best(number) if cost is None else cost

    def at_least(self, number: int, taken: int) -> float | None:
        """A lower bound on the cost of `number - taken`: the cost of `number` less the price of the play `taken`.

        None if the known costs may not be minimal.
        """
        whole = self.cost(number)
        if self.spent or not self._free:
            return None
        low = lowest(taken)
        prices, _, mixed = self._from[low]
        count = taken >> low
        return whole - (prices[count] if count <= _MASK else next(p for play, p, _ in mixed if play == taken))

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return len(self._known) >= self._budget

    def _best(self, number: int) -> float:
        """Compute the cost of a number."""
        # Most of a move's time is spent here, so `lowest` and `holds` are inlined, and a known rest is looked up
        # without a call.
        known = self._known
        low = ((number & -number).bit_length() - 1) // _WIDTH * _WIDTH
        count = number >> low & _MASK
        prices, alone, mixed = self._from[low]
        if len(alone) <= count:
            _split_more(prices, alone, count)
        rest = number ^ count << low
        left = known.get(rest)
        best = alone[count] + (self._best(rest) if left is None else left)
        if mixed and len(known) < self._budget:
            spare = self._spare
            filled = number | spare
            for taken, price, mask in mixed:
                rest = filled - taken
                if rest & spare == spare:
                    rest ^= spare
                    if not rest & mask:
                        left = known.get(rest)
                        cost = price + (self._best(rest) if left is None else left)
                        if cost < best:
                            best = cost
        known[number] = best
        return best


def lowest(number: int) -> int:
    """The bit at which the lowest nonempty field begins."""
    return ((number & -number).bit_length() - 1) // _WIDTH * _WIDTH


def _fields(number: int) -> int:
    mask, at = 0, 0
    while number >> at:
        if number >> at & _MASK:
            mask |= _MASK << at
        at += _WIDTH
    return mask


def _split_more(prices: dict[int, float], best: list[float], most: int) -> None:
    """Add to `best`, the least cost of 0, 1, 2 … cards of one rank, split into plays of that rank alone, up to `most` cards."""
    for count in range(len(best), most + 1):
        least = float("inf")
        for n, price in prices.items():
            if n <= count and price + best[count - n] < least:
                least = price + best[count - n]
        best.append(least)

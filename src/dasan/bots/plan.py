"""Split a hand into plays at the least cost, by a search with a budget.

A hand is one number with a field for each rank (or, where the catalogue lists exact sets, for each card), so that removing a
play is a subtraction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dasan.bots.ladders import ladders
from dasan.cards import Card
from dasan.ruleset.catalogue import Fit
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination, Groups

_WIDTH = 5
_MASK = (1 << _WIDTH) - 1
_SPARE = 1 << (_WIDTH - 1)


class Plan:
    """The cheapest partition of a hand, and of what is left of it after a play.

    cost: the cost of a play; costs add up. budget: once this many hands have been searched, further ones are only split into
    groups of single ranks.
    """

    def __init__(
        self,
        rules: Rules,
        fits: Iterable[Fit],
        cost: Callable[[Combination], float],
        budget: int = 3000,
    ) -> None:
        self._exact = ladders(rules).exact
        place = rules.order.place
        cards = rules.order.hand(dict.fromkeys(rules.pack))
        self._unit = {c: 1 << (_WIDTH * (i if self._exact else place[c][0])) for i, c in enumerate(cards)}
        self._spare = sum({u * _SPARE for u in self._unit.values()})
        self._budget = budget
        self._known: dict[int, float] = {0: 0.0}
        same: dict[int, dict[int, float]] = {}
        mixed: dict[int, tuple[float, bool]] = {}
        for row, play in fits:
            taken = self.number(play.cards)
            price = cost(play)
            low = _lowest(taken)
            if taken >> low <= _MASK:
                prices = same.setdefault(low, {})
                count = taken >> low
                prices[count] = min(price, prices.get(count, price))
            elif taken not in mixed or price < mixed[taken][0]:
                mixed[taken] = (price, isinstance(row.shape, Groups) and not self._exact)
        self._groups = {low: _split(prices) for low, prices in same.items()}
        self._mixed: dict[int, list[tuple[int, float, int]]] = {}
        for taken, (price, whole) in mixed.items():
            mask = _fields(taken) if whole else 0
            self._mixed.setdefault(_lowest(taken), []).append((taken, price, mask))

    def number(self, cards: Iterable[Card]) -> int:
        unit = self._unit
        return sum(unit[c] for c in cards)

    def cost(self, number: int) -> float:
        """The least cost of splitting the cards of `number` into plays."""
        return self._best(number)

    def holds(self, number: int, taken: int) -> bool:
        """Whether the cards of `taken` are among those of `number`."""
        spare = self._spare
        return ((number | spare) - taken) & spare == spare

    @staticmethod
    def lowest(number: int) -> int:
        """Where the lowest field that is not empty begins."""
        return _lowest(number)

    def _best(self, number: int) -> float:
        known = self._known.get(number)
        if known is not None:
            return known
        low = _lowest(number)
        count = number >> low & _MASK
        best = self._groups[low][count] + self._best(number & ~(_MASK << low))
        if len(self._known) < self._budget:
            spare = self._spare
            for taken, price, mask in self._mixed.get(low, ()):
                rest = (number | spare) - taken
                if rest & spare == spare:
                    rest ^= spare
                    if not rest & mask:
                        best = min(best, price + self._best(rest))
        self._known[number] = best
        return best


def _lowest(number: int) -> int:
    """Where the lowest field that is not empty begins."""
    return ((number & -number).bit_length() - 1) // _WIDTH * _WIDTH


def _fields(number: int) -> int:
    mask, at = 0, 0
    while number >> at:
        if number >> at & _MASK:
            mask |= _MASK << at
        at += _WIDTH
    return mask


def _split(prices: dict[int, float]) -> list[float]:
    """The least cost of 0, 1, 2 … cards of one rank, split into plays of that rank alone."""
    best = [0.0]
    for count in range(1, 9):
        ways = [prices[n] + best[count - n] for n in prices if n <= count]
        best.append(min(ways, default=float("inf")))
    return best

"""Positions and deals for lessons and exercises, in which the learner sits in seat 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dasan


def others(used: str, *sizes: int) -> list[str]:
    """Hands of these sizes for the others, of cards that are nowhere else."""
    taken = set(used.split())
    left = [card for rank in "579J6T8Q4KA23" for suit in "SDHC" if (card := rank + suit) not in taken]
    hands = []
    for size in sizes:
        hands.append(" ".join(left[:size]))
        left = left[size:]
    return hands


@dataclass(frozen=True)
class Positions:
    """Positions of one game, the learner's hand in front. sizes: those of the others' hands."""

    rules: dasan.Rules
    sizes: tuple[int, ...]

    def follow(self, hand: str, table: str, sizes: tuple[int, ...] = (), **given: Any) -> dasan.State:
        """Another player has played ``table``, and the learner is next."""
        given = {"table": table, "table_seat": self.rules.players - 1, **given}
        return self._start(hand, f"{hand} {table}", sizes, **given)

    def lead(self, hand: str, sizes: tuple[int, ...] = ()) -> dasan.State:
        """The learner leads."""
        return self._start(hand, hand, sizes, leader=0)

    def _start(self, hand: str, used: str, sizes: tuple[int, ...], **given: Any) -> dasan.State:
        hands = [hand, *others(used, *(sizes or self.sizes))]
        if self.rules.auction is not None:
            given = {"bidder": 0, "bid": 2, **given}
        if self.rules.call is not None:
            given = {"called": hands[1].split()[0], **given}
        return dasan.start(self.rules, hands, to_act=0, **given)

    def whole(self, mine: str, first: str = "") -> list[str]:
        """A complete deal in which the learner holds ``mine`` and the player before them ``first``, then the kitty."""
        pack = [str(card) for card in self.rules.order.hand(self.rules.pack)]
        left = [card for card in pack if card not in f"{mine} {first}".split()]
        size = len(mine.split())
        hands = [mine]
        for seat in range(1, self.rules.players):
            own = first.split() if seat == self.rules.players - 1 else []
            take = size - len(own)
            hands.append(" ".join([*own, *left[:take]]))
            left = left[take:]
        return [*hands, " ".join(left)]

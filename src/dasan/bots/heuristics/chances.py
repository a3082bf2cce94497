"""The share of the deals that fit a view in which opponents can answer a play: over all of them, or over a sample.

The deals are those of `dasan.worlds`: all are equally likely, whatever the players' choices suggest. Nothing is assumed
about what anybody wants to play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from dasan.cards import Card
from dasan.play.moves import Move
from dasan.play.turns import ends_trick, guarded
from dasan.play.view import View
from dasan.ruleset.catalogue import Row
from dasan.ruleset.policies import Guard
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination, recognise
from dasan.worlds.states import Sampler

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dasan.arrays import Flags, Longs, Words

MOST_DEALS = 1_000
"""The sample size if more deals fit the view: a share is then within 3 percentage points in 95 % of cases. If each deal
must be checked by replaying the hand, a tenth as many are drawn (10 points).
"""
_AT_ONCE = 256
"""The number of rows compared with all hands at once."""
_RANKS = 8
"""Ranks whose `lanes` fit into one word."""


class Chances:
    """Shares of the deals that fit `view`, for the seat to act. ValueError: no deal fits.

    moves: the moves to judge. most: the sample size if more deals fit. whole: whether all deals were counted, so that
    shares are exact.
    """

    def __init__(self, view: View, moves: Sequence[Move], most: int = MOST_DEALS) -> None:
        import numpy as np

        self._view = view
        self._rules = view.rules
        hands_now = Sampler(view).hands(most, 0)
        self._hands = hands_now.hands
        self._weights = np.array(hands_now.weights) / sum(hands_now.weights)
        self.whole = hands_now.whole
        self._seats = view.answering()
        self._plays = [move.combination for move in moves if move.combination is not None]
        self._formed: dict[tuple[int, bool], list[Combination | None]] = {}

    def stands(self, play: Combination) -> float:
        """The share of deals in which no opponent who may still answer can beat `play`, one of the moves."""
        if ends_trick(self._rules, play):
            return 1.0
        beaten = self._beaten(play)
        return float(self._weights[~beaten].sum()) if beaten.any() else 1.0

    def goes_out(self, seat: int, play: Combination) -> float:
        """The share of deals in which `seat` is an opponent and can go out over `play` when its turn comes."""
        if seat not in self._seats or ends_trick(self._rules, play):
            return 0.0
        if self._view.hand_sizes[seat] not in self._sizes(play):
            return 0.0
        out = self._enemies[seat] & [whole is not None and whole.beats(play) for whole in self._combinations(seat)]
        if len(play.cards) == 1:
            for guard in self._guards(seat, play):
                out &= [top is None or not top.beats(play) for top in self._combinations(guard, highest=True)]
        return float(self._weights[out].sum())

    def _combinations(self, seat: int, *, highest: bool = False) -> list[Combination | None]:
        """For each deal: the combination that the seat's whole hand forms, or its highest card; None if it forms none."""
        if (seat, highest) not in self._formed:
            rules, hands = self._rules, [self._rules.order.hand(hands[seat]) for hands in self._hands]
            chosen = [hand[-1:] if highest else hand for hand in hands]
            self._formed[seat, highest] = [recognise(rules.shapes, rules.order, cards) for cards in chosen]
        return self._formed[seat, highest]

    def _sizes(self, play: Combination) -> set[int]:
        """The sizes of plays that may beat `play`; bombs may have another size."""
        return {len(play.cards), *(group.size for group in _groups(self._rules) if group.power > play.power)}

    def _guards(self, seat: int, play: Combination) -> list[int]:
        """The seats before `seat` that must play their highest card over a single card if it is higher (D2.16)."""
        view = self._view
        if self._rules.guard is not Guard.ENFORCED or view.seat is None:
            return []
        sizes = list(view.hand_sizes)
        sizes[view.seat] -= len(play.cards)
        before = self._seats[: self._seats.index(seat)]
        passed = view.passed
        out = []
        for guard in before:
            if guarded(self._rules, sizes, guard, passed) is not None:
                out.append(guard)
            passed = (*passed, guard)
        return out

    @cached_property
    def _enemies(self) -> Flags:
        """bool [seats, deals]: whether the seat plays against this one."""
        import numpy as np

        view, me = self._view, self._view.seat
        players, deals = self._rules.players, len(self._hands)
        if view.bidder is None:
            return np.ones((players, deals), bool)
        out = np.zeros((players, deals), bool)
        for deal, hands in enumerate(self._hands):
            partner = view.partner
            if partner is None and view.called is not None:
                partner = next((s for s, hand in enumerate(hands) if view.called in hand), None)
            side = {view.bidder, partner}
            for seat in range(players):
                out[seat, deal] = (seat in side) is not (me in side)
        return out

    def _beaten(self, play: Combination) -> Flags:
        """bool [deals]: whether an opponent who may still answer can beat `play`."""
        import numpy as np

        out = np.zeros(len(self._hands), bool)
        for group, best in self._best.items():
            if group.power > play.power:
                out |= best >= 0
            elif group.power == play.power and group.family == play.family:
                out |= best > play.strength
            elif group.power == play.power and any(play.kind == k and play.strength >= s for k, s in group.also):
                out |= best >= 0
        return out

    @cached_property
    def _best(self) -> dict[_Group, Longs]:
        """By group of rows: int64 [deals], the highest strength that an opponent who may still answer holds; -1: none."""
        import numpy as np

        deals = len(self._hands)
        best = {}
        held = [_Held(self._rules, [hands[seat] for hands in self._hands]) for seat in self._seats]
        sizes = [self._view.hand_sizes[seat] for seat in self._seats]
        for group, rows in _groups(self._rules).items():
            least = self._least(group)
            if least is None:
                continue
            strongest = np.full(deals, -1, np.int64)
            for seat, size, cards in zip(self._seats, sizes, held, strict=True):
                if group.size <= size:
                    answer = rows.strongest(cards, least, self._enemies[seat])
                    np.maximum(strongest, answer, out=strongest)
            best[group] = strongest
        return best

    def _least(self, group: _Group) -> int | None:
        """The lowest strength of the group's rows that matters to one of the plays; None if none does."""
        least = None
        for play in self._plays:
            if group.power == play.power and group.family == play.family:
                least = play.strength if least is None else min(least, play.strength)
            elif group.power > play.power or (group.power == play.power and any(play.kind == k for k, _ in group.also)):
                return -1
        return least


@dataclass(frozen=True)
class _Group:
    """Rows that beat and are beaten alike, except by strength."""

    family: str
    power: int
    also: tuple[tuple[str, int], ...]
    size: int


class _Held:
    """The hands of one seat in many deals. cards: uint64 [deals], one bit for each different card. low, high: the numbers of
    cards of each rank as `lanes`, of the first eight ranks and of the others.
    """

    def __init__(self, rules: Rules, hands: Sequence[Sequence[Card]]) -> None:
        import numpy as np

        number = _numbers(rules)
        place = [rules.order.place[c][0] for c in number]
        count = np.zeros((len(hands), len(number)), np.uint8)
        held = np.array([[number[c] for c in hand] for hand in hands], np.intp).reshape(len(hands), -1)
        np.add.at(count, (np.arange(len(hands))[:, None], held), 1)
        self.cards: Words = ((count > 0) * (np.uint64(1) << np.arange(len(number), dtype=np.uint64))).sum(1, np.uint64)
        ranks = np.zeros((len(hands), 2 * _RANKS), np.uint64)
        for i, rank in enumerate(place):
            ranks[:, rank] += count[:, i]
        lane = ((np.uint64(1) << ranks) - np.uint64(1)) << np.uint64(8) * (np.arange(2 * _RANKS, dtype=np.uint64) % 8)
        self.low: Words = lane[:, :_RANKS].sum(1, np.uint64)
        self.high: Words = lane[:, _RANKS:].sum(1, np.uint64)

    def of(self, deals: npt.NDArray[np.intp]) -> _Held:
        """The hands of these deals."""
        part = object.__new__(_Held)
        part.cards, part.low, part.high = self.cards[deals], self.low[deals], self.high[deals]
        return part


class _Rows:
    """Rows of one group, the strongest first, as words: the exact or deciding cards, the number of cards of each rank,
    and, for plays that must mix suits, sets of cards of which the hand needs one each.

    A hand that holds the deciding card and enough cards of its rank may lack lower ones to play beside it; then it
    makes the same play with a higher deciding card, which is another row.
    """

    def __init__(self, rules: Rules, rows: Sequence[Row]) -> None:
        import numpy as np

        rows = sorted(rows, key=lambda row: -row.strength)
        bit = {c: 1 << i for c, i in _numbers(rules).items()}
        self._strengths = np.array([row.strength for row in rows], np.int64)
        self._cards = np.array([sum(bit[c] for c in _needed(rules, row)) for row in rows], np.uint64)
        self._low = np.array([row.need & ((1 << 64) - 1) for row in rows], np.uint64)
        self._high = np.array([row.need >> 64 for row in rows], np.uint64)
        self._others: Words | None = None
        if any(row.pattern.mixed and row.cards is None for row in rows):
            others = [[sum(bit.get(c, 0) for c in cards) for cards in _other_suits(rules, row)] for row in rows]
            self._others = np.array(others, np.uint64)

    def strongest(self, held: _Held, least: int, among: Flags) -> Longs:
        """int64 [deals]: the highest strength above `least` that a hand holds, in the deals of `among`; -1: none."""
        import numpy as np

        out = np.full(len(among), -1, np.int64)
        left = np.flatnonzero(among)
        end = int(np.searchsorted(-self._strengths, -least))
        for at in range(0, end, _AT_ONCE):
            if not len(left):
                break
            rows = slice(at, min(at + _AT_ONCE, end))
            fits = self._fit(rows, held.of(left))
            first = fits.argmax(axis=0)
            fitting = fits[first, np.arange(len(left))]
            out[left[fitting]] = self._strengths[rows][first[fitting]]
            left = left[~fitting]
        return out

    def _fit(self, rows: slice, held: _Held) -> Flags:
        """bool [rows, deals]: whether the hand holds the row."""
        import numpy as np

        cards, low, high = self._cards[rows, None], self._low[rows, None], self._high[rows, None]
        fits: Flags = (held.cards & cards) == cards
        if self._low.any():
            fits &= (held.low & low) == low
        if self._high.any():
            fits &= (held.high & high) == high
        if self._others is not None:
            for other in self._others[rows].T:
                fits &= (held.cards & other[:, None]) != np.uint64(0)
        return fits


@lru_cache(maxsize=16)
def _numbers(rules: Rules) -> dict[Card, int]:
    """The different cards of the pack, numbered."""
    return {c: i for i, c in enumerate(dict.fromkeys(rules.pack))}


@lru_cache(maxsize=16)
def _groups(rules: Rules) -> dict[_Group, _Rows]:
    """The rows of the catalogue by group, without those that differ from another only by the called card (B4.07)."""
    rows: dict[_Group, list[Row]] = {}
    for row in rules.catalogue.rows:
        if not row.called:
            rows.setdefault(_Group(row.family, row.power, row.also, row.size), []).append(row)
    return {group: _Rows(rules, listed) for group, listed in rows.items()}


def _needed(rules: Rules, row: Row) -> tuple[Card, ...]:
    """The cards without which the row cannot be played."""
    if row.cards is not None:
        return row.cards
    at, pattern = rules.order.at, row.pattern
    if pattern.flush:
        return tuple(at[rank, pattern.suit] for rank, _ in pattern.counts)
    return (at[pattern.decider, pattern.suit],) if pattern.decider >= 0 and pattern.suit >= 0 else ()


def _other_suits(rules: Rules, row: Row) -> list[tuple[Card, ...]]:
    """Sets of cards of which the row needs one each, so that not all are of one suit."""
    pattern, suits = row.pattern, range(len(rules.suits))
    if row.cards is not None or not pattern.mixed:
        return [tuple(_numbers(rules)) for _ in suits]
    ranks = [rank for rank, _ in pattern.counts if rank != pattern.decider]
    shown = suits if pattern.decider < 0 else [pattern.suit for _ in suits]
    return [tuple(rules.order.at[rank, s] for rank in ranks for s in suits if s != suit) for suit in shown]

"""Exact search of Winner's endgames between the last two players, who know each other's cards.

Winner deals the whole pack and goes on until one player is left, so the last two players know each other's cards:
those that they have not seen.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from dasan.bots.heuristics.outlook import unseen
from dasan.cards import Card
from dasan.errors import DasanError
from dasan.play.moves import Move
from dasan.play.turns import ends_trick, neighbour
from dasan.play.view import View
from dasan.ruleset.policies import Ending, Guard
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination

MOST_CARDS = 9
"""The most cards in a hand; with more the search takes too long."""
MOST_NODES = 20_000

Play = tuple[int, Combination]
"""The cards of a play as bits of its hand, and the play."""


class _TooMuch(Exception):
    pass


class TwoHands:
    """Two open hands, numbered 0 and 1. heir: the player who leads after a trick won by a player who is out."""

    def __init__(self, rules: Rules, hands: tuple[tuple[Card, ...], tuple[Card, ...]], heir: int) -> None:
        self._plays = [_plays(rules, hand) for hand in hands]
        self._rules = rules
        self._heir = heir
        self._known: dict[tuple[int, int, int, str, int, int, int], bool] = {}
        self._nodes = 0

    def wins(self, mover: int, mine: int, others: int, to_beat: Combination | None, waiting: int = 0) -> bool:
        """Whether `mover`, holding the cards `mine` and to act, goes out before the other, who holds `others`.

        to_beat: the play to beat; None: `mover` leads. waiting: if a player who is out made that play, how many may still act
        before the trick is over, `mover` included; 0: the other player made it.
        """
        family, power, strength = ("", 0, 0) if to_beat is None else (to_beat.family, to_beat.power, to_beat.strength)
        key = (mover, mine, others, family, power, strength, waiting)
        known = self._known.get(key)
        if known is not None:
            return known
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise _TooMuch
        out = any(
            self.keeps(mover, mine & ~cards, others, play, waiting)
            for cards, play in self._plays[mover]
            if not cards & ~mine and (to_beat is None or play.beats(to_beat))
        )
        out = out or (to_beat is not None and self.passes(mover, mine, others, to_beat, waiting))
        self._known[key] = out
        return out

    def passes(self, mover: int, mine: int, others: int, to_beat: Combination, waiting: int) -> bool:
        """Whether `mover` goes out first after a pass."""
        if waiting == 2:
            return not self.wins(1 - mover, others, mine, to_beat, 1)
        if waiting == 1 and self._heir == mover:
            return self.wins(mover, mine, others, None)
        return not self.wins(1 - mover, others, mine, None)

    def keeps(self, mover: int, left: int, others: int, play: Combination, waiting: int) -> bool:
        """Whether `mover` goes out first after `play`, which leaves it the cards `left`. waiting: before the play."""
        if not left:
            return True
        barred = waiting == 1 and self._rules.pass_is_final
        if barred or ends_trick(self._rules, play):
            return self.wins(mover, left, others, None)
        return not self.wins(1 - mover, others, left, play)


def winning(view: View) -> tuple[Move, ...] | None:
    """The moves of `view` with which its seat goes out before the only other player left.

    None: more than two players hold cards, a hand is too large, the other does not hold all hidden cards, the search
    is too large, or a duty to guard may forbid a play.
    """
    rules = view.rules
    if rules.ending is not Ending.LAST_IN or view.phase != "play" or rules.guard is Guard.ENFORCED:
        return None
    holding = [seat for seat, held in enumerate(view.hand_sizes) if held]
    if len(holding) != 2 or view.seat not in holding:
        return None
    hidden = tuple(rules.order.hand(Counter(unseen(view)).elements()))
    other = next(seat for seat in holding if seat != view.seat)
    if len(hidden) != view.hand_sizes[other] or max(len(hidden), len(view.hand)) > MOST_CARDS:
        return None
    owner = view.table_seat if view.table_seat is not None else other
    heir = owner if owner in holding else neighbour(view.hand_sizes, owner)
    search = TwoHands(rules, (tuple(view.hand), hidden), int(heir == other))
    waiting = 0 if view.table is None or owner == other else 1 if other in view.passed else 2
    mine, others = (1 << len(view.hand)) - 1, (1 << len(hidden)) - 1
    out: list[Move] = []
    try:
        for move in view.legal_moves():
            if move.combination is None:
                good = view.table is not None and search.passes(0, mine, others, view.table, waiting)
            else:
                good = search.keeps(0, mine & ~_bits(view.hand, move.cards), others, move.combination, waiting)
            if good:
                out.append(move)
    except _TooMuch:
        return None
    return tuple(out)


def _bits(hand: tuple[Card, ...], cards: tuple[Card, ...]) -> int:
    """`cards` as bits of `hand`; the first ones on ties."""
    left = list(cards)
    bits = 0
    for i, held in enumerate(hand):
        if held in left:
            left.remove(held)
            bits |= 1 << i
    return bits


def _plays(rules: Rules, hand: tuple[Card, ...]) -> list[Play]:
    """Every combination in a hand, the longest first."""
    out: list[Play] = []
    for size in range(len(hand), 0, -1):
        for chosen in combinations(range(len(hand)), size):
            try:
                play = rules.combination(tuple(hand[i] for i in chosen))
            except DasanError:
                continue
            out.append((sum(1 << i for i in chosen), play))
    return out

"""Heuristics of a player who sees all hands: which plays cannot be beaten, who surely goes out, which moves look natural."""

from __future__ import annotations

from collections.abc import Callable

from dasan.bots.heuristics.plan import Plan
from dasan.cards import Card, without
from dasan.play.moves import Move, MoveType
from dasan.play.state import State
from dasan.ruleset.shapes import Combination
from dasan.solver.values import side_of

TAKES_BACK = {1: 1.0, 2: 0.8}
"""The turns that an unbeatable play saves by winning others' tricks, by its number of cards; `RARELY` for more
cards."""
RARELY = 0.3
AWAY = 0.2
"""The cost of not having the lead, in turns."""
MERCY = 0.8
"""The gain of leaving the trick to an ally, in turns."""


class Sight:
    """A position with all hands open, judged for the seat to act and its side. ValueError: the hand is over."""

    def __init__(self, state: State) -> None:
        if state.to_act is None:
            raise ValueError("the hand is over")
        self._state = state
        self.seat = state.to_act
        self.allies = side_of(state, self.seat)
        self._best: dict[tuple[str, int], int] = {}
        self._power = 0
        for foe in state.active:
            if foe not in self.allies:
                for row, _ in state.fits(foe):
                    kind = row.family, row.power
                    self._best[kind] = max(row.strength, self._best.get(kind, -1))
                    self._power = max(self._power, row.power)
        self._plans: dict[str, Plan] = {}

    def stands(self, play: Combination) -> bool:
        """Whether no opponent can beat `play`, now or later (hands only get shorter)."""
        return self._power <= play.power and self._best.get((play.family, play.power), -1) <= play.strength

    def turns(self, without: tuple[Card, ...] = ()) -> float:
        """The fewest plays into which the rest of the hand can be split."""
        return self._cost("turns", lambda play: 1.0, without)

    def doubts(self, without: tuple[Card, ...] = ()) -> float:
        """The fewest beatable plays over all splits of the rest of the hand."""
        return self._cost("doubts", lambda play: float(not self.stands(play)), without)

    def looks(self, move: Move) -> float:
        """A quick estimate of the turns that the rest of the hand costs after `move`; less is better.

        A beatable play costs a turn, an unbeatable one saves another; having the lead or leaving the trick to an ally
        lowers the cost. The greedy bot counts the same way, with estimates for hidden cards.
        """
        left = self._cost("price", self._price, move.cards)
        if move.combination is None:
            kind = self._state.table_seat in self.allies
            return left + AWAY - (MERCY if kind else 0.0)
        return left - 1.0 if self.stands(move.combination) else left + AWAY

    def sure(self) -> bool:
        """Whether the seat to act surely goes out while its allies pass: all its plays stand except perhaps the
        last.
        """
        if self._state.table is None:
            return self.doubts() <= 1
        return any(
            len(move.cards) == len(self._state.hands[self.seat])
            or (self.stands(move.combination) and self.doubts(move.cards) <= 1)
            for move in self._state.legal_moves()
            if move.combination is not None
        )

    def line(self) -> tuple[Move, ...]:
        """The plays with which the seat to act surely goes out; empty if not `sure`."""
        state = self._state
        hand = state.hands[self.seat]
        gone: tuple[Card, ...] = ()
        plays: list[Move] = []
        if state.table is not None:
            ways = [move.combination for move in state.legal_moves() if move.combination is not None]
            first = next((play for play in ways if self._goes_on(play, gone)), None)
            if first is None:
                return ()
            plays.append(Move(MoveType.PLAY, first.cards, None, first))
            gone = first.cards
        while len(gone) < len(hand):
            left = state.rules.order.hand(without(hand, gone))
            ways = [play for _, play in state.rules.catalogue.fits(left, state.called)]
            ways.sort(key=lambda play: -len(play.cards))
            following = next((play for play in ways if self._goes_on(play, gone)), None)
            if following is None:
                return ()
            plays.append(Move(MoveType.PLAY, following.cards, None, following))
            gone = (*gone, *following.cards)
        return tuple(plays)

    def _goes_on(self, play: Combination, gone: tuple[Card, ...]) -> bool:
        """Whether after `gone` this play is the last, or stands and leaves at most one beatable play."""
        after = (*gone, *play.cards)
        if len(after) == len(self._state.hands[self.seat]):
            return True
        return self.stands(play) and self.doubts(after) <= 1

    def _price(self, play: Combination) -> float:
        return -TAKES_BACK.get(len(play.cards), RARELY) if self.stands(play) else 1.0

    def _cost(self, name: str, cost: Callable[[Combination], float], without: tuple[Card, ...]) -> float:
        plan = self._plans.get(name)
        if plan is None:
            plan = self._plans[name] = Plan(self._state.rules, self._state.fits(self.seat), cost)
        return plan.cost(plan.number(self._state.hands[self.seat]) - plan.number(without))

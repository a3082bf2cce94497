"""The cost of a move, in turns, the unit of all costs and values here.

A hand is split into plays. A play that others will beat costs a turn; one that nobody beats saves a turn, since it brings the
lead. A move is judged by the cost of the rest of the hand, by who leads then, and by who might go out over it.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import inf

from dasan.bots.heuristics.outlook import Outlook, unseen
from dasan.bots.heuristics.plan import Parts, Plan
from dasan.bots.heuristics.races import SAFE, Races, Trick
from dasan.bots.heuristics.sides import enmity
from dasan.cards import Card
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.policies import Guard
from dasan.ruleset.shapes import Combination

WILLING = 0.4
"""The probability that a player who can beat a play does."""
LEADS_OUT = {1: 1.0, 2: 0.45, 3: 0.25, 4: 0.12}
"""By number of cards, the probability that a player who gets the lead goes out."""
REUSE = (0.0, 1.0, 0.8)
"""By number of cards, the share of a play's chance to stand that counts for taking the lead later. Plays that beat other kinds
count in full."""
REUSE_LONGER = 0.3
"""The same for more cards."""
DODGE = 0.15
"""The value of a high play for being easier to get rid of than a low one."""
AWAY = 0.2
"""The cost of not having the lead."""
RUIN = 2.0
"""The cost of an opponent going out."""
MERCY = 0.8
"""The value of holding back over a friend's play."""
EACH_CARD = 0.02
"""The cost of a card still in hand."""
SURPLUS = 0.6
"""The share that counts of turns saved beyond those needed."""
ROUNDING = 1e-9
"""A tolerance above the rounding error of a sum of costs."""


class ViewCosts:
    """The costs of one view. hand: these cards instead of the seat's own; not with `before`.

    outlook: for later tricks; now: for an answer to a play in this one, in which not everybody may act (D2.12, D2.16).
    before: earlier costs of a seat's own cards. Their estimates and plans are reused if nothing that they depend on has
    changed: only the seat itself has played cards since.
    """

    outlook: Outlook
    now: Outlook
    _trick: Trick
    _parts: Parts
    _plan: Plan
    _races: Races
    _flushes: list[set[Card]]

    def __init__(self, view: View, hand: Iterable[Card] | None = None, before: ViewCosts | None = None) -> None:
        self._view = view
        self._enmity = enmity(view)
        self._foes = [(e, n) for e, n in zip(self._enmity, view.hand_sizes, strict=True) if e > 0]
        danger = max((e * LEADS_OUT.get(n, 0.0) for e, n in self._foes), default=0.0)
        self._eager = eager = WILLING + (1 - WILLING) * danger / 2
        self._dangers: dict[int, float] = {}
        self._hand = view.rules.order.hand(hand) if hand is not None else view.hand
        self._left = left = unseen(view)
        self._shared = before is not None and before._serves(view, self._enmity, eager, left)
        if before is not None and self._shared:
            self.outlook, self._parts, self._plan, self._races = (
                before.outlook,
                before._parts,
                before._plan,
                before._races,
            )
            self._flushes = before._flushes
        else:
            self.outlook = Outlook(view, self._enmity, eager, left)
            called = view.called if view.called in self._hand else None
            fits = view.rules.catalogue.fits(self._hand, called)
            self._parts = Parts(view.rules, fits)
            stands = self.outlook.all_stand(self._parts.plays)
            self._plan = Plan(view.rules, self._parts, self._prices(stands))
            self._races = Races(view.rules, self._parts, stands, self.outlook, self._foes)
            flushes = (play.cards for row, play in fits if row.pattern.flush and row.cards is None)
            self._flushes = [set(cards) for cards in flushes] if view.rules.suits_matter else []
        self._number = self._parts.number(self._hand)
        self._trick = self._answered_by(view.answering())
        self.now = self._trick.outlook

    def _answered_by(self, seats: tuple[int, ...]) -> Trick:
        """The current trick, if only these other seats may act in it from now on."""
        view = self._view
        others = sum(1 for seat, held in enumerate(view.hand_sizes) if held and seat != view.seat)
        if len(seats) == others and view.rules.guard is not Guard.ENFORCED:
            return Trick(self.outlook, self._foes)
        outlook = Outlook(view, self._enmity, self._eager, self._left, seats)
        return Trick(outlook, [(self._enmity[s], view.hand_sizes[s]) for s in seats if self._enmity[s] > 0])

    def _serves(self, view: View, enmity: Sequence[float], willing: float, left: dict[Card, int]) -> bool:
        """Whether the plays of this hand include those of the hand of `view`, with the same estimates."""
        parts = self._parts
        return (
            (parts.numbering.exact or not view.rules.suits_matter)
            and self.outlook.serves(view, enmity, willing, left)
            and parts.holds(self._number, parts.number(view.hand))
        )

    @cached_property
    def _plays(self) -> Plan:
        return Plan(self._view.rules, self._parts, lambda play: 1.0)

    def turns(self, without: Iterable[Card] = ()) -> float:
        """The cost of the hand once the cards `without` are gone."""
        return self._plan.cost(self._rest(without))

    def plays(self, without: Iterable[Card] = ()) -> int:
        """The fewest plays that empty the hand once the cards `without` are gone."""
        return round(self._plays.cost(self._rest(without)))

    def of(self, move: Move) -> float:
        """The cost of the rest of the hand after `move`, a play or a pass. ValueError: a leader does not pass."""
        return self._of_pass() if move.combination is None else self._of_play(move.combination)

    def race(self, move: Move) -> float | None:
        """The probability that the race which `move` begins fails (see `races`); None if it begins none."""
        play = move.combination
        return None if play is None else self._races.risk(play, self._rest(play.cards), self._trick)

    def proved(self, move: Move) -> bool:
        """Whether `move` begins a race that cannot fail, on the conditions of `Races.proved`."""
        play = move.combination
        return play is not None and self._races.proved(play, self._rest(play.cards), self._trick)

    def _rest(self, without: Iterable[Card]) -> int:
        """The number of the hand once the cards `without` are gone."""
        return self._number - self._plan.number(without)

    def cheapest(self, moves: Sequence[Move]) -> Move:
        """The first of those that cost least."""
        best, least = moves[0], inf
        for move in moves:
            cost = self._of_pass() if move.combination is None else self._of_play(move.combination, least)
            if cost < least:
                best, least = move, cost
        if self._shared and (self._plan.spent or self._races.spent):
            return ViewCosts(self._view).cheapest(moves)
        return best

    def cheapest_few(self, moves: Sequence[Move], count: int) -> list[Move]:
        """The `count` that cost least, the cheapest first, in the order of `moves` on ties."""
        few: list[tuple[float, int, Move]] = []
        for place, move in enumerate(moves):
            least = few[-1][0] if len(few) == count else inf
            cost = self._of_pass() if move.combination is None else self._of_play(move.combination, least)
            if cost < least:
                insort(few, (cost, place, move))
                del few[count:]
        if self._shared and (self._plan.spent or self._races.spent):
            return ViewCosts(self._view).cheapest_few(moves, count)
        return [move for _, _, move in few]

    def _of_play(self, play: Combination, least: float = inf) -> float:
        """See `of`. Where the cost is `least` or more, any number of `least` or more may be returned."""
        stands = self.now.stands(play)
        taken = self._plan.number(play.cards)
        rest = self._number - taken
        may_race = self._races.may_begin(play, rest, self._trick)
        if not may_race and least < inf:
            lowest = self._plan.at_least(self._number, taken)
            if lowest is not None and self._without_race(play, stands, lowest) - ROUNDING >= least:
                return least
        left = self._plan.cost(rest)
        cost = self._without_race(play, stands, left)
        slow = 0.1 if stands < 1 else 0.0
        if not may_race or (cost >= least and left / 100 - RUIN * 2 + slow >= least):
            return cost
        risk = self._races.risk(play, rest, self._trick)
        if risk is not None and risk < SAFE:
            return left / 100 - RUIN * (2 - risk) + slow
        return cost

    def _without_race(self, play: Combination, stands: float, left: float) -> float:
        led = self._need(left - 1)
        lost = self._need(left) + AWAY + RUIN * self._danger(len(play.cards), self._trick)
        cost = stands * led + (1 - stands) * lost
        odds_out = self.now.odds_out(play)
        if odds_out:
            cost += RUIN * sum(odds for _, odds in odds_out)
        cost += EACH_CARD * (len(self._hand) - len(play.cards))
        if not self._flushes:
            return cost
        return cost + 0.01 * sum(not cards.isdisjoint(play.cards) for cards in self._flushes)

    def _of_pass(self) -> float:
        view = self._view
        on_table, owner = view.table, view.table_seat
        if on_table is None or owner is None:
            raise ValueError("a leader does not pass")
        waiting = view.waiting()
        trick = self._answered_by(waiting) if view.rules.pass_is_final else self._trick
        if view.rules.pass_is_final:
            holds = trick.outlook.stands(on_table)
        else:
            others = [s for s, n in enumerate(view.hand_sizes) if n and s not in (view.seat, owner)]
            holds = self.now.stands(on_table) ** (len(waiting) / len(others)) if waiting else 1.0
        leads_out = self._enmity[owner] * LEADS_OUT.get(view.hand_sizes[owner], 0.0)
        cost = self._need(self.turns()) + AWAY
        cost += RUIN * (holds * leads_out + (1 - holds) * self._danger(len(on_table.cards), trick))
        cost += RUIN * sum(odds for seat, odds in trick.outlook.odds_out(on_table) if seat in waiting)
        cost += MERCY * holds * min(0.0, self._enmity[owner])
        return cost + EACH_CARD * len(self._hand)

    def _danger(self, size: int, trick: Trick) -> float:
        """How likely a foe who may act in `trick` goes out on the lead after beating a play of `size` cards."""
        known = self._dangers.get(size) if trick is self._trick else None
        if known is None:
            able = [e * LEADS_OUT.get(n - size, 0.0) for e, n in trick.foes if n > size]
            known = sum(able) / len(able) if able else 0.0
            if trick is self._trick:
                self._dangers[size] = known
        return known

    def _need(self, turns: float) -> float:
        return turns if turns > 0 else SURPLUS * turns

    def _prices(self, odds: Sequence[float]) -> list[float]:
        """The cost of each play of the plan, given its odds to stand: 1 if it will be beaten, less if it may stand."""
        parts = self._parts
        out = []
        for play, part, stands in zip(parts.plays, parts.numbers, odds, strict=True):
            size = len(play.cards)
            reuse = 1.0 if play.power else REUSE[size] if size < len(REUSE) else REUSE_LONGER
            out.append(1 - stands * (1 + reuse) - DODGE * reuse * part.height)
        return out

"""Races: ways to play a hand out that keep the lead, or win it back, whatever the others hold.

A play that nothing unseen beats keeps the lead. If nothing unseen is as high either, it is a *control*: it also takes
the lead back from a player who beat a play of its kind. Plays that can be beaten are *losers*. If each loser but the
last has a control that answers for it, the hand goes out before anybody else, unless another player's whole hand
beats one of the losers; the probability of that is the risk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, permutations
from typing import NamedTuple

from dasan.bots.heuristics.outlook import Outlook
from dasan.bots.heuristics.plan import Parts, Plan, lowest
from dasan.cards import Card
from dasan.ruleset.policies import Restart
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination

MOST_PARTITIONS = 201
"""The most partitions of a hand to consider."""
MOST_NODES = 4000
MOST_ORDERED = 4
"""The most losers for which all orders are tried; more are led from high to low."""
SAFE = 0.1
"""A race with a lower risk counts as won."""


Choice = tuple[int, Combination, bool, float]
"""A play's number, the play, whether it needs exactly these cards, and its price, see `Races._prices`."""
_Way = tuple[Combination, float, float]
"""A play, the probability that it stands, and its price."""


class _Partial(NamedTuple):
    """A partial split of a hand. rest: the number of the remaining cards. spent: the cards of plays that need exactly
    these cards. choices: the plays still to try next.
    """

    rest: int
    losers: list[Combination]
    controls: list[Combination]
    spent: frozenset[Card]
    choices: Iterator[Choice]


class Trick(NamedTuple):
    """The trick in which a race begins. outlook: estimates of the answers by those who may act in it; foes: enmity, above 0, and
    hand size of each opponent among them.
    """

    outlook: Outlook
    foes: Sequence[tuple[float, int]]


class Races:
    """The races of one hand. parts: its plays. stands: for each play, the probability that nobody beats it. foes:
    enmity, above 0, and hand size of each opponent.
    """

    def __init__(
        self,
        rules: Rules,
        parts: Parts,
        stands: Sequence[float],
        outlook: Outlook,
        foes: Sequence[tuple[float, int]],
    ) -> None:
        self._outlook = outlook
        self._stands = stands
        self._foes = foes
        self._parts = parts
        self._rules = rules
        self._restarts = rules.restart is Restart.ALWAYS

    @cached_property
    def _bound(self) -> Plan:
        """A lower bound on the number by which losers exceed controls."""
        return Plan(self._rules, self._parts, self._prices)

    @property
    def spent(self) -> bool:
        """Whether the budget of the search for the bound is used up."""
        bound: Plan | None = self.__dict__.get("_bound")
        return bound is not None and bound.spent

    @cached_property
    def _prices(self) -> list[float]:
        """For each play: how much it adds to the number of losers minus controls."""
        tops = self._outlook.tops
        return [
            1.0 if stands < 1 else -1.0 if tops(play) else 0.0
            for play, stands in zip(self._parts.plays, self._stands, strict=True)
        ]

    @cached_property
    def _possible(self) -> bool:
        """Whether any play keeps the lead; if not, every play is a loser without a control."""
        return 1.0 in self._stands

    @cached_property
    def _controls(self) -> list[tuple[Combination, int]]:
        """The controls, each with its number."""
        parts = self._parts
        return [
            (play, part.number)
            for play, part, price in zip(parts.plays, parts.numbers, self._prices, strict=True)
            if price < 0
        ]

    @cached_property
    def _by_lowest(self) -> dict[int, list[Choice]]:
        """The plays to consider with their prices, by the first field of their numbers."""
        parts = self._parts
        same: dict[int, dict[tuple[Card, ...], _Way]] = {}
        for play, part, stands, price in zip(parts.plays, parts.numbers, self._stands, self._prices, strict=True):
            ways = same.setdefault(part.number, {})
            known = ways.get(play.cards)
            if known is None or stands > known[1]:
                ways[play.cards] = play, stands, price
        by_lowest: dict[int, list[Choice]] = {}
        for number, ways in same.items():
            choices = by_lowest.setdefault(lowest(number), [])
            choices += [(number, play, own, price) for (play, _, price), own in _considered(list(ways.values()))]
        return by_lowest

    def risk(self, first: Combination, rest: int, trick: Trick) -> float | None:
        """The probability that the race that begins with `first` fails; None if it begins none.

        rest: the number of the remaining cards, see `Plan.number`. trick: that of `first`. The estimate assumes that
        a loser is beaten by a play of its own size, after which the trick goes on.
        """
        if not self.may_begin(first, rest, trick):
            return None
        least: float | None = None
        for led in self._begun_by(first, rest, trick):
            risk = self._risk_in_order(led, first, trick)
            least = risk if least is None else min(least, risk)
            if least == 0:
                break
        return least

    def proved(self, first: Combination, rest: int, trick: Trick) -> bool:
        """Whether a race that begins with `first` cannot fail, if no duty to guard is enforced.

        rest, trick: see `risk`. This uses no estimates: a control surely answers if no bomb may beat a loser and no
        play ends a trick at once, and nobody goes out over a loser if no whole hand has its size.
        """
        if not self.may_begin(first, rest, trick):
            return False
        answers = not (self._restarts or self._outlook.bombs)
        return any(
            not led or (answers and not any(near for _, near in self._near(led, first, trick)))
            for led in self._begun_by(first, rest, trick)
        )

    def may_begin(self, first: Combination, rest: int, trick: Trick) -> bool:
        """Whether `first` can begin a race: it keeps the lead or has a control, and the hand has few enough losers.
        trick: see `risk`.
        """
        if trick.outlook is not self._outlook and trick.outlook.stands(first) == 1:
            return True
        if not self._possible:
            return False
        parts = self._parts
        for control, number in self._controls:
            if _answers(control, first) and parts.holds(rest, number):
                break
        else:
            if trick.outlook.stands(first) < 1:
                return False
        return not parts.numbering.free or self._bound.cost(rest + parts.number(first.cards)) <= 1

    def _begun_by(self, first: Combination, rest: int, trick: Trick) -> Iterator[Sequence[Combination]]:
        """The races that begin with `first`: for each, the losers that need answers, in the order in which they are
        led.
        """
        stands = trick.outlook.stands(first) == 1
        if self._bound.cost(rest) > (1 if stands else 0):
            return
        beginning = _Partial(rest, [] if stands else [first], [], frozenset(first.cards), iter(self._next(rest)))
        for losers, controls in islice(self._parted(beginning), MOST_PARTITIONS):
            yield from _orders(losers, controls, fixed=not stands)

    def _next(self, rest: int) -> list[Choice]:
        """The plays that contain the lowest cards of a number."""
        return self._by_lowest.get(lowest(rest), [])

    def _parted(self, beginning: _Partial) -> Iterator[tuple[list[Combination], list[Combination]]]:
        """The losers and controls of every partition with few enough losers, depth first."""
        bound, holds = self._bound, self._parts.holds
        if not beginning.rest:
            yield beginning.losers, beginning.controls
            return
        nodes, levels = 1, [beginning]
        while levels:
            rest, losers, controls, spent, choices = levels[-1]
            for number, play, own, price in choices:
                if not holds(rest, number) or (own and not spent.isdisjoint(play.cards)):
                    continue
                nodes += 1
                left = rest - number
                excess = len(losers) - len(controls) + price
                if left and (nodes > MOST_NODES or excess + bound.cost(left) > 1):
                    continue
                more_losers = [*losers, play] if price > 0 else losers
                more_controls = [*controls, play] if price < 0 else controls
                if left:
                    after = spent.union(play.cards) if own else spent
                    levels.append(_Partial(left, more_losers, more_controls, after, iter(self._next(left))))
                    break
                yield more_losers, more_controls
            else:
                levels.pop()

    def _risk_in_order(self, led: Sequence[Combination], first: Combination, trick: Trick) -> float:
        """An upper bound on the probability that an opponent's whole hand beats one of `led` when it is played."""
        safe = 1.0
        for play, near in self._near(led, first, trick):
            if near:
                safe *= max(0.0, 1 - sum(near) * self._outlook.whole_hand_beats(play))
        return 1 - safe

    def _near(
        self, led: Sequence[Combination], first: Combination, trick: Trick
    ) -> Iterator[tuple[Combination, list[float]]]:
        """Each play of `led`, with the enmity of each opponent whose whole hand may have its size by then, after
        following some earlier losers. Over `first`, only those of `trick` may go out.
        """
        spent = 1  # one bit for each number of cards that an opponent may have played
        for play in led:
            size = len(play.cards)
            foes = trick.foes if play is first else self._foes
            yield play, [weight for weight, held in foes if held >= size and spent >> (held - size) & 1]
            spent |= spent << size


def _considered(ways: list[_Way]) -> list[tuple[_Way, bool]]:
    """The plays to consider among those that differ only in suits, and whether each needs exactly its cards: if only
    some keep the lead, all of those, and the best of the others.
    """
    if len(ways) == 1:
        return [(ways[0], False)]
    keep = [way for way in ways if way[1] == 1]
    if len(keep) == len(ways):
        keep = []
    others = [way for way in ways if way not in keep]
    return [*((way, True) for way in keep), (max(others, key=lambda way: way[1]), False)]


def _orders(losers: list[Combination], controls: list[Combination], *, fixed: bool) -> Iterator[Sequence[Combination]]:
    """Every choice of the last loser and every order of the others, each of which a control answers. fixed: the first loser
    stays first.
    """
    if len(losers) <= 1 and not fixed:
        yield ()
        return
    able: list[list[int]] = []
    bare: list[int] = []
    for i, loser in enumerate(losers):
        able.append([k for k, control in enumerate(controls) if _answers(control, loser)])
        if not able[i]:
            bare.append(i)
            if len(bare) > 1 or (fixed and i == 0):
                return
    lasts: Iterable[int | None] = bare or range(int(fixed), len(losers))
    for last in lasts or (None,):
        if not _answered([answers for i, answers in enumerate(able) if i != last]):
            continue
        led = [play for i, play in enumerate(losers) if i != last]
        head, tail = (led[:1], led[1:]) if fixed else ([], led)
        orders: Iterable[Sequence[Combination]] = (
            permutations(tail) if len(tail) <= MOST_ORDERED else [sorted(tail, key=lambda play: -play.strength)]
        )
        for order in orders:
            yield [*head, *order]


def _answered(able: Sequence[Sequence[int]]) -> bool:
    """Whether each loser can have a control of its own (bipartite matching by augmenting paths). able: by loser, the
    controls that answer it.
    """
    taken: dict[int, int] = {}
    return all(able) and all(_find(loser, able, taken, set()) for loser in range(len(able)))


def _find(loser: int, able: Sequence[Sequence[int]], taken: dict[int, int], tried: set[int]) -> bool:
    """Whether `loser` gets a control when losers that have one may switch. taken: by control, the loser that has it."""
    for k in able[loser]:
        if k not in tried:
            tried.add(k)
            if k not in taken or _find(taken[k], able, taken, tried):
                taken[k] = loser
                return True
    return False


def _answers(control: Combination, loser: Combination) -> bool:
    """Whether a control beats a play and all higher plays of its family: one that beats it by `also_beats` may beat
    only some kinds of the family.
    """
    if control.power != loser.power:
        return control.power > loser.power
    return control.family == loser.family and control.strength > loser.strength

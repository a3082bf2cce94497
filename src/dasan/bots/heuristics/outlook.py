"""Estimates from unseen cards: the chance that a play wins the trick, and that another player goes out over it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from math import comb, prod

from dasan.bots.heuristics.ladders import Family, Ladder, Rung, ladders
from dasan.cards import Card
from dasan.errors import DasanError
from dasan.play.dealing import table_at_start
from dasan.play.events import EventType
from dasan.play.turns import ends_trick
from dasan.play.view import View
from dasan.ruleset.catalogue import lanes
from dasan.ruleset.policies import Guard
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination

CLUSTER = {1: 1.0, 2: 0.6, 3: 0.6, 4: 0.5, 5: 0.3}
"""By number of cards: the number of holders for each exact set held. It is below 1, because a hand with one full
house often has several.
"""
ONE_PLAY = 0.25
"""The probability that the last cards of a hand, if there are several, were kept because they are one play."""
_UNSURE = 1 - 1e-9
"""The highest probability of winning for a play that an opponent might beat."""


def unseen(view: View) -> dict[Card, int]:
    """The cards that this seat has seen neither in its hand nor on the table, with their counts."""
    left = dict(_pack(view.rules))
    seen: list[Sequence[Card | None]] = [view.hand, table_at_start(view.begun)]
    seen += [event.cards for event in view.events if event.type is _PLAY]
    for c in chain.from_iterable(seen):
        if c is not None and c in left:
            if left[c] > 1:
                left[c] -= 1
            else:
                del left[c]
    return left


_PLAY = EventType.PLAY


@lru_cache(maxsize=64)
def _pack(rules: Rules) -> Counter[Card]:
    """The number of copies of each card."""
    return Counter(rules.pack)


def _others(view: View, enmity: Sequence[float], seats: Collection[int] | None) -> list[tuple[int, int, float]]:
    """The seat, the number of cards and the enmity of every other player, or of those in `seats`, who holds some."""
    return [
        (seat, n, e)
        for seat, (n, e) in enumerate(zip(view.hand_sizes, enmity, strict=True))
        if n and seat != view.seat and (seats is None or seat in seats)
    ]


def _lacks(view: View, left: dict[Card, int]) -> tuple[int, Card] | None:
    """The bidder and the called card, if an unknown other player holds it (B4.03, B4.04)."""
    if view.called is None or view.bidder is None or view.seat == view.bidder or view.called not in left:
        return None
    return None if view.partner is not None else (view.bidder, view.called)


def _guards(view: View, seats: Sequence[int]) -> dict[int | None, int]:
    """By seat: the number of cards held by players who act before it and must play their highest over a single card,
    because their neighbour is on the last card and may act (D2.16). Under None: the number for all of them.
    """
    if view.rules.guard is not Guard.ENFORCED:
        return {}
    guards: dict[int | None, int] = {}
    bound = 0
    for seat in seats:
        neighbour = (seat + 1) % view.rules.players
        guards[seat] = bound
        last = view.hand_sizes[neighbour] == 1 if neighbour in seats else view.hand_sizes[neighbour] == 2
        if last and neighbour in (*seats, view.seat):
            bound += view.hand_sizes[seat]
    return {**guards, None: bound}


Weights = tuple[Sequence[int], list[float]]
Foes = tuple[tuple[int, float, float], ...]
"""For each opponent: its number of cards, its fraction of the hidden cards, and its enmity."""


class Outlook:
    """Probabilities, on the assumption that the hidden cards are dealt at random to those who still hold some.

    enmity: see `sides.enmity`. willing: the probability that a player who can beat a play does. left: the hidden
    cards, if already counted. seats: the others who may act in this trick, in order; None: estimates for a later
    trick, in which everybody may act and nobody has a duty yet.
    """

    def __init__(
        self,
        view: View,
        enmity: Sequence[float],
        willing: float,
        left: dict[Card, int] | None = None,
        seats: Sequence[int] | None = None,
    ) -> None:
        rules = self._rules = view.rules
        self._ladders = ladders(rules)
        self._left = unseen(view) if left is None else left
        self._total = max(1, sum(self._left.values()))
        self._ranks = [0] * self._ladders.ranks
        place = rules.order.place
        for c, n in self._left.items():
            self._ranks[place[c][0]] += n
        self._have = lanes(enumerate(self._ranks))
        self._others = _others(view, enmity, seats)
        self._guards = {} if seats is None else _guards(view, seats)
        self._sizes = {size for _, size, _ in self._others}
        self._lacks = _lacks(view, self._left)
        foes = [(seat, size, e) for seat, size, e in self._others if e > -1]
        self._foes = tuple([(size, min(1.0, size / self._of(seat)), (1 + e) / 2) for seat, size, e in foes])
        self._lacking = next((i for i, (seat, _, _) in enumerate(foes) if self._lacks and seat == self._lacks[0]), None)
        self._most = max([size for size, _, _ in self._foes], default=0)
        self._stay = 1 - willing
        self._stands: dict[tuple[str, str, int, int], float] = {}
        self._by_rank: dict[tuple[int, int], list[float]] = {}
        self._by_number: dict[int, list[list[float]]] = {}
        self._climbs: dict[Family, tuple[int, Weights]] = {}
        self._powers: dict[int, float] = {}
        self._wholes: dict[int, int] = {}
        self._weights: dict[Family, Weights] = {}
        self._ways: dict[tuple[Family, int], tuple[list[int], list[int]]] = {}
        self._out: dict[tuple[str, str, int, int, int], float] = {}

    def serves(self, view: View, enmity: Sequence[float], willing: float, left: dict[Card, int]) -> bool:
        """Whether an outlook with these arguments would equal this one."""
        return (
            self._stay == 1 - willing
            and self._others == _others(view, enmity, None)
            and self._left == left
            and self._rules == view.rules
            and self._lacks == _lacks(view, left)
        )

    def _of(self, seat: int) -> int:
        """The number of hidden cards that `seat` may hold."""
        return max(1, self._total - 1) if self._lacks is not None and seat == self._lacks[0] else self._total

    @cached_property
    def _seen_bits(self) -> int:
        """The cards of which no copy is hidden, one bit each."""
        left = self._left
        return sum([bit for c, bit in self._ladders.unit.items() if c not in left])

    def stands(self, play: Combination) -> float:
        """The probability that no opponent beats `play`; exactly 1 if nobody can."""
        key = (play.kind, play.family, play.power, play.strength)
        known = self._stands.get(key)
        if known is None:
            (known,) = self.all_stand((play,))
        return known

    def all_stand(self, plays: Sequence[Combination]) -> list[float]:
        """`stands` of each of `plays`; faster if plays of a family are adjacent, low to high."""
        known, out = self._stands, []
        family, power, least, across, stay = None, 0, 0, self._ladders.across, self._stay
        for play in plays:
            strength = play.strength
            key = (play.kind, play.family, play.power, strength)
            chance = known.get(key)
            if chance is None:
                if family != play.family or power != play.power or strength < least:
                    family, power, least = play.family, play.power, strength
                    strengths, masses = self._climb((family, power), least)
                    above, most = self._power_above(power), len(masses)
                at = bisect_right(strengths, strength)
                mass = (masses[at] if at < most else 0.0) + above
                if across:
                    mass += self._across(play)
                if not mass or ends_trick(self._rules, play):
                    chance = 1.0
                else:
                    chance = min(_UNSURE, stay**mass, self._no_duty_to_beat(play))
                known[key] = chance
            out.append(chance)
        return out

    def tops(self, play: Combination) -> bool:
        """Whether no opponent can beat `play` or equal it, so that it beats every play that it may be played on."""
        strengths, masses = self._climb((play.family, play.power), play.strength)
        at = bisect_left(strengths, play.strength)
        as_high = masses[at] if at < len(masses) else 0.0
        return not (as_high or self._power_above(play.power) or (self._ladders.across and self._across(play)))

    @cached_property
    def bombs(self) -> bool:
        """Whether an opponent may hold a play that beats plays of other kinds."""
        lowest = min(ladder.power for ladder in self._ladders.by_family.values())
        across = (self._weighed(self._ladders.by_family[family]) for family in self._ladders.across)
        return self._power_above(lowest) > 0 or any(rung.also for held in across for rung, _ in held)

    def odds_out(self, play: Combination) -> list[tuple[int, float]]:
        """(seat, enmity × probability that its whole hand beats `play`) for every seat that could go out over it.

        The number is negative for a friend.
        """
        n = len(play.cards)
        if n not in self._sizes or ends_trick(self._rules, play):
            return []
        seats = [(seat, e) for seat, size, e in self._others if size == n]
        if n == 1 and self._lacks is not None:
            return [(seat, e * self._last_card_beats(play, seat, *self._lacks)) for seat, e in seats]
        chance = self.whole_hand_beats(play)
        return [(seat, e * chance * self._unguarded(play, seat)) for seat, e in seats]

    def _last_card_beats(self, play: Combination, seat: int, bidder: int, called: Card) -> float:
        """The probability that the last card of `seat` beats `play`, if a player other than the bidder has the called
        card.
        """
        high = int(self._rules.combination((called,)).beats(play))
        other = (self._ways_to_beat(play) - high) / max(1, self._total - 1)
        has_it = 0.0 if seat == bidder else 1 / sum(size for s, size, _ in self._others if s != bidder)
        return has_it * high + (1 - has_it) * other

    def _unguarded(self, play: Combination, seat: int) -> float:
        """The probability that nobody who acts before `seat` must beat `play`, given that the last card of `seat`
        beats it.
        """
        held = self._guards.get(seat, 0)
        return self._none_of(self._ways_to_beat(play) - 1, held, 1) if held and len(play.cards) == 1 else 1.0

    def _no_duty_to_beat(self, play: Combination) -> float:
        """The probability that nobody must beat `play` in order to guard a neighbour."""
        held = self._guards.get(None, 0)
        return self._none_of(self._ways_to_beat(play), held, 0) if held and len(play.cards) == 1 else 1.0

    def _none_of(self, cards: int, held: int, known: int) -> float:
        """The probability that a hand of `held` hidden cards has none of some `cards`. known: the number of other
        hidden cards known to be elsewhere.
        """
        total = self._total - known
        return comb(max(0, total - cards), held) / comb(total, held) if held <= total else 1.0

    def whole_hand_beats(self, play: Combination) -> float:
        """The probability that a player with as many cards as `play` could go out over it; 0 or 1 if these are all
        the hidden cards.
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
                known += (1 - known) * ONE_PLAY * ways / max(ways, self._whole(n))
            self._out[key] = known
        return known

    def _hidden_beat(self, play: Combination) -> bool:
        """Whether all hidden cards together form a play that beats `play`."""
        try:
            return self._rules.combination(tuple(Counter(self._left).elements())).beats(play)
        except DasanError:
            return False

    def _whole(self, size: int) -> int:
        """The number of hands of `size` hidden cards that are one play."""
        known = self._wholes.get(size)
        if known is None:
            families = self._ladders.by_family.items()
            totals = (self._ways_from(family, size)[1] for family, ladder in families if ladder.size == size)
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
        """The strengths of a family that `size` hidden cards can have, low to high, and the number of hands with at
        least each.
        """
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
        """For a ladder with `bits`: the strengths of the rungs of which no card has been seen, high to low."""
        import numpy as np

        assert ladder.bits is not None
        there = (ladder.bits & np.uint64(self._seen_bits)) == 0
        alive: list[int] = ladder.descending[there].tolist()
        return alive

    def _others_of_power(self, play: Combination) -> Iterator[Ladder]:
        """The ladders of other families with the same power that have plays that beat other families."""
        ladders = self._ladders
        return (
            ladders.by_family[name, power]
            for name, power in ladders.across
            if power == play.power and name != play.family
        )

    def _deals(self, rung: Rung) -> int:
        """The approximate number of hands of hidden cards that are exactly this rung; the cards beside a group may be
        any.
        """
        if rung.cards is not None:
            return prod(self._left[c] for c in rung.cards)
        ways = prod(comb(self._ranks[rank], n) for rank, n in rung.counts)
        rest = rung.size - sum(n for _, n in rung.counts)
        return ways * comb(max(0, self._total - 4), rest) if rest else ways

    def _across(self, play: Combination) -> float:
        """The mass of plays of other families with the same power that beat `play` (`also_beats`)."""
        return sum(
            m for ladder in self._others_of_power(play) for rung, m in self._weighed(ladder) if rung.beats_across(play)
        )

    def _climb(self, family: Family, least: int) -> Weights:
        """The strengths of a family from `least` up, low to high, and the mass of all rungs with at least each."""
        known = self._climbs.get(family)
        if known is None or known[0] > least:
            strengths, masses = self._masses(family, least)
            known = self._climbs[family] = (least, (strengths[::-1], list(accumulate(masses))[::-1]))
        return known[1]

    def _power_above(self, power: int) -> float:
        known = self._powers.get(power)
        if known is None:
            higher = (family for family, ladder in self._ladders.by_family.items() if ladder.power > power)
            known = self._powers[power] = sum(chain.from_iterable(self._masses(family, 0)[1] for family in higher))
        return known

    def _masses(self, family: Family, least: int) -> Weights:
        """The strengths of a family's rungs, high to low, down to `least` or lower, and the mass of each. Rungs that
        nobody could hold have mass 0 or are left out.
        """
        ladder = self._ladders.by_family[family]
        if self._beyond(ladder):
            return [], []
        if ladder.runs:
            start = bisect_left(ladder.strengths, least)
            return ladder.strengths[start:][::-1], self._of_runs(ladder, len(ladder.runs) - start)
        if ladder.bits is None:
            weighed = self._weighed(ladder, least)
            return [r.strength for r, _ in weighed], [mass for _, mass in weighed]
        known = self._weights.get(family)
        if known is None:
            alive = self._alive(ladder)
            known = self._weights[family] = alive, [self._each(ladder)] * len(alive)
        return known

    def _beyond(self, ladder: Ladder) -> bool:
        """Whether no opponent has enough cards for a play of the ladder."""
        return ladder.size > self._most

    def _each(self, ladder: Ladder) -> float:
        """The mass of each rung of exact cards."""
        return CLUSTER.get(ladder.size, 0.3) * self._dealt_to_foes(ladder.size)

    def _weighed(self, ladder: Ladder, least: int = 0) -> list[tuple[Rung, float]]:
        """The rungs of at least this strength that somebody could hold, high to low, and the mass of each."""
        if self._beyond(ladder):
            return []
        rungs = ladder.rungs[: len(ladder.rungs) - bisect_left(ladder.strengths, least)]
        if self._ladders.exact:
            each, seen = self._each(ladder), self._seen_bits
            return [(r, each) for r in rungs if not r.bits & seen]
        have = self._have
        held = [rung for rung in rungs if rung.need & have == rung.need]
        return [(rung, self._held(rung)) for rung in held if rung.cards is None or not rung.bits & self._seen_bits]

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
        if len(rung.counts) == 1:
            ((rank, n),) = rung.counts
            return self._of_ranks(rung.size, n)[rank]
        if rung.run is None:
            tails = [self._tails(n) for _, n in rung.counts]
            ranks = [rank for rank, _ in rung.counts]
            chances = [
                prod([by_rank[rank] for by_rank, rank in zip(each, ranks, strict=True)])
                for each in zip(*tails, strict=True)
            ]
        else:
            n, first, end = rung.run
            chances = [prod(by_rank[first:end]) for by_rank in self._tails(n)]
        return _shared(self._foes, rung.size, chances)

    def _of_runs(self, ladder: Ladder, most: int) -> list[float]:
        """`_held` for the first `most` rungs of a ladder that has `runs`."""
        size, runs = ladder.size, ladder.runs[:most]
        if ladder.group:
            by_rank = self._of_ranks(size, ladder.group)
            return [by_rank[first] for _, first, _ in runs]
        foes = zip(self._foes, self._tails(ladder.runs[0][0]), strict=True)
        able = [(weight, by_rank) for (held, _, weight), by_rank in foes if held >= size]
        return [sum([weight * prod(by_rank[first:end]) for weight, by_rank in able]) for _, first, end in runs]

    def _of_ranks(self, size: int, n: int) -> list[float]:
        """By rank, `_held` for a rung of `size` cards that needs `n` cards of that rank alone."""
        known = self._by_rank.get((size, n))
        if known is None:
            masses = _groups(self._foes, size, n, max(self._ranks))
            known = self._by_rank[size, n] = [masses[out_of] for out_of in self._ranks]
            if self._lacking is not None and self._lacks is not None:
                alone = _groups((self._foes[self._lacking],), size, n, max(self._ranks))
                rank = self._rules.order.place[self._lacks[1]][0]
                known[rank] += alone[self._ranks[rank] - 1] - alone[self._ranks[rank]]
        return known

    def _tails(self, n: int) -> list[list[float]]:
        """For each opponent, by rank: the probability of holding `n` or more of the rank's hidden cards."""
        known = self._by_number.get(n)
        if known is None:
            most = max(self._ranks)
            by_foe = [_chances(n, p, most) for _, p, _ in self._foes]
            known = self._by_number[n] = [[chances[out_of] for out_of in self._ranks] for chances in by_foe]
            if self._lacking is not None and self._lacks is not None:
                rank = self._rules.order.place[self._lacks[1]][0]
                known[self._lacking][rank] = by_foe[self._lacking][self._ranks[rank] - 1]
        return known


def _shared(foes: Foes, size: int, chances: Sequence[float]) -> float:
    """The expected number of opponents with at least `size` cards, each counted with its probability in `chances`."""
    return sum([weight * chance for (held, _, weight), chance in zip(foes, chances, strict=True) if held >= size])


@lru_cache(maxsize=1 << 12)
def _groups(foes: Foes, size: int, n: int, most: int) -> list[float]:
    """By the number of hidden cards of a rank, up to `most`: the expected number of `foes` who hold `n` of them and
    at least `size` cards.
    """
    if size == 1:
        single = sum(weight * p for _, p, weight in foes)
        return [out_of * single for out_of in range(most + 1)]
    by_foe = [_chances(n, p, most) for _, p, _ in foes]
    return [_shared(foes, size, [chances[out_of] for chances in by_foe]) for out_of in range(most + 1)]


@lru_cache(maxsize=1 << 12)
def _chances(n: int, p: float, most: int) -> list[float]:
    """By the number of hidden cards of a rank, up to `most`: the probability of holding `n` or more of them, each
    with probability `p`.
    """
    return [_at_least(n, out_of, p) for out_of in range(most + 1)]


def _at_least(n: int, out_of: int, p: float) -> float:
    """The probability of holding `n` or more of `out_of` cards, each with probability `p`."""
    return sum(comb(out_of, k) * p**k * (1 - p) ** (out_of - k) for k in range(n, out_of + 1))

"""Who wins random deals of Big Three under exact play, by seat and by features of the bidder's hand.

Every seat of a deal is valued as the bidder, or only one. A bidder whose result the budget does not prove counts as a
loss in the lower share and as a win in the upper one: the true share lies between the two.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from dasan.arguments import MOST_WORKERS, items, whole, word
from dasan.bots import bot
from dasan.bots.heuristics.plan import Plan
from dasan.cards import Card
from dasan.estimates import wilson
from dasan.games import make_rules
from dasan.play import auction
from dasan.play.new_hand import deal
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.processes import worker_processes
from dasan.ruleset.rules import Rules
from dasan.solver import solve

Seats = Literal["all", "one", "greedy"]
"""The seats of a deal that are valued as bidders: all, one drawn at random, or the one that greedy bots make the bidder."""

PRESETS = {3: "big-three", 4: "big-three-4p"}
HIGH = "A23"
"""The three highest ranks, which no run contains (B3.02, B3.14)."""

FEATURES = ("threes", "twos", "high", "turns", "run", "sets", "kitty_high", "kitty_turns")
"""The names of features, see `features`."""
KINDS = ("all", "some", "bids", "place", *FEATURES)
"""The groupings of bidders: all that are valued; the best one of each deal; by the fields of `Bidder`; by its features."""


@dataclass(frozen=True, slots=True)
class Bidder:
    """One seat of a deal as bidder.

    won: whether its side goes out first with best play; None if unproved. place: 0 for the opener of the
    auction, who leads; 1 for the seat that acts next, and so on. bids: whether greedy bots in all seats make it the
    bidder. features: see `features`.
    """

    seat: int
    place: int
    bids: bool
    won: bool | None
    features: dict[str, int]


@dataclass(frozen=True, slots=True)
class Valued:
    """One deal: `seed`, `players` and `number` determine its cards. nodes: search nodes used. seats: which are valued."""

    seed: int
    players: int
    number: int
    nodes: int
    bidders: tuple[Bidder, ...]
    seats: Seats = "all"

    @property
    def settled(self) -> bool:
        """Whether every valued bidder's result is proved."""
        return all(one.won is not None for one in self.bidders)

    @property
    def won_by_some(self) -> bool | None:
        """Whether some valued bidder wins; None if unproved."""
        seen = {one.won for one in self.bidders}
        return True if True in seen else None if None in seen else False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Valued:
        """The inverse of `to_json`. ValueError: the data are not a valued deal."""
        try:
            valued = Valued(**{**data, "bidders": tuple(Bidder(**one) for one in data["bidders"])})
            right = valued._is_possible()
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("this is not a valued deal") from error
        if not right:
            raise ValueError("this is not a valued deal")
        return valued

    def _is_possible(self) -> bool:
        """Whether every field has its declared type, and the bidders are those that `seats` says."""
        numbers = [self.seed, self.players, self.number, self.nodes]
        for one in self.bidders:
            numbers += [one.seat, one.place, *one.features.values()]
        if any(type(number) is not int for number in numbers) or self.players not in PRESETS:
            return False
        every = set(range(self.players))
        seats = [one.seat for one in self.bidders]
        return (
            self.seats in get_args(Seats)
            and len(seats) == len(set(seats)) == (self.players if self.seats == "all" else 1)
            and every.issuperset(seats)
            and every.issuperset(one.place for one in self.bidders)
            and all(type(one.bids) is bool and (one.won is None or type(one.won) is bool) for one in self.bidders)
            and all(one.bids or self.seats != "greedy" for one in self.bidders)
            and all(set(FEATURES).issuperset(one.features) for one in self.bidders)
        )


def random_deal(seed: int, players: int, number: int) -> State:
    """Deal `number` of a series, in the auction. ValueError: `players` is not 3 or 4."""
    if players not in PRESETS:
        raise ValueError("Big Three is played by three or four")
    source = random.Random(f"deals {seed} {players} {number}")
    return deal(make_rules(PRESETS[players]), seed=source.randrange(1 << 60), dealer=source.randrange(players))


def value_deals(
    numbers: Iterable[int], *, seed: int = 0, players: int = 3, seats: Seats = "all", processes: int = 1, **options: Any
) -> Iterator[Valued]:
    """Value the deals `numbers` of a series, in order, with each of `seats` as bidder. options: the budget for each deal,
    as for `dasan.solve`. ValueError: there are no such seats, deals, players or processes.
    """
    numbers = [whole(number, "a deal's number", 0) for number in items(numbers, "numbers of deals are a list")]
    seed, players = whole(seed, "a seed"), whole(players, "players", min(PRESETS), max(PRESETS))
    seats, processes = word(seats, get_args(Seats), "seats"), whole(processes, "processes", 1, MOST_WORKERS)
    one = partial(_valued, seed, players, seats, options)
    if processes == 1:
        yield from map(one, numbers)
        return
    with worker_processes(processes) as pool:
        yield from pool.map(one, numbers)


def _valued(seed: int, players: int, seats: Seats, options: dict[str, Any], number: int) -> Valued:
    state = random_deal(seed, players, number)
    opener = state.opener or 0
    greedy = _auctioned(state)
    if seats == "all":
        solution = solve(state, **options)
        values = {seat: one.value for seat, one in solution.by_bidder.items()}
    else:
        seat = random.Random(f"bidder {seed} {players} {number}").randrange(players) if seats == "one" else greedy
        assert seat is not None  # in these presets somebody always becomes the bidder
        solution = solve(auction.close(replace(state, bid=1, bidder=seat)), moves=False, **options)
        values = {seat: solution.value}
    bidders = tuple(
        Bidder(
            seat,
            (seat - opener) % players,
            seat == greedy,
            None if value is None else value > 0,
            features(state.rules, state.hands[seat], state.kitty),
        )
        for seat, value in values.items()
    )
    return Valued(seed, players, number, solution.nodes, bidders, seats)


def with_bids(deal: Valued) -> Valued | None:
    """A stored deal with the `bids` of the present version of `greedy`; None if only the seat that an earlier version made the
    bidder was valued, and the present one makes another.
    """
    greedy = _auctioned(random_deal(deal.seed, deal.players, deal.number))
    if deal.seats == "greedy" and deal.bidders[0].seat != greedy:
        return None
    return replace(deal, bidders=tuple(replace(one, bids=one.seat == greedy) for one in deal.bidders))


def _auctioned(state: State) -> int | None:
    player = bot("greedy")
    while state.phase is Phase.AUCTION:
        state = state.play(player.choose(state.view(state.to_act)))
    return state.bidder


def features(rules: Rules, hand: Sequence[Card], kitty: Sequence[Card]) -> dict[str, int]:
    """Features of a bidder's hand, the kitty included.

    threes, twos, high: cards of rank 3, of rank 2, of the three highest ranks. turns: the fewest plays that empty the
    hand. run: the most ranks in one run of singles. sets: ranks held three or four times. kitty_high, kitty_turns: with
    a kitty, the high cards in it and the turns that it adds to the hand.

    >>> import dasan
    >>> from dasan.cards import parse_cards
    >>> features(dasan.rules("big-three-4p"), parse_cards("4H 4S 5D 6C 7H 7S 7D TH JH QH KH AD 3C"), ())
    {'threes': 1, 'twos': 0, 'high': 2, 'turns': 6, 'run': 4, 'sets': 1}
    """
    full = rules.order.hand([*hand, *kitty])
    ranks = [c.rank for c in full]
    turns = _turns(rules, full)
    runs = [len(row.pattern.counts) for row, _ in rules.catalogue.fits(full) if row.kind == "straight"]
    out = {
        "threes": ranks.count("3"),
        "twos": ranks.count("2"),
        "high": sum(rank in HIGH for rank in ranks),
        "turns": turns,
        "run": max(runs, default=0),
        "sets": sum(ranks.count(rank) >= 3 for rank in set(ranks)),
    }
    if rules.kitty_size:
        out["kitty_high"] = sum(c.rank in HIGH for c in kitty)
        out["kitty_turns"] = turns - _turns(rules, rules.order.hand(hand))
    return out


def _turns(rules: Rules, hand: Sequence[Card]) -> int:
    plan = Plan(rules, rules.catalogue.fits(hand), lambda play: 1.0, budget=50_000)
    return round(plan.cost(plan.number(hand)))


@dataclass(frozen=True, slots=True)
class Share:
    """The share of winning bidders in a group.

    deals: the number of deals they come from. low, high: the share that wins if none, or if all, of the unproved
    bidders win. interval: a 95 % confidence interval whatever the unproved results are: from the lower end of Wilson's
    interval for `low` to the upper end of that for `high`, with the number of deals as sample size, since the bidders
    of a deal are not independent.
    """

    kind: str
    value: str
    deals: int
    bidders: int
    won: int
    unsettled: int

    @property
    def low(self) -> float:
        return self.won / self.bidders

    @property
    def high(self) -> float:
        return (self.won + self.unsettled) / self.bidders

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.low, self.deals)[0], wilson(self.high, self.deals)[1]

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "low": self.low, "high": self.high, "interval": list(self.interval)}


def shares(deals: Iterable[Valued]) -> list[Share]:
    """The winning share of each group of bidders, see `KINDS`, in deals with the same choice of `seats`. `some` counts only
    deals in which every seat was valued.
    """
    groups: dict[tuple[str, int], list[tuple[Valued, bool | None]]] = {}
    for valued in deals:
        if valued.seats == "all":
            groups.setdefault(("some", 0), []).append((valued, valued.won_by_some))
        for one in valued.bidders:
            kinds = {"all": 0, "place": one.place, "bids": 0, **one.features}
            for kind, value in kinds.items():
                if kind != "bids" or one.bids:
                    groups.setdefault((kind, value), []).append((valued, one.won))
    return [
        _share(kind, value, groups[kind, value])
        for kind, value in sorted(groups, key=lambda group: (KINDS.index(group[0]), group[1]))
    ]


def _share(kind: str, value: int, of: Sequence[tuple[Valued, bool | None]]) -> Share:
    return Share(
        kind,
        "" if kind in ("all", "some", "bids") else str(value),
        len({(valued.seed, valued.players, valued.number) for valued, _ in of}),
        len(of),
        sum(won is True for _, won in of),
        sum(won is None for _, won in of),
    )

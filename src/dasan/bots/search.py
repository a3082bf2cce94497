"""Players that value their moves in sampled worlds that fit the view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from dasan.backends import Purpose, choose
from dasan.bots.explanation import Explanation, Reason, estimate, explained, in_order
from dasan.bots.facts import Facts
from dasan.bots.greedy import GreedyBot, worthy
from dasan.bots.heuristics.certain import Certain
from dasan.bots.net import NetBot, score, unit
from dasan.bots.protocol import Named, choices, goes_out
from dasan.bots.sampling import rollouts
from dasan.bots.sampling.beliefs import Beliefs, by_likelihood, evenly
from dasan.bots.sampling.elimination import Blend, eliminate
from dasan.bots.sampling.open_worlds import at_stake, by_solver, solvable
from dasan.bots.sampling.rollouts import Tried, by_rule
from dasan.bots.sampling.simulator import ROOM
from dasan.bots.seeds import seed_of
from dasan.networks.trained import Fitted
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

Values = Sequence[tuple[Move, float | None]]
Reasons = Mapping[Move, tuple[Reason, ...]]
"""For each move, the parts of its value."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The size of a search. worlds: the number of sampled deals. width: the number of candidates. seconds: a time
    limit, which may end the search after fewer worlds, or None. trust: for rollouts, the weight of a move's prior
    score, in worlds. pool: the number of worlds to draw from by the likelihood of the others' moves; with 0, or without
    a network for the rules, worlds are drawn evenly. nodes: for the solver, the most positions to search for one move
    in one world. opened: the number of worlds, drawn by likelihood, in which the solver values moves in addition to
    rollouts, if it plays the rules.
    """

    worlds: int = 200
    width: int = 8
    seconds: float | None = None
    trust: float = 20.0
    pool: int = 0
    nodes: int = 150
    opened: int = 0


OPEN = Effort(worlds=48, width=6, pool=256)
"""The effort of `search` if the solver values its moves."""
PLAYED_OUT = Effort(worlds=400, width=12, pool=512)
"""The effort of `search` if rollouts in compiled code value its moves."""
INTERPRETED = Effort(worlds=40, width=6)
"""The effort of `search` if only the engine plays the rules: its rollouts take milliseconds each."""
LEAD = 0.015
"""If the solver values moves, `search` replaces the move of `greedy` only by one that is better by more than this
fraction of the stake: with open hands players know more than they can, so small differences mean little.
"""

LIKELY = Effort(worlds=512, width=6, seconds=1.0, trust=30.0, pool=512)
"""The effort of `strong` in games without an auction."""
EVEN = Effort(worlds=512, width=6, seconds=1.0, trust=100.0, nodes=300, opened=128)
"""The effort of `strong` in games with an auction (see the decisions of 23 and 24 November 2026 on rollouts and comparisons).
Rollouts are made in worlds drawn evenly, because the likeliest of a pool are few.
"""


class SearchBot(Named):
    """Values moves in deals that fit the view: by the solver if it plays the rules, otherwise by rollouts of
    `thrifty`. Deals are drawn by likelihood if there is a network for the rules, otherwise evenly. It plays every
    game, and bids and exchanges like `greedy`.

    The move depends only on view and seed.
    """

    name = "search"
    version = "21"

    def __init__(self, seed: int = 0, effort: Effort | None = None) -> None:
        self._seed = seed
        self._effort = effort
        self._greedy = GreedyBot()

    def choose(self, view: View) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        if view.phase != "play":
            return self._greedy.choose(view)
        return goes_out(view) or self._values(view)[0]

    def explain(self, view: View) -> Explanation:
        """Values are means over the deals; bids and exchanges are explained as `greedy` does."""
        moves = choices(view)
        if len(moves) == 1 or view.phase != "play":
            return replace(self._greedy.explain(view), bot=self.name)
        out = goes_out(view)
        if out is not None:
            return explain_values(self.name, view, out, [(out, None)], {})
        chosen, values = self._values(view)
        solved = solvable(view.rules)
        reasons = {move: (average(view, value, open_hands=solved),) for move, value in values if value is not None}
        return explain_values(self.name, view, chosen, values, reasons)

    def _values(self, view: View) -> tuple[Move, Values]:
        """The best candidate, and all with their values."""
        certain = Certain(view)
        solved = solvable(view.rules)
        effort = self._effort or (OPEN if solved else PLAYED_OUT if compiled(view.rules) else INTERPRETED)
        candidates = certain.costs.cheapest_few(worthy(view, choices(view), certain), effort.width)
        if len(candidates) == 1:
            return candidates[0], [(candidates[0], None)]
        beliefs = believed(
            view, effort, seed_of(view, self._seed), rollouts.network_for(view.rules) if effort.pool else None
        )
        if not solved:
            values = valued(by_rule(view, candidates, beliefs))
            return best(values), values
        tried = by_solver(view, candidates, beliefs, effort.nodes)
        values = valued(tried)
        least = LEAD * at_stake(view, beliefs.state)
        chosen = best(values)
        return (chosen if tried.means.max() - tried.means[0] > least else candidates[0]), values


class StrongBot(Named):
    """Values the network's best moves in deals that fit the view, by rollouts in which the network plays every seat;
    in games without an auction the deals are drawn by likelihood. If the solver plays the rules, its mean over likely
    deals counts as much as the rollouts. Without a network for the game it plays as `search`.

    With `Effort.seconds` the move depends on the processor's speed as well as on view and seed, see `timed`.
    """

    version = f"23+{SearchBot.version}"
    """Its own version, and that of `search`, which plays if there is no network."""

    def __init__(self, seed: int = 0, effort: Effort | None = None, name: str = "strong") -> None:
        self.name = name
        self._seed = seed
        self._effort = effort
        self._net = NetBot()
        self._search = SearchBot(seed)

    @property
    def timed(self) -> bool:
        """Whether the search has a time limit, so that the same version may play in different ways."""
        return self._effort is None or self._effort.seconds is not None

    def choose(self, view: View) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        network = rollouts.network_for(view.rules)
        if network is None:
            return self._search.choose(view)
        if view.phase == "exchange":
            return self._net.choose(view)
        return self._values(view, network)[0]

    def explain(self, view: View) -> Explanation:
        """Values are means over the deals, shrunk towards the network's scores, or the average of that and the
        solver's mean; reasons name each part. An eliminated move has a value over fewer deals, which may be higher
        than the chosen move's. A move that was not tried in deals has only the network's score.
        """
        network = rollouts.network_for(view.rules)
        if len(choices(view)) == 1 or network is None:
            return replace(self._search.explain(view), bot=self.name)
        if view.phase == "exchange":
            return replace(self._net.explain(view), bot=self.name)
        chosen, values, reasons = self._values(view, network)
        return explain_values(self.name, view, chosen, values, reasons)

    def _values(self, view: View, network: Fitted) -> tuple[Move, Values, Reasons]:
        """The best candidate, all candidates with their values, and the parts of those values."""
        import numpy as np

        effort = self._effort or (LIKELY if view.rules.auction is None else EVEN)
        moves, seed = choices(view), seed_of(view, self._seed)
        first = dict(zip(moves, score(network, view).tolist(), strict=True))
        certain = Certain(view)
        allowed = certain.moves or (worthy(view, moves, certain) if view.phase == "play" else moves)
        candidates = sorted(allowed, key=lambda move: -first[move])[: effort.width]
        reasons: dict[Move, tuple[Reason, ...]] = {move: (estimate("network", first[move]),) for move in candidates}
        if len(candidates) == 1:
            return candidates[0], [(candidates[0], first[candidates[0]])], reasons
        began = monotonic()
        opened: dict[Move, float] = {}
        if effort.opened and view.phase == "play" and solvable(view.rules):
            likely = by_likelihood(view, effort.opened, seed, network, ROOM)
            opened = dict(valued(by_solver(view, candidates, likely, effort.nodes)))
        beliefs = believed(view, effort, seed, network)
        blend = Blend(
            np.array([first[move] for move in candidates]),
            effort.trust,
            np.array([opened[move] for move in candidates]) if opened else None,
        )
        seconds = None if effort.seconds is None else max(0.0, effort.seconds - (monotonic() - began))
        tried = eliminate(view, candidates, beliefs, network, blend, seconds=seconds)
        for move, mean in zip(tried.moves, tried.means.tolist(), strict=True):
            reasons[move] = (average(view, mean), *reasons[move])
            if move in opened:
                reasons[move] += (average(view, opened[move], open_hands=True),)
        return tried.best, list(zip(tried.moves, tried.values.tolist(), strict=True)), reasons


def believed(view: View, effort: Effort, seed: int, network: Fitted | None) -> Beliefs:
    """The deals to examine: drawn by likelihood if there is a network and a pool, otherwise evenly."""
    if network is None or not effort.pool:
        return evenly(view, effort.worlds, seed)
    return by_likelihood(view, effort.worlds, seed, network, effort.pool)


def compiled(rules: Rules) -> bool:
    """Whether compiled code plays worlds of these rules."""
    return choose(rules, Purpose.WORLDS).compiled


def valued(tried: Tried) -> list[tuple[Move, float]]:
    """Moves with their means."""
    return [(move, float(mean)) for move, mean in zip(tried.moves, tried.means, strict=True)]


def best(values: Values) -> Move:
    """The candidate with the highest value, the first on ties."""
    return max(values, key=lambda one: one[1] or 0.0)[0]


def average(view: View, mean: float, *, open_hands: bool = False) -> Reason:
    """The sentence about the mean of a move over deals. open_hands: whether all hands are open in them."""
    if not view.rules.pays:
        return estimate("expected-place", mean)
    return estimate("expected-open" if open_hands else "expected", mean)


def explain_values(name: str, view: View, chosen: Move, values: Values, reasons: Reasons) -> Explanation:
    """The explanation of a search: candidates with their values, the other moves without values."""
    facts, known = Facts(view), dict(values)
    statements = {move: (*reasons.get(move, ()), *facts.of(move)) for move in choices(view)}
    ordered = in_order(chosen, [(move, known.get(move)) for move in choices(view)])
    return explained(name, unit(view.rules), ordered, statements)

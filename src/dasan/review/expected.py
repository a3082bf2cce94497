"""Value each move of a hand by its player's information: expected values over deals consistent with the player's view.

Nothing here reads hidden cards. Each candidate is played out in the same sampled worlds, with one policy for all seats:
the game's trained network, or a heuristic if there is none. For values with open hands see `dasan.review.best_play`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from dasan.bots.explanation import Unit
from dasan.bots.heuristics.view_costs import ViewCosts
from dasan.bots.net import score, unit
from dasan.bots.protocol import choices
from dasan.bots.sampling.beliefs import evenly
from dasan.bots.sampling.rollouts import Tried, by_network, by_rule, network_for
from dasan.bots.seeds import seed_of
from dasan.estimates import CONFIDENCE, t_quantile
from dasan.networks.trained import Fitted
from dasan.play.action_ids import action_ids
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.play.view import View
from dasan.records.retrace import moves_of

if TYPE_CHECKING:
    from dasan.arrays import Doubles

WIDTH = 8
"""The most candidates at a decision: the most promising moves and the move made."""
WORLDS = 96
"""Deals to sample for each decision, time permitting."""
FIRST, LEAST = 24, 16
"""Deals at the first decision, which measures this machine's speed, and the minimum at any other."""


Habit = Literal["bid-low", "bid-high", "call", "pass", "spend", "lead-kind", "lead-rank", "follow"]
"""Kinds of mistakes: bid too low or too high, called the wrong card, passed instead of playing or played instead of
passing, led the wrong kind or the wrong cards of a kind, followed with the wrong cards.
"""


@dataclass(frozen=True, slots=True)
class MoveEstimate:
    """A candidate. value: its mean over the worlds, in the unit of `Known`; margin: half of its 95 % interval."""

    move: Move
    value: float
    margin: float


@dataclass(frozen=True, slots=True)
class Known:
    """One decision, valued by its player's information. seq: the number of its event. made: the move made.

    estimates: candidates from the best to the worst, `made` among them; empty if there was no choice, or in the
    exchange of cards, which is not valued. worlds: the number of sampled deals. cost: what `made` loses against the
    best candidate, chosen in one half of the worlds and measured in the other to avoid selection bias; margin: half of
    its 95 % interval.
    """

    seq: int
    seat: int
    phase: Phase
    unit: Unit
    made: Move
    choices: int
    lead: bool
    estimates: tuple[MoveEstimate, ...] = ()
    worlds: int = 0
    cost: float = 0.0
    margin: float = 0.0

    @property
    def best(self) -> Move:
        """The candidate with the highest mean; the move made if no candidates were tried."""
        return self.estimates[0].move if self.estimates else self.made

    @property
    def mistake(self) -> bool:
        """Whether the move was significantly worse than another: by more than the interval."""
        return self.best != self.made and self.cost > self.margin

    @property
    def habit(self) -> Habit | None:
        """The kind of mistake if another candidate was better; None if the best was chosen."""
        made, best = self.made, self.best
        if made == best:
            return None
        if self.phase is Phase.AUCTION:
            return "bid-low" if (made.bid or 0) < (best.bid or 0) else "bid-high"
        if self.phase is Phase.CALL:
            return "call"
        if made.combination is None or best.combination is None:
            return "pass" if made.combination is None else "spend"
        if self.lead:
            return "lead-rank" if made.combination.kind == best.combination.kind else "lead-kind"
        return "follow"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "seq": self.seq,
            "seat": self.seat,
            "phase": self.phase.value,
            "unit": self.unit,
            "move": str(self.made),
            "choices": self.choices,
            "best": str(self.best),
            "habit": self.habit,
            "mistake": self.mistake,
            "cost": round(self.cost, 3),
            "margin": round(self.margin, 3),
            "worlds": self.worlds,
            "estimates": [
                {"move": str(one.move), "value": round(one.value, 3), "margin": round(one.margin, 3)}
                for one in self.estimates
            ],
        }


def known(state: State, *, seconds: float | None = None, worlds: int = WORLDS) -> Iterator[Known]:
    """Value every move that led to `state`, in order.

    seconds: the time for all moves, excluding the first decision, which loads code. If time is short, fewer worlds are
    sampled; after twice that time the remaining moves have no estimates. None: no limit, and the result depends only on
    the hand.
    """
    moves = list(moves_of(state))
    clock = _Clock(seconds, worlds, sum(map(_decided, moves)))
    for now, move in moves:
        wanted = clock.worlds() if _decided((now, move)) else 0
        if not wanted:
            yield _plain(now.view(now.mover), now, move)
            continue
        began = monotonic()
        one = decision(now, move, wanted)
        clock.took(monotonic() - began, one.worlds * len(one.estimates))
        yield one


def _decided(made: tuple[State, Move]) -> bool:
    """Whether there was a choice, in a phase that can be played out."""
    return made[0].phase is not Phase.EXCHANGE and len(made[0].legal_moves()) > 1


class _Clock:
    """Computes how many worlds each decision has time for. The first decision loads compiled code and does not
    count.
    """

    def __init__(self, seconds: float | None, worlds: int, decisions: int) -> None:
        self._seconds = seconds
        self._most = worlds
        self._left = decisions
        self._end: float | None = None
        self._pace: float | None = None

    def worlds(self) -> int:
        """The number of worlds for the next decision; 0 if time has run out."""
        if self._seconds is None:
            return self._most
        if self._end is None:
            return min(self._most, FIRST)
        left = self._end - monotonic()
        if left < -self._seconds:
            return 0
        if self._pace is None:
            return min(self._most, FIRST)
        return max(LEAST, min(self._most, int(left / self._left / (self._pace * WIDTH))))

    def took(self, seconds: float, hands: int) -> None:
        """Record how long a decision took, and how many hands were played out."""
        self._left = max(1, self._left - 1)
        if self._seconds is not None and self._end is None:
            self._end = monotonic() + self._seconds
        elif hands:
            pace = seconds / hands
            self._pace = pace if self._pace is None else (self._pace + pace) / 2


def decision(now: State, move: Move, worlds: int) -> Known:
    """Value `move`, made in `now`, against the other candidates."""
    view = now.view(now.mover)
    plain = _plain(view, now, move)
    network = network_for(view.rules)
    candidates = _candidates(view, plain.made, network)
    if len(candidates) == 1:
        return plain
    seed = seed_of(view, 0)
    if network is None:
        tried = by_rule(view, candidates, evenly(view, worlds, seed))
    else:
        tried = by_network(view, candidates, evenly(view, worlds, seed), network)
    return _judged(plain, tried)


def _plain(view: View, now: State, move: Move) -> Known:
    """The decision without estimates, with `made` as the legal moves list it: with its combination, perhaps in other suits."""
    legal = choices(view)
    made = next((one for one in legal if one == move), None)
    if made is None:
        ids = action_ids(view.rules, True)
        wanted = ids.of(move, view.called)
        made = next((one for one in legal if ids.of(one, view.called) == wanted), move)
    return Known(now.next_seq, now.mover, now.phase, unit(view.rules), made, len(legal), now.table is None)


def _candidates(view: View, made: Move, network: Fitted | None) -> list[Move]:
    """The moves to try: `made` first, then the most promising others."""
    moves = choices(view)
    if network is not None:
        first = dict(zip(moves, score(network, view).tolist(), strict=True))
        ordered = sorted(moves, key=lambda move: -first[move])
    elif view.phase == "play":
        ordered = ViewCosts(view).cheapest_few(moves, WIDTH)
    else:
        ordered = list(moves)
    return [made, *[move for move in ordered if move != made][: WIDTH - 1]]


def _judged(plain: Known, tried: Tried) -> Known:
    """Means with their intervals, and the cost of the move that was made, the first of `tried`."""
    means = tried.means
    margins = _margins(tried.values, tried.weights, means)
    order = sorted(range(len(means)), key=lambda i: -means[i])
    estimates = tuple(MoveEstimate(tried.moves[i], float(means[i]), float(margins[i])) for i in order)
    cost, margin = _cost(tried.values, tried.weights)
    return replace(plain, estimates=estimates, worlds=tried.values.shape[1], cost=cost, margin=margin)


def _margins(values: Doubles, weights: Doubles, means: Doubles) -> Doubles:
    """[rows]: half of Student's 95 % interval of each row's mean over the worlds; 0 for one world."""
    import numpy as np

    freedom = max(1, values.shape[1] - 1)
    variance = (values - means[:, None]) ** 2 @ weights / weights.sum()
    margins: Doubles = t_quantile((1 + CONFIDENCE) / 2, freedom) * np.sqrt(variance / freedom)
    return margins


def _cost(values: Doubles, weights: Doubles) -> tuple[float, float]:
    """The loss of row 0 against the best row, and half of its 95 % interval."""
    import numpy as np

    worlds = values.shape[1]
    differences = np.zeros((1, worlds))
    for half in (slice(0, worlds, 2), slice(1, worlds, 2)):
        chosen = int((values[:, half] @ weights[half]).argmax())
        other = slice(1 - half.start, worlds, 2)
        differences[0, other] = values[chosen, other] - values[0, other]
    cost = differences @ weights / weights.sum()
    return float(cost[0]), float(_margins(differences, weights, cost)[0])

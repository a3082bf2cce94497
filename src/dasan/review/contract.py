"""A seat's chance in the auction to win the hand as its bidder.

The solver plays both sides with open hands, in sampled deals that are consistent with the seat's view. The chance
therefore ignores that players cannot see each other's cards; `dasan.review.expected` values bids without this
assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dasan.bots.sampling.open_worlds import MEMORY_MB, solvable
from dasan.bots.seeds import seed_of
from dasan.estimates import Estimate
from dasan.play import auction
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.play.view import View
from dasan.solver.budget import Budget
from dasan.solver.open_hands import OpenHands, position, stakes
from dasan.worlds.states import Sampler

WORLDS, NODES = 64, 2_000
"""The number of sampled deals, and the node budget for each; an unproved deal counts with the solver's estimate."""


@dataclass(frozen=True, slots=True)
class Contract:
    """chance: the mean chance, from 0 to 1, that the seat's side wins if the seat is the bidder, with its 95 % interval over
    sampled deals. paid: the expected payment to the seat, by bid. proved: in how many of the deals the solver has settled who
    wins.
    """

    chance: Estimate
    paid: Mapping[int, float]
    proved: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "chance": round(self.chance.mean, 3),
            "low": round(self.chance.low, 3),
            "high": round(self.chance.high, 3),
            "worlds": self.chance.samples,
            "proved": self.proved,
            "paid": {str(bid): round(value, 3) for bid, value in self.paid.items()},
        }


def contract(view: View, *, worlds: int = WORLDS, nodes: int = NODES) -> Contract | None:
    """The chance of the seat to act in an auction to win as the bidder; None if the solver does not support the rules.

    The result depends only on the arguments.

    >>> import dasan
    >>> state = dasan.deal(dasan.rules("big-three"), seed=7)
    >>> made = contract(state.view(state.to_act), worlds=2, nodes=50)
    >>> made.chance.samples, sorted(made.paid)
    (2, [1, 2, 3])
    """
    from dasan.kernels.ranks.solver.search import warm_up

    if not solvable(view.rules) or view.seat is None:
        return None
    warm_up()
    solvers: dict[frozenset[int], OpenHands] = {}
    states = list(Sampler(view).states(worlds, seed_of(view, 0)))
    chances = [max(_chances(state, view.seat, nodes, solvers)) for state in states]
    chance = Estimate.of(chances, (0, 1))
    closed = _closed(states[0], view.seat)
    paid: dict[int, float] = {}
    for move in view.legal_moves():
        if move.bid is not None:
            win, loss = stakes(closed, move.bid)
            paid[move.bid] = loss + chance.mean * (win - loss)
    return Contract(chance, paid, sum(one in (0, 1) for one in chances))


def _closed(state: State, seat: int) -> State:
    """The state after `seat` has won the auction."""
    return auction.close(replace(state, bid=1, bidder=seat, passed=()))


def _chances(state: State, seat: int, nodes: int, solvers: dict[frozenset[int], OpenHands]) -> list[float]:
    """The chance of the bidder `seat` in one deal, for each partner that it can call."""
    closed = _closed(state, seat)
    afters = [closed] if closed.phase is Phase.PLAY else [closed.play(move) for move in closed.legal_moves()]
    chances = []
    for after in {one.partner: one for one in afters}.values():
        solver = solvers.get(after.partners)
        if solver is None:
            solver = solvers[after.partners] = OpenHands(after, MEMORY_MB, Budget(None, None))
        at = position(after)
        solver.settle(at, nodes)
        chances.append(solver.chance(at))
    return chances

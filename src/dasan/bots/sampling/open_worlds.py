"""Value moves of Big Three and Wa Keng by the solver: in every world all hands are open, and both sides play optimally.

A world's value is a probability: 1 or 0 if the solver proves who wins within a few nodes, else its estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from dasan.backends import OPEN_HANDS
from dasan.bots.sampling.beliefs import Beliefs
from dasan.bots.sampling.rollouts import Tried
from dasan.play.moves import Move
from dasan.play.state import State
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.arrays import Words

MEMORY_MB = 8
"""The memory for proofs about one decision, for each possible partner of the bidder."""


@lru_cache(maxsize=64)
def solvable(rules: Rules) -> bool:
    """Whether the solver plays these rules."""
    return OPEN_HANDS.unsupported(rules) is None


def by_solver(view: View, moves: Sequence[Move], beliefs: Beliefs, nodes: int) -> Tried:
    """Values in all worlds. moves: plays and passes that do not empty the hand. nodes: the most positions to search
    for one move in one world.
    """
    import numpy as np

    from dasan.kernels.cards import words_of
    from dasan.kernels.ranks.solver.search import warm_up
    from dasan.solver.budget import Budget
    from dasan.solver.open_hands import OpenHands, held_words, placed

    warm_up()
    rules, state, seat = view.rules, beliefs.state, beliefs.state.mover
    one = beliefs.deals.one[:, : rules.players]
    sides = _sides(view, state, one)
    solvers = {side: OpenHands(state, MEMORY_MB, Budget(None, None)) for side in dict.fromkeys(sides)}
    afters, held = [state.play(move) for move in moves], []
    for move in moves:
        cards = one.copy()
        cards[:, seat] &= ~np.uint64(words_of(rules, move.cards)[0])
        held.append(held_words(cards).tolist())
    chances = np.empty((len(moves), len(one)))
    for world, side in enumerate(sides):
        for i, after in enumerate(afters):
            at = placed(after, held[i][world], side)
            solvers[side].settle(at, nodes)
            chance = solvers[side].chance(at)
            chances[i, world] = chance if seat in side else 1 - chance
    won, lost = stakes_of(view, state)
    return Tried(tuple(moves), lost + (won - lost) * chances, beliefs.weights)


def _sides(view: View, state: State, one: Words) -> list[frozenset[int]]:
    """The bidder's side in each world: a hidden partner is the holder of the called card (B4.04)."""
    import numpy as np

    from dasan.kernels.cards import words_of

    if view.called is None or view.partner is not None:
        return [state.partners] * len(one)
    bit = np.uint64(words_of(view.rules, (view.called,))[0])
    bidder = -1 if view.bidder is None else view.bidder
    return [frozenset((bidder, int(seat))) for seat in (one & bit != 0).argmax(axis=1)]


def stakes_of(view: View, state: State) -> tuple[int, int]:
    """The seat's payments if its side wins and if it loses. Payments of a hand sum to 0, so the bidder's determine all
    others.
    """
    from dasan.solver.open_hands import stakes

    won, lost = stakes(state)
    side = len(state.partners)
    others = view.rules.players - side
    return (won, lost) if view.seat in state.partners else (-lost * side // others, -won * side // others)


def at_stake(view: View, state: State) -> int:
    """The difference between the seat's payments for a win and for a loss."""
    won, lost = stakes_of(view, state)
    return won - lost

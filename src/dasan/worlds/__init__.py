"""Worlds: determinisations of a view, with hidden cards dealt consistently with everything that the seat has seen.

>>> import dasan
>>> from dasan import worlds
>>> state = dasan.deal(dasan.rules("big-two"), seed=7)
>>> view = state.view(2)
>>> first, second = worlds.sample(view, 2, seed=1)
>>> first.view(2) == second.view(2) == view, first.hands[0] == second.hands[0]
(True, False)
"""

from __future__ import annotations

from dasan.arguments import instance, whole
from dasan.play.state import State
from dasan.play.view import View
from dasan.worlds.deals import MOST_WORLDS, Deals, deals
from dasan.worlds.judging import Judgement, judge
from dasan.worlds.positions import Outcomes, Positions
from dasan.worlds.states import Sampler


def sample(view: View, count: int, seed: int = 0) -> list[State]:
    """Draw `count` states, each with a redeal of the cards that `view` hides, independently and with replacement.

    Every world consistent with the view is equally likely, whatever the other players' choices may suggest;
    docs/reference/worlds.md defines a world. World `i` depends only on the view, the seed and `i`. ValueError: no deal
    is consistent with the view, or `count` is negative.
    """
    instance(view, View, "worlds are drawn from a view, such as state.view(seat)")
    count, seed = whole(count, "the number of worlds", 0, MOST_WORLDS), whole(seed, "a seed")
    return list(Sampler(view).states(count, seed)) if count else []


__all__ = ["Deals", "Judgement", "Outcomes", "Positions", "deals", "judge", "sample"]

"""A uniformly random player: the baseline."""

from __future__ import annotations

import random

from dasan.bots.protocol import choices
from dasan.bots.seeds import moment
from dasan.bots.without_values import ExplainsByFacts
from dasan.play.moves import Move
from dasan.play.view import View


class RandomBot(ExplainsByFacts):
    """Uniform over the legal moves. The draw depends only on `seed` and the view, not on earlier draws."""

    name = "random"
    version = "1"

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def choose(self, view: View) -> Move:
        return random.Random(moment(view, self._seed)).choice(choices(view))

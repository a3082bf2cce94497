"""The explanation of bots that choose without values."""

from __future__ import annotations

from dasan.bots.explanation import Explanation
from dasan.bots.protocol import Bot, Named
from dasan.play.view import View


class ExplainsByFacts(Named):
    """A base class of bots that choose without values: their explanations are facts about the moves."""

    def explain(self: Bot, view: View) -> Explanation:
        """Facts about the moves, without values."""
        from dasan.bots.facts import plain  # imported late: choosing a move does not need it

        return plain(self, view)

"""A player who overlooks plays, long ones more often."""

from __future__ import annotations

from dataclasses import replace

from dasan.bots.explanation import Candidate, Explanation
from dasan.bots.facts import Facts
from dasan.bots.protocol import ExplainingBot, Named, choices, goes_out
from dasan.bots.seeds import moment, number
from dasan.networks.trained import fitted
from dasan.play.moves import Move
from dasan.play.view import View

SIGHT = {
    "level-1": 0.45,
    "level-2": 0.56,
    "level-3": 0.66,
    "level-4": 0.75,
    "level-5": 0.83,
    "level-6": 0.91,
    "level-7": 1.0,
}
"""By bot: the probability of noticing each card of a play, unless the network's model card has another."""


class Overlooking(Named):
    """Plays as `bot` does, but chooses only among plays that it notices. name: also the key of its sight in `SIGHT`
    and in model cards.

    At each decision it notices a play of n cards with probability sight^n, and always notices passes, bids and
    exchanges. If it notices nothing, it makes the play that it came closest to noticing. It goes out whenever it can.
    The move depends only on view and seed.
    """

    def __init__(self, bot: ExplainingBot, name: str, seed: int = 0) -> None:
        self.name = name
        self.version = f"1+{bot.version}"
        self._bot = bot
        self._seed = seed

    def choose(self, view: View) -> Move:
        return self._bot.choose(self._noticed(view))

    def explain(self, view: View) -> Explanation:
        """Values of the plays that it notices; the others come last, without a value."""
        noticed = self._noticed(view)
        explanation, facts = self._bot.explain(noticed), Facts(view)
        seen = explanation.moves
        if len(seen) == 1:
            seen = (replace(seen[0], reasons=facts.of(seen[0].move)),)
        known = set(noticed.legal_moves())
        rest = [Candidate(move, None, facts.of(move)) for move in choices(view) if move not in known]
        return Explanation(self.name, explanation.unit, (*seen, *rest))

    def _noticed(self, view: View) -> View:
        """The view with only the noticed moves legal."""
        moves = choices(view)
        out = goes_out(view)
        if out is not None:
            return replace(view, _legal=(out,))
        sight = sight_of(self.name, view)
        now = moment(view, self._seed)
        margins = {move: _chance(move, sight) - number(f"{now} {move}") / 2**64 for move in moves}
        noticed = tuple(move for move in moves if margins[move] > 0)
        return replace(view, _legal=noticed or (max(moves, key=margins.__getitem__),))


def sight_of(name: str, view: View) -> float:
    """The sight of a player, calibrated to the network if there is one for the rules of the view."""
    network = fitted(view.rules, sighted=True)
    known: dict[str, float] = {} if network is None else network.trained.card["sight"]
    return known[name] if name in known else SIGHT[name]


def _chance(move: Move, sight: float) -> float:
    """The probability of noticing a move."""
    return 1.0 if move.combination is None else sight ** len(move.cards)

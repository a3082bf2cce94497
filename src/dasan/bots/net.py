"""The player that asks a network what each legal move is worth, and makes the best one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dasan.bots.explanation import Explanation, Reason, Unit, explained, in_order
from dasan.bots.facts import Facts
from dasan.bots.greedy import GreedyBot
from dasan.bots.protocol import choices
from dasan.bots.trained import Fitted, fitted
from dasan.features import encode, encode_moves
from dasan.play.action_ids import action_ids
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dasan.vector.duel import Score


class NetBot:
    """Networks trained by self-play, chosen by the rules of the view. Without one for the game it plays as `greedy`.

    The same view, the same move, on one kind of processor. score: a function of yours instead, for every game: from
    observations uint8 [1, num_features], rows of moves [k, num_move_features] and [0, k], where the rows begin, to k scores,
    of which the highest is played; the same that `VectorEnv.best` and `VectorEnv.duel` take. session: whether it reads the
    observations of hands in succession.
    """

    version = "1"

    def __init__(self, score: Score | None = None, *, name: str = "net", session: bool = False) -> None:
        self.name = name
        self._greedy = GreedyBot()
        self._score, self._session = score, session

    def note(self, rules: Rules) -> str:
        """What a player should know of how well it knows these rules; "" if it was trained for them."""
        found = fitted(rules)
        if found is None:
            return "No network was trained for these rules: greedy plays."
        return "" if found.exact else f"The network was trained for other rules ({found.trained.name})."

    def values(self, view: View) -> npt.NDArray[np.float32] | None:
        """float32 [moves]: what each legal move is worth, see `unit`; None without a network."""
        if self._score is not None:
            return self._own(self._score, view)
        found = fitted(view.rules)
        return None if found is None else score(found, view)

    def _own(self, score: Score, view: View) -> npt.NDArray[np.float32]:
        import numpy as np

        ids, rows = action_ids(view.rules, self._session), encode_moves(view, self._session)
        moves = [rows[ids.of(move, view.called)] for move in choices(view)]
        starts = np.array([0, len(moves)], np.int64)
        found = score(np.array([encode(view, self._session)], np.uint8), np.array(moves, np.uint8), starts)
        return np.asarray(found, np.float32)

    def choose(self, view: View) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        values = self.values(view)
        return self._greedy.choose(view) if values is None else moves[int(values.argmax())]

    def explain(self, view: View) -> Explanation:
        """Values are what the network expects; without a network, the explanation of `greedy`."""
        values = self.values(view)
        if values is None:
            return self._greedy.explain(view)
        moves, facts = choices(view), Facts(view)
        said = {
            move: (Reason("network", {"value": round(float(value), 2)}), *facts.of(move))
            for move, value in zip(moves, values, strict=True)
        }
        ordered = in_order(self.choose(view), [(m, float(v)) for m, v in zip(moves, values, strict=True)])
        return explained(self.name, unit(view.rules), ordered, said)


def score(found: Fitted, view: View) -> npt.NDArray[np.float32]:
    """float32 [moves]: what the network makes of every legal move of `view`."""
    session = found.trained.session
    ids = action_ids(view.rules, session)
    rows = encode_moves(view, session)
    return found.network.score(encode(view, session), [rows[ids.of(move, view.called)] for move in choices(view)])


def unit(rules: Rules) -> Unit:
    """What networks are trained for: payments, or places where nothing is paid."""
    return "payment" if rules.pays else "place"

"""A player that scores each legal move with a network and makes the best one, or a proved win."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dasan.bots.explanation import Explanation, Unit, estimate, explained, in_order
from dasan.bots.facts import Facts
from dasan.bots.greedy import GreedyBot
from dasan.bots.heuristics.certain import Certain
from dasan.bots.protocol import Named, choices
from dasan.features import encode, encode_moves
from dasan.networks import FILE, NETWORK
from dasan.networks.source import find
from dasan.networks.trained import Fitted, check_suits, fit, fitted, known
from dasan.play.action_ids import action_ids
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from dasan.arrays import Floats
    from dasan.vector.duel import Score


class NetBot(Named):
    """Plays by the network trained for the rules of the view, or as `greedy` if the game has no network.

    If public cards prove that some moves win (see `Certain`), it makes one of them, whatever the network's scores.
    Deterministic on one kind of processor. score: a score function to use instead, for every game: given observations
    uint8 [1, num_features], rows of moves [k, num_move_features] and the bounds of the rows [0, k], it returns k
    scores, and the bot always makes the move with the highest; `VectorEnv.best` and `VectorEnv.duel` take the same
    functions. session: whether `score` reads observations of hands that follow one another. proofs: whether it looks
    for moves that surely win. sighted: as for `fitted`.
    """

    version = f"23+{GreedyBot.version}"
    """Its own version, and that of `greedy`, which plays if there is no network."""

    def __init__(
        self,
        score: Score | None = None,
        *,
        name: str = "net",
        session: bool = False,
        proofs: bool = True,
        sighted: bool = False,
    ) -> None:
        self.name = name
        self._sighted = sighted
        self._greedy = GreedyBot()
        self._score, self._session = score, session
        self._proofs = proofs and score is None

    def note(self, rules: Rules) -> str:
        """A sentence for players if no network was trained for exactly these rules, else ""."""
        network = self._fitted(rules)
        if network is None:
            return "No network was trained for these rules: greedy plays."
        return "" if network.exact else f"The network was trained for other rules ({network.trained.name})."

    def values(self, view: View) -> npt.NDArray[Any] | None:
        """[moves], float32 or the score function's type: the value of each legal move, see `unit`; None without a
        network.
        """
        if self._score is not None:
            return self._own(self._score, view)
        network = self._fitted(view.rules)
        return None if network is None else score(network, view)

    def _fitted(self, rules: Rules) -> Fitted | None:
        return fitted(rules, self._sighted)

    def _own(self, score: Score, view: View) -> npt.NDArray[Any]:
        import numpy as np

        from dasan.vector.choosing import for_rows

        ids, rows = action_ids(view.rules, self._session), encode_moves(view, self._session)
        moves = [rows[ids.of(move, view.called)] for move in choices(view)]
        starts = np.array([0, len(moves)], np.int64)
        scores = score(np.array([encode(view, self._session)], np.uint8), np.array(moves, np.uint8), starts)
        return for_rows(scores, len(moves))

    def choose(self, view: View) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        values = self.values(view)
        if values is None:
            return self._greedy.choose(view)
        return self._best(moves, values, Certain(view))

    def _best(self, moves: Sequence[Move], values: npt.NDArray[Any], certain: Certain) -> Move:
        """The move with the highest value, among the proved wins if there are any and the bot looks for proofs."""
        sure = certain.moves if self._proofs else ()
        candidates = [i for i, move in enumerate(moves) if not sure or move in sure]
        place = int(values[candidates].argmax())
        return moves[candidates[place]]

    def explain(self, view: View) -> Explanation:
        """Candidates with the network's scores as values, in the unit of the rules that it was trained for; without a network,
        the explanation of `greedy`.
        """
        values = self.values(view)
        if values is None:
            return replace(self._greedy.explain(view), bot=self.name)
        moves, facts = choices(view), Facts(view)
        reasons = {
            move: (estimate("network", float(value)), *facts.of(move)) for move, value in zip(moves, values, strict=True)
        }
        ordered = in_order(
            self._best(moves, values, facts.certain), [(m, float(v)) for m, v in zip(moves, values, strict=True)]
        )
        network = self._fitted(view.rules) if self._score is None else None
        rules = view.rules if network is None else network.trained.nearest(view.rules)
        return explained(self.name, unit(rules), ordered, reasons)


class NetworkBot(NetBot):
    """Plays as `net`, but always by one network. network: its name, file or folder, see `find`. name: `net:` and the name in the
    package, of the file, or of the run's folder. version: for a file the first digits of its SHA-256.

    OSError: the file cannot be read. ValueError: it holds no network, or the package has none of this name.
    """

    def __init__(self, network: str) -> None:
        self._source = source = find(network)
        if known(source.name):
            super().__init__(name=f"{NETWORK}{source.name}")
        else:
            file = Path(source.name).resolve()
            super().__init__(name=f"{NETWORK}{file.parent.name if file.name == FILE else file.name}")
            self.version = source.digest[:8]

    def check(self, rules: Rules) -> None:
        """ValueError: the network was trained for a game with other cards, seats or phases."""
        self._fitted(rules)

    def _fitted(self, rules: Rules) -> Fitted:
        trained = self._source.trained(rules)
        check_suits(trained, rules, self.name)
        return fit(trained, rules)


def score(network: Fitted, view: View) -> Floats:
    """float32 [moves]: the network's score of every legal move of `view`."""
    return network.network.of_view(view, network.trained.session)


def unit(rules: Rules) -> Unit:
    """The unit of networks' scores: payments, or places where nothing is paid."""
    return "payment" if rules.pays else "place"

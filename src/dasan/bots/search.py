"""Players that try their moves by rollouts in sampled worlds that fit the view."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from dasan.bots.certain import Certain
from dasan.bots.explanation import Explanation, Reason, explained, in_order
from dasan.bots.facts import Facts
from dasan.bots.greedy import GreedyBot, worthy
from dasan.bots.net import NetBot, score, unit
from dasan.bots.protocol import choices
from dasan.bots.rollouts import by_network, by_rule, runs
from dasan.bots.trained import Fitted, fitted
from dasan.play.moves import Move
from dasan.play.view import View

Values = list[tuple[Move, float]]


@dataclass(frozen=True, slots=True)
class Effort:
    """The size of a search. worlds: sampled deals of the hidden cards. width: candidates, the most promising ones. seconds: when
    to stop with fewer worlds, or None. trust: the weight of a move's first score, in worlds. pool: the number of worlds to
    choose from, by the likelihood of the others' moves in them; 0: take any.
    """

    worlds: int = 200
    width: int = 8
    seconds: float | None = None
    trust: float = 20.0
    pool: int = 0


class SearchBot:
    """Rollouts by a rule of thumb: needs no network, and plays every game. It bids and exchanges as `greedy` does.

    The move depends on view and seed alone.
    """

    name = "search"
    version = "3"

    def __init__(self, seed: int = 0, effort: Effort | None = None) -> None:
        self._seed = seed
        self._effort = effort or Effort(worlds=400, width=12)
        self._greedy = GreedyBot()

    def choose(self, view: View) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        if view.phase != "play":
            return self._greedy.choose(view)
        return self._goes_out(view) or best(self._values(view))

    def explain(self, view: View) -> Explanation:
        """Values are means of rollouts; bids and exchanges are explained as `greedy` does."""
        moves = choices(view)
        if len(moves) == 1 or view.phase != "play":
            return self._greedy.explain(view)
        values = self._values(view)
        return explain_values(self.name, view, self._goes_out(view) or best(values), values)

    @staticmethod
    def _goes_out(view: View) -> Move | None:
        """The move that empties the hand, if there is one."""
        return next((move for move in choices(view) if len(move.cards) == len(view.hand)), None)

    def _values(self, view: View) -> Values:
        """Candidates with their values."""
        certain = Certain(view, choices(view))
        kept = sorted(worthy(view, choices(view), certain), key=certain.judgement.of)[: self._effort.width]
        if len(kept) == 1:
            return [(kept[0], 0.0)]
        tried = by_rule(view, kept, self._effort.worlds, seed_of(view, self._seed))
        return [(move, float(value)) for move, value in zip(kept, tried.means, strict=True)]


class StrongBot:
    """Tries the network's best moves by rollouts in which the network plays every seat. Without a network for the game it plays
    as `search`.

    With `Effort.seconds` the move depends on the processor's speed as well as on view and seed.
    """

    version = f"4+{SearchBot.version}"
    """Its own, and that of `search`, which plays where there is no network."""

    def __init__(self, seed: int = 0, effort: Effort | None = None, name: str = "strong") -> None:
        self.name = name
        self._seed = seed
        self._effort = effort or Effort(worlds=400, width=6, seconds=1.0, pool=512)
        self._net = NetBot()
        self._search = SearchBot(seed)

    def choose(self, view: View) -> Move:
        moves = choices(view)
        if len(moves) == 1:
            return moves[0]
        found = self._fitted(view)
        if found is None:
            return self._search.choose(view)
        if view.phase == "exchange":
            return self._net.choose(view)
        return best(self._values(view, found))

    def explain(self, view: View) -> Explanation:
        """Values are means of rollouts, shrunk towards the network's scores."""
        found = self._fitted(view)
        if len(choices(view)) == 1 or found is None:
            return self._search.explain(view)
        if view.phase == "exchange":
            return self._net.explain(view)
        values = self._values(view, found)
        return explain_values(self.name, view, best(values), values)

    @staticmethod
    def _fitted(view: View) -> Fitted | None:
        """The network for the rules, where it can play batches of hands by them."""
        found = fitted(view.rules)
        return found if found is not None and runs(view.rules, found) else None

    def _values(self, view: View, found: Fitted) -> Values:
        """Candidates with their values."""
        moves, effort = choices(view), self._effort
        first = dict(zip(moves, score(found, view).tolist(), strict=True))
        certain = Certain(view, moves)
        allowed = certain.moves or (worthy(view, moves, certain) if view.phase == "play" else moves)
        kept = sorted(allowed, key=lambda move: -first[move])[: effort.width]
        if len(kept) == 1:
            return [(kept[0], first[kept[0]])]
        tried = by_network(
            view, kept, effort.worlds, seed_of(view, self._seed), found, seconds=effort.seconds, pool=effort.pool
        )
        n = float(tried.weights.sum())
        return [
            (move, (n * float(mean) + effort.trust * first[move]) / (n + effort.trust))
            for move, mean in zip(kept, tried.means, strict=True)
        ]


def best(values: Values) -> Move:
    """The candidate with the highest value, the first of those."""
    return max(values, key=lambda one: one[1])[0]


def seed_of(view: View, seed: int) -> int:
    """A seed for sampling worlds: equal for equal views."""
    seen = f"{seed} {view.seat} {view.events[-1].seq if view.events else 0} {view.hand}"
    return int.from_bytes(hashlib.blake2b(seen.encode(), digest_size=8).digest(), "big")


def explain_values(name: str, view: View, chosen: Move, values: Values) -> Explanation:
    """The explanation of a search: candidates with means, the other moves without."""
    facts, kind = Facts(view), unit(view.rules)
    id_ = "expected-place" if kind == "place" else "expected"
    known = dict(values)
    said = {
        move: (*((Reason(id_, {"value": round(known[move], 2)}),) if move in known else ()), *facts.of(move))
        for move in choices(view)
    }
    ordered = in_order(chosen, [(move, known.get(move)) for move in choices(view)])
    return explained(name, kind, ordered, said)

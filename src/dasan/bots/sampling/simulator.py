"""Play out many hands of one game at once by a network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING

from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.arrays import Doubles
    from dasan.networks.scoring import Scorer
    from dasan.networks.trained import Fitted
    from dasan.vector import VectorEnv
    from dasan.worlds.positions import Positions

ROOM = 512
"""The number of hands played at once."""


class Simulator:
    """Positions and environments for the hands of one game, reused between moves."""

    def __init__(self, rules: Rules, session: bool) -> None:
        from dasan import vector
        from dasan.networks.scoring import Scorer
        from dasan.worlds.positions import Positions

        self.positions: Positions = Positions(rules, ROOM)
        self.env: VectorEnv = vector.make(rules, ROOM, session=session, moves="ragged")
        self.scorer: Scorer = Scorer()

    def play(self, view: View, moves: Sequence[Move], count: int, fitted: Fitted) -> Doubles:
        """float64 [moves, count]: outcomes from the first `count` positions, each with every move."""
        import numpy as np

        from dasan.vector.earnings import earned

        env, used = self.env, count * len(moves)
        for i in range(1, len(moves)):
            self.positions.copy(slice(0, count), slice(i * count, (i + 1) * count))
        if used < ROOM:
            self.positions.copy(0, slice(used, ROOM))
        env.load(self.positions)
        actions = env.legal[:, 0].astype(np.int32)
        actions[:used] = np.repeat([env.ids.of(move, view.called) for move in moves], count)
        running = np.arange(ROOM) < used
        got = np.zeros(ROOM, np.float64)
        while True:
            env.step(actions)
            over = np.flatnonzero(env.done & running)
            got[over] = earned(env)[over, view.seat]
            running[over] = False
            if not running.any():
                return got[:used].reshape(len(moves), count)
            actions = env.legal[:, 0].astype(np.int32)
            choosing = np.flatnonzero(running & (env.num_legal > 1))
            if len(choosing):
                scores = self.scorer(env, choosing, fitted.network.weights)
                actions[choosing] = env.legal[choosing, scores.best() - scores.begin[:-1]]


def simulator_for(rules: Rules, session: bool) -> Simulator:
    """The simulator of a game for the calling thread, cached."""
    return _cached(rules, session, get_ident())


@lru_cache(maxsize=4)
def _cached(rules: Rules, session: bool, thread: int) -> Simulator:
    return Simulator(rules, session)

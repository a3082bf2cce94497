"""What moves lead to: the hand is played on from each, in worlds that the view allows, by one policy for all seats.

Every candidate is tried in the same worlds, so that differences between candidates are less random than their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING

from dasan.bots.net import unit
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dasan.bots.scoring import Scorer
    from dasan.bots.trained import Fitted
    from dasan.vector import VectorEnv
    from dasan.worlds.positions import Positions

ROOM = 512
"""Hands that are played on side by side."""


@dataclass(frozen=True, eq=False)
class Tried:
    """What the seat to act got after each candidate, float64 [moves, worlds]: payments, or places from 1 (first) to -1."""

    moves: tuple[Move, ...]
    values: npt.NDArray[np.float64]

    @property
    def means(self) -> npt.NDArray[np.float64]:
        """float64 [moves]."""
        found: npt.NDArray[np.float64] = self.values.mean(axis=1)
        return found


def by_rule(view: View, moves: Sequence[Move], worlds: int, seed: int) -> Tried:
    """Rollouts by `thrifty`, in `worlds` worlds. Bids and calls may be tried as well as plays."""
    import numpy as np

    from dasan.worlds.deals import deals
    from dasan.worlds.positions import Positions
    from dasan.worlds.states import Sampler

    (state,) = Sampler(view).states(1, seed)
    positions = Positions(view.rules, worlds)
    positions.put_worlds(0, state, deals(view, worlds, seed))
    out = np.zeros((len(moves), worlds))
    placed = unit(view.rules) == "place"
    for i, move in enumerate(moves):
        done = positions.play_out(opening=positions.ids.of(move, view.called))
        if placed:
            n = view.rules.players
            out[i] = (n + 1 - 2 * done.places[:, 0, view.seat].astype(np.float64)) / (n - 1)
        else:
            out[i] = done.payments[:, 0, view.seat]
    return Tried(tuple(moves), out)


def by_network(
    view: View, moves: Sequence[Move], worlds: int, seed: int, fitted: Fitted, seconds: float | None = None
) -> Tried:
    """Rollouts by a network, in `worlds` worlds, or in as many as `seconds` allow, but never none."""
    import numpy as np

    from dasan.worlds.deals import deals
    from dasan.worlds.states import Sampler

    table = _table(view.rules, fitted.trained.session)
    (state,) = Sampler(view).states(1, seed)
    each = max(1, min(worlds, ROOM // len(moves)))
    parts: list[npt.NDArray[np.float64]] = []
    began, at = monotonic(), 0
    while at < worlds:
        count = min(each, worlds - at)
        table.positions.put_worlds(0, state, deals(view, count, seed, first=at))
        parts.append(table.play(view, moves, count, fitted))
        at += count
        if seconds is not None and (monotonic() - began) * (1 + 1 / len(parts)) > seconds:
            break
    return Tried(tuple(moves), np.concatenate(parts, axis=1))


def runs(rules: Rules, fitted: Fitted) -> bool:
    """Whether compiled code plays these rules, so that `by_network` can."""
    return _table(rules, fitted.trained.session).env.backend != "engine"


class _Table:
    """Room for hands of one game, kept between moves."""

    def __init__(self, rules: Rules, session: bool) -> None:
        from dasan import vector
        from dasan.bots.scoring import Scorer
        from dasan.worlds.positions import Positions

        self.positions: Positions = Positions(rules, ROOM)
        self.env: VectorEnv = vector.make(rules, ROOM, session=session, moves="ragged")
        self.scorer: Scorer = Scorer()

    def play(self, view: View, moves: Sequence[Move], count: int, fitted: Fitted) -> npt.NDArray[np.float64]:
        """float64 [moves, count]: hands from the first `count` positions on, each with every move."""
        import numpy as np

        from dasan.bots.scoring import returns

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
            got[over] = returns(env)[over, view.seat]
            running[over] = False
            if not running.any():
                return got[:used].reshape(len(moves), count)
            actions = env.legal[:, 0].astype(np.int32)
            choosing = np.flatnonzero(running & (env.num_legal > 1))
            if len(choosing):
                scores = self.scorer(env, choosing, fitted.network.weights)
                actions[choosing] = env.legal[choosing, scores.best() - scores.begin[:-1]]


@lru_cache(maxsize=4)
def _table(rules: Rules, session: bool) -> _Table:
    return _Table(rules, session)

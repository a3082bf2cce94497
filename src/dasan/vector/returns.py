"""Training data from environments: decisions are buffered until their hand ends, then paired with the payment to their
seat.

Decisions of unfinished hands stay for a later batch; dropping them would bias the data towards short hands.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from dasan.arguments import flag, instance
from dasan.arrays import Bytes, Floats, Ints, Longs
from dasan.vector.earnings import earned
from dasan.vector.env import VectorEnv


class Batch(NamedTuple):
    """Decisions of finished hands, in the order in which they were made.

    obs: uint8 [decisions, num_features], what the seat saw. moves: uint8 [decisions, num_move_features], the move it made.
    payments: float32 [decisions], what the hand paid that seat. actions: int32 [decisions], the ids. seats: int8 [decisions].
    """

    obs: Bytes
    moves: Bytes
    payments: Floats
    actions: Ints
    seats: npt.NDArray[np.int8]

    def __repr__(self) -> str:
        return f"<Batch of {len(self.obs)} decisions>"


class Returns:
    """Steps `env` and records training data: call `step(actions)` in place of `env.step(actions)`, and `take()` for a
    batch.

    forced: whether to record decisions with only one legal action too, except those made by `skip_forced`. Rows of
    moves are copied from `env.moves`, or from `env.action_features` if `env` writes no moves. After resetting or
    stepping `env` directly, call `clear`. ValueError: `env` writes no observations.

    >>> import dasan
    >>> env = dasan.vector.make("big-three", 8, seed=1)
    >>> returns = Returns(env)
    >>> for _ in range(200):
    ...     returns.step(env.sample())
    >>> batch = returns.take()
    >>> len(batch.obs) == len(batch.payments) > 0
    True
    """

    def __init__(self, env: VectorEnv, *, forced: bool = False) -> None:
        instance(env, VectorEnv, "returns take environments, such as those from dasan.vector.make")
        self._env, self._forced = env, flag(forced, "forced")
        self._seen()
        self.clear()

    def __reduce__(self) -> NoReturn:
        raise TypeError("Returns belong to environments in the middle of hands: take what is ready, and make others")

    def _seen(self) -> Bytes:
        """The observations, which the environments write."""
        if self._env.obs is None:
            raise ValueError("returns take environments with observations that are not packed")
        return self._env.obs

    @property
    def waiting(self) -> int:
        """The number of decisions of unfinished hands."""
        over = np.isfinite(self._paid[:, 0])
        return sum(int((~over[hands]).sum()) for _, _, _, _, hands in self._pending)

    def clear(self) -> None:
        """Drop all decisions; necessary after a reset of the environments."""
        n = self._env.num_envs
        self._hand = np.arange(n)
        self._paid = np.full((n, self._env.num_players), np.nan, np.float32)
        self._used = n
        self._pending: list[tuple[Bytes, Bytes, Ints, npt.NDArray[np.int8], Longs]] = []

    def step(self, actions: Ints) -> None:
        """Carry out one action in every environment, as `VectorEnv.step` does, and record the decisions."""
        env = self._env
        try:
            chosen = np.array(actions, np.int32)
            who = np.arange(env.num_envs) if self._forced else np.flatnonzero(env.num_legal > 1)
            seen, seats = self._seen()[who], env.to_act[who].copy()
            decisions = (seen, self._rows(chosen, who), chosen[who], seats, self._hand[who])
        except (IndexError, TypeError, ValueError, OverflowError):
            env.step(actions)  # which says what is wrong with them
            raise
        env.step(actions)
        self._pending.append(decisions)
        over = np.flatnonzero(env.done)
        if len(over):
            self._paid[self._hand[over]] = earned(env)[over]
            last = self._used + len(over)
            if last > len(self._paid):
                more = np.full((max(last, len(self._paid)), env.num_players), np.nan, np.float32)
                self._paid = np.concatenate([self._paid, more])
            self._hand[over] = np.arange(self._used, last)
            self._used = last

    def _rows(self, chosen: Ints, who: Longs) -> Bytes:
        env = self._env
        if env.moves is None:
            features: Bytes = env.action_features[chosen[who]]
            return features
        rows: Bytes = env.moves.reshape(-1, env.moves.shape[-1])[env.row_of(chosen)[who]]
        return rows

    def take(self) -> Batch:
        """Remove and return the decisions of finished hands."""
        if not self._pending:
            columns = [
                np.zeros((0, self._env.num_features), np.uint8),
                np.zeros((0, self._env.num_move_features), np.uint8),
            ]
            return Batch(columns[0], columns[1], np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(0, np.int8))
        obs, moves, actions, seats, hands = (np.concatenate(column) for column in zip(*self._pending, strict=True))
        ready = np.isfinite(self._paid[hands, 0])
        batch = Batch(obs[ready], moves[ready], self._paid[hands[ready], seats[ready]], actions[ready], seats[ready])
        # Renumber the unfinished hands from 0: there is one for each environment.
        n = self._env.num_envs
        place = np.zeros(self._used, np.int64)
        place[self._hand] = np.arange(n)
        left = ~ready
        self._pending = [(obs[left], moves[left], actions[left], seats[left], place[hands[left]])]
        self._hand = np.arange(n)
        self._paid = np.full((n, self._env.num_players), np.nan, np.float32)
        self._used = n
        return batch

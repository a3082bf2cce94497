"""Duels of score functions: the same deals with the first player in every seat in turn, many hands at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from dasan.arguments import WrongType, shown, whole
from dasan.estimates import Estimate
from dasan.ruleset.outcomes import earning_bounds
from dasan.vector.earnings import Ended, earned

Score = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.int64]], npt.NDArray[Any]]
"""A score function: from observations [k, num_features], rows of moves [rows, num_move_features] and each observation's first
row [k + 1] it computes scores [rows]; of each observation's moves the one with the highest score is played."""

Player = Score | Literal["random", "thrifty"]
"""A score function; "random": every legal move is equally likely; or "thrifty": the bot of that name."""
NAMED = ("random", "thrifty")


class Duel(NamedTuple):
    """The first player's mean payment a hand (see `dasan.vector.earnings`), with the 95 % interval of `dasan.estimates` over
    deals, each of which was played once in every seat.
    """

    mean: float
    low: float
    high: float
    deals: int


class Playing(Ended, Protocol):
    """Environments in which a duel is played, such as `VectorEnv`."""

    @property
    def num_envs(self) -> int: ...
    @property
    def num_legal(self) -> npt.NDArray[Any]: ...
    @property
    def to_act(self) -> npt.NDArray[Any]: ...
    @property
    def done(self) -> npt.NDArray[Any]: ...
    def sample(self) -> npt.NDArray[np.int32]: ...
    def thrifty(self) -> npt.NDArray[np.int32]: ...
    def best(self, score: Score, envs: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]: ...
    def step(self, actions: npt.NDArray[Any]) -> None: ...


def duel(
    make: Callable[[int, Sequence[int]], Playing], players: int, one: Player, others: Player, deals: int, seed: int
) -> Duel:
    """`VectorEnv.duel`, in environments that `make` makes, given their number and seeds."""
    for player in (one, others):
        if not callable(player) and not (isinstance(player, str) and player in NAMED):
            raise WrongType(f'a player is a score function, "random" or "thrifty", not {shown(player)}')
    deals, seed = whole(deals, "deals", 2), whole(seed, "a seed")
    means: list[float] = []
    for at in range(0, deals, 512):
        count = min(512, deals - at)
        seeds = [seed * 1_000_003 + at + k for k in range(count) for _ in range(players)]
        env = make(count * players, seeds)
        rules = env.rules
        hands = _played(env, one, others).reshape(count, players).tolist()
        means += [fsum(hand) / players for hand in hands]  # equal players' payments add up to exactly 0
    estimate = Estimate.of(means, earning_bounds(rules), digits=9)
    return Duel(estimate.mean, estimate.low, estimate.high, deals)


def _played(env: Playing, one: Player, others: Player) -> npt.NDArray[np.float32]:
    """float32 [environments]: the payment of `one`, who has seat i modulo players in environment i."""
    mine = np.arange(env.num_envs) % env.rules.players
    going = np.ones(env.num_envs, np.bool_)
    got = np.zeros(env.num_envs, np.float32)
    while going.any():
        actions = env.sample().copy()
        choosing = going & (env.num_legal > 1)
        for score, who in ((one, env.to_act == mine), (others, env.to_act != mine)):
            envs = np.flatnonzero(choosing & who)
            if score == "random" or not len(envs):
                continue
            actions[envs] = env.thrifty()[envs] if isinstance(score, str) else env.best(score, envs)
        env.step(actions)
        over = np.flatnonzero(env.done & going)
        got[over] = earned(env)[over, mine[over]]
        going[over] = False
    return got


__all__ = ["Duel", "Player", "Score", "duel"]

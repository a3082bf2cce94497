"""Duels of score functions: duplicate deals with the first player in every seat in turn, many hands at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from dasan.arguments import WrongType, shown, whole
from dasan.arrays import Bytes, Flags, Floats, Ints, Longs
from dasan.estimates import Estimate
from dasan.ruleset.outcomes import earning_bounds
from dasan.ruleset.rules import Rules
from dasan.vector.earnings import Ended, earned

Score = Callable[[Bytes, Bytes, Longs], npt.NDArray[Any]]
"""A score function: from observations [k, num_features], rows of moves [rows, num_move_features] and each observation's
first row [k + 1] it computes scores [rows]; the move with the highest score is played in each observation."""

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
    def sample(self) -> Ints: ...
    def thrifty(self) -> Ints: ...
    def best(self, score: Score, envs: Longs) -> Ints: ...
    def step(self, actions: npt.NDArray[Any]) -> None: ...


E = TypeVar("E", bound=Playing)
Choose = Callable[[E, Longs, Flags, Ints], npt.NDArray[Any]]
"""Chooses the actions in some environments (int64 indices); a bool for each says whether the player of interest acts.
The last argument has a random legal action for each."""


def rotations(
    make: Callable[[int, Sequence[int]], E],
    choose: Choose[E],
    players: int,
    deals: int,
    first: int,
    *,
    hands: int = 1,
    batch: int = 512,
) -> Iterator[Floats]:
    """Play the deals of seeds `first`, `first + 1` …, `batch` in parallel, with the player of interest in every seat of
    each.

    make: makes environments, given their number and seeds. hands: from each seed, in environments of sessions. Yields
    float32 [deals, seats, players]: each player's earnings a hand with the player of interest in that seat.
    """
    for at in range(0, deals, batch):
        count = min(batch, deals - at)
        env = make(count * players, [first + at + k for k in range(count) for _ in range(players)])
        mine = np.arange(env.num_envs) % players
        ended = np.zeros(env.num_envs, np.int64)
        gains = np.zeros((env.num_envs, players), np.float32)
        while (running := ended < hands).any():
            actions = env.sample().copy()
            envs = np.flatnonzero(running & (env.num_legal > 1))
            if len(envs):
                actions[envs] = choose(env, envs, env.to_act[envs] == mine[envs], actions[envs])
            env.step(actions)
            over = np.flatnonzero(env.done & running)
            if len(over):
                gains[over] += earned(env)[over]
                ended[over] += 1
        gains /= np.float32(hands)
        yield gains.reshape(count, players, players)


def mean_gains(gains: Floats) -> list[float]:
    """The mean earnings of the player of interest over all seats, for each deal. gains: as `rotations` yields them.

    The sum is exact: equal players' payments in one hand add up to 0.
    """
    return [fsum(hand) / len(hand) for hand in gains.diagonal(axis1=1, axis2=2).tolist()]


def duel(
    make: Callable[[int, Sequence[int]], Playing], rules: Rules, one: Player, others: Player, deals: int, seed: int
) -> Duel:
    """`VectorEnv.duel`. make: makes environments, given their number and seeds."""
    for player in (one, others):
        if not callable(player) and not (isinstance(player, str) and player in NAMED):
            raise WrongType(f'a player is a score function, "random" or "thrifty", not {shown(player)}')
    deals, seed = whole(deals, "deals", 2), whole(seed, "a seed")

    def choose(env: Playing, envs: Longs, mine: Flags, actions: Ints) -> Ints:
        for player, whose in ((one, mine), (others, ~mine)):
            if player != "random" and whose.any():
                which = envs[whose]
                actions[whose] = env.thrifty()[which] if isinstance(player, str) else env.best(player, which)
        return actions

    means: list[float] = []
    for gains in rotations(make, choose, rules.players, deals, seed * 1_000_003):
        means += mean_gains(gains)
    estimate = Estimate.of(means, earning_bounds(rules), digits=9)
    return Duel(estimate.mean, estimate.low, estimate.high, deals)

"""What the environments of all packages share: one hand at a time, its seeds, and whole copies."""

from __future__ import annotations

import secrets
from copy import deepcopy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import dasan.vector
from dasan.envs.ended import Story
from dasan.features import encode
from dasan.games import rules_of
from dasan.play.state import State
from dasan.ruleset.places import place_points
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules
from dasan.vector.earnings import earnings


class Copied:
    """Environments that own hands: `copy.copy` copies the hands as well, as `copy.deepcopy` and a pickle do.

    A copy goes on where the original is, and neither changes the other.
    """

    def __copy__(self) -> Self:
        return deepcopy(self)


class HandEnv(Copied):
    """A hand of `preset`: `to_act`, `mask`, `observation` change with `play`; `next` deals the next hand.

    After `next(seed)` the hands are those of `dasan.vector.make(preset, 1, seed)`, whatever is played in them and whether
    they are played to the end. The first hand of all is random.
    """

    def __init__(self, preset: str | Rules, options: dict[str, OptionValue]) -> None:
        self.env = dasan.vector.make(rules_of(preset, options), 1, seed=secrets.randbits(63))
        self.rules = self.env.rules
        self.over = False
        self.payoffs = [0.0] * self.rules.players
        self._chosen = np.zeros(1, np.int32)
        self._begin()

    def _begin(self) -> None:
        self.over = False
        self.story = Story(self.env.ids, self.env.dealt(0))

    def next(self, seed: int | None = None) -> None:
        """Deal another hand: the first one of `seed`, or the following one if `seed` is None."""
        if seed is not None:
            self.env.reset(seed=seed)
        else:
            self._abandon()
        self._begin()

    def _abandon(self) -> None:
        """Play the hand to its end if it goes on, for only then the environment deals the following one."""
        while not self.over:
            self.env.step(self.env.legal[:, 0])
            self.over = bool(self.env.done[0])

    def play(self, action: int) -> None:
        """Carry out an action id. ValueError, with nothing changed: it is not legal, or the hand is over."""
        if self.over:
            raise ValueError("the hand is over: reset the environment")
        if not 0 <= action < self.env.num_actions or not self.env.mask[0, action]:
            raise ValueError(f"action {action} is not legal now")
        self._chosen[0] = action
        self.env.step(self._chosen)
        self.story.add(action)
        self.over = bool(self.env.done[0])
        if self.over:
            self.payoffs = earnings(self.rules, self.env.rewards, self.env.places, place_points)[0].tolist()

    @property
    def to_act(self) -> int | None:
        """The seat to act; None when the hand is over."""
        return None if self.over else int(self.env.to_act[0])

    @property
    def state(self) -> State:
        """The hand as the engine knows it."""
        return self.story.state

    def mask(self, seat: int) -> npt.NDArray[np.int8]:
        """int8 [num_actions]: 1 for each legal action of `seat`; all 0 unless it is to act. A new array."""
        mask = np.zeros(self.env.num_actions, np.int8)
        if seat == self.to_act:
            mask[:] = self.env.mask[0]
        return mask

    def observation(self, seat: int) -> npt.NDArray[np.uint8]:
        """uint8 [num_features]: what `seat` sees, as `dasan.features.layout` says. A new array."""
        if seat == self.to_act:
            seen: Any = self.env.obs
            copy: npt.NDArray[np.uint8] = seen[0].copy()
            return copy
        return np.array(encode(self.state.view(seat)), np.uint8)

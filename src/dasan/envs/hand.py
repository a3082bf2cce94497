"""Shared base of the packages' environments: one hand at a time, seeding, and deep copies."""

from __future__ import annotations

import secrets
from copy import deepcopy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import dasan.vector
from dasan.arguments import word
from dasan.arrays import Bytes
from dasan.envs.ended import Story
from dasan.features import encode
from dasan.games import rules_of
from dasan.play.action_ids import ActionIds
from dasan.play.state import State
from dasan.ruleset.clauses import LANGUAGES
from dasan.ruleset.places import place_points
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules
from dasan.vector.earnings import earnings


def language_of(text: object) -> str | None:
    """The language of an environment's sentences; None for none. ValueError: there is no such language."""
    return word(text, (None, *LANGUAGES), "text")


def described(state: State, seat: int, ids: ActionIds, language: str) -> dict[str, Any]:
    """Sentences about what `seat` sees (`text`, see `View.describe`), and the action of each move that they number, in the same
    order (`actions`, empty if another seat is to act).
    """
    view = state.view(seat)
    return {"text": view.describe(language), "actions": [ids.of(move, view.called) for move in view.legal_moves()]}


class Copied:
    """A base of environments whose `copy.copy` also copies the hands, as `copy.deepcopy` and pickling do. A copy
    continues from the original's position, and neither affects the other.
    """

    def __copy__(self) -> Self:
        return deepcopy(self)


class HandEnv(Copied):
    """A hand of `preset`: `play` changes `to_act`, `mask` and `observation`; `next` deals the next hand.

    After `next(seed)` the hands are those of `dasan.vector.make(preset, 1, seed)`, whatever is played in them and even
    if they are abandoned. The first hand is random.
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
        """Play an unfinished hand to its end, because the environment deals the next one only then."""
        while not self.over:
            self.env.step(self.env.legal[:, 0])
            self.over = bool(self.env.done[0])

    def play(self, action: int) -> None:
        """Carry out an action id. ValueError, changing nothing: it is not legal, or the hand is over."""
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
        """The seat to act; None after the end of the hand."""
        return None if self.over else int(self.env.to_act[0])

    @property
    def state(self) -> State:
        """The hand as the engine's state."""
        return self.story.state

    def described(self, seat: int, language: str | None) -> dict[str, Any]:
        """See `described`, of this hand; nothing if `language` is None."""
        return {} if language is None else described(self.state, seat, self.env.ids, language)

    def mask(self, seat: int) -> npt.NDArray[np.int8]:
        """int8 [num_actions]: 1 for each legal action of `seat`; all 0 unless it is to act. A new array."""
        mask = np.zeros(self.env.num_actions, np.int8)
        if seat == self.to_act:
            mask[:] = self.env.mask[0]
        return mask

    def observation(self, seat: int) -> Bytes:
        """uint8 [num_features]: what `seat` sees, as `dasan.features.layout` says. A new array."""
        if seat == self.to_act:
            seen: Any = self.env.obs
            copy: Bytes = seen[0].copy()
            return copy
        return np.array(encode(self.state.view(seat)), np.uint8)

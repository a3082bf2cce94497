"""Lazy replay: the engine replays a hand's moves only when its state or final observation is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from dasan.arrays import Longs
from dasan.features import encode
from dasan.play import tricks
from dasan.play.action_ids import ActionIds
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Phase
from dasan.play.state import State


class Story:
    """One hand: its deal and the actions since. `state` replays the new ones.

    dealt: the first state, or a function that returns it.
    """

    def __init__(self, ids: ActionIds, dealt: State | Callable[[], State]) -> None:
        self._ids, self._state = ids, dealt
        self._ahead: list[int] = []

    def add(self, action: int) -> None:
        """Append an action id that is known to be legal."""
        self._ahead.append(action)

    @property
    def state(self) -> State:
        state = self._state if isinstance(self._state, State) else self._state()
        for action in self._ahead:
            state = accepted(state, self._ids.pick(action, state.hands[state.mover], state.called))
        self._ahead.clear()
        self._state = state
        return state


class PastHand(Story):
    """A finished hand of environment `i` of a batch. steps: the actions of all environments at each of its moves."""

    def __init__(self, ids: ActionIds, dealt: Callable[[], State], steps: Sequence[Longs], i: int) -> None:
        super().__init__(ids, dealt)
        self._steps, self._i = steps, i

    @property
    def state(self) -> State:
        self._ahead += [int(actions[self._i]) for actions in self._steps]
        self._steps = ()
        return super().state


def accepted(state: State, move: Move) -> State:
    """`state.play(move)` without the check of legality, for a move that an environment has accepted."""
    if state.phase is Phase.PLAY:
        return tricks.pass_(state) if move.type is MoveType.PASS else tricks.play(state, move)
    return state.play(move)


class Final(dict[str, Any]):
    """A seat's observation after the end of a hand: a dict whose arrays are computed when it is first used."""

    def __init__(self, story: Story, seat: int, num_actions: int) -> None:
        super().__init__(observation=None, action_mask=None)
        self._story: Story | None = story
        self._seat, self._actions = seat, num_actions

    def _fill(self) -> None:
        if self._story is not None:
            seen = np.array(encode(self._story.state.view(self._seat)), np.uint8)
            super().update(observation=seen, action_mask=np.zeros(self._actions, np.int8))
            self._story = None

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def _filled(name: str) -> Callable[..., Any]:
    """The method of a dict, once the arrays are there."""
    method = getattr(dict, name)

    @wraps(method)
    def filled(self: Final, *arguments: Any, **named: Any) -> Any:
        self._fill()
        return method(self, *arguments, **named)

    return filled


# All but those that read only the names. `dict(…)` and ** call __iter__ if it is not that of a dict.
for _name in (
    *("__getitem__", "__setitem__", "__delitem__", "__iter__", "__reversed__", "__eq__", "__ne__", "__or__", "__ior__"),
    *("__repr__", "get", "items", "values", "copy", "pop", "popitem", "setdefault", "update", "clear"),
):
    setattr(Final, _name, _filled(_name))

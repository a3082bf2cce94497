"""Lazy replay: the engine replays a hand's moves only when its state or final observation is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    """A seat's observation after the end of a hand: a dict whose arrays are computed when the first one is read."""

    def __init__(self, story: Story, seat: int, num_actions: int) -> None:
        super().__init__(observation=None, action_mask=None)
        self._story, self._seat, self._actions = story, seat, num_actions

    def _plain(self) -> dict[str, Any]:
        if super().__getitem__("observation") is None:
            seen = np.array(encode(self._story.state.view(self._seat)), np.uint8)
            super().update(observation=seen, action_mask=np.zeros(self._actions, np.int8))
        return {name: dict.__getitem__(self, name) for name in ("observation", "action_mask")}

    def __getitem__(self, key: str) -> Any:
        return self._plain()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain())  # so that dict(…) and ** also compute the arrays

    def __eq__(self, other: object) -> bool:
        return self._plain() == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        return repr(self._plain())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._plain(),)

    def get(self, key: str, default: Any = None) -> Any:
        return self._plain().get(key, default)

    def items(self) -> Any:
        return self._plain().items()

    def values(self) -> Any:
        return self._plain().values()

    def copy(self) -> dict[str, Any]:
        return self._plain()

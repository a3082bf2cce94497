"""An environment with RLCard's interface, for code written for RLCard; RLCard itself is not needed.

`reset`, `step`, `run`, `set_agents` and the attributes match RLCard's, and so does a state: `obs`,
`legal_actions` (an ordered dict of ids), `raw_obs`, `raw_legal_actions` and `action_record`. With `text`, a state also has
sentences about what the player sees (`text`), and the action of each move that they number (`actions`).
"""

from __future__ import annotations

import secrets
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from dasan.arguments import WrongType, flag, seat, shown, whole
from dasan.arrays import Doubles
from dasan.envs.hand import Copied, HandEnv, language_of
from dasan.play.moves import Move
from dasan.play.state import State as HandState
from dasan.records.retrace import move_of
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

State = dict[str, Any]


class RLCardEnv(Copied):
    """One hand after another, one player at a time.

    Attributes: num_players, num_actions, state_shape (a shape for each player), timestep (moves since the environment
    was created). Agents have `step(state)`, `eval_step(state) -> (action, info)` and `use_raw`: whether actions are
    text instead of ids.
    """

    def __init__(self, preset: str | Rules, seed: int | None, text: str | None, options: dict[str, OptionValue]) -> None:
        self._language = language_of(text)
        self._hand = HandEnv(preset, options)
        self.rules = self._hand.rules
        self.name = self.rules.name
        self.num_players = self.rules.players
        self.num_actions = self._hand.env.num_actions
        self.state_shape = [[self._hand.env.num_features] for _ in range(self.num_players)]
        self.action_shape: list[None] = [None] * self.num_players
        self.timestep = 0
        self.agents: list[Any] = []
        self.action_recorder: list[tuple[int, str]] = []
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Start over with the first hand of `seed`, or of a random seed."""
        self._hand.next(secrets.randbits(63) if seed is None else whole(seed, "seed"))
        self._fresh = True
        self.action_recorder = []

    def set_agents(self, agents: list[Any]) -> None:
        """Set one agent for each player."""
        if not isinstance(agents, list | tuple):
            raise WrongType(f"agents are a list, one for each player, not {shown(agents)}")
        if len(agents) != self.num_players:
            raise ValueError(f"{self.name} takes {self.num_players} agents, not {len(agents)}")
        self.agents = list(agents)

    def reset(self) -> tuple[State, int]:
        """Deal the next hand; returns the state of the player to act, and that player."""
        if not self._fresh:
            self._hand.next()
        self._fresh = False
        self.action_recorder = []
        return self.get_state(self.get_player_id()), self.get_player_id()

    def step(self, action: int | str, raw_action: bool = False) -> tuple[State, int]:
        """Carry out an action id, or with `raw_action` a move as text; returns the same as `reset`. ValueError or
        DasanError: it is not legal.
        """
        player, state = self.get_player_id(), self._hand.state
        if flag(raw_action, "raw_action") or isinstance(action, str):
            number = self._named(state, str(action))
        else:
            number = whole(action, "an action")
        self._hand.play(number)
        text = str(_made(state, self._hand.state))
        self.timestep += 1
        self.action_recorder.append((player, text))
        following = self.get_player_id()
        return self.get_state(following), following

    def _named(self, state: HandState, text: str) -> int:
        """The action of a legal move as text. ValueError: the environment plays other cards for this action."""
        ids, move = self._hand.env.ids, _made(state, state.play(text))
        number = ids.of(move, state.called)
        plays = ids.pick(number, state.hands[state.mover], state.called)
        if Counter(plays.cards) != Counter(move.cards):
            raise ValueError(
                f"{move} is action {number}, for which the environment plays {plays}; see raw_legal_actions"
            )
        return number

    def get_state(self, player: int) -> State:
        """The observation of `player`."""
        hand, player = self._hand, seat(player, self.num_players, "player")
        legal = np.flatnonzero(hand.mask(player)).tolist()
        return {
            "obs": hand.observation(player),
            "legal_actions": OrderedDict.fromkeys(legal),
            "raw_obs": _Raw(hand, player),
            "raw_legal_actions": _Texts(hand, legal),
            "action_record": list(self.action_recorder),
            **hand.described(player, self._language),
        }

    def run(self, is_training: bool = False) -> tuple[list[list[Any]], Doubles]:
        """Play one hand with the agents; returns each player's trajectory (state, action, state, …) and the payoffs."""
        if not self.agents:
            raise ValueError("set_agents first")
        trajectories: list[list[Any]] = [[] for _ in range(self.num_players)]
        state, player = self.reset()
        trajectories[player].append(state)
        while not self.is_over():
            agent = self.agents[player]
            action = agent.step(state) if is_training else agent.eval_step(state)[0]
            trajectories[player].append(action)
            state, player = self.step(action, getattr(agent, "use_raw", False))
            if not self.is_over():
                trajectories[player].append(state)
        for number, trajectory in enumerate(trajectories):
            trajectory.append(self.get_state(number))
        return trajectories, self.get_payoffs()

    def is_over(self) -> bool:
        return self._hand.over

    def get_player_id(self) -> int:
        """The player to act; after the end of the hand, the last to have acted."""
        to_act = self._hand.to_act
        return self.action_recorder[-1][0] if to_act is None else to_act

    def get_payoffs(self) -> Doubles:
        """float64 [num_players]: payments, or places in games without payments; see `dasan.envs.payoff`."""
        if not self._hand.over:
            raise ValueError("the hand is not over yet")
        return np.array(self._hand.payoffs)

    def get_perfect_information(self) -> dict[str, Any]:
        """All hands as text, and the player to act."""
        state = self._hand.state
        return {"hand_cards": [str(hand) for hand in state.hands], "current_player": state.to_act}


class _Raw(Mapping[str, Any]):
    """`raw_obs`: a player's observation as plain data, computed on first read."""

    def __init__(self, hand: HandEnv, player: int) -> None:
        self._state, self._player = hand.state, player

    @cached_property
    def _plain(self) -> dict[str, Any]:
        return self._state.view(self._player).to_json()

    def __getitem__(self, key: str) -> Any:
        return self._plain[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)

    def __repr__(self) -> str:
        return repr(self._plain)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._plain,)  # the state has everybody's cards


class _Texts(Sequence[str]):
    """`raw_legal_actions`: the moves of these actions as text, computed on first read."""

    def __init__(self, hand: HandEnv, actions: list[int]) -> None:
        self._state, self._ids, self._actions = hand.state, hand.env.ids, actions

    @cached_property
    def _texts(self) -> list[str]:
        state = self._state
        return [str(self._ids.pick(action, state.hands[state.mover], state.called)) for action in self._actions]

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        return self._texts[at]

    def __len__(self) -> int:
        return len(self._actions)

    def __eq__(self, other: object) -> bool:
        return self._texts == (other._texts if isinstance(other, _Texts) else other)

    def __repr__(self) -> str:
        return repr(self._texts)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self._texts,)


def _made(before: HandState, after: HandState) -> Move:
    """The move that led from one state to the next."""
    return move_of(after.events[len(before.events)])


def make(
    preset: str | Rules,
    seed: int | None = None,
    config: Mapping[str, Any] | None = None,
    *,
    text: str | None = None,
    **options: OptionValue,
) -> RLCardEnv:
    """The environment of `preset` with `options`; hands are random without a `seed`.

    config: the seed in RLCard's form, {"seed": 1}. text: the language of the sentences in states, one of those of
    `View.describe`; None: no sentences. ValueError: there is no such language, `config` has other keys, or both seeds
    are given.
    """
    if config is not None:
        if not isinstance(config, Mapping) or not set(config) <= {"seed"}:
            raise ValueError(f'config holds a seed, {{"seed": 1}}, and options are named arguments, not {shown(config)}')
        if seed is not None:
            raise ValueError("the seed is an argument or in config, not both")
        seed = config.get("seed")
    return RLCardEnv(preset, seed, text, dict(options))

"""PettingZoo environments: every preset as an AEC environment with action masks, and as a parallel one.

An episode is one hand. Agents are `player_0`, `player_1` … by seat. Only the agent to act has legal actions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("PettingZoo environments need their extra: pip install 'dasan[envs]'") from error

from dasan.arguments import WrongType, shown, whole, word
from dasan.envs.ended import Final
from dasan.envs.hand import Copied, HandEnv, language_of
from dasan.envs.show import rendered
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

Observed = dict[str, npt.NDArray[Any]]
Illegal = Literal["raise", "random"]
ILLEGAL: tuple[Illegal, ...] = ("raise", "random")
MODES = ("human", "ansi")


class DasanEnv(Copied, AECEnv):
    """An AEC environment of one hand.

    Observation: `{"observation": uint8 [num_features], "action_mask": int8 [num_actions]}`, new arrays each time; the
    numbers are those of `dasan.vector`. Action: an id, see `dasan.vector`. Rewards come at the end of the hand:
    payments in units, or in games without payments (Winner) (seats + 1) / 2 - place. With `text`, `infos` has sentences
    about what each agent sees (`text`), and the action of each move that they number (`actions`), see `hand.described`.
    """

    def __init__(
        self,
        preset: str | Rules,
        *,
        render_mode: str | None,
        max_cycles: int | None,
        illegal: Illegal,
        text: str | None,
        options: dict[str, OptionValue],
    ) -> None:
        super().__init__()
        self._language = language_of(text)
        render_mode = word(render_mode, (None, *MODES), "render_mode")
        illegal = word(illegal, ILLEGAL, "illegal")
        max_cycles = None if max_cycles is None else whole(max_cycles, "max_cycles", 1)
        self._hand = HandEnv(preset, options)
        self.rules = self._hand.rules
        self.ids = self._hand.env.ids
        self.render_mode = render_mode
        name = self.rules.name.replace("-", "_")
        self.metadata = {"name": f"dasan_{name}_v0", "render_modes": list(MODES), "is_parallelizable": True}
        self._most = None if max_cycles is None else max_cycles * self.rules.players
        self._illegal = illegal
        self._random = random.Random()
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size, actions = self._hand.env.num_features, self._hand.env.num_actions
        self.observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.Box(0, 255, (size,), np.uint8), action_mask=spaces.Box(0, 1, (actions,), np.int8)
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    def _seat(self, agent: object) -> int:
        """The seat of an agent. ValueError: there is no such agent."""
        seat = self._seats.get(agent) if isinstance(agent, str) else None
        if seat is None:
            kind = ValueError if isinstance(agent, str) else WrongType
            raise kind(f"an agent is one of {', '.join(self.possible_agents)}, not {shown(agent)}")
        return seat

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a hand: the first one of `seed`, or the one after the current hand, finished or not, if `seed` is None.
        `options` are ignored.
        """
        seed = None if seed is None else whole(seed, "seed")
        self._hand.next(seed)
        if seed is not None:
            self._random.seed(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._plies = 0
        self._skip_agent_selection: str | None = None
        self._choose()
        self._describe()

    def _choose(self) -> None:
        seat = self._hand.to_act
        self.agent_selection = self.possible_agents[0 if seat is None else seat]

    def _describe(self) -> None:
        """Update the sentences in `infos`, which every agent may read at any time."""
        for agent, seat in self._seats.items() if self._language is not None else ():
            self.infos[agent] |= self._hand.described(seat, self._language)

    def step(self, action: Any) -> None:
        """Carry out the selected agent's action, which is None after the end of the hand. ValueError, changing nothing:
        it is not legal; with `illegal="random"` a random legal action replaces it, and `infos` says so.
        """
        if not self.agents:
            raise ValueError("call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        replaced = False
        number = whole(action, "an action")
        try:
            self._hand.play(number)
        except ValueError:
            if self._illegal == "raise":
                raise
            env, replaced = self._hand.env, True
            self._hand.play(int(self._random.choice(env.legal[0, : env.num_legal[0]].tolist())))
        self.infos[agent] = {"illegal": True} if replaced else {}
        self._cumulative_rewards[agent] = 0.0
        self._plies += 1
        if self._hand.over:
            for other, paid in zip(self.possible_agents, self._hand.payoffs, strict=True):
                self.rewards[other] = paid
                self.terminations[other] = True
            self._accumulate_rewards()
        elif self._plies == self._most:
            self.truncations = dict.fromkeys(self.agents, True)
        self._choose()
        self._describe()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observed:
        """The observation of `agent`. After the end of a hand it is computed lazily, because few programs read it."""
        seat = self._seat(agent)
        if self._hand.over:
            return Final(self._hand.story, seat, self._hand.env.num_actions)
        return {"observation": self._hand.observation(seat), "action_mask": self._hand.mask(seat)}

    def render(self) -> str | None:
        """The hand as text, with all cards open; `render_mode="human"` prints it."""
        return rendered(self._hand.state, self.render_mode)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class DasanParallelEnv(Copied, ParallelEnv):
    """The same hand with PettingZoo's parallel interface, which steps all agents at once.

    Only the agent to act has legal actions in its mask; the others' actions are ignored.
    """

    def __init__(self, aec: DasanEnv, max_cycles: int | None) -> None:
        self.aec_env = aec
        self.metadata = aec.metadata
        self.render_mode = aec.render_mode
        self.possible_agents = aec.possible_agents
        self.observation_spaces, self.action_spaces = aec.observation_spaces, aec.action_spaces
        self.agents: list[str] = []
        self._most = max_cycles

    def observation_space(self, agent: str) -> Any:
        return self.aec_env.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        return self.aec_env.action_space(agent)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observed], dict[str, dict[str, Any]]]:
        self.aec_env.reset(seed, options)
        self.agents = self.possible_agents[:]
        self._steps = 0
        infos = {a: dict(self.aec_env.infos[a]) for a in self.agents}
        return {a: self.aec_env.observe(a) for a in self.agents}, infos

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        if not self.agents:
            return {}, {}, {}, {}, {}
        agents, env = self.agents, self.aec_env
        if not isinstance(actions, Mapping):
            raise WrongType(f"actions are a dictionary by agent, not {shown(actions)}")
        acting = env.agent_selection
        if acting not in actions:
            raise ValueError(f"{acting} is to act and has no action")
        for about in env.infos.values():
            about.pop("illegal", None)  # of an earlier step
        env.step(actions[acting])
        self._steps += 1
        cut = self._steps == self._most and not env.terminations[acting]
        seen = {a: env.observe(a) for a in agents}
        infos = {a: dict(env.infos[a]) for a in agents}
        ended = dict(env.terminations)
        if cut or all(ended.values()):
            self.agents = []
        return seen, dict(env.rewards), ended, dict.fromkeys(agents, cut), infos

    def render(self) -> str | None:
        return self.aec_env.render()

    def close(self) -> None:
        self.aec_env.close()


def env(
    preset: str | Rules,
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    illegal: Illegal = "raise",
    text: str | None = None,
    **options: OptionValue,
) -> DasanEnv:
    """The AEC environment of `preset` with `options`, see `DasanEnv`.

    render_mode: None, "ansi" (`render` returns text) or "human" (each step prints it). max_cycles: the hand is
    truncated after this many rounds of all seats. illegal: whether an illegal action should "raise" a ValueError or be
    replaced by a "random" legal one. text: the language of the sentences in `infos`, one of those of `View.describe`; None:
    no sentences. ValueError: also as for `dasan.vector.make`.
    """
    return DasanEnv(preset, render_mode=render_mode, max_cycles=max_cycles, illegal=illegal, text=text, options=options)


def parallel_env(
    preset: str | Rules,
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    illegal: Illegal = "raise",
    text: str | None = None,
    **options: OptionValue,
) -> DasanParallelEnv:
    """The parallel environment, see `DasanParallelEnv`. max_cycles: the hand is truncated after this many steps. Other
    arguments and errors as for `env`.
    """
    max_cycles = None if max_cycles is None else whole(max_cycles, "max_cycles", 1)
    aec = DasanEnv(preset, render_mode=render_mode, max_cycles=None, illegal=illegal, text=text, options=options)
    return DasanParallelEnv(aec, max_cycles)

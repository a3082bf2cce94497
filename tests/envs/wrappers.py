"""Every environment behind one interface, so that one test can check the same contract for all."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dasan import vector


@dataclass
class Driver:
    """env: the environment. reset(env, seed): start a hand. seen(env): everything that it shows, as plain data.
    step(env, source): a random legal action. over(env): whether the hand is over, so that it takes a reset; None where
    hands follow by themselves.
    """

    env: Any
    reset: Callable[[Any, int | None], object]
    seen: Callable[[Any], object]
    step: Callable[[Any, random.Random], object]
    over: Callable[[Any], bool] | None = None


def plain(value: Any) -> Any:
    """Arrays and mappings as lists, to be compared."""
    if isinstance(value, np.ndarray):
        return [plain(one) for one in value] if value.dtype == object else value.tolist()
    if isinstance(value, dict):
        return [(name, plain(value[name])) for name in value]
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def one_of(mask: Any, source: random.Random) -> int:
    return int(source.choice(np.flatnonzero(mask).tolist()))


def aec(preset: str, **options: Any) -> Driver:
    from dasan.envs import pettingzoo

    def step(env: Any, source: random.Random) -> None:
        if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            env.step(None)
        else:
            env.step(one_of(env.observe(env.agent_selection)["action_mask"], source))

    def seen(env: Any) -> object:
        totals = [env.rewards, env._cumulative_rewards, env.terminations, env.truncations, env.infos]
        return plain([env.agents, env.agent_selection, totals, [env.observe(a) for a in env.agents]])

    return Driver(
        pettingzoo.env(preset, **options),
        lambda env, seed: env.reset(seed=seed),
        seen,
        step,
        lambda env: not env.agents,
    )


def parallel(preset: str, **options: Any) -> Driver:
    from dasan.envs import pettingzoo

    def seen(env: Any) -> object:
        return plain([env.agents, [env.aec_env.observe(agent) for agent in env.possible_agents]])

    def step(env: Any, source: random.Random) -> object:
        masks = [env.aec_env.observe(agent)["action_mask"] for agent in env.agents]
        chosen = {a: one_of(m, source) if m.any() else 0 for a, m in zip(env.agents, masks, strict=True)}
        return plain(env.step(chosen))

    return Driver(
        pettingzoo.parallel_env(preset, **options),
        lambda env, seed: plain(env.reset(seed=seed)),
        seen,
        step,
        lambda env: not env.agents,
    )


def alone(preset: str, **options: Any) -> Driver:
    from dasan.envs import gymnasium

    def step(env: Any, source: random.Random) -> object:
        mask = env._observed()["action_mask"]
        return plain(env.step(one_of(mask, source) if mask.any() else 0))

    return Driver(
        gymnasium.make(preset, opponents="random", **options),
        lambda env, seed: plain(env.reset(seed=seed)),
        lambda env: plain([env.seat, env._observed(), env._over]),
        step,
        lambda env: env._over,
    )


def batch(preset: str, **options: Any) -> Driver:
    from dasan.envs import gymnasium

    def step(env: Any, source: random.Random) -> object:
        return plain(env.step(np.array([one_of(mask, source) for mask in env.env.mask])))

    return Driver(
        gymnasium.make_vec(preset, 2, **options),
        lambda env, seed: plain(env.reset(seed=seed)),
        lambda env: plain(env._observed()),
        step,
    )


def beside_bots(preset: str, **options: Any) -> Driver:
    from dasan.envs import gymnasium

    def step(env: Any, source: random.Random) -> object:
        masks = [one._observed()["action_mask"] for one in env.envs]
        return plain(env.step(np.array([one_of(mask, source) if mask.any() else 0 for mask in masks])))

    return Driver(
        gymnasium.make_vec(preset, 2, opponents="random", **options),
        lambda env, seed: plain(env.reset(seed=seed)),
        lambda env: plain([one._observed() for one in env.envs]),
        step,
    )


def rlcard(preset: str, **options: Any) -> Driver:
    from dasan.envs import rlcard as ours

    def reset(env: Any, seed: int | None) -> object:
        if seed is not None:
            env.seed(seed)
        return shown(env.reset()[0])

    def shown(state: Any) -> object:
        return plain([state["obs"], list(state["legal_actions"]), state["raw_legal_actions"], state["action_record"]])

    def step(env: Any, source: random.Random) -> object:
        return shown(env.step(source.choice(list(env.get_state(env.get_player_id())["legal_actions"])))[0])

    return Driver(
        ours.make(preset, seed=0, **options),
        reset,
        lambda env: [env.get_player_id(), *(shown(env.get_state(p)) for p in range(env.num_players))],
        step,
        lambda env: env.is_over(),
    )


class Spiel:
    """A state of OpenSpiel, and what chance draws from. A copy copies the state by the same function."""

    state: Any
    chance: random.Random

    def __copy__(self) -> Spiel:
        twin = Spiel()
        twin.state, twin.chance = copy.copy(self.state), copy.copy(self.chance)
        return twin


def openspiel(preset: str, **options: Any) -> Driver:
    """A state of a new game for every hand."""
    import pyspiel

    from dasan.envs import openspiel as ours

    ours.register()
    name = ours.name_of(preset)
    # OpenSpiel reads "52" in the text of a game as a number, so such an option is one.
    given = {key: int(value) if isinstance(value, str) and value.isdigit() else value for key, value in options.items()}

    def deal(env: Any) -> None:
        while env.state.is_chance_node():
            outcomes, weights = zip(*env.state.chance_outcomes(), strict=True)
            env.state.apply_action(env.chance.choices(outcomes, weights)[0])

    def reset(env: Any, seed: int | None) -> None:
        if seed is not None:
            env.chance = random.Random(seed)
        env.state = pyspiel.load_game(name, given).new_initial_state()
        deal(env)

    def seen(env: Any) -> object:
        state = env.state
        players = range(state.num_players())
        return [state.current_player(), state.legal_actions(), str(state), state.history(), state.returns()] + [
            [state.information_state_string(p), state.information_state_tensor(p)] for p in players
        ]

    return Driver(
        Spiel(),
        reset,
        seen,
        lambda env, source: env.state.apply_action(source.choice(env.state.legal_actions())),
        lambda env: env.state.is_terminal(),
    )


def bare(preset: str, **options: Any) -> Driver:
    """`dasan.vector` itself, with every output, and random numbers of its own."""

    def seen(env: Any) -> object:
        rows = [env.legal[i, :n].tolist() for i, n in enumerate(env.num_legal)]
        outputs = (env.obs, env.mask, env.to_act, env.done, env.rewards, env.places, env.perfect, env.history)
        starts = env.move_starts
        return [plain(list(outputs)), rows, env.moves[: starts[-1]].tolist(), env.past().tolist(), env.seed]

    def step(env: Any, source: random.Random) -> object:
        explored = env.argmax(np.zeros((env.num_envs, env.num_actions)), eps=0.5)
        chosen = explored if source.random() < 0.5 else env.sample().copy()
        env.step(chosen)
        return chosen.tolist()

    env = vector.make(preset, 2, 0, moves="ragged", perfect=True, history=3, **options)
    return Driver(env, lambda env, seed: env.reset(seed), seen, step)


def hands_in_succession(preset: str, **options: Any) -> Driver:
    return bare(preset, session=True, skip_forced=True, **options)


def by_the_engine(preset: str, **options: Any) -> Driver:
    return bare(preset, backend="engine", **options)


WRAPPERS: dict[str, Callable[..., Driver]] = {
    "pettingzoo": aec,
    "pettingzoo parallel": parallel,
    "gymnasium": alone,
    "gymnasium make_vec": batch,
    "gymnasium make_vec with bots": beside_bots,
    "rlcard": rlcard,
    "openspiel": openspiel,
    "vector": bare,
    "vector session": hands_in_succession,
    "vector engine": by_the_engine,
}

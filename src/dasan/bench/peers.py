"""Other simulators of Dou Dizhu: OpenSpiel, RLCard (extra `bench`) and DouZero's environment.

All play uniformly random moves on one core. A ply is a player's decision, as in our figures.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from dasan.bench.works import Work


class Side(NamedTuple):
    """One row to measure. includes: what a ply includes. module: the package it needs, "" for none. install: the
    command that installs it. work: makes the work, from a game's rules if the row is ours.
    """

    includes: str
    module: str
    install: str
    work: Callable[..., Work]

    @property
    def missing(self) -> bool:
        """Whether its package is not installed."""
        return self.module != "" and find_spec(self.module) is None


def _module(name: str) -> Any:
    return import_module(name)


def _openspiel_cpp() -> Work:
    """`evaluate_bots` with OpenSpiel's uniformly random bots: dealing and play entirely in C++."""
    pyspiel = _module("pyspiel")
    game = pyspiel.load_game("dou_dizhu")
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    seed = 0
    mean = 0.0

    def play() -> Any:
        nonlocal seed
        seed += 1
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, seed)
        return state

    # Counting decisions takes longer than making them, so their mean is measured before the run.
    sample = [play() for _ in range(2000)]
    mean = sum(sum(1 for step in state.full_history() if step.player >= 0) for state in sample) / len(sample)

    def work() -> tuple[int, int]:
        games = 20
        for _ in range(games):
            play()
        return round(games * mean), games

    return work


def _openspiel_python() -> Work:
    """`legal_actions` and `apply_action` called from Python."""
    return openspiel_hands(_module("pyspiel").load_game("dou_dizhu"))


def openspiel_hands(game: Any) -> Work:
    """Random hands of an OpenSpiel game from Python, dealing included; chance nodes do not count as plies."""
    source = random.Random(1)

    def work() -> tuple[int, int]:
        state = game.new_initial_state()
        plies = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            plies += not state.is_chance_node()
            state.apply_action(actions[int(source.random() * len(actions))])
        return plies, 1

    return work


def _rlcard() -> Work:
    """`Env.run` with RLCard's random agents."""
    rlcard = _module("rlcard")
    agents = _module("rlcard.agents")
    env = rlcard.make("doudizhu", config={"seed": 1})
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def work() -> tuple[int, int]:
        before = env.timestep
        env.run(is_training=False)
        return env.timestep - before, 1

    return work


def _rlcard_step() -> Work:
    return rlcard_hands(_module("rlcard").make("doudizhu", config={"seed": 1}))


def rlcard_hands(env: Any) -> Work:
    """Random hands of an RLCard-style environment: `step`, and the state of the next player."""
    source = random.Random(1)

    def work() -> tuple[int, int]:
        state, _ = env.reset()
        plies = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(source.random() * len(legal))])
            plies += 1
        return plies, 1

    return work


class _AtRandom:
    """A random agent with DouZero's interface."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def act(self, known: Any) -> Any:
        return known.legal_actions[int(self._source.random() * len(known.legal_actions))]


def _douzero() -> Work:
    """`GameEnv.step`, which lists the next player's legal moves; no auction, no tensors."""
    game_env = _module("douzero.env.game").GameEnv
    source = random.Random(1)
    pack = [*(rank for rank in (*range(3, 15), 17) for _ in range(4)), 20, 30]
    players = dict.fromkeys(("landlord", "landlord_up", "landlord_down"), _AtRandom(source))

    def work() -> tuple[int, int]:
        source.shuffle(pack)
        env = game_env(players)
        env.card_play_init(
            {
                "landlord": sorted(pack[:20]),
                "landlord_up": sorted(pack[20:37]),
                "landlord_down": sorted(pack[37:]),
                "three_landlord_cards": sorted(pack[17:20]),
            }
        )
        while not env.game_over:
            env.step()
        return len(env.card_play_action_seq), 1

    return work


_BENCH = "pip install 'dasan[bench]'"
REFERENCE = "openspiel-cpp"
PEERS: dict[str, Side] = {
    REFERENCE: Side("results alone", "pyspiel", _BENCH, _openspiel_cpp),
    "openspiel-python": Side("legal actions", "pyspiel", _BENCH, _openspiel_python),
    "rlcard-step": Side("observations and legal actions", "rlcard", _BENCH, _rlcard_step),
    "rlcard-run": Side("observations and legal actions", "rlcard", _BENCH, _rlcard),
    "douzero": Side("legal actions", "douzero", "pip install --no-deps douzero", _douzero),
}
"""OpenSpiel's C++ dou_dizhu by `evaluate_bots`, and from Python; RLCard's doudizhu by `env.step`, and by `Env.run`; DouZero's
environment."""

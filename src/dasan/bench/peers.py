"""Peers: OpenSpiel and RLCard, where they are installed (extra `bench`).

They play Dou Dizhu, their nearest game, with uniformly random moves on one core. A ply is a player's decision, as in our figures.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from dasan.bench.timing import Speed, measure
from dasan.bench.works import Work


def measure_peers(*, seconds: float, repeats: int) -> Iterator[Speed]:
    """A row for each peer that is installed."""
    for peer, (module, preset, work) in _PEERS.items():
        if find_spec(module) is not None:
            yield measure(preset, "engine", work(), seconds=seconds, repeats=repeats, peer=peer)


def _module(name: str) -> Any:
    from importlib import import_module

    return import_module(name)


def _openspiel_cpp() -> Work:
    """`evaluate_bots` with OpenSpiel's own uniformly random bots: deal and play entirely in C++."""
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

    # Counting decisions takes longer than making them, so their mean is measured beforehand.
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
    """Random hands of an OpenSpiel game from Python; the deal is in it, its chance nodes are not counted."""
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


_PEERS: dict[str, tuple[str, str, Callable[[], Work]]] = {
    "openspiel-cpp": ("pyspiel", "dou_dizhu", _openspiel_cpp),
    "openspiel-python": ("pyspiel", "dou_dizhu", _openspiel_python),
    "rlcard": ("rlcard", "doudizhu", _rlcard),
}

"""Exact best responses on the teaching variants.

    python benchmarks/teaching.py [--iterations 20] [--game big-two-tiny] [--json]
    python benchmarks/teaching.py --game big-three-tiny --network runs/tiny/network.npz --response runs/response/network.npz
    python benchmarks/teaching.py --game big-three-tiny --network runs/tiny/network.npz --worlds 16 --worlds 64

The first prints NashConv of uniformly random play, greedy, and CFR+ after some iterations. The second takes two networks that
`dasan train` wrote: one plays all seats but one, and the other was trained against it. It prints what a seat gains by the trained
response, and by an exact best response. The third prints what a seat gains by an exact best response to a network, and to
`strong` with that network and so many worlds a move, without a time limit (0: the network alone).
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dasan.bots import Bot
    from dasan.play.moves import Move
    from dasan.play.view import View
    from dasan.ruleset.rules import Rules

GAMES = ("big-two-tiny", "winner-tiny", "big-three-tiny")


def measure(preset: str, iterations: int) -> dict[str, Any]:
    """NashConv by exact best responses: the sum over players of the gain from a best response to the others'
    policies.
    """
    import pyspiel
    from open_spiel.python.algorithms import cfr
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.policy import UniformRandomPolicy

    from dasan.envs import openspiel

    openspiel.register()
    game = pyspiel.load_game(openspiel.name_of(preset))
    start = time.process_time()
    solver = cfr.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    return {
        "game": preset,
        "information_states": len(average.state_lookup),
        "uniform": float(nash_conv(game, UniformRandomPolicy(game))),
        "greedy": float(nash_conv(game, openspiel.BotPolicy(game, "greedy"))),
        "cfr": float(nash_conv(game, average)),
        "iterations": iterations,
        "seconds": round(time.process_time() - start, 1),
    }


def exploited(preset: str, network: Path, response: Path) -> dict[str, Any]:
    """What a seat gains a hand against copies of a network, compared with the network in that seat too, in the mean over the
    seats: by the response and by an exact best response.
    """
    import pyspiel
    from open_spiel.python.algorithms.best_response import BestResponsePolicy
    from open_spiel.python.algorithms.expected_game_score import policy_value

    from dasan.envs import openspiel
    from dasan.learn.measuring import NetworkPlayer
    from dasan.networks.network import Network

    openspiel.register()
    game = pyspiel.load_game(openspiel.name_of(preset))
    seats = range(game.num_players())
    frozen, trained = (
        openspiel.BotPolicy(game, NetworkPlayer(Network.load(file), game.rules.exchange)) for file in (network, response)
    )
    root = game.new_initial_state()
    equal = policy_value(root, [frozen for _ in seats])
    learnt = [policy_value(root, [trained if seat == mine else frozen for seat in seats])[mine] for mine in seats]
    best = [BestResponsePolicy(game, seat, frozen).value(root) for seat in seats]
    return {
        "game": preset,
        "response": fmean(learnt) - fmean(equal),
        "best": fmean(best) - fmean(equal),
        "nash_conv": sum(best) - sum(equal),
    }


class Remembered:
    """A bot that is asked once for each view."""

    def __init__(self, player: Bot) -> None:
        self.name, self.version = player.name, player.version
        self._player = player
        self.moves: dict[str, Move] = {}

    def choose(self, view: View) -> Move:
        key = f"{view.seat} {view.hand} {view.events}"
        if key not in self.moves:
            self.moves[key] = self._player.choose(view)
        return self.moves[key]


def searching(preset: str, network: Path, worlds: int) -> Bot:
    """`strong` with a network that `dasan train` wrote."""
    import dasan
    from dasan.bots import search
    from dasan.bots.sampling import rollouts
    from dasan.networks.derived import Reads
    from dasan.networks.network import Network
    from dasan.networks.trained import Fitted, Trained

    rules = dasan.rules(preset)
    fit = Fitted(Trained(preset, rules, Reads(rules.exchange), {}), Network.load(network), True)

    def given(rules: Rules) -> Fitted | None:
        return fit

    rollouts.network_for = given
    usual = search.LIKELY if rules.auction is None else search.EVEN
    return search.StrongBot(1, replace(usual, worlds=worlds, seconds=None))


def answered(preset: str, network: Path, worlds: int) -> dict[str, Any]:
    """What a seat gains a hand by an exact best response to copies of a network (worlds = 0), or of `strong` with it."""
    import pyspiel
    from open_spiel.python.algorithms.best_response import BestResponsePolicy
    from open_spiel.python.algorithms.expected_game_score import policy_value

    from dasan.envs import openspiel
    from dasan.learn.measuring import NetworkPlayer
    from dasan.networks.network import Network

    openspiel.register()
    game = pyspiel.load_game(openspiel.name_of(preset))
    seats = range(game.num_players())
    began = time.process_time()
    player = (
        NetworkPlayer(Network.load(network), game.rules.exchange) if not worlds else searching(preset, network, worlds)
    )
    asked = Remembered(player)
    frozen, root = openspiel.BotPolicy(game, asked), game.new_initial_state()
    equal = policy_value(root, [frozen for _ in seats])
    best = [BestResponsePolicy(game, seat, frozen).value(root) for seat in seats]
    return {
        "game": preset,
        "worlds": worlds,
        "best": fmean(best) - fmean(equal),
        "nash_conv": sum(best) - sum(equal),
        "views": len(asked.moves),
        "seconds": round(time.process_time() - began, 1),
    }


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--iterations", type=int, default=20)
    words.add_argument("--game", action="append", choices=GAMES)
    words.add_argument("--json", action="store_true")
    words.add_argument("--network", type=Path, help="with --response: the network of all seats but one")
    words.add_argument("--response", type=Path)
    words.add_argument("--worlds", type=int, action="append", help="worlds a move of `strong`; 0: the network alone")
    chosen = words.parse_args()
    if chosen.network is not None and chosen.response is not None:
        for preset in chosen.game or GAMES[:1]:
            print(json.dumps(exploited(preset, chosen.network, chosen.response)))
        return
    if chosen.network is not None:
        for preset in chosen.game or GAMES[:1]:
            for worlds in chosen.worlds or [0]:
                print(json.dumps(answered(preset, chosen.network, worlds)), flush=True)
        return
    rows = [measure(preset, chosen.iterations) for preset in chosen.game or GAMES]
    if chosen.json:
        print(json.dumps(rows))
        return
    print("| game | information states | uniform | greedy | CFR+ | iterations |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        figures = " | ".join(f"{row[name]:.3f}" for name in ("uniform", "greedy", "cfr"))
        print(f"| `{row['game']}` | {row['information_states']:,} | {figures} | {row['iterations']} |")


if __name__ == "__main__":
    main()

"""Exact best responses on the teaching variants.

    python benchmarks/teaching.py [--iterations 20] [--game big-two-tiny] [--json]
    python benchmarks/teaching.py --game big-three-tiny --network runs/tiny/network.npz --response runs/response/network.npz

The first prints NashConv of uniformly random play, greedy, and CFR+ after some iterations. The second takes two networks that
`dasan train` wrote: one plays all seats but one, and the other was trained against it. It prints what a seat gains by the trained
response, and by an exact best response.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import fmean
from typing import Any

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
    from dasan.learn.ladder import NetworkPlayer
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


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--iterations", type=int, default=20)
    words.add_argument("--game", action="append", choices=GAMES)
    words.add_argument("--json", action="store_true")
    words.add_argument("--network", type=Path, help="with --response: the network of all seats but one")
    words.add_argument("--response", type=Path)
    chosen = words.parse_args()
    if chosen.network is not None and chosen.response is not None:
        for preset in chosen.game or GAMES[:1]:
            print(json.dumps(exploited(preset, chosen.network, chosen.response)))
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

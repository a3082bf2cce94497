"""NashConv on the teaching variants of uniformly random play, greedy, and CFR+ after some iterations.

python benchmarks/teaching.py [--iterations 20] [--game big-two-tiny] [--json]
"""

from __future__ import annotations

import argparse
import json
import time
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


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--iterations", type=int, default=20)
    words.add_argument("--game", action="append", choices=GAMES)
    words.add_argument("--json", action="store_true")
    chosen = words.parse_args()
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

"""One greedy player against random ones in duplicate matches, game by game.

    python benchmarks/greedy_vs_random.py --hands 2000 --json

Each deal is played once with the greedy player in every seat. Intervals are 95 % over deals.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import dasan
from dasan.arena import Standing, duplicate

GAMES = {
    "big-three": dasan.rules("big-three"),
    "big-three-4p": dasan.rules("big-three-4p"),
    "big-two": dasan.rules("big-two"),
    "winner": dasan.rules("winner"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=2000, help="least number of hands per game (default: 2000)")
    parser.add_argument("--seed", type=int, default=0, help="the first deal (default: 0)")
    parser.add_argument("--processes", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--against", default="random", help="the bot in the other seats (default: random)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args(arguments)
    out: dict[str, Any] = {}
    for name, rules in GAMES.items():
        start = time.perf_counter()
        lineup = ["greedy", *[chosen.against] * (rules.players - 1)]
        deals = -(-chosen.hands // rules.players)
        match = duplicate(rules, lineup, deals=deals, seed=chosen.seed, processes=chosen.processes)
        seconds = round(time.perf_counter() - start, 1)
        out[name] = {
            "deals": match.deals,
            "hands": match.hands,
            "seconds": seconds,
            **{who: asdict(standing) for who, standing in match.standings.items()},
        }
        if not chosen.json:
            print(f"{name}: {match.hands} hands, {match.deals} deals, {seconds} s")
            for who, standing in match.standings.items():
                print(f"  {who:8}{_line(standing)}", flush=True)
    if chosen.json:
        print(json.dumps({"dasan": dasan.__version__, "games": out}))


def _line(standing: Standing) -> str:
    wins = standing.wins
    text = f"payment a hand {standing.payment}   wins {wins.mean:.1%} [{wins.low:.1%}, {wins.high:.1%}]"
    place = standing.place
    return text if place is None else f"{text}   place {place.mean:.2f} [{place.low:.2f}, {place.high:.2f}]"


if __name__ == "__main__":
    main()

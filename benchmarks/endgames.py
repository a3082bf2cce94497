"""Endgames: the share solved in a given time, and positions searched a second.

    python benchmarks/endgames.py big-two 24 --seconds 1
    python benchmarks/endgames.py winner 26 --out 2 --seconds 10
    python benchmarks/endgames.py dou-dizhu 24 --count 100
    python benchmarks/endgames.py big-two 24 --rates

Cards are dealt at random to all players except `--out` of them, who have finished. The first seat leads; in games with
a bidder it is the bidder at 1. `--rates` compares with the interpreted search on the same positions. Seconds are
processor time, excluding compilation.
"""

from __future__ import annotations

import argparse
import random
import time

import dasan
from dasan.solver import solve
from dasan.solver.budget import Budget
from dasan.solver.compiled import CompiledEndgame
from dasan.solver.endgame import Bounded, Endgame
from dasan.solver.interpreted import InterpretedEndgame
from dasan.solver.solving import Scope


def endgame(rules: dasan.Rules, source: random.Random, cards: int, out: int) -> dasan.State:
    """`cards` random cards, shared by all but `out` players, who have finished."""
    pack = list(rules.pack)
    source.shuffle(pack)
    seats = list(range(rules.players))
    source.shuffle(seats)
    finished, playing = seats[:out], seats[out:]
    hands: list[list[dasan.Card]] = [[] for _ in seats]
    for i, c in enumerate(pack[:cards]):
        hands[playing[i % len(playing)]].append(c)
    bidder, bid = (None, None) if rules.auction is None else (playing[0], 1)
    return dasan.start(rules, hands, finished=finished, leader=playing[0], bidder=bidder, bid=bid)


def solved(states: list[dasan.State], seconds: float, scope: Scope | None, moves: bool) -> None:
    """Print the number of solved states and the median time."""
    solve(states[0], seconds=0.01, scope=scope)
    times, nodes = [], []
    for state in states:
        begun = time.process_time()
        solution = solve(state, seconds=seconds, scope=scope, moves=moves)
        if solution.exact:
            times.append(time.process_time() - begun)
            nodes.append(solution.nodes)
    times.sort()
    nodes.sort()
    middle = len(states) // 2
    median = (
        f"median {1000 * times[middle]:,.1f} ms, {nodes[middle]:,} positions" if middle < len(times) else "median open"
    )
    print(f"{scope or 'two sides'}: {len(times)} of {len(states)} solved within {seconds:g} s; {median}")


def rates(states: list[dasan.State], nodes: int) -> None:
    """Print the positions a second of the compiled and the interpreted search."""
    rate_of = {}
    for name, most in (("compiled", 100 * nodes), ("interpreted", nodes)):
        seconds, looked = 0.0, 0
        for state in states:
            seat, budget = state.to_act or 0, Budget(None, most)
            search: Endgame = InterpretedEndgame(seat, 64, budget)
            if name == "compiled":
                search = CompiledEndgame(state.rules, seat, 64, budget)
                search.warm_up(state)
            begun = time.process_time()
            Bounded(state, seat).settle(search)
            seconds += time.process_time() - begun
            looked += budget.used
        rate_of[name] = looked / seconds
    print(
        f"positions a second: {rate_of['compiled']:,.0f} compiled, {rate_of['interpreted']:,.0f} interpreted,", end=" "
    )
    print(f"{rate_of['compiled'] / rate_of['interpreted']:.0f} times as many")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset")
    parser.add_argument("cards", type=int)
    parser.add_argument("--out", type=int, default=0, help="players who have finished (Winner)")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--scope", choices=["paranoid", "max-n"], default="paranoid")
    parser.add_argument("--moves", action="store_true", help="also value every move")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rates", action="store_true", help="compare with the interpreted search")
    given = parser.parse_args()
    source = random.Random(given.seed)
    states = [endgame(dasan.rules(given.preset), source, given.cards, given.out) for _ in range(given.count)]
    if given.rates:
        rates(states, 2_000)
    else:
        solved(states, given.seconds, None if states[0].rules.has_sides else given.scope, given.moves)


if __name__ == "__main__":
    main()

"""Measure the most turns that a hand may cost for the greedy player to bid: the numbers in
`dasan.bots.heuristics.bidding`.

    python benchmarks/bids.py --hands 3000

In each deal one seat is forced to be the bidder at 3; everybody plays greedily. A logistic regression of winning on
turns then gives the most turns at which a bid has the required chance.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import exp, log

import dasan
from dasan.bots.heuristics.bidding import strength

CHANCES = (0.47, 0.50, 0.53)
"""The chances to win that a bid of 1, 2 and 3 requires."""


def forced(preset: str, seed: int) -> tuple[float, bool]:
    """(turns of the forced bidder's hand, whether its side won)."""
    rules = dasan.rules(preset)
    greedy = dasan.bot("greedy")
    bidder = seed // rules.players % rules.players
    state = dasan.deal(rules, seed=1_000_000 + seed, dealer=seed % rules.players)
    turns = strength(state.view(bidder))
    while state.to_act is not None:
        if state.phase is not dasan.Phase.AUCTION:
            state = state.play(greedy.choose(state.view(state.to_act)))
        elif state.to_act == bidder:
            state = state.play("bid 3")
        else:
            state = state.play(min(state.legal_moves(), key=lambda move: move.bid or 0))
    return turns, state.result is not None and bidder in state.result.winners


def logistic(points: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """The maximum-likelihood (a, b) of the curve 1 / (1 + e^-(a + b x)) through `points`, by Newton's method."""
    a = b = 0.0
    for _ in range(30):
        g0 = g1 = h00 = h01 = h11 = 1e-9
        for x, won in points:
            p = 1 / (1 + exp(-(a + b * x)))
            w = p * (1 - p)
            g0, g1 = g0 + won - p, g1 + (won - p) * x
            h00, h01, h11 = h00 + w, h01 + w * x, h11 + w * x * x
        det = h00 * h11 - h01 * h01
        a, b = a + (h11 * g0 - h01 * g1) / det, b + (h00 * g1 - h01 * g0) / det
    return a, b


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=3000, help="hands per game (default: 3000)")
    parser.add_argument("--processes", type=int, default=1, help="processes (default: 1)")
    chosen = parser.parse_args(arguments)
    for preset in ("big-three", "big-three-4p", "dou-dizhu"):
        with ProcessPoolExecutor(chosen.processes) as pool:
            points = list(pool.map(partial(forced, preset), range(chosen.hands), chunksize=20))
        a, b = logistic(points)
        enough = [round((log(p / (1 - p)) - a) / b, 2) for p in CHANCES]
        won = sum(won for _, won in points) / len(points)
        good = sum(turns <= enough[0] for turns, _ in points) / len(points)
        print(json.dumps({"preset": preset, "won": won, "a": a, "b": b, "enough": enough, "hands_that_bid": good}))


if __name__ == "__main__":
    main()

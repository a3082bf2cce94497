"""Worlds sampled a second at three moments of a hand, and plies a second of each playout policy, for each game.

One core; process time; the median of five.
"""

from __future__ import annotations

import argparse
import random
from statistics import median
from time import process_time
from typing import Any

import dasan
from dasan import State, worlds

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three", {"must_dig": True}),
    ("big-three-4p", {}),
    ("big-two", {}),
    ("winner", {}),
    ("winner", {"players": 6, "decks": 2, "jokers": True}),
]
COUNT = 100_000
POLICIES = ("random", "thrifty")


def moments(rules: dasan.Rules) -> list[State]:
    """A hand at its start, with half the cards left, and with a quarter left."""
    rng = random.Random(1)
    state = dasan.deal(rules, seed=5)
    whole = sum(state.hand_sizes)
    out = []
    for part in (1.0, 0.5, 0.25):
        while sum(state.hand_sizes) > part * whole and state.to_act is not None:
            legal = state.legal_moves()
            state = state.play(rng.choice([m for m in legal if m.type != "pass"] or legal))
        if state.to_act is not None:
            out.append(state)
    return out


def speed(state: State) -> float:
    """Millions of worlds a second for the seat to act."""
    view = state.view(state.to_act)
    worlds.deals(view, 1)
    taken = []
    for seed in range(5):
        begin = process_time()
        worlds.deals(view, COUNT, seed=seed)
        taken.append(process_time() - begin)
    return COUNT / median(taken) / 1e6


def playouts(rules: dasan.Rules, policy: str) -> float:
    """Millions of plies a second, over whole hands."""
    positions = worlds.Positions(rules, 2000)
    for i in range(100):
        positions.put(i, dasan.deal(rules, seed=i))
    for i in range(1, 20):
        positions.copy(slice(0, 100), slice(100 * i, 100 * i + 100))
    positions.play_out(policy=policy, last=1)
    rates = []
    for seed in range(5):
        begin = process_time()
        plies = positions.play_out(policy=policy, seed=seed).plies
        rates.append(plies / (process_time() - begin) / 1e6)
    return median(rates)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for preset, options in GAMES:
        columns = [
            f"{sum(s.hand_sizes)} cards held: {speed(s):.1f} M/s" for s in moments(dasan.rules(preset, **options))
        ]
        columns += [f"{policy}: {playouts(dasan.rules(preset, **options), policy):.1f} M plies/s" for policy in POLICIES]
        print(preset, options or "", *columns, sep="  ")


if __name__ == "__main__":
    main()

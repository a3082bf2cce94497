"""How often a bot, which sees its view only, keeps what best play with open hands would have kept: Big Three.

    python benchmarks/open_hands.py strong --hands 40

The bot plays every seat. Each hand is reviewed by the exact solver; what counts are plays and passes in positions of which
some legal moves keep the result that best play has there, and some do not. A bot that cannot see the other hands cannot keep
all of them. In brackets: 95 %, from a jackknife over hands.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

import dasan
from dasan.arena.estimate import Estimate
from dasan.solver.review import review


def kept(name: str, preset: str, seed: int, nodes: int) -> Counter[tuple[str, bool]]:
    """By role and whether the result was kept: how many of the decisions of a hand in which it could be lost."""
    rules = dasan.rules(preset)
    bots = [dasan.bot(name, seed=seat) for seat in range(rules.players)]
    state = dasan.deal(rules, seed=seed, dealer=seed % rules.players)
    while state.to_act is not None:
        state = state.play(bots[state.to_act].choose(state.view(state.to_act)))
    found: Counter[tuple[str, bool]] = Counter()
    for one in review(state, seconds=None, nodes=nodes).moves:
        if one.phase is dasan.Phase.PLAY and one.could_turn and one.kept is not None:
            found["bidder" if one.seat == state.bidder else "opponent", one.kept] += 1
    return found


def percent(hands: Sequence[Counter[tuple[str, bool]]], role: str) -> str:
    """The share that a role kept, for a table."""
    seen = sum(one[role, k] for one in hands for k in (True, False))
    return f"{sum(one[role, True] for one in hands) / seen:.1%} of {seen}" if seen else "none"


def share(hands: Sequence[Counter[tuple[str, bool]]], roles: Sequence[str]) -> Estimate:
    """The share that was kept, by a jackknife over hands."""

    def of(some: Sequence[Counter[tuple[str, bool]]]) -> float:
        good, bad = (sum(one[role, k] for one in some for role in roles) for k in (True, False))
        return good / max(1, good + bad)

    n = len(hands)
    whole = of(hands)
    return Estimate.of([n * whole - (n - 1) * of([*hands[:i], *hands[i + 1 :]]) for i in range(n)])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="+", help="names of bots")
    parser.add_argument("--preset", default="big-three", choices=["big-three", "big-three-4p"])
    parser.add_argument("--hands", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7000, help="the number of the first deal (default: 7000)")
    parser.add_argument("--nodes", type=int, default=2_000_000, help="positions that the solver may visit for a move")
    chosen = parser.parse_args(arguments)
    print(f"| bot | hands | decisions | kept | 95 % | as bidder | as opponent |\n{'|---' * 7}|")
    for name in chosen.bots:
        hands = [kept(name, chosen.preset, chosen.seed + k, chosen.nodes) for k in range(chosen.hands)]
        all_ = share(hands, ["bidder", "opponent"])
        decisions = sum(sum(one.values()) for one in hands)
        print(
            f"| `{name}` | {len(hands)} | {decisions} | {all_.mean:.1%} | [{all_.low:.1%}, {all_.high:.1%}] |"
            f" {percent(hands, 'bidder')} | {percent(hands, 'opponent')} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

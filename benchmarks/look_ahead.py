"""Which of a network's moves a look ahead would replace, and what they cost: a search for what the network does not see.

    OPENBLAS_NUM_THREADS=1 python benchmarks/look_ahead.py big-two --hands 20 --seed 91000

The network plays every seat. At each play with a choice, every candidate is played out by it in 2 × SAMPLES samples of
512 deals that fit the view, drawn by likelihood. The first half of the samples names the best move, and the second half
says what the network's own move earns less, in units (in Winner, places). A hand takes half a minute to a few minutes.
Rows are sums over a seat's decisions in a hand, ± 1.96 standard errors over deals: the losses of the network, of one
sample, of fewer candidates and of even deals, and those of the network by the kinds of the two moves. --show prints the
costliest decisions.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import dasan
from dasan.arrays import Doubles
from dasan.bots.heuristics.certain import Certain
from dasan.bots.net import NetBot, score
from dasan.bots.protocol import choices
from dasan.bots.sampling.beliefs import by_likelihood, evenly
from dasan.bots.sampling.rollouts import by_network, network_for
from dasan.bots.seeds import seed_of
from dasan.cli.choosing import chosen_rules
from dasan.networks.trained import Fitted

SAMPLES = 3
WORLDS = 512
CANDIDATES = 16


@dataclass(frozen=True)
class Decision:
    """deal: its number. moves: the candidates, the network's best first. likely: float64 [2 × SAMPLES, moves], their means over
    samples of likely deals. even: float64 [moves], over as many even deals as half of the samples have.
    """

    deal: int
    view: dasan.View
    moves: tuple[dasan.Move, ...]
    likely: Doubles
    even: Doubles

    def loss(self, chosen: int) -> float:
        """What this candidate earns less than the best of the first half of the samples, in the second half."""
        first, second = self.likely[:SAMPLES].mean(axis=0), self.likely[SAMPLES:].mean(axis=0)
        return float(second[first.argmax()] - second[chosen])


def candidates(view: dasan.View, network: Fitted) -> tuple[dasan.Move, ...]:
    """The moves to compare, by the network's scores."""
    moves = choices(view)
    values = dict(zip(moves, score(network, view).tolist(), strict=True))
    allowed = Certain(view).moves or moves
    return tuple(sorted(allowed, key=lambda move: -values[move])[:CANDIDATES])


def decisions(rules: dasan.Rules, network: Fitted, deal: int) -> Iterator[Decision]:
    """The plays of a hand in which the network had a choice."""
    player, state = NetBot(), dasan.deal(rules, seed=deal)
    while state.to_act is not None:
        view = state.view(state.to_act)
        moves = candidates(view, network) if view.phase == "play" else ()
        if len(moves) > 1:
            seeds = [seed_of(view, k) for k in range(2 * SAMPLES)]
            samples = [by_likelihood(view, WORLDS, seed, network, WORLDS) for seed in seeds]
            samples += [evenly(view, WORLDS, seed) for seed in seeds[:SAMPLES]]
            means = np.array([by_network(view, moves, beliefs, network).means for beliefs in samples])
            yield Decision(deal, view, moves, means[: 2 * SAMPLES], means[2 * SAMPLES :].mean(axis=0))
        state = state.play(player.choose(view))


def kind(move: dasan.Move) -> str:
    """The kind of a play, or "pass"."""
    return move.combination.kind if move.combination else "pass"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--hands", type=int, default=20)
    parser.add_argument("--seed", type=int, default=91_000, help="the number of the first deal")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the N costliest decisions")
    chosen = parser.parse_args()
    if chosen.hands < 2:
        parser.error("an interval takes two hands or more")
    rules = chosen_rules(chosen.preset, chosen.option)
    network = network_for(rules)
    if network is None:
        raise SystemExit(f"no network plays {chosen.preset}")
    deals = range(chosen.seed, chosen.seed + chosen.hands)
    rows: dict[str, dict[int, float]] = defaultdict(lambda: dict.fromkeys(deals, 0.0))
    every: list[Decision] = []
    for deal in deals:
        for one in decisions(rules, network, deal):
            every.append(one)
            sample, few = one.likely[0], one.likely[:SAMPLES, :6].mean(axis=0)
            choices_of = {"the network": 0, "one sample": sample.argmax(), "six candidates": few.argmax()}
            for name, k in (choices_of | {"even deals": one.even.argmax()}).items():
                rows[name][deal] += one.loss(int(k)) / rules.players
            best = int(one.likely[:SAMPLES].mean(axis=0).argmax())
            if best:
                kinds = f"{kind(one.moves[0])} instead of {kind(one.moves[best])}"
                rows[kinds][deal] += one.loss(0) / rules.players
    print(f"{network.trained.name}: {len(every)} decisions in {chosen.hands} hands")
    for name, losses in sorted(rows.items(), key=lambda row: -sum(row[1].values())):
        each = np.array([*losses.values()])
        print(f"{name:40} {each.mean():+.3f} ± {1.96 * each.std(ddof=1) / len(each) ** 0.5:.3f}")
    for one in sorted(every, key=lambda one: -one.loss(0))[: chosen.show]:
        print(f"\ndeal {one.deal}, {one.loss(0):.2f}\n{one.view}")
        for move, mean in zip(one.moves, one.likely.mean(axis=0).tolist(), strict=True):
            print(f"    {mean:+8.2f} {move}")


if __name__ == "__main__":
    main()

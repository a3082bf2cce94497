"""An upper bound on how often a player that sees only its view can keep the result of best play with open hands: Big
Three.

    python benchmarks/open_hands_limit.py strong --hands 30 --page docs/guide/strength.md

`net` plays every seat. Its plays and passes count in positions in which some legal moves keep the result of best play
and others do not. For each, worlds are sampled that are consistent with the view of the seat to act, weighted by the
network's probability of the others' moves, and the solver finds the moves that keep each world's result. Among the
worlds in which moves differ, one move keeps the most: no player can expect to keep more from its view. Positions with
fewer than eight such worlds are skipped. The named bots choose in the same positions. Brackets are 95 % intervals from
a jackknife over hands.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import dasan
from dasan.bench.figures import Figures, row
from dasan.bots.sampling.beliefs import by_likelihood
from dasan.bots.seeds import seed_of
from dasan.estimates import Estimate, jackknife
from dasan.networks.trained import fitted
from dasan.play.state import State
from dasan.play.view import View
from dasan.records.retrace import moves_of
from dasan.review.best_play import review
from dasan.solver.budget import Budget
from dasan.solver.solving import Warm, solve_warm
from dasan.worlds.states import Sampler

POOL, LEAST, MEMORY_MB = 512, 8, 256
FIGURES = Figures(
    "What a view allows with open hands",
    "The best move for a view is the one that keeps the result of best play with open hands in the largest share of the worlds\n"
    "that fit the view. *At most* is the mean of that share, which no player that sees only its view can exceed. *That move*,\n"
    "`net` and *the bot*: how often each keeps the result in the deal that was played. To measure a row again:\n"
    "`python benchmarks/open_hands_limit.py BOT --hands HANDS --seed SEED`.",
    ("bot", "hands", "seed", "decisions", "at most", "95 %", "that move", "`net`", "the bot"),
    3,
)


@dataclass(frozen=True)
class Decided:
    """One decision. most: the share of worlds that the best move keeps; best, net, bot: whether that move, `net` and
    the bot kept the result; None if unknown.
    """

    most: float
    best: bool | None
    net: bool | None
    bot: bool | None


def decisions(name: str, seed: int, worlds: int, nodes: int) -> Iterator[Decided]:
    """The decisions of one hand."""
    rules = dasan.rules("big-three")
    net = dasan.bot("net")
    state = dasan.deal(rules, seed=seed, dealer=seed % rules.players)
    while state.to_act is not None:
        state = state.play(net.choose(state.view(state.to_act)))
    before = {now.next_seq: now for now, _ in moves_of(state)}
    for one in review(state, seconds=None, nodes=200_000).moves:
        if one.phase is not dasan.Phase.PLAY or not one.could_turn or one.kept is None:
            continue
        view = before[one.seq].view(one.seat)
        known = {**dict.fromkeys(map(str, one.keeping), True), **dict.fromkeys(map(str, one.losing), False)}
        most_kept = keeping(view, worlds, nodes, set(known))
        if most_kept is not None:
            best, most = most_kept
            yield Decided(most, known[best], one.kept, known.get(str(dasan.bot(name, seed=1).choose(view))))


def keeping(view: View, worlds: int, nodes: int, moves: set[str]) -> tuple[str, float] | None:
    """(the one of `moves` that keeps the result in most worlds in which it could be lost, its share of them); None if
    there are too few such worlds.
    """
    seed, network = seed_of(view, 1), fitted(view.rules)
    if network is None:
        raise SystemExit("there is no network for these rules")
    drawn = by_likelihood(view, worlds, seed, network, POOL)
    hands = {tuple(map(int, one)): weight for one, weight in zip(drawn.deals.one, drawn.weights, strict=True)}
    warm = Warm(MEMORY_MB, None)
    good: Counter[str] = Counter()
    turned = 0.0
    for state in worlds_of(view, seed, hands):
        solution = solved(state[0], warm, nodes)
        if solution is not None and moves <= solution.keys() and not all(solution.values()):
            turned += state[1]
            good.update({move: state[1] for move, keeps in solution.items() if keeps and move in moves})
    if turned < LEAST or not good:
        return None
    best = max(good, key=lambda move: good[move])
    return best, good[best] / turned


def worlds_of(view: View, seed: int, weights: Mapping[tuple[int, ...], float]) -> Iterator[tuple[State, float]]:
    """The sampled worlds of the pool, as (state, weight)."""
    from dasan.kernels.cards import words_of

    for state in Sampler(view).states(POOL, seed):
        words = [int(words_of(view.rules, hand)[0]) for hand in state.hands]
        weight = next((w for hands, w in weights.items() if list(hands[: len(words)]) == words), 0.0)
        if weight:
            yield state, weight


def solved(state: State, warm: Warm, nodes: int) -> dict[str, bool] | None:
    """Whether each solved move keeps the result; None if the result is unknown."""
    solution = solve_warm(state, warm, Budget(None, nodes), line=False)
    return (
        None
        if solution.value is None
        else {str(move): value == solution.value for move, value in solution.moves.items()}
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", help="the name of a bot")
    parser.add_argument("--hands", type=int, default=30)
    parser.add_argument("--seed", type=int, default=8000, help="the number of the first deal (default: 8000)")
    parser.add_argument("--worlds", type=int, default=256, help="worlds for each decision, of a pool of 512")
    parser.add_argument("--nodes", type=int, default=50_000, help="positions that the solver may visit for a world")
    parser.add_argument("--page", type=Path, help="also write the row into this page")
    chosen = parser.parse_args(arguments)
    hands = [[*decisions(chosen.bot, chosen.seed + k, chosen.worlds, chosen.nodes)] for k in range(chosen.hands)]
    every = [one for hand in hands for one in hand]
    most = expected(hands)
    measured_row = row(
        (
            f"`{chosen.bot}` {dasan.bot(chosen.bot).version}",
            str(chosen.hands),
            str(chosen.seed),
            str(len(every)),
            f"{most.mean:.1%}",
            f"[{most.low:.1%}, {most.high:.1%}]",
            *(share([getattr(one, name) for one in every]) for name in ("best", "net", "bot")),
        )
    )
    print(FIGURES.head(), measured_row, sep="\n")
    if chosen.page is not None:
        FIGURES.put(chosen.page, measured_row, before="Networks")


def expected(hands: Sequence[Sequence[Decided]]) -> Estimate:
    """The mean over decisions, with an interval by a jackknife over hands."""

    def of(some: Sequence[Sequence[Decided]]) -> float:
        return float(np.mean([one.most for hand in some for one in hand] or [0.0]))

    half = jackknife([of([*hands[:i], *hands[i + 1 :]]) for i in range(len(hands))])
    whole = of(hands)
    return Estimate(whole, max(0.0, whole - half), min(1.0, whole + half), len(hands))


def share(kept: Sequence[bool | None]) -> str:
    known = [one for one in kept if one is not None]
    return f"{sum(known) / max(1, len(known)):.1%} of {len(known)}"


if __name__ == "__main__":
    main()

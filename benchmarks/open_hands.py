"""How often a bot, which sees only its view, keeps the result of best play with open hands: Big Three.

    python benchmarks/open_hands.py strong --hands 40 --page docs/guide/strength.md

The bot plays every seat. The exact solver reviews each hand; plays and passes count in positions in which some legal
moves keep the result of best play and others do not. No bot that cannot see the other hands can keep all of them.
Brackets are 95 % intervals: the wider of a jackknife over hands, which has no width if nearly all decisions keep the result, and
Wilson's over decisions. --page also writes the rows into that page.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import dasan
from dasan.bench.figures import Figures, row
from dasan.estimates import Estimate, jackknife, wilson
from dasan.review.best_play import review

FIGURES = Figures(
    "Open hands",
    "How often a bot, which sees only its view, keeps the result of best play with all hands open, in decisions of Big Three\n"
    "in which some move loses it. The bot plays every seat. *Unproved* decisions do not count: the solver did not value them\n"
    "within the nodes. `strong` 5 ran on a busy machine. To measure a row again:\n"
    "`python benchmarks/open_hands.py BOT --preset GAME --hands HANDS --seed SEED --nodes NODES`.",
    ("game", "bot", "hands", "seed", "nodes", "decisions", "kept", "95 %", "bidder's side", "opponents", "unproved"),
    2,
)
Counted = Counter[tuple[str, bool | None]]


def kept(name: str, preset: str, seed: int, nodes: int) -> Counted:
    """Numbers of decisions of a hand in which the result could be lost, by role and whether it was kept; None if
    unknown.
    """
    rules = dasan.rules(preset)
    bots = [dasan.bot(name, seed=seat) for seat in range(rules.players)]
    state = dasan.deal(rules, seed=seed, dealer=seed % rules.players)
    while state.to_act is not None:
        state = state.play(bots[state.to_act].choose(state.view(state.to_act)))
    counts: Counted = Counter()
    for one in review(state, seconds=None, nodes=nodes).moves:
        if one.phase is dasan.Phase.PLAY and (one.could_turn or one.kept is None):
            counts["bidder" if one.seat in (state.bidder, state.partner) else "opponent", one.kept] += 1
    return counts


def percent(hands: Sequence[Counted], role: str) -> str:
    """The share of decisions in which a role kept the result, for a table."""
    seen = sum(one[role, k] for one in hands for k in (True, False))
    return f"{sum(one[role, True] for one in hands) / seen:.1%} of {seen}" if seen else "none"


def share(hands: Sequence[Counted], roles: Sequence[str]) -> Estimate:
    """The share of decisions that kept the result, with its interval."""

    def counts(some: Sequence[Counted]) -> tuple[int, int]:
        good, bad = (sum(one[role, k] for one in some for role in roles) for k in (True, False))
        return good, max(1, good + bad)

    good, every = counts(hands)
    parts = [counts([*hands[:i], *hands[i + 1 :]]) for i in range(len(hands))]
    half = jackknife([some / of for some, of in parts])
    low, high = wilson(good / every, every)
    if high - low < 2 * half:
        low, high = max(0.0, good / every - half), min(1.0, good / every + half)
    return Estimate(good / every, low, high, len(hands))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="+", help="names of bots")
    parser.add_argument("--preset", default="big-three", choices=["big-three", "big-three-4p"])
    parser.add_argument("--hands", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7000, help="the number of the first deal (default: 7000)")
    parser.add_argument("--nodes", type=int, default=2_000_000, help="positions that the solver may visit for a move")
    parser.add_argument("--page", type=Path, help="also write the rows into this page")
    chosen = parser.parse_args(arguments)
    print(FIGURES.head())
    for name in chosen.bots:
        hands = [kept(name, chosen.preset, chosen.seed + k, chosen.nodes) for k in range(chosen.hands)]
        measured_row = line(name, chosen.preset, chosen.seed, chosen.nodes, hands)
        print(measured_row, flush=True)
        if chosen.page is not None:
            FIGURES.put(chosen.page, measured_row, before="Networks")


def line(name: str, preset: str, seed: int, nodes: int, hands: Sequence[Counted]) -> str:
    """The row of the table."""
    both = share(hands, ["bidder", "opponent"])
    unproved = sum(n for one in hands for (_, known), n in one.items() if known is None)
    return row(
        (
            f"`{preset}`",
            f"`{name}` {dasan.bot(name).version}",
            str(len(hands)),
            str(seed),
            f"{nodes:,}",
            str(sum(one.total() for one in hands) - unproved),
            f"{both.mean:.1%}",
            f"[{both.low:.1%}, {both.high:.1%}]",
            percent(hands, "bidder"),
            percent(hands, "opponent"),
            str(unproved),
        )
    )


if __name__ == "__main__":
    main()

"""The value of bids: one player bids by one method among others that bid by another; all play the cards alike.

    python benchmarks/auctions.py --deals 300 --page docs/guide/strength.md
    python benchmarks/auctions.py --preset big-three-4p --cards greedy --bids always-1 greedy --deals 300

Each pair of `--bids` meets over duplicate deals, the second alone in every seat among the first. The bot `--cards`
plays the cards and calls the partner's card for all of them. A row is in units of payment a hand, with the 95 %
interval over deals in brackets. `always-1` bids 1 if nobody has bid, else it passes or makes the lowest bid that it
may. --page also writes the rows into that page.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import dasan
from dasan.arena.contest import Contest, interval, play_deal
from dasan.arena.outcome import Outcome
from dasan.bench.figures import Figures, row
from dasan.bots import Bot, bot
from dasan.bots.protocol import choices
from dasan.play.moves import Move, MoveType

FIGURES = Figures(
    "Bids",
    "The value of bids in Big Three: one player bids by one method among others that bid by another; all play the cards by\n"
    "the same method, each deal from every seat. `always-1` bids 1 if nobody has bid, else it passes or makes the lowest bid\n"
    "that it may. *Bidder in* is the share of hands in which the one player becomes the bidder. To measure a row again:\n"
    "`python benchmarks/auctions.py --preset GAME --cards CARDS --bids AMONG ONE --deals DEALS --seed SEED`.",
    ("game", "cards", "one bids as", "among", "deals", "seed", "a hand", "95 %", "bidder in"),
    4,
)


class AlwaysOne:
    """Bids 1 if it can."""

    name = "always-1"
    version = "1"

    def choose(self, view: dasan.View) -> Move:
        moves = choices(view)
        passing = [move for move in moves if move.type is MoveType.PASS]
        return next((move for move in moves if move.bid == 1), (*passing, *moves)[0])


class Bidding:
    """Bids as one bot does and plays as another."""

    def __init__(self, bids: Bot, cards: Bot) -> None:
        self.name = f"{bids.name} bids"
        self.version = f"{bids.version}, {cards.version}"
        self._bids, self._cards = bids, cards

    def choose(self, view: dasan.View) -> Move:
        return (self._bids if view.phase == "auction" else self._cards).choose(view)


def bidder(name: str, seed: int = 0) -> Bot:
    """The bot of this name, or `always-1`."""
    return AlwaysOne() if name == AlwaysOne.name else bot(name, seed=seed)


def made(bids: str, cards: Bot, seed: int) -> Bot:
    """The player that bids as `bids` does."""
    return Bidding(bidder(bids, seed), cards)


def measured(preset: str, cards: str, one: str, among: str, deals: int, seed: int) -> list[Outcome]:
    """The outcomes of deals in which a player that bids as `one` does sits alone among players that bid as `among` does."""
    makers = {name: partial(made, name, bot(cards)) for name in (one, among)}
    contest = Contest(dasan.rules(preset), one, among, deals, seed)
    return [play_deal(contest, seed + k, makers) for k in range(deals)]


def line(preset: str, cards: str, one: str, among: str, seed: int, outcomes: Sequence[Outcome]) -> str:
    """The row of the table, each bot with its version."""
    estimate = interval(dasan.rules(preset), outcomes)
    hands = sum(n for outcome in outcomes for n, _ in outcome.roles.values())
    bidding = sum(outcome.roles.get("bidder", (0, 0))[0] for outcome in outcomes)
    named = [f"`{name}` {bidder(name).version}" for name in (cards, one, among)]
    return row(
        (
            f"`{preset}`",
            *named,
            str(len(outcomes)),
            str(seed),
            f"{estimate.mean:+.3f}",
            f"[{estimate.low:+.3f}, {estimate.high:+.3f}]",
            f"{bidding / hands:.1%}",
        )
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="big-three", choices=["big-three", "big-three-4p"])
    parser.add_argument("--bids", nargs="+", default=["always-1", "greedy", "level-7"], help="bots, or always-1")
    parser.add_argument("--cards", default="net", help="the bot that plays the cards (default: net)")
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7000, help="the number of the first deal (default: 7000)")
    parser.add_argument("--page", type=Path, help="also write the rows into this page")
    chosen = parser.parse_args(arguments)
    print(FIGURES.head())
    for among, one in combinations(chosen.bids, 2):
        outcomes = measured(chosen.preset, chosen.cards, one, among, chosen.deals, chosen.seed)
        measured_row = line(chosen.preset, chosen.cards, one, among, chosen.seed, outcomes)
        print(measured_row, flush=True)
        if chosen.page is not None:
            FIGURES.put(chosen.page, measured_row, before="Networks")


if __name__ == "__main__":
    main()

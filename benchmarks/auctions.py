"""What bids are worth: a player that bids one way among players that bid another, everybody playing the cards alike.

    python benchmarks/auctions.py --deals 300
    python benchmarks/auctions.py --preset big-three-4p --cards greedy --bids always-1 greedy --deals 300

Each pair of `--bids` meets over duplicate deals, the second alone in every seat among the first; all of
them play the cards as `--cards` does.
A row is in units of payment a hand, and in brackets 95 % over deals. `always-1` bids 1 where nobody has bid, and else passes
or says the least that it may.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from itertools import combinations

import dasan
from dasan.arena.contest import Contest, interval, play_deal
from dasan.bots import Bot, bot
from dasan.bots.protocol import choices
from dasan.play.moves import Move, MoveType


class AlwaysOne:
    """Bids 1 if it can."""

    name = "always-1"
    version = "1"

    def choose(self, view: dasan.View) -> Move:
        moves = choices(view)
        passing = [move for move in moves if move.type is MoveType.PASS]
        return next((move for move in moves if move.bid == 1), (*passing, *moves)[0])


class Bidding:
    """Bids as one bot, and does all else as another."""

    version = "1"

    def __init__(self, bids: Bot, cards: Bot) -> None:
        self.name = f"{bids.name} bids"
        self._bids, self._cards = bids, cards

    def choose(self, view: dasan.View) -> Move:
        return (self._bids if view.phase == "auction" else self._cards).choose(view)


def made(bids: str, cards: Bot, seed: int) -> Bot:
    """The player that bids as `bids` does."""
    return Bidding(AlwaysOne() if bids == AlwaysOne.name else bot(bids, seed=seed), cards)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="big-three", choices=["big-three", "big-three-4p"])
    parser.add_argument("--bids", nargs="+", default=["always-1", "greedy", "level-7"], help="bots, or always-1")
    parser.add_argument("--cards", default="net", help="the bot that plays the cards (default: net)")
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7000, help="the number of the first deal (default: 7000)")
    chosen = parser.parse_args(arguments)
    rules, cards = dasan.rules(chosen.preset), bot(chosen.cards)
    makers = {name: partial(made, name, cards) for name in chosen.bids}
    print(f"| one bids as | among | deals | a hand | 95 % | bidder in |\n{'|---' * 6}|")
    for a, b in combinations(chosen.bids, 2):
        contest = Contest(rules, b, a, chosen.deals, chosen.seed)
        found = [play_deal(contest, chosen.seed + k, makers) for k in range(chosen.deals)]
        estimate = interval(found)
        bidder = sum(one.roles.get("bidder", (0, 0))[0] for one in found) / (len(found) * rules.players)
        print(
            f"| `{b}` | `{a}` | {len(found)} | {estimate.mean:+.3f} | [{estimate.low:+.3f}, {estimate.high:+.3f}] |"
            f" {bidder:.1%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

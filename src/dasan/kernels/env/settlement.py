"""What a finished hand pays, for every family of kernels: one table that rules compile to, and `pay`.

The compiled counterpart of `dasan.play.scoring`, compared with it by a test.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.runtime.compiled import woven, woven_callable
from dasan.ruleset.policies import BidScoring, CardScoring, FixedScoring
from dasan.ruleset.rules import Rules

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.int32]
BY_BID, FIXED, BY_CARDS = range(3)
NO_SIDES = 0
"""The side of a hand without sides."""


class Settlement(NamedTuple):
    """How a hand is paid, as numbers.

    base: BY_BID, FIXED or BY_CARDS. BY_BID, each_winner: whether every loser pays every winner. FIXED, stake: what a loser pays.
    BY_CARDS, prices: [cards held] what a loser pays; unplayed: the price of each card of a loser who has played nothing, 0 for no
    difference.
    """

    players: int
    base: int
    each_winner: bool
    stake: int
    prices: npt.NDArray[np.int64]
    unplayed: int


def settlement(rules: Rules) -> Settlement:
    """The table of `rules`."""
    scoring = rules.scoring
    prices = np.zeros(rules.most_cards + 2, np.int64)
    if isinstance(scoring, CardScoring):
        prices[:] = [scoring.cost(n, True) for n in range(len(prices))]
    return Settlement(
        players=rules.players,
        base=BY_BID if isinstance(scoring, BidScoring) else FIXED if isinstance(scoring, FixedScoring) else BY_CARDS,
        each_winner=isinstance(scoring, BidScoring) and scoring.pay_each_winner,
        stake=scoring.stake if isinstance(scoring, FixedScoring) else 0,
        prices=prices,
        unplayed=scoring.unplayed if isinstance(scoring, CardScoring) else 0,
    )


@woven
def price(held: int, has_played: bool, table: Settlement) -> int:
    """What a loser pays who holds `held` cards; without sides."""
    if table.base == FIXED:
        return table.stake
    if table.unplayed > 0 and not has_played:
        return held * table.unplayed
    return int(table.prices[held])


@woven_callable
def pay(out: int, side: int, bid: int, played: int, doublings: int, table: Settlement, payments: Numbers) -> None:
    """Settle a hand in which seat `out` is the first to go out.

    side, played: seats as bits: the bidder's side (NO_SIDES without a bidder), and who has played a card. doublings: how many
    times what is paid is doubled. payments: by seat, the number of cards held, which is needed BY_CARDS alone; replaced by what
    the seat is paid.
    """
    players = table.players
    total = 0
    if table.base == BY_BID:
        ours = 0
        for seat in range(players):
            ours += (side >> seat) & 1
        won = (side >> out) & 1
        for seat in range(players):
            mine = (side >> seat) & 1
            amount = (bid << doublings) * ((players - ours if mine == 1 else ours) if table.each_winner else 1)
            payments[seat] = amount if mine == won else -amount
        return
    for seat in range(players):
        if seat != out:
            cost = price(payments[seat], (played >> seat) & 1 == 1, table) << doublings
            payments[seat] = -cost
            total += cost
    payments[out] = total


__all__ = ["BY_BID", "BY_CARDS", "FIXED", "NO_SIDES", "Settlement", "pay", "price", "settlement"]

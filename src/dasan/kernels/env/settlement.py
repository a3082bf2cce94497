"""Payments of finished hands, for every family of kernels: one table that rules compile to, and `pay`.

The compiled counterpart of `dasan.play.scoring`, compared with it by a test.
"""

from __future__ import annotations

import numpy as np

from dasan.arrays import Ints, Longs
from dasan.kernels.runtime.compiled import woven, woven_callable
from dasan.ruleset.policies import BidScoring, CardScoring, FixedScoring
from dasan.ruleset.rules import Rules

Numbers = Longs | Ints
Settlement = Longs
"""One array, as every tuple of tables passes its arrays and numbers by value at each call:

| index | |
|---|---|
| PLAYERS | the number of seats |
| BASE | BY_BID, FIXED or BY_CARDS |
| EACH_WINNER | 1 if every loser pays every winner, BY_BID |
| UNPLAYED | the price of each card of a loser who has played nothing; 0 for no difference |
| BOMBS_DOUBLE | 1 if every bomb doubles, BY_BID |
| SPRING_DOUBLES | 1 if a spring doubles, BY_BID |
| MOST_DOUBLINGS | the most doublings, BY_BID |
| TWOS_DOUBLE | 1 if every 2 that a loser holds doubles what that loser pays, BY_CARDS |
| GUARD_PAYS | 1 if a guard who fouled pays for all losers, FIXED and BY_CARDS |
| PRICES + n | what a loser pays who holds n cards, FIXED and BY_CARDS |
"""
PLAYERS, BASE, EACH_WINNER, UNPLAYED, BOMBS_DOUBLE, SPRING_DOUBLES, MOST_DOUBLINGS = range(7)
TWOS_DOUBLE, GUARD_PAYS, PRICES = range(7, 10)
BY_BID, FIXED, BY_CARDS = range(3)
NO_SIDES = 0
"""The side of a hand without sides."""
NO_LIMIT = 1 << 20
"""More doublings than a hand can have."""


def settlement(rules: Rules) -> Settlement:
    """The table of `rules`."""
    scoring = rules.scoring
    table = np.zeros(PRICES + rules.most_cards + 2, np.int64)
    table[PLAYERS], table[GUARD_PAYS] = rules.players, rules.guard_pays
    held = range(rules.most_cards + 2)
    match scoring:
        case BidScoring():
            table[BASE], table[EACH_WINNER] = BY_BID, scoring.pay_each_winner
            table[BOMBS_DOUBLE], table[SPRING_DOUBLES] = scoring.bombs_double, scoring.spring_doubles
            table[MOST_DOUBLINGS] = scoring.most_doublings or NO_LIMIT
        case FixedScoring():
            table[BASE], table[PRICES:] = FIXED, scoring.stake
        case CardScoring():
            table[BASE], table[UNPLAYED] = BY_CARDS, scoring.unplayed
            table[PRICES:] = [scoring.cost(n, True) for n in held]
            table[TWOS_DOUBLE] = scoring.twos_double
    return table


@woven
def price(held: int, has_played: bool, table: Settlement) -> int:
    """The payment of a loser with `held` cards, in games without sides."""
    if table[UNPLAYED] > 0 and not has_played:
        return held * int(table[UNPLAYED])
    return int(table[PRICES + held])


@woven
def doublings(bombs: int, spring: bool, table: Settlement) -> int:
    """The number of doublings after `bombs` bombs, with or without a spring (H.15, H.16)."""
    number = bombs * int(table[BOMBS_DOUBLE]) + (int(table[SPRING_DOUBLES]) if spring else 0)
    return min(number, int(table[MOST_DOUBLINGS]))


@woven_callable
def pay(out: int, side: int, bid: int, played: int, doublings: int, table: Settlement, payments: Numbers) -> None:
    """Settle a hand in which seat `out` is the first to go out.

    side, played: seats as bits: the bidder's side (NO_SIDES without a bidder), and who has played a card. doublings: how many
    times what is paid is doubled. payments: by seat, the number of cards held, which is needed BY_CARDS alone; replaced by what
    the seat is paid.
    """
    players = int(table[PLAYERS])
    total = 0
    if table[BASE] == BY_BID:
        ours = 0
        for seat in range(players):
            ours += (side >> seat) & 1
        won = (side >> out) & 1
        for seat in range(players):
            mine = (side >> seat) & 1
            amount = (bid << doublings) * ((players - ours if mine == 1 else ours) if table[EACH_WINNER] == 1 else 1)
            payments[seat] = amount if mine == won else -amount
        return
    for seat in range(players):
        if seat != out:
            cost = int(table[PRICES])
            if table[BASE] == BY_CARDS:
                cost = price(payments[seat], (played >> seat) & 1 == 1, table)
            cost <<= doublings
            payments[seat] = -cost
            total += cost
    payments[out] = total


@woven_callable
def pay_with_penalties(out: int, fouled: int, twos: int, played: int, table: Settlement, payments: Numbers) -> None:
    """As `pay` in a hand without sides, if twos may double (H.29) and a guard may pay for all (H.28).

    fouled: the guard who fouled, -1 for none. twos: the number of 2s that each seat holds, four bits a seat.
    """
    players = int(table[PLAYERS])
    total = 0
    for seat in range(players):
        cost = 0
        if seat != out:
            cost = int(table[PRICES])
            if table[BASE] == BY_CARDS:
                cost = price(payments[seat], (played >> seat) & 1 == 1, table)
            if table[TWOS_DOUBLE] == 1:
                cost <<= (twos >> (4 * seat)) & 15
        payments[seat] = -cost
        total += cost
    if table[GUARD_PAYS] == 1 and fouled >= 0:
        for seat in range(players):
            payments[seat] = 0
        payments[fouled] = -total
    payments[out] = total

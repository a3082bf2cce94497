"""Playout policies: random, and thrifty, the compiled counterpart of `dasan.bots.thrifty`."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Flags, Ints, U, Words
from dasan.bots import thrifty as bot
from dasan.kernels.env.buffers import signed
from dasan.kernels.runtime.bits import popcount, used_fields
from dasan.kernels.runtime.compiled import apart, woven
from dasan.kernels.runtime.random64 import below, mixed, world_state
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

_0, _1 = U(0), U(1)
_ONES = U(0x0111_1111_1111_1111)
_PLAYOUT = U(0xD1B54A32D192ED03)

RANDOM, THRIFTY = 0, 1
POLICIES = {"random": RANDOM, "thrifty": THRIFTY}


class ThriftyTables(NamedTuple):
    """Arrays by row of the catalogue.

    counts: cards taken of each rank, four bits a rank. touched: one bit for each of these ranks. many: whether there are
    more than two such ranks. size: cards. lead, cost, force: points as in `dasan.bots.thrifty`, without breaks.
    windows: the ranks of each shortest straight, as in touched. tops, bids: the auction's points. first_row: the id of
    row 0. top_rank: the highest rank below the jokers. broken, risk: the constants BREAK and RISK.
    """

    counts: Words
    touched: Words
    many: Flags
    size: npt.NDArray[np.int8]
    lead: Ints
    cost: Ints
    force: Ints
    windows: Words
    tops: Ints
    bids: Ints
    first_row: int
    top_rank: int
    broken: int
    risk: int


@lru_cache(maxsize=16)
def thrifty_tables(rules: Rules) -> ThriftyTables:
    rows = rules.catalogue.rows
    counts = [dict(row.pattern.counts) for row in rows]
    heights = [bot.height(Counter(taken)) for taken in counts]
    cost = [bot.HEIGHT * height + bot.POWER * row.power for height, row in zip(heights, rows, strict=True)]
    return ThriftyTables(
        counts=np.array([sum(taken << (4 * rank) for rank, taken in of.items()) for of in counts], np.uint64),
        touched=np.array([sum(1 << (4 * rank) for rank in of) for of in counts], np.uint64),
        many=np.array([len(of) > 2 for of in counts]),
        size=np.array([row.size for row in rows], np.int8),
        lead=np.array([bot.CARD * row.size - points for points, row in zip(cost, rows, strict=True)], np.int32),
        cost=np.array(cost, np.int32),
        force=np.array([bot.POWER * row.power + height for height, row in zip(heights, rows, strict=True)], np.int32),
        windows=np.array([sum(1 << (4 * rank) for rank in window) for window in bot.windows(rules)], np.uint64),
        tops=np.array(bot.TOPS, np.int32),
        bids=np.array(bot.BIDS, np.int32),
        first_row=action_ids(rules).rows,
        top_rank=len(rules.ranks) - 1,
        broken=bot.BREAK,
        risk=bot.RISK,
    )


@woven
def rank_counts(one: np.uint64, two: np.uint64) -> np.uint64:
    """Cards of each rank, four bits a rank, in a hand of bits 4 × rank + suit (twice: bits of `two`)."""
    once = (one & _ONES) + ((one >> _1) & _ONES) + ((one >> U(2)) & _ONES) + ((one >> U(3)) & _ONES)
    twice = (two & _ONES) + ((two >> _1) & _ONES) + ((two >> U(2)) & _ONES) + ((two >> U(3)) & _ONES)
    total: np.uint64 = once + twice
    return total


@woven
def playout_state(seed: np.uint64, world: int, playout: int) -> np.uint64:
    """The initial random state of playout `playout` of world `world`."""
    return mixed(world_state(seed, world) ^ (U(playout + 1) * _PLAYOUT))


@apart
def thrifty_play(
    legal: npt.NDArray[np.int16],
    n: int,
    held: np.uint64,
    leading: bool,
    table_size: int,
    friendly: bool,
    sizes: np.uint64,
    thrifty: ThriftyTables,
) -> int:
    """The play that thrifty chooses: an id among the first `n` of `legal`.

    held: the hand's counts. sizes: bit k is set if an opponent holds k cards. friendly: an ally made the play on the table.
    """
    size_of, first = thrifty.size, thrifty.first_row
    folded = (held & U(0x0F0F_0F0F_0F0F_0F0F)) + ((held >> U(4)) & U(0x0F0F_0F0F_0F0F_0F0F))
    cards = signed((folded * U(0x0101_0101_0101_0101)) >> U(56))
    may_pass = False
    out = -1
    for k in range(n):
        action = signed(legal[k])
        if action == 0:
            may_pass = True
        elif size_of[action - first] == cards and (out < 0 or action < out):
            out = action
    if out >= 0:
        return out
    if may_pass and (friendly or n == 1):
        return 0
    have = used_fields(held)
    straights = _0
    for k in range(thrifty.windows.shape[0]):
        if thrifty.windows[k] & ~have == _0:
            straights |= thrifty.windows[k]
    apart = held - straights
    safe = False
    if leading:
        for k in range(n):
            safe = safe or (sizes >> U(size_of[signed(legal[k]) - first])) & _1 == _0
    alarm = (not leading) and (sizes >> U(table_size)) & _1 != _0
    last = alarm or (leading and not safe)
    best, most = 0, -(1 << 30)
    for k in range(n):
        action = signed(legal[k])
        if action == 0:
            continue
        row = action - first
        points = signed(thrifty.force[row])
        if not alarm:
            if leading and (sizes >> U(size_of[row])) & _1 != _0:
                points -= thrifty.risk
            else:
                differs = (
                    used_fields(thrifty.counts[row] ^ (held if thrifty.many[row] else apart)) & thrifty.touched[row]
                )
                points = signed(thrifty.lead[row]) if leading else -signed(thrifty.cost[row])
                points -= thrifty.broken * signed(popcount(differs))
        if points > most or (points == most and (action > best) == last):
            best, most = action, points
    return best


@apart
def thrifty_bid(legal: npt.NDArray[np.int16], n: int, held: np.uint64, thrifty: ThriftyTables) -> int:
    """Thrifty's bid: the highest that the value of the hand allows, else a pass, else the lowest legal one."""
    value = 0
    for k in range(3):
        value += thrifty.tops[k] * signed((held >> U(4 * (thrifty.top_rank - 2 + k))) & U(15))
    level = 0
    for k in range(3):
        level += 1 if value >= thrifty.bids[k] else 0
    may_pass = False
    fitting, least = 0, 1 << 20
    for k in range(n):
        action = signed(legal[k])
        if action == 0:
            may_pass = True
        else:
            least = min(least, action)
            if action <= level:
                fitting = max(fitting, action)
    if fitting > 0:
        return fitting
    return 0 if may_pass else least


@woven
def random_of(legal: npt.NDArray[np.int16], n: int, state: np.uint64) -> int:
    return signed(legal[below(mixed(state), U(n))])


@apart
def extreme(legal: npt.NDArray[np.int16], n: int, highest: bool) -> int:
    """The highest or lowest of the first `n` ids of `legal`."""
    best = signed(legal[0])
    for k in range(1, n):
        action = signed(legal[k])
        if (action > best) == highest:
            best = action
    return best

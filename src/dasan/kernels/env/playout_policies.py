"""Playout policies: random, and thrifty, the compiled counterpart of `dasan.bots.thrifty`."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.bots import thrifty
from dasan.kernels.env.buffers import signed
from dasan.kernels.runtime.bits import popcount, used_fields
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.random64 import below, mixed, world_state
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

U = np.uint64
Words = npt.NDArray[np.uint64]
Small = npt.NDArray[np.int32]
_0, _1 = U(0), U(1)
_ONES = U(0x0111_1111_1111_1111)
_PLAYOUT = U(0xD1B54A32D192ED03)

RANDOM, THRIFTY = 0, 1
POLICIES = {"random": RANDOM, "thrifty": THRIFTY}


class PolicyTable(NamedTuple):
    """Arrays by row of the catalogue.

    counts: cards taken of each rank, four bits a rank. touched: one bit for each of these ranks. many: whether there are
    more than two such ranks. size: cards. lead, cost, force: points as in `dasan.bots.thrifty`, without breaks.
    windows: the ranks of each shortest straight, as in touched. tops, bids: the auction's points. first_row: the id of
    row 0. top_rank: the highest rank below the jokers. broken, risk: the constants BREAK and RISK.
    """

    counts: Words
    touched: Words
    many: npt.NDArray[np.bool_]
    size: npt.NDArray[np.int8]
    lead: Small
    cost: Small
    force: Small
    windows: Words
    tops: Small
    bids: Small
    first_row: int
    top_rank: int
    broken: int
    risk: int


@lru_cache(maxsize=16)
def policy_table(rules: Rules) -> PolicyTable:
    rows = rules.catalogue.rows
    counts = [dict(row.pattern.counts) for row in rows]
    heights = [thrifty.height(Counter(n)) for n in counts]
    cost = [thrifty.HEIGHT * h + thrifty.POWER * row.power for h, row in zip(heights, rows, strict=True)]
    return PolicyTable(
        counts=np.array([sum(n << (4 * rank) for rank, n in of.items()) for of in counts], np.uint64),
        touched=np.array([sum(1 << (4 * rank) for rank in of) for of in counts], np.uint64),
        many=np.array([len(of) > 2 for of in counts]),
        size=np.array([row.size for row in rows], np.int8),
        lead=np.array([thrifty.CARD * row.size - c for c, row in zip(cost, rows, strict=True)], np.int32),
        cost=np.array(cost, np.int32),
        force=np.array([thrifty.POWER * row.power + h for h, row in zip(heights, rows, strict=True)], np.int32),
        windows=np.array([sum(1 << (4 * rank) for rank in window) for window in thrifty.windows(rules)], np.uint64),
        tops=np.array(thrifty.TOPS, np.int32),
        bids=np.array(thrifty.BIDS, np.int32),
        first_row=action_ids(rules).rows,
        top_rank=len(rules.ranks) - 1,
        broken=thrifty.BREAK,
        risk=thrifty.RISK,
    )


@woven
def rank_counts(one: np.uint64, two: np.uint64) -> np.uint64:
    """Cards of each rank, four bits a rank, in a hand of bits 4 × rank + suit (twice: bits of `two`)."""
    a = (one & _ONES) + ((one >> _1) & _ONES) + ((one >> U(2)) & _ONES) + ((one >> U(3)) & _ONES)
    b = (two & _ONES) + ((two >> _1) & _ONES) + ((two >> U(2)) & _ONES) + ((two >> U(3)) & _ONES)
    total: np.uint64 = a + b
    return total


@woven
def playout_state(seed: np.uint64, world: int, playout: int) -> np.uint64:
    """The initial random state of playout `playout` of world `world`."""
    return mixed(world_state(seed, world) ^ (U(playout + 1) * _PLAYOUT))


@lean
def thrifty_play(
    legal: npt.NDArray[np.int16],
    n: int,
    held: np.uint64,
    leading: bool,
    table_size: int,
    friendly: bool,
    sizes: np.uint64,
    policies: PolicyTable,
) -> int:
    """The play that thrifty chooses: an id among the first `n` of `legal`.

    held: the hand's counts. sizes: bit k is set if an opponent holds k cards. friendly: an ally made the play on the table.
    """
    size_of, first = policies.size, policies.first_row
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
    for k in range(policies.windows.shape[0]):
        if policies.windows[k] & ~have == _0:
            straights |= policies.windows[k]
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
        points = signed(policies.force[row])
        if not alarm:
            if leading and (sizes >> U(size_of[row])) & _1 != _0:
                points -= policies.risk
            else:
                differs = (
                    used_fields(policies.counts[row] ^ (held if policies.many[row] else apart)) & policies.touched[row]
                )
                points = signed(policies.lead[row]) if leading else -signed(policies.cost[row])
                points -= policies.broken * signed(popcount(differs))
        if points > most or (points == most and (action > best) == last):
            best, most = action, points
    return best


@lean
def thrifty_bid(legal: npt.NDArray[np.int16], n: int, held: np.uint64, policies: PolicyTable) -> int:
    """Thrifty's bid: the highest that the value of the hand allows, else a pass, else the lowest legal one."""
    worth = 0
    for k in range(3):
        worth += policies.tops[k] * signed((held >> U(4 * (policies.top_rank - 2 + k))) & U(15))
    level = 0
    for k in range(3):
        level += 1 if worth >= policies.bids[k] else 0
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


@lean
def extreme(legal: npt.NDArray[np.int16], n: int, highest: bool) -> int:
    """The highest or lowest of the first `n` ids of `legal`."""
    best = signed(legal[0])
    for k in range(1, n):
        action = signed(legal[k])
        if (action > best) == highest:
            best = action
    return best

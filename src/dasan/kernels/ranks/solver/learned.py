"""Small networks that judge positions of two sides: who wins, and how much work a proof takes.

There is one network for each *form*: a bidder against two; for four players, a bidder and a partner who sit beside each other, or
opposite. A network numbers the seats in turn order from the bidder, or from the partner if the partner sits just before the
bidder. These numbers are *roles*: in a form, the same roles are always on the same side.

The first layer has `UNITS` units and a column of weights for each card of each role, each context, action and number of choices,
and each role's turns and losers (see `estimate`). A position has few of these, so the layer is a sum of columns. For a child only
the cards that were played are taken out of the parent's sum. A column is four words of four 16-bit weights, and words are added
whole. `benchmarks/first_numbers.py` fits the networks to solved positions.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,arg-type,no-any-return,operator,return-value"

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Doubles, Longs, U, Words
from dasan.kernels.ranks.solver.position import SEATS, mover_of, on_lead, owner_of
from dasan.kernels.runtime.bits import extract, trailing_zeros
from dasan.kernels.runtime.compiled import inlined, woven, woven_callable

Layer = tuple[np.int64, np.int64, np.int64, np.int64]

FORMS = {"three": 3, "beside": 4, "opposite": 4}
"""The number of players of each form; `learned-NAME.npz` has its network."""
BESIDE, OPPOSITE, NONE = 1, 2, -1
"""The forms with a partner. NONE: no network (a bidder against three)."""
UNITS, WORDS = 16, 4
CARDS, CONTEXT, ACTION, CHOICES, TURNS, BIAS = 0, 256, 320, 512, 576, 1600
"""The first columns of each group of a network. CARDS: 64 a role. CHOICES: 32 for each side. TURNS: 256 a role, 16 × turns +
losers. BIAS: one column that every position has.
"""
COLUMNS = BIAS + 1
HEADS = 3 * (UNITS + 1)
SCALE = 512
"""Weights are stored in units of 1 / SCALE, and a unit's output is at most LIMIT."""
LIMIT = 8 * SCALE
_0, _1, _3, _4 = U(0), U(1), U(3), U(4)


class Network(NamedTuple):
    """The networks of all forms, one after the other, and scratch.

    columns[4 * column + word]: the first layer. heads[3 * unit + i]: the weights of the odds (natural logarithm) that
    the bidder's side wins, and of the effort to prove and to disprove it (logarithms to base 2); the last three are constants.
    base: the layer of a parent's cards. tallies: 16 × turns + losers of each seat.
    """

    columns: Longs
    heads: Doubles
    base: Longs
    tallies: Longs


@lru_cache(maxsize=1)
def _trained() -> tuple[Longs, Doubles]:
    columns, heads = [], []
    for name, players in FORMS.items():
        with (
            (files("dasan.kernels.ranks.solver") / f"learned-{name}.npz").open("rb") as stream,
            np.load(stream) as arrays,
        ):
            columns.append(expanded(arrays["columns"], players))
            weights = arrays["heads"].astype(np.float64).reshape(UNITS + 1, 3)
            weights[:UNITS] /= SCALE
            heads.append(weights.ravel())
    return _aligned(np.concatenate(columns)), np.concatenate(heads)


def _aligned(words: Longs) -> Longs:
    """A copy that begins a cache line, so that no column lies in two."""
    room = np.empty(len(words) + 8, np.int64)
    start = -room.ctypes.data % 64 // 8
    out = room[start : start + len(words)]
    out[:] = words
    return out


def expanded(stored: npt.NDArray[np.int16], players: int) -> Longs:
    """The columns as words. stored: a row a column: 64 for the cards of each role, then contexts, actions and choices, then 16
    for the turns of each role, then 16 for the losers of each role, then the bias.
    """
    cards, turns, losers = 64 * players, 64 * players + TURNS - CONTEXT, 80 * players + TURNS - CONTEXT
    rows = stored.astype(np.int64).reshape(losers + 16 * players + 1, UNITS)
    weights = np.zeros((COLUMNS, UNITS), np.int64)
    weights[:cards] = rows[:cards]
    weights[CONTEXT:TURNS] = rows[cards:turns]
    both = rows[turns:losers].reshape(players, 16, 1, UNITS) + rows[losers:-1].reshape(players, 1, 16, UNITS)
    weights[TURNS : TURNS + 256 * players] = both.reshape(-1, UNITS)
    weights[BIAS] = rows[-1]
    shifts = np.array([0, 16, 32, 48], np.int64)
    return (weights.reshape(COLUMNS, WORDS, 4) << shifts).sum(axis=2).ravel()


def new_network() -> Network:
    """The trained networks with scratch of their own."""
    columns, heads = _trained()
    return Network(columns, heads, np.zeros(WORDS, np.int64), np.zeros(SEATS, np.int64))


@inlined
def form_of(players: int, side: np.uint64) -> int:
    """The form of a position, or NONE. side: the seats of the bidder's side as bits, counted from the bidder."""
    if players == 3:
        return 0 if side == _1 else NONE
    if side == U(0b0101):
        return OPPOSITE
    return BESIDE if side == U(0b0011) or side == U(0b1001) else NONE


@inlined
def role_of(seat: int, side: np.uint64) -> int:
    """The role of a seat: its number from the bidder, or from the partner if the partner sits just before the bidder."""
    return (seat + 1) & 3 if side == U(0b1001) else seat


@inlined
def _plus(layer: Layer, columns: Longs, column: np.uint64) -> Layer:
    at = column * _4
    return (
        layer[0] + columns[at],
        layer[1] + columns[at + _1],
        layer[2] + columns[at + U(2)],
        layer[3] + columns[at + U(3)],
    )


@inlined
def _minus(layer: Layer, columns: Longs, column: np.uint64) -> Layer:
    at = column * _4
    return (
        layer[0] - columns[at],
        layer[1] - columns[at + _1],
        layer[2] - columns[at + U(2)],
        layer[3] - columns[at + U(3)],
    )


@woven_callable
def gather(hands: Words, at: int, players: int, side: np.uint64, network: Network) -> None:
    """Sum the columns of all cards into `network.base`."""
    columns = network.columns
    first = COLUMNS * form_of(players, side)
    layer = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    layer = _plus(layer, columns, U(first + BIAS))
    for seat in range(players):
        bits = hands[at + seat]
        cards = U(first + CARDS + 64 * role_of(seat, side))
        while bits != _0:
            layer = _plus(layer, columns, cards + trailing_zeros(bits))
            bits &= bits - _1
    network.base[0] = layer[0]
    network.base[1] = layer[1]
    network.base[2] = layer[2]
    network.base[3] = layer[3]


@inlined
def situation_of(context: np.uint64, players: int, side: np.uint64) -> int:
    """A number below 64 for the mover, the owner, and which of the other seats may still beat the owner, in roles."""
    mover, owner = role_of(mover_of(context), side), role_of(owner_of(context), side)
    if on_lead(context):
        return mover
    waiting = (context >> _4) & U(15)
    if side == U(0b1001):
        waiting = (waiting << _1) | (waiting >> _3)
    others = ((_1 << U(players)) - _1) & ~((_1 << U(mover)) | (_1 << U(owner)))
    return 4 + 4 * (players * mover + owner) + np.int64(extract(waiting, others))


@inlined
def _heads(total: int, first: int, heads: Doubles, out: tuple[float, float, float]) -> tuple[float, float, float]:
    """Add the heads of the four units in a word."""
    odds, proof, disproof = out
    for unit in range(4):
        row = first + 3 * unit
        one = (total << 48) >> 48
        total = (total - one) >> 16
        if one > 0:
            x = np.float64(min(one, LIMIT))
            odds += x * heads[row]
            proof += x * heads[row + 1]
            disproof += x * heads[row + 2]
    return odds, proof, disproof


@woven
def judge(
    network: Network, players: int, side: np.uint64, seat: int, played: np.uint64, context: np.uint64, choices: int
) -> tuple[float, float, float]:
    """The three heads of the position after `seat` has played the cards `played` of the hands that were gathered. Its turns and
    losers are in `network.tallies`.
    """
    columns = network.columns
    form = form_of(players, side)
    first = COLUMNS * form
    base = network.base
    layer = (base[0], base[1], base[2], base[3])
    cards = U(first + CARDS + 64 * role_of(seat, side))
    while played != _0:
        layer = _minus(layer, columns, cards + trailing_zeros(played))
        played &= played - _1
    ours = (side >> U(mover_of(context))) & _1 != _0
    layer = _plus(layer, columns, U(first + CONTEXT + situation_of(context, players, side)))
    layer = _plus(layer, columns, U(first + ACTION) + (context >> U(8)))
    layer = _plus(layer, columns, U(first + CHOICES + (32 if ours else 0) + min(choices, 31)))
    for one in range(players):
        layer = _plus(layer, columns, U(first + TURNS + 256 * role_of(one, side) + network.tallies[one]))
    heads = network.heads
    head = HEADS * form
    last = head + 3 * UNITS
    out = (heads[last], heads[last + 1], heads[last + 2])
    out = _heads(layer[0], head, heads, out)
    out = _heads(layer[1], head + 12, heads, out)
    out = _heads(layer[2], head + 24, heads, out)
    return _heads(layer[3], head + 36, heads, out)

"""A small network that judges positions of a bidder and two opponents: who wins, and how much work a proof takes.

The first layer has `UNITS` units and a column of weights for each card of each seat, each context, action and number of choices,
and each seat's turns and losers (see `estimate`). A position has few of these, so the layer is a sum of columns. For a child only
the cards that were played are taken out of the parent's sum. A column is four words of four 16-bit weights, and words are added
whole. `benchmarks/first_numbers.py` fits the network to solved positions.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,arg-type,no-any-return,operator,return-value"

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.ranks.solver.position import mover_of, on_lead, owner_of
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import inlined, woven, woven_callable

U = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]
Layer = tuple[np.int64, np.int64, np.int64, np.int64]

PLAYERS = 3
UNITS, WORDS = 16, 4
CONTEXT, ACTION, CHOICES, TURNS, BIAS = 192, 256, 448, 512, 1280
"""The first columns of each group, after 64 a seat for its cards. CHOICES: 32 for each side. TURNS: 256 a seat, 16 × turns +
losers. BIAS: one column that every position has.
"""
COLUMNS = BIAS + 1
SCALE = 512
"""Weights are stored in units of 1 / SCALE, and a unit's output is at most LIMIT."""
LIMIT = 8 * SCALE
_0, _1, _4 = U(0), U(1), U(4)


class Network(NamedTuple):
    """columns[4 * column + word]: the first layer. heads[3 * unit + i]: the weights of the odds (natural logarithm) that
    the bidder's side wins, and of the effort to prove and to disprove it (logarithms to base 2); the last three are constants.
    base: scratch, the layer of a parent's cards.
    """

    columns: Numbers
    heads: Weights
    base: Numbers


@lru_cache(maxsize=1)
def _trained() -> tuple[Numbers, Weights]:
    with (files("dasan.kernels.ranks.solver") / "learned.npz").open("rb") as stream, np.load(stream) as arrays:
        heads = arrays["heads"].astype(np.float64)
        heads[:UNITS] /= SCALE
        return expanded(arrays["columns"]), heads.ravel()


def expanded(stored: npt.NDArray[np.int16]) -> Numbers:
    """The columns as words. stored: a row a column, with 16 for the turns of each seat, then 16 for its losers."""
    turns = stored[TURNS : TURNS + 48].reshape(PLAYERS, 16, 1, UNITS)
    losers = stored[TURNS + 48 : TURNS + 96].reshape(PLAYERS, 1, 16, UNITS)
    both = (turns.astype(np.int64) + losers).reshape(-1, UNITS)
    weights = np.concatenate([stored[:TURNS], both, stored[TURNS + 96 :]]).astype(np.int64)
    shifts = np.array([0, 16, 32, 48], np.int64)
    return (weights.reshape(COLUMNS, WORDS, 4) << shifts).sum(axis=2).ravel()


def new_network() -> Network:
    """The trained network with scratch of its own."""
    columns, heads = _trained()
    return Network(columns, heads, np.zeros(WORDS, np.int64))


@inlined
def _plus(layer: Layer, columns: Numbers, column: np.uint64) -> Layer:
    at = column * _4
    return (
        layer[0] + columns[at],
        layer[1] + columns[at + _1],
        layer[2] + columns[at + U(2)],
        layer[3] + columns[at + U(3)],
    )


@inlined
def _minus(layer: Layer, columns: Numbers, column: np.uint64) -> Layer:
    at = column * _4
    return (
        layer[0] - columns[at],
        layer[1] - columns[at + _1],
        layer[2] - columns[at + U(2)],
        layer[3] - columns[at + U(3)],
    )


@woven_callable
def gather(hands: Words, at: int, network: Network) -> None:
    """Sum the columns of all cards into `network.base`."""
    columns = network.columns
    layer = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    layer = _plus(layer, columns, U(BIAS))
    for seat in range(PLAYERS):
        bits = hands[at + seat]
        while bits != _0:
            layer = _plus(layer, columns, U(64 * seat) + trailing_zeros(bits))
            bits &= bits - _1
    network.base[0] = layer[0]
    network.base[1] = layer[1]
    network.base[2] = layer[2]
    network.base[3] = layer[3]


@inlined
def _heads(total: int, first: int, heads: Weights, out: tuple[float, float, float]) -> tuple[float, float, float]:
    """Add the heads of the four units in a word."""
    odds, proof, disproof = out
    for unit in range(first, first + 12, 3):
        one = (total << 48) >> 48
        total = (total - one) >> 16
        if one > 0:
            x = np.float64(min(one, LIMIT))
            odds += x * heads[unit]
            proof += x * heads[unit + 1]
            disproof += x * heads[unit + 2]
    return odds, proof, disproof


@woven
def judge(
    network: Network,
    seat: int,
    played: np.uint64,
    context: np.uint64,
    choices: int,
    turns: tuple[int, int, int],
    losers: tuple[int, int, int],
) -> tuple[float, float, float]:
    """The three heads of the position after `seat` has played the cards `played` of the hands that were gathered."""
    columns = network.columns
    base = network.base
    layer = (base[0], base[1], base[2], base[3])
    while played != _0:
        layer = _minus(layer, columns, U(64 * seat) + trailing_zeros(played))
        played &= played - _1
    mover = mover_of(context)
    if on_lead(context):
        place = U(mover)
    else:
        place = U(4 + 4 * (3 * mover + owner_of(context)))
        if popcount((context >> _4) & U(15)) > _1:
            place += _1
    layer = _plus(layer, columns, U(CONTEXT) + place)
    layer = _plus(layer, columns, U(ACTION) + (context >> U(8)))
    layer = _plus(layer, columns, U(CHOICES + (32 if mover == 0 else 0) + min(choices, 31)))
    layer = _plus(layer, columns, U(TURNS + 16 * min(turns[0], 15) + min(losers[0], 15)))
    layer = _plus(layer, columns, U(TURNS + 256 + 16 * min(turns[1], 15) + min(losers[1], 15)))
    layer = _plus(layer, columns, U(TURNS + 512 + 16 * min(turns[2], 15) + min(losers[2], 15)))
    heads = network.heads
    last = 3 * UNITS
    out = (heads[last], heads[last + 1], heads[last + 2])
    out = _heads(layer[0], 0, heads, out)
    out = _heads(layer[1], 12, heads, out)
    out = _heads(layer[2], 24, heads, out)
    return _heads(layer[3], 36, heads, out)

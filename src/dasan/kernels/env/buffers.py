"""Buffers, seeds, sampling and observation writing that the batched environments of all games share.

An environment depends only on the seed and its own index, so results do not change with the number of environments or
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from dasan.kernels.runtime.bits import deposit, prefetch, spread
from dasan.kernels.runtime.compiled import inlined, lean, woven
from dasan.kernels.runtime.random64 import below, hand_state, mixed, stepped

U = np.uint64
Words = npt.NDArray[np.uint64]
_1, _7 = U(1), U(7)
NONE = -1
AHEAD = 8
"""How many environments ahead a step prefetches."""
_BYTES = U(0x0101_0101_0101_0101)
_ENVIRONMENT = U(0xD1B54A32D192ED03)
_CHOICE = U(0xE7037ED1A0B428DB)


signed: Callable[[Any], int] = cast("Any", np.int64)
"""A word as a signed integer. (In Numba `int` of an unsigned word stays unsigned.)"""


class Buffers(NamedTuple):
    """The arrays that the caller sees; n environments, A actions, F features.

    mask: [n, A]. obs: [n, F / 8], the features as bytes, eight to a word. rewards, places: [n, seats]. done, to_act: [n].
    legal: [n, most] ids of the legal actions, num_legal [n] of them. actions: [n], filled by `sample`.
    """

    mask: npt.NDArray[np.uint8]
    obs: Words
    rewards: npt.NDArray[np.int32]
    places: npt.NDArray[np.uint8]
    done: npt.NDArray[np.uint8]
    to_act: npt.NDArray[np.int8]
    legal: npt.NDArray[np.int16]
    num_legal: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int32]


def id_type(count: int) -> type[np.int16 | np.int32]:
    """The type of `legal` where there are `count` ids."""
    return np.int16 if count <= np.iinfo(np.int16).max else np.int32


def rows_of_words(num_envs: int, columns: int) -> Words:
    """Zeros [num_envs, columns]; rows start at cache lines if `columns` is a multiple of 8."""
    words = np.zeros(num_envs * columns + 7, np.uint64)
    skipped = -words.ctypes.data // 8 % 8
    return words[skipped : skipped + num_envs * columns].reshape(num_envs, columns)


@lean
def seed_environments(first: int, last: int, seed: np.uint64, base: Words, choice: Words) -> None:
    """Seed the deals (`base`) and the random choices (`choice`) of environments FIRST, LAST."""
    for i in range(first, last):
        _seed_one(i, U(i), seed, base, choice)


@lean
def seed_each(seeds: Words, base: Words, choice: Words) -> None:
    """As `seed_environments`; each environment is the first one of its own seed."""
    for i in range(seeds.shape[0]):
        _seed_one(i, U(0), seeds[i], base, choice)


@inlined
def _seed_one(i: int, number: np.uint64, seed: np.uint64, base: Words, choice: Words) -> None:
    own = mixed(mixed(seed) ^ ((number + U(1)) * _ENVIRONMENT))
    base[i] = own
    choice[i] = mixed(own ^ _CHOICE)


@inlined
def deal_state(base: np.uint64, number: int) -> np.uint64:
    """The random state from which hand `number`, counted from 0, is dealt."""
    return hand_state(base, number + 1)


@woven
def look_ahead(i: int, last: int, words: Words, lines: int, buffers: Buffers) -> None:
    """Prefetch what a step of environment `i + AHEAD` reads: `lines` cache lines of its row of `words`, its list of legal
    actions, and its mask, unless the mask is so wide that a step touches few of its lines.
    """
    soon = min(i + AHEAD, last - 1)
    for k in range(lines):
        prefetch(words, soon * words.shape[1] + 8 * k)
    prefetch(buffers.legal, soon * buffers.legal.shape[1])
    if buffers.mask.shape[1] < 512:
        for k in range(0, buffers.mask.shape[1], 64):
            prefetch(buffers.mask, soon * buffers.mask.shape[1] + k)


@woven
def first_illegal(first: int, last: int, actions: npt.NDArray[np.int32], mask: npt.NDArray[np.uint8]) -> int:
    """The first environment in FIRST, LAST whose action is not legal, or NONE."""
    for i in range(first, last):
        soon = min(i + AHEAD, last - 1)
        prefetch(mask, soon * mask.shape[1] + signed(actions[soon]))
        action = actions[i]
        if action < 0 or action >= mask.shape[1] or mask[i, action] == 0:
            return i
    return NONE


@woven
def sample(first: int, last: int, choice: Words, buffers: Buffers) -> None:
    """One legal action for each environment, each equally likely, into `buffers.actions`."""
    for i in range(first, last):
        prefetch(buffers.legal, min(i + AHEAD, last - 1) * buffers.legal.shape[1])
        state = stepped(choice[i])
        choice[i] = state
        n = min(max(signed(buffers.num_legal[i]), 1), buffers.legal.shape[1])
        buffers.actions[i] = buffers.legal[i, below(mixed(state), U(n))]


@woven
def clear_result(i: int, buffers: Buffers, players: int) -> None:
    """Clear the previous hand's rewards, places and done flag."""
    if buffers.done[i]:
        buffers.done[i] = 0
        for seat in range(players):
            buffers.rewards[i, seat] = 0
            buffers.places[i, seat] = 0


@inlined
def clear_mask(i: int, buffers: Buffers) -> None:
    """Clear the places of the mask that were set. The list of legal actions is not used: the caller may have changed it."""
    for k in range(min(signed(buffers.num_legal[i]), buffers.legal.shape[1])):
        action = buffers.legal[i, k]
        if 0 <= action < buffers.mask.shape[1]:
            buffers.mask[i, action] = 0


@woven
def put(acc: np.uint64, at: int, bits: np.uint64, n: int, out: Words, i: int) -> tuple[np.uint64, int]:
    """Append `n` < 64 flags, the lowest bits of `bits`, to row `i` of `out`, which already has `at` flags.

    acc: flags not yet written, fewer than 64. Returns the new `acc` and `at`.
    """
    o = at & 63
    acc |= bits << U(o)
    if o + n >= 64:
        spread(acc, out, i, (at >> 6) << 3)
        acc = (bits >> _1) >> U(63 - o)
    return acc, at + n


@woven
def put_seats(acc: np.uint64, at: int, seats: int, me: int, players: int, out: Words, i: int) -> tuple[np.uint64, int]:
    """Append one flag a seat, relative to `me`, from a bit set of seats."""
    turned = ((seats >> me) | (seats << (players - me))) & ((1 << players) - 1)
    return put(acc, at, U(turned), players, out, i)


@woven
def put_seat(
    acc: np.uint64, at: int, seat: np.uint64, me: int, players: int, out: Words, i: int
) -> tuple[np.uint64, int]:
    """Append one flag a seat, relative to `me`: set for `seat`, none set if `seat` is NONE."""
    there = _1 << (seat & _7) if seat < U(players) else U(0)
    return put_seats(acc, at, signed(there), me, players, out, i)


@woven
def finish_flags(acc: np.uint64, at: int, out: Words, i: int) -> int:
    """Write the remaining flags; return the number of words that all flags take."""
    n = (at + 7) >> 3
    for k in range((at >> 6) << 3, n):
        out[i, k] = deposit(acc & U(255), _BYTES)
        acc >>= U(8)
    return n

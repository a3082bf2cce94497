"""Buffers, seeds, sampling and observation writing that the batched environments of all games share.

An environment depends only on the seed and its own index, so results do not change with the number of environments or
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from dasan.arrays import Bytes, Ints, U, Words
from dasan.kernels.runtime.bits import deposit, nth_set_bit, popcount, prefetch, spread
from dasan.kernels.runtime.compiled import inlined, lean, woven
from dasan.kernels.runtime.random64 import below, hand_state, mixed, stepped

_0, _1, _7, _63 = U(0), U(1), U(7), U(63)
_ALL = U(0xFFFF_FFFF_FFFF_FFFF)
NONE = -1
AHEAD = 8
"""The number of environments ahead that a step prefetches."""
FEW_WORDS = 32
"""The widest packed mask, in words, that is cleared whole; wider ones are cleared only where they were set."""
BLOCK = 64
"""The number of environments that move before their outputs are written. A short loop for each part of a step lets the
processor overlap the work of several environments, unlike one long loop."""
_BYTES = U(0x0101_0101_0101_0101)
_ENVIRONMENT = U(0xD1B54A32D192ED03)
_CHOICE = U(0xE7037ED1A0B428DB)


signed: Callable[[Any], int] = cast("Any", np.int64)
"""A word as a signed integer. (In Numba `int` of an unsigned word stays unsigned.)"""


class Written(NamedTuple):
    """Which of the arrays of `Buffers` are written, by name."""

    mask: bool
    bits: bool
    legal: bool
    obs: bool


class Buffers(NamedTuple):
    """Outputs of n environments; A actions, F features. An array that is not written has no columns, or one row.

    mask: [n, A]. bits: [n, words], the same packed: id a is bit a % 64 of word a // 64. obs: [n, F / 8], the features as bytes,
    eight to a word. packed: [n, words], the same with flags as bits; then a word of numbers. rewards, places: [n, seats].
    done, to_act: [n]. legal: [n, most] ids of the legal actions, ascending, num_legal [n] of them. actions: [n], filled by
    `sample`.
    """

    mask: Bytes
    bits: Words
    obs: Words
    packed: Words
    rewards: Ints
    places: Bytes
    done: Bytes
    to_act: npt.NDArray[np.int8]
    legal: npt.NDArray[np.int16]
    num_legal: Ints
    actions: Ints
    written: Written


Take = Callable[[str, tuple[int, ...], type[np.generic]], npt.NDArray[Any]]
"""(name, shape, type): an array of zeros; the names are those of `vector.VectorEnv`."""


def _zeros(name: str, shape: tuple[int, ...], kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.zeros(shape, kind)


def new_buffers(
    num_envs: int,
    players: int,
    actions: int,
    most: int,
    written: Written,
    *,
    features: int = 0,
    packed_words: int = 0,
    take: Take = _zeros,
) -> Buffers:
    """Allocate the outputs of `num_envs` environments with `take`.

    actions: the number of ids. most: the length of the list of legal actions. features, packed_words: the sizes of
    observations, in bytes and packed; without observations 0.
    """

    def taken(name: str, wanted: bool, columns: int, kind: type[np.generic]) -> npt.NDArray[Any]:
        return take(name, (num_envs, columns), kind) if wanted else np.zeros((num_envs, 0), kind)

    return Buffers(
        mask=taken("mask", written.mask, actions, np.bool_).view(np.uint8),
        bits=taken("packed_mask", written.bits, words_for(actions), np.uint64),
        obs=taken("obs", written.obs, features, np.uint8).view(np.uint64),
        packed=taken("packed_obs", packed_words > 0, packed_words, np.uint64),
        rewards=take("rewards", (num_envs, players), np.int32),
        places=take("places", (num_envs, players), np.uint8),
        done=take("done", (num_envs,), np.bool_).view(np.uint8),
        to_act=take("to_act", (num_envs,), np.int8),
        legal=taken("legal", written.legal, most, id_type(actions)),
        num_legal=take("num_legal", (num_envs,), np.int32),
        actions=np.zeros(num_envs, np.int32),
        written=written,
    )


def words_for(count: int) -> int:
    """The number of words that hold `count` bits."""
    return (count + 63) // 64


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
    """As `seed_environments`, but each environment is the first one of its own seed."""
    for i in range(seeds.shape[0]):
        _seed_one(i, U(0), seeds[i], base, choice)


@inlined
def _seed_one(i: int, number: np.uint64, seed: np.uint64, base: Words, choice: Words) -> None:
    own = mixed(mixed(seed) ^ ((number + U(1)) * _ENVIRONMENT))
    base[i] = own
    choice[i] = mixed(own ^ _CHOICE)


@inlined
def deal_state(base: np.uint64, number: int) -> np.uint64:
    """The random state for dealing hand `number`, counted from 0."""
    return hand_state(base, number + 1)


@woven
def look_ahead(i: int, last: int, words: Words, lines: int, buffers: Buffers) -> None:
    """Prefetch what a step of environment `i + AHEAD` reads: `lines` cache lines of its row of `words`, its list of legal
    actions, and its mask, unless the mask is so wide that a step touches few of its lines.
    """
    soon = min(signed(i) + AHEAD, last - 1)
    for k in range(lines):
        prefetch(words, soon * words.shape[1] + 8 * k)
    prefetch(buffers.legal, soon * buffers.legal.shape[1])
    if buffers.mask.shape[1] < 512:
        for k in range(0, buffers.mask.shape[1], 64):
            prefetch(buffers.mask, soon * buffers.mask.shape[1] + k)


@woven
def first_illegal(first: int, last: int, actions: Ints, buffers: Buffers) -> int:
    """The first environment in FIRST, LAST whose action is not legal, or NONE."""
    bits = buffers.bits
    if buffers.written.bits:
        fine = _1
        for i in range(U(first), U(last)):
            if bits.shape[1] > 8:
                soon = min(signed(i) + AHEAD, last - 1)
                prefetch(bits, soon * bits.shape[1] + (signed(actions[soon]) >> 6))
            fine &= _bit_of(i, actions[i], bits)
        if fine != _0:
            return NONE
        for i in range(first, last):
            if _bit_of(i, actions[i], bits) == _0:
                return i
    elif buffers.written.mask:
        mask = buffers.mask
        for i in range(first, last):
            soon = min(i + AHEAD, last - 1)
            prefetch(mask, soon * mask.shape[1] + signed(actions[soon]))
            action = actions[i]
            if action < 0 or action >= mask.shape[1] or mask[i, action] == 0:
                return i
    else:
        for i in range(first, last):
            if not _is_listed(i, actions[i], buffers):
                return i
    return NONE


@woven
def _bit_of(i: int, action: int, bits: Words) -> np.uint64:
    """Whether `action` is legal in environment `i`, as 1 or 0."""
    there = (action >= 0) & (action < 64 * bits.shape[1])
    k = signed(action) if there else signed(0)
    return ((bits[i, k >> 6] >> (U(k) & _63)) & _1) if there else _0


@woven
def _is_listed(i: int, action: int, buffers: Buffers) -> bool:
    """Whether `action` is in the list of environment `i`'s legal actions."""
    listed = False
    for k in range(min(signed(buffers.num_legal[i]), buffers.legal.shape[1])):
        listed = listed or buffers.legal[i, k] == action
    return listed


@woven
def sample(first: int, last: int, choice: Words, buffers: Buffers) -> None:
    """One legal action for each environment, each equally likely, into `buffers.actions`. The list and the packed mask give the
    same actions.
    """
    if buffers.written.legal:
        for i in range(U(first), U(last)):
            prefetch(buffers.legal, min(signed(i) + AHEAD, last - 1) * buffers.legal.shape[1])
            n = min(max(signed(buffers.num_legal[i]), 1), buffers.legal.shape[1])
            buffers.actions[i] = buffers.legal[i, below(_drawn(i, choice), U(n))]
    elif buffers.bits.shape[1] == 3:
        for i in range(U(first), U(last)):
            n = U(max(signed(buffers.num_legal[i]), 1))
            buffers.actions[i] = _nth_of_three(i, below(_drawn(i, choice), n), buffers.bits)
    else:
        for i in range(U(first), U(last)):
            n = U(max(signed(buffers.num_legal[i]), 1))
            buffers.actions[i] = nth_legal(i, below(_drawn(i, choice), n), buffers)


@woven
def _drawn(i: int, choice: Words) -> np.uint64:
    """The next random word of environment `i`."""
    choice[i] = stepped(choice[i])
    return mixed(choice[i])


@woven
def _nth_of_three(i: int, n: np.uint64, bits: Words) -> int:
    """`nth_legal` of three words. Which word has it is unpredictable, so nothing branches on that."""
    low, middle, high = bits[i, 0], bits[i, 1], bits[i, 2]
    in_low = popcount(low)
    in_both = in_low + popcount(middle)
    word = low if n < in_low else (middle if n < in_both else high)
    before = _0 if n < in_low else (in_low if n < in_both else in_both)
    place = 0 if n < in_low else (64 if n < in_both else 128)
    action = place + signed(nth_set_bit(word, (n - before) & _63))
    return action if n < in_both + popcount(high) else 0


@woven
def nth_legal(i: int, n: np.uint64, buffers: Buffers) -> int:
    """The n-th legal id of environment `i` by the packed mask, counted from 0; 0 if there are fewer."""
    bits = buffers.bits
    at = 0
    before = there = _0
    for k in range(bits.shape[1]):
        there += popcount(bits[i, k])
        at += 1 if n >= there else 0
        before = there if n >= there else before
    if n >= there:
        return 0
    place: int = 64 * at + signed(nth_set_bit(bits[i, at], n - before))
    return place


@woven
def clear_result(i: int, buffers: Buffers, players: int) -> None:
    """Clear the previous hand's rewards, places and done flag."""
    if buffers.done[i]:
        buffers.done[i] = 0
        for seat in range(players):
            buffers.rewards[i, seat] = 0
            buffers.places[i, seat] = 0


@woven
def clear_mask(i: int, buffers: Buffers) -> None:
    """Clear the mask at the ids in the list of legal actions. Ids are checked, because the caller may have overwritten
    the list.
    """
    mask, bits, legal = buffers.mask, buffers.bits, buffers.legal
    n = min(signed(buffers.num_legal[i]), legal.shape[1])
    if buffers.written.mask:
        for k in range(n):
            action = legal[i, k]
            if 0 <= action < mask.shape[1]:
                mask[i, action] = 0
    if buffers.written.bits:
        if bits.shape[1] <= FEW_WORDS:
            for k in range(bits.shape[1]):
                bits[i, k] = _0
            return
        for k in range(n):
            action = signed(legal[i, k])
            if 0 <= action < 64 * bits.shape[1]:
                bits[i, action >> 6] = _0


@woven
def enter_legal(i: int, n: int, action: int, buffers: Buffers) -> int:
    """Write the n-th legal action of environment `i` to its list and to its mask, which is clear; return n + 1."""
    buffers.legal[i, U(n)] = action
    if buffers.written.mask:
        buffers.mask[i, U(action)] = 1
    if buffers.written.bits:
        buffers.bits[i, U(action) >> U(6)] |= _1 << (U(action) & _63)
    return n + 1


@woven
def sort_legal(i: int, buffers: Buffers) -> None:
    """Sort the list of legal actions of environment `i`, by insertion, because most lists are already sorted."""
    legal = buffers.legal
    for k in range(1, signed(buffers.num_legal[i])):
        action = legal[i, k]
        at = k
        while at > 0 and legal[i, at - 1] > action:
            legal[i, at] = legal[i, at - 1]
            at -= 1
        legal[i, at] = action


@woven
def set_mask(i: int, buffers: Buffers) -> None:
    """Set the mask, which is clear, at the ids in the list of legal actions."""
    mask, bits, legal = buffers.mask, buffers.bits, buffers.legal
    if buffers.written.mask:
        for k in range(buffers.num_legal[i]):
            mask[i, legal[i, k]] = 1
    if buffers.written.bits:
        for k in range(buffers.num_legal[i]):
            action = signed(legal[i, k])
            bits[i, action >> 6] |= _1 << (U(action) & _63)


@woven
def put(acc: np.uint64, at: int, bits: np.uint64, n: int, out: Words, i: int) -> tuple[np.uint64, int]:
    """Append `n` < 64 flags, the lowest bits of `bits`, to row `i` of `out`, which already has `at` flags.

    acc: flags not yet written, fewer than 64. Returns the new `acc` and `at`.
    """
    used = at & 63
    acc |= bits << U(used)
    if used + n >= 64:
        out[i, at >> 6] = acc
        acc = (bits >> _1) >> U(63 - used)
    return acc, at + n


@woven
def turned(fields: np.uint64, by: np.uint64, width: np.uint64, every: np.uint64) -> np.uint64:
    """Fields of `width` bits, rotated right by `by` < width bits: a field for each seat becomes one relative to a seat.

    Above each field there are as many zeros. every: the bits of the fields.
    """
    out: np.uint64 = ((fields | (fields << width)) >> by) & every
    return out


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
    there = _1 << (seat & _7) if seat < U(players) else _0
    return put_seats(acc, at, signed(there), me, players, out, i)


@woven
def finish_flags(acc: np.uint64, at: int, out: Words, i: int) -> int:
    """Write the remaining flags; return the number of words that all flags take."""
    if at & 63:
        out[i, at >> 6] = acc
    return (at + 63) >> 6


@woven
def finish_observation(acc: np.uint64, at: int, numbers: np.uint64, i: int, buffers: Buffers) -> None:
    """Write the remaining flags and the numbers, eight to a word, and then the bytes."""
    buffers.packed[i, finish_flags(acc, at, buffers.packed, i)] = numbers
    if buffers.written.obs:
        buffers.obs[i, write_bytes(buffers.packed, at, buffers.obs, i)] = numbers


@woven
def write_bytes(flags: Words, at: int, out: Words, i: int) -> int:
    """Write the `at` flags of row `i` as bytes; return the number of words that they take."""
    whole = at >> 6
    for k in range(whole):
        spread(flags[i, k], out, i, 8 * k)
    n = (at + 7) >> 3
    if at & 63:
        left = flags[i, whole]
        for k in range(8 * whole, n):
            out[i, k] = deposit(left & U(255), _BYTES)
            left >>= U(8)
    return n

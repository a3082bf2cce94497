"""Big Three on a GPU: one thread an environment, by the functions that step environments on the processor.

An environment's row lies in memory column by column, so that neighbouring threads read neighbouring words. Legal actions
are bits of four words (three players) or seven (four): pass, bids and calls, then plays, see `env.legal_of`. A place is the
number of a bit, 64 × word + bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import cuda, uint64

from dasan.arrays import U
from dasan.kernels.env.buffers import seed_environments, signed
from dasan.kernels.ranks.env import BASE, COLUMNS, NUMBER, SEAT, RankTables, advance, deal, legal_of, tables
from dasan.kernels.ranks.ids import plain_words
from dasan.kernels.ranks.tables import ACTIONS, PASS
from dasan.kernels.runtime.bits import nth_set_bit, popcount
from dasan.kernels.runtime.compiled import inlined
from dasan.kernels.runtime.random64 import below, mixed, stepped
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

_0, _1, _63 = U(0), U(1), U(63)
PACK, HANDS = 52, 5


class Memory(NamedTuple):
    """Device arrays, those of two dimensions column by column.

    words: [n, COLUMNS], see `ranks.env`. choice: [n] random states. bits: [n, words]. done, rewards, places, to_act,
    actions: as in `kernels.env.buffers.Buffers`. refused: [1] actions not carried out. ids: [64 × words] by place, -1 for none.
    place_of: [A], its inverse. tables: the tables of the rules.
    """

    words: Any
    choice: Any
    bits: Any
    done: Any
    rewards: Any
    places: Any
    to_act: Any
    actions: Any
    refused: Any
    ids: Any
    place_of: Any
    tables: RankTables


def memory(rules: Rules, n: int, session: bool, put: Callable[[npt.NDArray[Any]], Any]) -> Memory:
    """Allocate `n` environments, not started yet; `put` copies an array to the device."""
    lookup = tables(rules, session)
    ids = place_ids(lookup)
    place_of = np.full(action_ids(rules, session).count, -1, np.int16)
    for place in np.flatnonzero(ids >= 0).tolist():
        place_of[ids[place]] = place

    def made(dtype: Any, *shape: int) -> Any:
        return put(np.zeros(shape, dtype, order="F"))

    def moved(value: Any) -> Any:
        if isinstance(value, tuple):
            return type(value)(*map(moved, value))
        return put(value) if isinstance(value, np.ndarray) else value

    return Memory(
        words=made(np.uint64, n, COLUMNS),
        choice=made(np.uint64, n),
        bits=made(np.uint64, n, len(ids) // 64),
        done=made(np.uint8, n),
        rewards=made(np.int32, n, rules.players),
        places=made(np.uint8, n, rules.players),
        to_act=made(np.int8, n),
        actions=made(np.int32, n),
        refused=made(np.int32, 1),
        ids=put(ids),
        place_of=put(place_of),
        tables=moved(lookup),
    )


def place_ids(tables: RankTables) -> npt.NDArray[np.int16]:
    """The id of each place, -1 for none: pass, bids and calls; plays with the called card, if any; plays without."""
    bids = np.arange(1, 65, dtype=np.int16)
    bids[tables.ids.first_row - 1 :] = -1
    plays = np.where((tables.ids.by_action == 0) & (np.arange(2 * ACTIONS) != PASS), np.int16(-1), tables.ids.by_action)
    called = plays[ACTIONS:] if tables.auction.call_ranks != _0 else plays[:0]
    return np.concatenate([bids, called, plays[:ACTIONS]])


def _kernel(function: Callable[..., None]) -> Any:
    """Compile a CUDA kernel, launched as `function[blocks, threads](...)`."""
    return cuda.jit(function)


@inlined
def _publish(i: int, row: Any, memory: Any) -> None:
    bids, with0, with1, with2, sets, ones, twos = legal_of(row, memory.tables)
    bits = memory.bits
    n = bits.shape[1]
    bits[i, 0] = bids
    if n == 7:
        bits[i, 1] = with0
        bits[i, 2] = with1
        bits[i, 3] = with2
    bits[i, n - 3] = sets
    bits[i, n - 2] = ones
    bits[i, n - 1] = twos
    memory.to_act[i] = signed(row[SEAT])


@inlined
def _chosen(i: int, memory: Any) -> int:
    """A uniformly random legal action of environment i."""
    bits = memory.bits
    state = stepped(memory.choice[i])
    memory.choice[i] = state
    n = _0
    for j in range(bits.shape[1]):
        n += popcount(bits[i, j])
    k = below(mixed(state), n)
    return _nth_plain(i, k, bits) if memory.tables.ids.plain else _nth(i, k, memory)


@inlined
def _nth_plain(i: int, k: np.uint64, bits: Any) -> int:
    """The k-th legal id of environment i, counted from 0, for plain ids."""
    words = plain_words(bits[i, 0], bits[i, 1], bits[i, 2], bits[i, 3])
    low, both = popcount(words[0]), popcount(words[0]) + popcount(words[1])
    if k < low:
        return signed(nth_set_bit(words[0], k))
    if k < both:
        return 64 + signed(nth_set_bit(words[1], k - low))
    return 128 + signed(nth_set_bit(words[2], k - both))


@inlined
def _nth(i: int, k: np.uint64, memory: Any) -> int:
    """As `_nth_plain`, for all ids: they need not grow with the bits."""
    bits, ids = memory.bits, memory.ids
    last = -1
    for _ in range(signed(k) + 1):
        least = 1 << 16
        for j in range(bits.shape[1]):
            word = bits[i, j]
            while word != _0:
                action = signed(ids[64 * j + signed(nth_set_bit(word, _0))])
                word &= word - _1
                if last < action < least:
                    least = action
        last = least
    return last


@_kernel
def start(seed: np.uint64, memory: Any) -> None:
    """Start the first hand of each environment."""
    i = cuda.grid(1)
    if i < memory.words.shape[0]:
        pack, hands = cuda.local.array(PACK, uint64), cuda.local.array(HANDS, uint64)
        row = memory.words[i]
        seed_environments(i, i + 1, seed, memory.words[:, BASE], memory.choice)
        row[NUMBER] = _0
        memory.done[i] = 0
        for seat in range(memory.rewards.shape[1]):
            memory.rewards[i, seat] = 0
            memory.places[i, seat] = 0
        deal(row, pack, hands, memory.tables)
        _publish(i, row, memory)


@_kernel
def sample(memory: Any) -> None:
    """Write a uniformly random legal action of each environment to `actions`."""
    i = cuda.grid(1)
    if i < memory.words.shape[0]:
        memory.actions[i] = _chosen(i, memory)


@_kernel
def step(actions: Any, memory: Any) -> None:
    """Carry out one action in each environment. An illegal one is only counted in `refused`."""
    i = cuda.grid(1)
    if i < memory.words.shape[0]:
        pack, hands = cuda.local.array(PACK, uint64), cuda.local.array(HANDS, uint64)
        action = actions[i]
        place = -1
        if 0 <= action < memory.place_of.shape[0]:
            place = memory.place_of[action]
        if place < 0 or (memory.bits[i, place >> 6] >> (U(place) & _63)) & _1 == _0:
            cuda.atomic.add(memory.refused, 0, 1)
        else:
            row = memory.words[i]
            advance(i, action, row, memory, memory.tables, pack, hands)
            _publish(i, row, memory)


@_kernel
def play(steps: int, memory: Any) -> None:
    """Carry out `steps` random actions in each environment, each with the output of `step`."""
    i = cuda.grid(1)
    if i < memory.words.shape[0]:
        pack, hands = cuda.local.array(PACK, uint64), cuda.local.array(HANDS, uint64)
        row = memory.words[i]
        for _ in range(steps):
            advance(i, _chosen(i, memory), row, memory, memory.tables, pack, hands)
            _publish(i, row, memory)


@_kernel
def spread(memory: Any, mask: Any) -> None:
    """Write the legal actions as bytes by id, one thread a byte."""
    k = cuda.grid(1)
    actions = mask.shape[1]
    if k < mask.shape[0] * actions:
        i, action = k // actions, k % actions
        place = memory.place_of[action]
        mask[i, action] = (memory.bits[i, place >> 6] >> (U(place) & _63)) & _1

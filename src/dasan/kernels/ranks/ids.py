"""Translate the actions of `rank_catalogue` to action ids, and write legal actions as a list of ids, as bits and as a mask.

Actions come as six words, three of plays without the called card and three of plays with it. A seventh word has the bids and
calls, id 1 at bit 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Bytes, Longs, U, Words
from dasan.features import kinds
from dasan.kernels.env.buffers import Buffers, set_mask, signed, sort_legal
from dasan.kernels.ranks.tables import ACTIONS, PASS, rank_catalogue
from dasan.kernels.runtime.bits import deposit, extract, gather, popcount, spread
from dasan.kernels.runtime.compiled import lean, woven
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

_0, _1, _64 = U(0), U(1), U(64)
_PASS_PLACE = U(PASS - 128)
_RUNS = U((1 << 36) - 1)
"""The runs of single cards in word 1, and of pairs in word 2, see `_PLAIN`."""
NO_CARD = 63
BIDS = 6


class RankIds(NamedTuple):
    """by_action: the id, those with the called card after those without. codes: by id, the action, + 256 with the called
    card. calls: by card (16 × suit + rank), -1 for cards that cannot be called; call_cards: the inverse. first_call,
    first_row: ids. kinds: by action, the flag of its kind; number_of_kinds. shown: by action, the flags of its cards. reveal:
    whether everybody sees the kitty.

    bases, offsets: bit b of word j is id bases[j] + offsets[64 j + b]. bits, places: of word j of actions, the bits[6 k +
    j] are the bits places[6 k + j] of word k of a mask by id. in_order: whether ids grow with bits, and without the called
    card from part to part of `_PLAIN`, and there are at least 64 of them, as in all presets; then bits and places can be
    used. plain: whether they are laid out as in
    `plain_words`, as in all presets of three players.
    """

    by_action: npt.NDArray[np.int16]
    codes: Longs
    calls: Longs
    call_cards: Longs
    first_call: int
    first_row: int
    kinds: Words
    number_of_kinds: int
    shown: Words
    reveal: bool
    session: bool
    bases: Longs
    offsets: Bytes
    bits: Words
    places: Words
    in_order: bool
    plain: bool


def rank_ids(rules: Rules, session: bool) -> RankIds:
    catalogue = rank_catalogue(rules)
    scheme = action_ids(rules)
    rows = rules.catalogue.rows
    ids = np.zeros(2 * ACTIONS, np.int16)
    codes = np.zeros(scheme.count, np.int64)
    flags, shown = np.zeros(ACTIONS, np.uint64), np.zeros(ACTIONS, np.uint64)
    names = kinds(rules)
    actions = {
        (rows[row].family, rows[row].strength): action for action, row in enumerate(catalogue.rows.tolist()) if row >= 0
    }
    for row in rows:
        action = actions[row.family, row.strength]
        with_called = ACTIONS if row.called else 0
        ids[with_called + action] = scheme.rows + row.id
        codes[scheme.rows + row.id] = action + (256 if row.called else 0)
        flags[action] = 1 << names.index(row.kind)
        shown[action] = sum(1 << (13 * n + rank) for rank, copies in row.pattern.counts for n in range(copies))
    codes[0] = PASS
    calls = np.full(64, -1, np.int64)
    spots = []
    for i, card in enumerate(scheme.callable_cards):
        rank, suit = rules.order.place[card]
        calls[16 * suit + rank] = i
        spots.append(16 * suit + rank)
    bases, offsets, bits, places, in_order = _words(ids, scheme.count)
    return RankIds(
        by_action=ids,
        codes=codes,
        calls=calls,
        call_cards=np.array([*spots, NO_CARD], np.int64),
        first_call=scheme.calls,
        first_row=scheme.rows,
        kinds=flags,
        number_of_kinds=len(names),
        shown=shown,
        reveal=rules.reveal_kitty,
        session=session,
        bases=bases,
        offsets=offsets,
        bits=bits,
        places=places,
        in_order=in_order,
        plain=_is_plain(ids),
    )


def _words(ids: npt.NDArray[np.int16], count: int) -> tuple[Longs, Bytes, Words, Words, bool]:
    """Build the word-wise arrays of `RankIds`. The pass, id 0, is handled separately."""
    plays = ids[_plain_places()]
    in_order = count >= 64 and bool((np.diff(plays[plays > 0]) > 0).all())
    bases = np.zeros(7, np.int64)
    offsets = np.zeros(7 * 64, np.uint8)
    n = (count + 63) // 64
    bits, places = np.zeros(6 * n, np.uint64), np.zeros(6 * n, np.uint64)
    bases[BIDS] = 1
    offsets[64 * BIDS :] = np.arange(64)
    for j in range(6):
        there = {bit: int(i) for bit, i in enumerate(ids.reshape(6, 64)[j]) if i > 0}
        bases[j] = min(there.values(), default=0)
        in_order = in_order and list(there.values()) == sorted(there.values())
        for bit, i in there.items():
            offsets[64 * j + bit] = i - bases[j]
            k = 6 * (i // 64) + j
            bits[k] |= _1 << U(bit)
            places[k] |= _1 << U(i % 64)
    return bases, offsets, bits, places, in_order


_PLAIN = ((0, 52), (64, 36), (128, 36), (100, 26), (164, 21))
"""Sets, then runs of single cards, pairs, triplets and quads: the first action and how many. Their ids, from 4 on, follow
each other without gaps.
"""


def _plain_places() -> Longs:
    return np.concatenate([np.arange(first, first + n) for first, n in _PLAIN])


def _is_plain(ids: npt.NDArray[np.int16]) -> bool:
    plays = _plain_places()
    wanted = np.zeros_like(ids)
    wanted[plays] = np.arange(4, 4 + len(plays))
    return np.array_equal(ids, wanted)


@woven
def write_legal(i: int, legal: tuple[np.uint64, ...], ids: RankIds, buffers: Buffers) -> None:
    """Write the legal actions of environment `i`, given as by `env.legal_of`, as bits by id, into its list and into its mask."""
    if ids.in_order:
        _write_words(i, legal, ids, buffers)
    else:
        _list_unordered(i, legal, ids, buffers)
        sort_legal(i, buffers)
        _copy_list(i, buffers)


@woven
def plain_words(bids: np.uint64, sets: np.uint64, ones: np.uint64, twos: np.uint64) -> tuple[np.uint64, ...]:
    """The legal ids as three words, laid out as in `_PLAIN`."""
    passes = twos >> _PASS_PLACE
    low = passes | (bids << _1) | (sets << U(4)) | (ones << U(56))
    middle = ((ones << U(28)) >> U(36)) | (twos << U(28))
    high = (ones >> U(36)) | (((twos << _1) >> U(37)) << U(26))
    return low, middle, high


@woven
def write_plain(
    i: int, bids: np.uint64, sets: np.uint64, ones: np.uint64, twos: np.uint64, ids: RankIds, buffers: Buffers
) -> None:
    """As `write_legal`, for plain ids."""
    if buffers.written.legal:
        _list_plain(i, bids, sets, ones, twos, ids, buffers)
    low, middle, high = plain_words(bids, sets, ones, twos)
    if buffers.written.bits:
        bits = buffers.bits
        bits[i, 0], bits[i, 1], bits[i, 2] = low, middle, high
        if not buffers.written.legal:
            buffers.num_legal[i] = popcount(low) + popcount(middle) + popcount(high)
    if buffers.written.mask:
        mask = buffers.mask
        spread(low, mask, i, 0)
        spread(middle, mask, i, 64)
        _spread_word(high, middle, 2, mask, i)


@lean
def _copy_list(i: int, buffers: Buffers) -> None:
    """Write the bits and the mask from the list of legal actions."""
    bits, mask = buffers.bits, buffers.mask
    for k in range(bits.shape[1]):
        bits[i, k] = _0
    for k in range(mask.shape[1]):
        mask[i, k] = 0
    set_mask(i, buffers)


@woven
def _list_plain(
    i: int, bids: np.uint64, sets: np.uint64, ones: np.uint64, twos: np.uint64, ids: RankIds, buffers: Buffers
) -> None:
    """Write the list of legal ids and its length, for ids in order, without the called card."""
    bases, offsets, listed = ids.bases, ids.offsets, buffers.legal
    passes = (twos >> _PASS_PLACE) & _1
    listed[i, 0] = 0
    n = np.int64(passes)
    if bids != _0:
        n = gather(bids, offsets, 64 * BIDS, bases[BIDS], listed, i, n)
    n = gather(sets, offsets, 0, bases[0], listed, i, n)
    twos ^= passes << _PASS_PLACE
    if ones | twos != _0:
        n = gather(ones & _RUNS, offsets, 64, bases[1], listed, i, n)
        n = gather(twos & _RUNS, offsets, 128, bases[2], listed, i, n)
        n = gather(ones & ~_RUNS, offsets, 64, bases[1], listed, i, n)
        n = gather(twos & ~_RUNS, offsets, 128, bases[2], listed, i, n)
    buffers.num_legal[i] = n


@woven
def _list_unordered(i: int, legal: tuple[np.uint64, ...], ids: RankIds, buffers: Buffers) -> None:
    """Write the list of legal ids, not yet sorted, and its length."""
    bids, with0, with1, with2, sets, ones, twos = legal
    bases, offsets, listed = ids.bases, ids.offsets, buffers.legal
    passes = (twos >> _PASS_PLACE) & _1
    twos ^= passes << _PASS_PLACE
    listed[i, 0] = 0
    n = np.int64(passes)
    n = gather(bids, offsets, 64 * BIDS, bases[BIDS], listed, i, n)
    n = gather(with0, offsets, 192, bases[3], listed, i, n)
    n = gather(with1, offsets, 256, bases[4], listed, i, n)
    n = gather(with2, offsets, 320, bases[5], listed, i, n)
    n = gather(sets, offsets, 0, bases[0], listed, i, n)
    n = gather(ones, offsets, 64, bases[1], listed, i, n)
    n = gather(twos, offsets, 128, bases[2], listed, i, n)
    buffers.num_legal[i] = n


@woven
def _write_words(i: int, legal: tuple[np.uint64, ...], ids: RankIds, buffers: Buffers) -> None:
    """Write the legal ids word by word: as bits, into the mask, and into the list; and how many there are."""
    bids, with0, with1, with2, sets, ones, twos_and_pass = legal
    bits, places, written = ids.bits, ids.places, buffers.written
    passes = (twos_and_pass >> _PASS_PLACE) & _1
    twos = twos_and_pass ^ (passes << _PASS_PLACE)
    called = with0 | with1 | with2 != _0
    runs = ones | twos != _0
    before = _0
    n = 0
    word = (bids << _1) | passes
    for k in range(places.shape[0] // 6):
        at = 6 * k
        word |= deposit(extract(sets, bits[at]), places[at])
        if runs:
            word |= deposit(extract(ones, bits[at + 1]), places[at + 1])
            word |= deposit(extract(twos, bits[at + 2]), places[at + 2])
        if called:
            word |= _called_word(with0, with1, with2, ids, at)
        if written.bits:
            buffers.bits[i, k] = word
        if written.mask:
            _spread_word(word, before, k, buffers.mask, i)
        if written.legal:
            if called:
                n = gather(word, ids.offsets, 64 * BIDS, 64 * k, buffers.legal, i, n)
        else:
            n += signed(popcount(word))
        before = word
        word = _0
    if written.legal and not called:
        _list_plain(i, bids, sets, ones, twos_and_pass, ids, buffers)
    else:
        buffers.num_legal[i] = n


@woven
def _called_word(with0: np.uint64, with1: np.uint64, with2: np.uint64, ids: RankIds, at: int) -> np.uint64:
    """The plays with the called card that belong to a word by id."""
    bits, places = ids.bits, ids.places
    word: np.uint64 = deposit(extract(with0, bits[at + 3]), places[at + 3])
    word |= deposit(extract(with1, bits[at + 4]), places[at + 4])
    word |= deposit(extract(with2, bits[at + 5]), places[at + 5])
    return word


@woven
def _spread_word(word: np.uint64, before: np.uint64, k: int, mask: Bytes, i: int) -> None:
    """Write word `k` as bytes of the mask. The last one ends where the mask ends, so it repeats some bits of `before`."""
    actions = mask.shape[1]
    over = 64 * k + 64 - actions
    if over <= 0:
        spread(word, mask, i, 64 * k)
    else:
        spread((before >> (_64 - U(over))) | (word << U(over)), mask, i, actions - 64)

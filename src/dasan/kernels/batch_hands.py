"""Who holds what in the batched environments: hand sizes for move features, and hidden cards as perfect information.

The only code beside each game's own that reads its environments' rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.features import by_rank
from dasan.kernels import batch_canon, batch_rank, batch_set
from dasan.kernels.batch_io import Buffers, finish_flags, put, put_seat, signed
from dasan.kernels.bits import extract, popcount
from dasan.kernels.compiled import inlined, lean
from dasan.kernels.rank_auction import counts_of
from dasan.ruleset import Rules

U = np.uint64
Words = npt.NDArray[np.uint64]
Sizes = npt.NDArray[np.uint8]
_0 = U(0)
_HELD = U(0x1FFF_1FFF_1FFF_1FFF)
_BELOW_JOKERS = U((1 << 53) - 1)


class Game(NamedTuple):
    """players. block: flags of one deck. decks. kitty, call: whether there is one."""

    players: int
    block: int
    decks: int
    kitty: bool
    call: bool


def counter(rules: Rules, state: Any, b: Buffers) -> Callable[[int, int, Sizes], None]:
    """What writes how many cards the seat to act holds: (first, last, sizes)."""
    words, kernel = _words(state), _kernels(rules)[0]
    return lambda first, last, held: kernel(first, last, words, b.to_act, held)


def shower(rules: Rules, state: Any, b: Buffers, out: Words) -> Callable[[int, int, Words], None]:
    """What writes the hidden cards into `out`: (first, last, scratch)."""
    words, kernel = _words(state), _kernels(rules)[1]
    game = Game(rules.players, 52 + 2 * rules.jokers, rules.decks, rules.kitty_size > 0, rules.call is not None)
    return lambda first, last, scratch: kernel(first, last, words, b.to_act, game, out)


def _kernels(rules: Rules) -> tuple[Callable[..., None], Callable[..., None]]:
    if by_rank(rules):
        return _count_rank, _show_rank
    if rules.hand_size is not None:
        return _count_set, _show_set
    return _count_canon, _show_canon


def _words(state: Any) -> Words:
    """The environments' rows, whichever memory they are part of."""
    words: Words = getattr(state, "words", state)
    return words


@inlined
def _next(seat: int, players: int) -> int:
    return seat + 1 if seat + 1 < players else 0


@lean
def _count_rank(first: int, last: int, words: Words, to_act: npt.NDArray[np.int8], held: Sizes) -> None:
    for i in range(first, last):
        held[i] = popcount(words[i, batch_rank.HAND + to_act[i]])


@lean
def _count_set(first: int, last: int, words: Words, to_act: npt.NDArray[np.int8], held: Sizes) -> None:
    for i in range(first, last):
        held[i] = popcount(words[i, batch_set.HAND + to_act[i]])


@lean
def _count_canon(first: int, last: int, words: Words, to_act: npt.NDArray[np.int8], held: Sizes) -> None:
    for i in range(first, last):
        seat = to_act[i]
        held[i] = popcount(words[i, batch_canon.ONE + seat]) + popcount(words[i, batch_canon.TWO + seat])


@lean
def _show_rank(first: int, last: int, words: Words, to_act: npt.NDArray[np.int8], g: Game, out: Words) -> None:
    for i in range(first, last):
        acc, at = _0, 0
        seat = _next(to_act[i], g.players)
        for _ in range(g.players - 1):
            acc, at = put(acc, at, extract(words[i, batch_rank.HAND + seat], _HELD), 52, out, i)
            seat = _next(seat, g.players)
        if g.kitty:
            acc, at = put(acc, at, extract(counts_of(words[i, batch_rank.DEALT + 4]), _HELD), 52, out, i)
        if g.call:
            acc, at = put_seat(acc, at, words[i, batch_rank.PARTNER], signed(to_act[i]), g.players, out, i)
        finish_flags(acc, at, out, i)


@lean
def _show_set(first: int, last: int, words: Words, to_act: npt.NDArray[np.int8], g: Game, out: Words) -> None:
    for i in range(first, last):
        acc, at = _0, 0
        seat = _next(to_act[i], g.players)
        for _ in range(g.players - 1):
            acc, at = put(acc, at, words[i, batch_set.HAND + seat], 52, out, i)
            seat = _next(seat, g.players)
        finish_flags(acc, at, out, i)


@inlined
def _side_by_side(cards: np.uint64) -> np.uint64:
    """The jokers' bits 52 and 56 beside each other."""
    return (cards & _BELOW_JOKERS) | ((cards >> U(56)) << U(53))


@lean
def _show_canon(first: int, last: int, words: Words, to_act: npt.NDArray[np.int8], g: Game, out: Words) -> None:
    for i in range(first, last):
        acc, at = _0, 0
        seat = _next(to_act[i], g.players)
        for _ in range(g.players - 1):
            acc, at = put(acc, at, _side_by_side(words[i, batch_canon.ONE + seat]), g.block, out, i)
            if g.decks == 2:
                acc, at = put(acc, at, _side_by_side(words[i, batch_canon.TWO + seat]), g.block, out, i)
            seat = _next(seat, g.players)
        finish_flags(acc, at, out, i)

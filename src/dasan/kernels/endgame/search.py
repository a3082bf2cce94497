"""Endgames: the least that a seat gets, with its side, against all others together, by proof-number search.

The claim to prove is that the seat gets at least a given payment or place; `proofs.loop` has the loop.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,no-any-return,return-value"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dasan.arrays import Ints, Longs, U, Words
from dasan.kernels.endgame.games import allied, carry_out, key_of, list_moves, mover, rivals, skip, turns, verdict
from dasan.kernels.proofs.loop import CHECK, COUNT, FIRST, KEY, enter_root, make_proceed, new_counters, run_for
from dasan.kernels.proofs.transpositions import BUCKET_WORDS, LOST, WON, find, numbers_in, packed
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.random64 import mixed

_0, _1, _15, _24, _SALT = U(0), U(1), U(15), U(24), U(0x8EBC6AF09C88C6E3)
MOVE = 4
"""A word of `counters`, beside those of `proofs.loop`: the move that proves the root, or NO_MOVE."""
NO_MOVE = -1
_NOTHING = np.zeros(0, np.uint64)


class EndgameSearch(NamedTuple):
    """The state of one search, and the transposition table that it shares with other searches for the same seat.

    keys, plies, children, numbers, counters, transpositions: see `proofs.loop`. rows: a position a ply, and one to work on. paid:
    payments of a ply, where a game keeps them. moves: the move that leads to each child. plays, scratch: working memory.
    """

    rows: Words
    paid: Ints
    keys: Words
    plies: Longs
    children: Words
    moves: Ints
    numbers: Words
    counters: Longs
    transpositions: Words
    plays: Ints
    scratch: Words


def new_search(
    memory: int, columns: int, players: int, cards: int, most: int, scratch: int, buckets: int = 1 << 8
) -> EndgameSearch:
    """Allocate a search whose transposition table takes at most `memory` bytes. Positions have `columns` words and at most
    `cards` cards, and no seat has more than `most` moves.
    """
    depth = cards * players + 2
    most_buckets = max(1, memory // (8 * BUCKET_WORDS))
    return EndgameSearch(
        rows=np.zeros((depth + 1, columns), np.uint64),
        paid=np.zeros((depth + 1, players), np.int32),
        keys=np.zeros((depth, 2), np.uint64),
        plies=np.zeros((depth, 6), np.int64),
        children=np.empty((depth * most, 2), np.uint64),
        moves=np.empty(depth * most, np.int32),
        numbers=np.empty(depth * most, np.uint64),
        counters=new_counters(buckets, most_buckets),
        transpositions=np.zeros(most_buckets * BUCKET_WORDS, np.uint64),
        plays=np.zeros(most, np.int32),
        scratch=np.zeros(scratch, np.uint64),
    )


def another(search: EndgameSearch) -> EndgameSearch:
    """A search of the position in `rows[0]` for another thread, with the transposition table of `search`."""
    own = EndgameSearch._make(array.copy() for array in search._replace(transpositions=_NOTHING))
    return own._replace(transpositions=search.transpositions)


class Claim(NamedTuple):
    """The claim that seat `me` gets `least` or more. game: the tables of its endgames."""

    me: int
    least: int
    game: Any


@lean
def begin(search: EndgameSearch, claim: Claim) -> int:
    """Start at the position in `rows[0]`; return 1 or -1 if it is decided at once (as `proceed`), else 0."""
    me, least, game = claim
    search.counters[MOVE] = NO_MOVE
    clear = verdict(search.rows, 0, False, me, least, game)
    if clear != 0:
        return clear
    skip(search.rows, search.paid, 0, search.plays, game, search.scratch)
    key, check = key_of(search.rows, 0, _salt(me, least), game)
    return enter_root(search, key, check)


@woven
def _salt(me: int, least: int) -> np.uint64:
    """A word that separates the keys of this claim from those of others."""
    return mixed(U(me + 1) * _SALT + U(least + (1 << 40)))


@woven
def _ours(search: EndgameSearch, ply: int, claim: Claim) -> bool:
    return allied(search.rows, ply, mover(search.rows, ply, claim.game), claim.me, claim.game)


@woven
def _leave(search: EndgameSearch, ply: int, best: int, proved: bool, claim: Claim) -> None:
    """Keep the move that decides the root."""
    if ply == 0 and proved:
        search.counters[MOVE] = search.moves[best]


@woven
def _follow(search: EndgameSearch, ply: int, best: int, nodes: int, claim: Claim) -> None:
    """Write the position after child `best` to the next ply."""
    _copy(search, ply, ply + 1)
    carry_out(search.rows, search.paid, ply + 1, search.moves[best], claim.game, search.scratch)
    skip(search.rows, search.paid, ply + 1, search.plays, claim.game, search.scratch)


@woven
def _copy(search: EndgameSearch, source: int, target: int) -> None:
    for column in range(search.rows.shape[1]):
        search.rows[target, column] = search.rows[source, column]


@woven
def _expand(search: EndgameSearch, ply: int, ours: bool, buckets: np.uint64, claim: Claim) -> None:
    """List the children of a ply with their numbers, without those that are lost for the mover; if one child decides the
    ply, list only that one.
    """
    me, least, game = claim
    salt = _salt(me, least)
    first = search.plies[ply, FIRST]
    n = list_moves(search.rows, ply, search.moves[first:], game, search.scratch)
    won = WON if ours else LOST
    lost = LOST if ours else WON
    left = first
    for k in range(first, first + n):
        move = search.moves[k]
        _copy(search, ply, ply + 1)
        over = carry_out(search.rows, search.paid, ply + 1, move, game, search.scratch)
        clear = verdict(search.rows, ply + 1, over, me, least, game)
        key, check = _0, _0
        if clear != 0:
            numbers = WON if clear > 0 else LOST
        else:
            skip(search.rows, search.paid, ply + 1, search.plays, game, search.scratch)
            key, check = key_of(search.rows, ply + 1, salt, game)
            entry = find(search.transpositions, buckets, key, check)
            numbers = numbers_in(entry) if entry != _0 else _estimated(search, ply + 1, me, least, game)
        if numbers == won:
            search.numbers[first] = won
            search.moves[first] = move
            search.plies[ply, COUNT] = 1
            return
        if numbers != lost:
            search.numbers[left] = numbers
            search.moves[left] = move
            search.children[left, KEY] = key
            search.children[left, CHECK] = check
            left += 1
    search.plies[ply, COUNT] = left - first


@woven
def _estimated(search: EndgameSearch, at: int, me: int, least: int, game: Any) -> np.uint64:
    """Initial proof and disproof numbers: the turns that the side still needs and those that its rivals need, cubed, and
    halved for the side to act.
    """
    mine = 15
    # The number of rivals by the turns they need, four bits each; a hand needs at most 15, one a rank.
    counted = _0
    for seat in range(search.paid.shape[1]):
        needed_turns = turns(search.rows, at, seat, game)
        if allied(search.rows, at, seat, me, game):
            mine = min(mine, needed_turns)
        else:
            counted += _1 << U(4 * needed_turns)
    needed = rivals(search.rows, at, least, game)
    theirs = 0
    while needed > 0 and theirs < 15:
        theirs += 1
        needed -= np.int64((counted >> U(4 * theirs)) & _15)
    ours = allied(search.rows, at, mover(search.rows, at, game), me, game)
    return packed(1 + mine * mine * mine // (4 if ours else 2), 1 + theirs * theirs * theirs // (2 if ours else 4))


proceed = make_proceed(__name__, _ours, _expand, _leave, _follow)


def search_on(searches: Sequence[EndgameSearch], claim: Claim, nodes: int) -> tuple[int, int]:
    """Continue each search for `nodes` nodes, in threads; return (value, nodes used by all)."""
    outcome = run_for(proceed, searches, claim, nodes)
    proving = [search.counters[MOVE] for search in searches if search.counters[MOVE] != NO_MOVE]
    searches[0].counters[MOVE] = proving[0] if proving else NO_MOVE
    return outcome

"""Big Three and Wa Keng with open hands: who goes out first with best play on both sides, by proof-number search.

The claim is that the bidder's side wins; `proofs.loop` has the loop.
"""

# Compiled code moves between signed and unsigned words, which have no common static type.
# mypy: disable-error-code="assignment,no-any-return,return-value"

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dasan.arrays import Doubles, Longs, U, Words
from dasan.kernels.proofs.loop import (
    BUCKETS,
    COUNT,
    FIRST,
    KEY,
    NEW,
    enter_root,
    make_proceed,
    new_counters,
    run_for,
)
from dasan.kernels.proofs.transpositions import BUCKET_WORDS, LOST, WON, bucket_of, find, numbers_in, packed, spread
from dasan.kernels.ranks.play import legal_words, taken
from dasan.kernels.ranks.solver.estimate import SPLIT_WORDS, estimate, forecast, judged, split_all, weights
from dasan.kernels.ranks.solver.learned import NONE, Network, form_of, gather, new_network
from dasan.kernels.ranks.solver.move_cache import MOST, is_cached, keep, keep_numbers, new_cache, place_of, recall
from dasan.kernels.ranks.solver.position import (
    SEATS,
    action_of,
    after_pass,
    after_play,
    faced,
    key_of,
    mover_of,
    on_lead,
)
from dasan.kernels.ranks.solver.sure_wins import Cover, new_cover, surely
from dasan.kernels.ranks.tables import LEAD, PASS, RankCatalogue, rank_catalogue
from dasan.kernels.runtime.bits import prefetch, trailing_zeros
from dasan.kernels.runtime.compiled import lean, woven
from dasan.kernels.runtime.compiled import ready as compiled_already

_0, _1, _3, _8, _24 = U(0), U(1), U(3), U(8), U(24)
_ACTION, _CONTEXT, _CHECK = U(0xFF), U(0xFFFF), U(0x7FF << 53)
UNKNOWN = U(0)

_PASS = U(PASS)

DEPTH = 216
"""More plies than a hand can have: each play may be followed by a pass of every other player."""
CHILDREN = 1 << 14
"""More children than all plies of one line have together."""
KEPT_FROM = 2_000
"""Nodes before move lists are cached, so that short searches do not touch that memory."""
CACHE_SHARE = 8
"""The move cache takes at most one part in CACHE_SHARE of the memory."""
NEVER = 1 << 62
MOVE, PLACE, KEEPS = 1, 6, 4
"""A column of `children`, in the place of CHECK, one of `plies` and a word of `counters`, beside those of `proofs.loop`."""


class Search(NamedTuple):
    """The state of one search, and the transposition table that it shares with other searches of the same deal.

    keys, plies, children, numbers, counters, transpositions: see `proofs.loop`. hands: four words a ply. contexts: one a ply.
    plies also has PLACE, the index of the ply's entry in `move_cache` (before the ply is expanded: where it may be), or -1: none.
    MOVE of `children` is the action (8 bits), the context after it (16) and the top of the check word. counters also has KEEPS,
    the number of nodes after which children are cached. splits: the split hands of a ply. cover: scratch of `surely`.
    move_cache: the cached children, see the module of that name.
    """

    hands: Words
    contexts: Words
    keys: Words
    plies: Longs
    children: Words
    numbers: Words
    counters: Longs
    transpositions: Words
    weights: Doubles
    splits: Words
    cover: Cover
    move_cache: Words
    network: Network


def new_search(memory: int, buckets: int = 1 << 8) -> Search:
    """Allocate a search whose transposition table and move cache take at most `memory` bytes; `buckets`, a power of two, are in
    use at first.
    """
    move_cache = new_cache(memory // CACHE_SHARE)
    most = max(1, (memory - move_cache.nbytes) // (8 * BUCKET_WORDS))
    counters = new_counters(buckets, most)
    counters[KEEPS] = KEPT_FROM if move_cache.size else NEVER
    return Search(
        hands=np.zeros(DEPTH * SEATS, np.uint64),
        contexts=np.zeros(DEPTH, np.uint64),
        keys=np.zeros((DEPTH, 2), np.uint64),
        plies=np.empty((DEPTH, 7), np.int64),
        children=np.empty((CHILDREN, 2), np.uint64),
        numbers=np.empty(CHILDREN, np.uint64),
        counters=counters,
        transpositions=np.zeros(most * BUCKET_WORDS, np.uint64),
        weights=weights(),
        splits=np.zeros(SPLIT_WORDS * SEATS, np.uint64),
        cover=new_cover(),
        move_cache=move_cache,
        network=new_network(),
    )


def another(search: Search) -> Search:
    """A search for another thread, with the transposition table of `search` and a move cache of its own."""
    return new_search(0)._replace(
        transpositions=search.transpositions, move_cache=np.zeros(search.move_cache.size, np.uint64)
    )


class Sides(NamedTuple):
    """The claim that the bidder's side wins. side: its seats as bits."""

    players: int
    side: np.uint64
    catalogue: RankCatalogue


@lean
def begin(search: Search, claim: Sides, context: np.uint64) -> int:
    """Start at the position in `hands[:players]`; return 1 or -1 if it is decided at once (as `proceed`), else 0."""
    search.contexts[0] = context
    search.plies[0, PLACE] = -1
    key, check = key_of(search.hands, 0, claim.players, context, claim.catalogue)
    known = enter_root(search, key, check)
    if known != 0:
        return known
    return surely(search.hands, 0, claim.players, claim.side, context, claim.catalogue, search.cover)


@woven
def _ours(search: Search, ply: int, claim: Sides) -> bool:
    return (claim.side >> U(mover_of(search.contexts[ply]))) & _1 != _0


@woven
def _leave(search: Search, ply: int, best: int, proved: bool, claim: Sides) -> None:
    """Write the children's numbers back to the move cache."""
    place = search.plies[ply, PLACE]
    if place >= 0 and is_cached(
        search.move_cache, place, search.hands, SEATS * ply, claim.players, search.contexts[ply]
    ):
        keep_numbers(search.move_cache, place, search.numbers, search.plies[ply, FIRST], search.plies[ply, COUNT])


@woven
def _follow(search: Search, ply: int, best: int, nodes: int, claim: Sides) -> None:
    """Write the position after child `best` to the next ply, and prefetch its entry in the move cache."""
    seat = mover_of(search.contexts[ply])
    above, below = SEATS * ply, SEATS * (ply + 1)
    for i in range(claim.players):
        search.hands[below + i] = search.hands[above + i]
    move = search.children[best, MOVE]
    search.hands[below + seat] = taken(search.hands[below + seat], move & _ACTION, claim.catalogue)
    context = (move >> _8) & _CONTEXT
    search.contexts[ply + 1] = context
    place = -1
    if nodes >= search.counters[KEEPS]:
        place = place_of(search.move_cache, search.hands, below, claim.players, context)
        prefetch(search.move_cache, place)
    search.plies[ply + 1, PLACE] = place


@woven
def _expand(search: Search, ply: int, ours: bool, buckets: np.uint64, claim: Sides) -> None:
    """List the children of a ply with their numbers, without those that are lost for the mover; if one child decides the
    ply, list only that one.
    """
    players, side, catalogue = claim
    context = search.contexts[ply]
    above = SEATS * ply
    first = search.plies[ply, FIRST]
    place = search.plies[ply, PLACE]
    if (
        place >= 0
        and search.plies[ply, COUNT] != NEW
        and is_cached(search.move_cache, place, search.hands, above, players, context)
    ):
        search.plies[ply, COUNT] = recall(search.move_cache, place, search.numbers, search.children, first)
        return
    search.plies[ply, PLACE] = -1
    seat = mover_of(context)
    below = above + SEATS
    hand = search.hands[above + seat]
    for i in range(players):
        search.hands[below + i] = search.hands[above + i]
    sets, ones, twos = legal_words(hand, action_of(context), catalogue)
    if on_lead(context):
        twos &= ~(_1 << U(PASS - 128))
    child = first
    for word in range(3):
        bits = sets if word == 0 else ones if word == 1 else twos
        while bits != _0:
            action = U(64 * word) + trailing_zeros(bits)
            bits &= bits - _1
            if action == _PASS:
                search.hands[below + seat] = hand
                after = after_pass(search.hands, above, players, context, catalogue)
            else:
                left = taken(hand, action, catalogue)
                search.hands[below + seat] = left
                if left == _0:
                    search.numbers[first] = WON if ours else LOST
                    search.plies[ply, COUNT] = 1
                    return
                after = after_play(search.hands, below, players, seat, action, catalogue)
            key, check = key_of(search.hands, below, players, after, catalogue)
            prefetch(search.transpositions, bucket_of(key, buckets))
            search.children[child, KEY] = key
            search.children[child, MOVE] = action | (after << _8) | (check & _CHECK)
            child += 1
    search.plies[ply, COUNT] = child - first
    if not _recognised(search, ply, players, side, buckets, catalogue):
        _estimated(search, ply, players, side, catalogue)
        count = search.plies[ply, COUNT]
        if place >= 0 and count <= MOST:
            search.plies[ply, PLACE] = place
            keep(
                search.move_cache,
                place,
                search.hands,
                above,
                players,
                context,
                search.numbers,
                search.children,
                first,
                count,
            )


@woven
def _recognised(
    search: Search, ply: int, players: int, side: np.uint64, buckets: np.uint64, catalogue: RankCatalogue
) -> bool:
    """Look up the children in the transposition table and among sure wins, mark the others `UNKNOWN`, and remove those that are
    lost for the mover. True if one decides the ply; it is then the only child.
    """
    seat = mover_of(search.contexts[ply])
    hand = search.hands[SEATS * ply + seat]
    ours = (side >> U(seat)) & _1 != _0
    won = WON if ours else LOST
    lost = LOST if ours else WON
    below = SEATS * (ply + 1)
    first = search.plies[ply, FIRST]
    left = first
    for child in range(first, first + search.plies[ply, COUNT]):
        key, move = search.children[child, KEY], search.children[child, MOVE]
        entry = find(search.transpositions, buckets, key, move)
        if entry != _0:
            numbers = numbers_in(entry)
        else:
            search.hands[below + seat] = taken(hand, move & _ACTION, catalogue)
            value = surely(search.hands, below, players, side, (move >> _8) & _CONTEXT, catalogue, search.cover)
            numbers = UNKNOWN if value == 0 else WON if value > 0 else LOST
        if numbers == won:
            search.numbers[first] = won
            search.plies[ply, COUNT] = 1
            return True
        if numbers != lost:
            search.numbers[left] = numbers
            search.children[left, KEY] = key
            search.children[left, MOVE] = move
            left += 1
    search.plies[ply, COUNT] = left - first
    return False


@woven
def _estimated(search: Search, ply: int, players: int, side: np.uint64, catalogue: RankCatalogue) -> None:
    """Estimate the numbers of children that have none."""
    seat = mover_of(search.contexts[ply])
    above = SEATS * ply
    below = above + SEATS
    first = search.plies[ply, FIRST]
    split_all(search.hands, above, players, search.splits)
    if form_of(players, side) != NONE:
        gather(search.hands, above, players, side, search.network)
    for child in range(first, first + search.plies[ply, COUNT]):
        if search.numbers[child] == UNKNOWN:
            move = search.children[child, MOVE]
            search.hands[below + seat] = taken(search.hands[above + seat], move & _ACTION, catalogue)
            proof, disproof = estimate(
                search.hands,
                below,
                players,
                side,
                seat,
                (move >> _8) & _CONTEXT,
                catalogue,
                search.weights,
                search.splits,
                search.hands[above + seat] & ~search.hands[below + seat],
                search.network,
            )
            search.numbers[child] = packed(proof, disproof)


proceed = make_proceed(__name__, _ours, _expand, _leave, _follow)


def leading(seat: int) -> int:
    """The context in which `seat` leads."""
    return seat | seat << 2 | LEAD << 8


def facing(
    hands: tuple[int, ...], actor: int, owner: int, waiting: list[int], action: int, catalogue: RankCatalogue
) -> int:
    """The context in which `actor` and the others of `waiting` may beat `owner`'s `action`."""
    words = np.array(hands, np.uint64)
    able = sum(1 << seat for seat in waiting)
    before = (actor - 1) % len(hands)
    return int(faced(words, 0, len(hands), before, owner, U(able), U(action), catalogue))


def set_out(
    search: Search, players: int, hands: tuple[int, ...], side: int, context: int, catalogue: RankCatalogue
) -> int:
    """Put a position into `search`; return its value, as `proceed` does, if it is decided at once."""
    for seat, hand in enumerate(hands):
        search.hands[seat] = hand
    return int(begin(search, Sides(players, U(side), catalogue), U(context)))


def search_on(
    searches: Sequence[Search], players: int, side: int, nodes: int, catalogue: RankCatalogue
) -> tuple[int, int]:
    """Continue each search for `nodes` nodes, in threads; return (value, nodes used by all)."""
    return run_for(proceed, searches, Sides(players, U(side), catalogue), nodes)


def odds_of(
    search: Search, players: int, hands: tuple[int, ...], side: int, context: int, catalogue: RankCatalogue
) -> float:
    """The estimated natural logarithm of the odds that the bidder's side wins."""
    words = np.array(hands, np.uint64)
    split_all(words, 0, players, search.splits)
    if form_of(players, U(side)) != NONE:
        gather(words, 0, players, U(side), search.network)
        return float(judged(words, 0, players, U(side), 0, _0, U(context), catalogue, search.splits, search.network)[0])
    return float(forecast(words, 0, players, U(side), U(context), catalogue, search.weights, search.splits)[0])


def ready() -> bool:
    """Whether the machine code of the search is loaded or cached on disk."""
    from dasan.games import make_rules

    if warm_up.cache_info().currsize:
        return True

    return compiled_already(proceed, new_search(1 << 16), Sides(3, U(1), rank_catalogue(make_rules("big-three"))), 0)


@lru_cache(maxsize=1)
def warm_up() -> None:
    """Compile all functions of the search, so that no time limit includes the compilation."""
    from dasan.games import make_rules

    catalogue = rank_catalogue(make_rules("big-three"))
    search = new_search(1 << 16)
    hands = (0b11, 0b1100, 0b101)
    if set_out(search, 3, hands, 1, leading(0), catalogue) == 0:
        search_on([search], 3, 1, 10, catalogue)
    facing(hands, 1, 0, [1, 2], 0, catalogue)
    odds_of(search, 3, hands, 1, leading(0), catalogue)
    odds_of(search, 4, (*hands, 0b10000), 1, leading(0), catalogue)
    spread(search.transpositions, int(search.counters[BUCKETS]) // 2)

"""Append derived features to rows of features, see `dasan.networks.derived`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.kernels.runtime.compiled import compiled

Bytes = npt.NDArray[np.uint8]
Longs = npt.NDArray[np.int64]
NUMBERS = 16
"""One-hot flags of a number: 0, 1, … 14, 15 or more."""
CARDS = 52
"""The flags of cards that have a suit; jokers follow."""
FLUSH = 5
"""The number of cards in a flush."""


@compiled
def _above(play: Longs, unseen: Longs, in_runs: npt.NDArray[np.bool_], pairs_apart: bool) -> int:
    """The number of higher ranks, or runs of as many ranks, of which others may hold as many cards as the largest groups
    of a play have; -1 if there is no play, or those groups are no run. play: by rank, its cards.
    """
    ranks = len(play)
    most, lowest, highest, wide = 0, 0, 0, 0
    for rank in range(ranks):
        n = play[rank]
        if n > most:
            most, lowest, wide = n, rank, 0
        if n > 0 and n == most:
            highest = rank
            wide += 1
    if most == 0:
        return -1
    run = min(most, 2) - 1
    row = highest - lowest + 1 == wide
    for rank in range(lowest, highest + 1):
        row = row and (wide == 1 or in_runs[run, rank])
    if not row:
        if most == 1 or not pairs_apart:
            return -1
        lowest, wide = highest, 1
    above, length = 0, 0
    for rank in range(lowest + 1, ranks):
        fits = unseen[rank] >= most and (wide == 1 or in_runs[run, rank])
        length = length + 1 if fits else 0
        above += int(length >= wide)
    return above


@compiled
def _answer(
    obs: Bytes,
    players: int,
    sizes_at: int,
    held: Longs,
    remaining: Longs,
    unseen: Longs,
    in_runs: npt.NDArray[np.bool_],
    pairs_apart: bool,
    moves_at: Longs,
    out: Bytes,
) -> None:
    """Write the features `above`, `enough` and `just_enough` of a move into its row `out`.

    held, remaining, unseen: by rank, the cards of the hand before and after it, and those that others may hold. For the other
    arguments see `derive`.
    """
    above_at, enough_at, just_enough_at = moves_at[7], moves_at[8], moves_at[9]
    size = 0
    for rank in range(len(held)):
        size += held[rank] - remaining[rank]
    if size <= 0:
        return
    for k in range(players - 1):
        many = obs[sizes_at + 1 + k]
        out[enough_at + k] = int(many >= size)
        out[just_enough_at + k] = int(many == size)
    above = _above(held - remaining, unseen, in_runs, pairs_apart)
    if above >= 0:
        out[above_at + min(NUMBERS - 1, above)] = 1


class DerivedTables(NamedTuple):
    """The game data that `derive` reads.

    rank_of, move_rank_of: the rank of each flag of a set of cards, in observations and in moves. seen: where the sets of
    cards begin in an observation that nobody else holds. hand, table, cards: where the own hand begins, the cards on the
    table, and the cards of a move. pack: cards of each rank. in_pack: by flag, whether the pack has the card. in_runs: bool
    [2, ranks], the ranks of straights, and of runs of pairs. shortest: the number of ranks in the shortest of each. copies:
    the most cards of one rank. carries: a group of so many cards takes a kicker along; more than `copies` where no play has
    kickers. pairs_apart: whether two separate pairs are a play. players: how many there are. obs_at: where the numbers of
    cards that seats hold begin, then the new features of observations. moves_at: where those of moves begin. The last of
    both may be missing: who can answer a play, and what depends on suits. With the latter, the flag of a card is 4 × its
    rank + its suit, and a single card beats all of lower flags.
    """

    rank_of: Longs
    move_rank_of: Longs
    seen: Longs
    hand: int
    table: int
    cards: int
    pack: Longs
    in_pack: npt.NDArray[np.bool_]
    in_runs: npt.NDArray[np.bool_]
    shortest: Longs
    copies: int
    carries: int
    pairs_apart: bool
    players: int
    obs_at: Longs
    moves_at: Longs


@compiled
def _observed_suits(
    obs: Bytes,
    tables: DerivedTables,
    unseen: Longs,
    others: npt.NDArray[np.bool_],
    mine: npt.NDArray[np.bool_],
    out: Bytes,
) -> int:
    """Write `suits_unseen` and `table_above` into a row `out`, and fill `others` and `mine`: by flag, the cards that others may
    hold, and those of the hand. Returns the highest flag of `others`, or -1. unseen: by rank, the number of the former.
    """
    on_table = np.zeros(len(unseen), np.int64)
    top = single = -1
    by_suit = np.zeros(4, np.int64)
    for j in range(len(others)):
        others[j] = tables.in_pack[j]
        for start in tables.seen:
            others[j] &= obs[start + j] == 0
        mine[j] = obs[tables.hand + j] != 0
        if others[j]:
            top = j
            by_suit[j & 3] += int(j < CARDS)
        if obs[tables.table + j]:
            single = j
            on_table[tables.rank_of[j]] += 1
    for suit in range(4):
        out[tables.obs_at[3] + suit * NUMBERS + by_suit[suit]] = 1
    above = _above(on_table, unseen, tables.in_runs, tables.pairs_apart)
    if on_table.sum() == 1:
        above = int(others[single + 1 :].sum())
    if above >= 0:
        out[tables.obs_at[4] + min(NUMBERS - 1, above)] = 1
    return top


@compiled
def _move_suits(
    move: Bytes,
    tables: DerivedTables,
    remaining: Longs,
    others: npt.NDArray[np.bool_],
    mine: npt.NDArray[np.bool_],
    top: int,
    out: Bytes,
) -> None:
    """Write `suits_kept`, `flush_saves`, `controls` and `higher` of a move into its row `out`. remaining: by rank, the hand after
    the move. others, mine, top: see `_observed_suits`.
    """
    by_suit, alone = np.zeros(4, np.int64), np.zeros(4, np.int64)
    size, single, controls = 0, 0, 0
    for j in range(len(mine)):
        if move[tables.cards + j]:
            size += 1
            single = j
        elif mine[j]:
            controls += int(j > top)
            if j < CARDS:
                by_suit[j & 3] += 1
                alone[j & 3] += int(remaining[j >> 2] == 1)
    saves = 0
    for suit in range(4):
        out[tables.moves_at[10] + suit * NUMBERS + by_suit[suit]] = 1
        if by_suit[suit] >= FLUSH:
            saves = max(saves, min(FLUSH, alone[suit]))
    out[tables.moves_at[11] + saves] = 1
    out[tables.moves_at[12] + min(NUMBERS - 1, controls)] = 1
    if size == 1:
        out[tables.moves_at[13] + min(NUMBERS - 1, int(others[single + 1 :].sum()))] = 1


@compiled
def derive(
    obs: Bytes,
    envs: Longs,
    num: npt.NDArray[np.int32],
    starts: Longs,
    moves: Bytes,
    tables: DerivedTables,
    out_obs: Bytes,
    out_moves: Bytes,
    begin: Longs,
) -> None:
    """Write one longer row of `obs` for each of `envs`, and longer rows of all its legal moves, begin[e] up to begin[e + 1].

    For the other arguments see `layers`.
    """
    (
        rank_of,
        move_rank_of,
        seen,
        hand,
        _,
        cards,
        pack,
        _,
        in_runs,
        shortest,
        copies,
        carries,
        pairs_apart,
        players,
        obs_at,
        moves_at,
    ) = tables
    sizes_at, unseen_at, answers, suits = obs_at[0], obs_at[1], len(obs_at) > 2, len(obs_at) > 3
    kept_at, groups_at, straights_at, pair_runs_at = moves_at[0], moves_at[1], moves_at[2], moves_at[3]
    beatable_at, plays_at, beatable_plays_at = moves_at[4], moves_at[5], moves_at[6]
    last = NUMBERS - 1
    ranks, slots = len(pack), len(rank_of)
    unseen, held, remaining = np.zeros(ranks, np.int64), np.zeros(ranks, np.int64), np.zeros(ranks, np.int64)
    highest = np.zeros(copies + 1, np.int64)
    others, mine = np.zeros(slots, np.bool_), np.zeros(slots, np.bool_)
    top = row = 0
    for e in range(len(envs)):
        i = envs[e]
        out_obs[e, :] = 0
        out_obs[e, : obs.shape[1]] = obs[i]
        unseen[:] = pack
        held[:] = 0
        for k in range(len(seen)):
            for j in range(slots):
                if obs[i, seen[k] + j]:
                    unseen[rank_of[j]] -= 1
        for j in range(slots):
            if obs[i, hand + j]:
                held[rank_of[j]] += 1
        if answers:
            for k in range(players):
                out_obs[e, obs_at[2] + k * NUMBERS + min(last, int(obs[i, sizes_at + k]))] = 1
        if suits:
            top = _observed_suits(obs[i], tables, unseen, others, mine, out_obs[e])
        highest[:] = -1
        for rank in range(ranks):
            n = max(0, min(unseen[rank], copies))
            if n > 0:
                out_obs[e, unseen_at + rank * copies + n - 1] = 1
            for c in range(1, n + 1):
                highest[c] = rank
        begin[e] = row
        for m in range(starts[i], starts[i] + num[i]):
            out_moves[row, :] = 0
            out_moves[row, : moves.shape[1]] = moves[m]
            remaining[:] = held
            for j in range(len(move_rank_of)):
                if moves[m, cards + j]:
                    remaining[move_rank_of[j]] -= 1
            if suits:
                _move_suits(moves[m], tables, remaining, others, mine, top, out_moves[row])
            groups = weak = 0
            carriers = small = small_weak = 0
            for rank in range(ranks):
                n = max(0, min(remaining[rank], copies))
                if n > 0:
                    beatable = int(highest[n] > rank)
                    out_moves[row, kept_at + 2 * (rank * copies + n - 1) + beatable] = 1
                    groups += 1
                    weak += beatable
                    carriers += int(n >= carries)
                    small += int(n < carries)
                    small_weak += beatable if n < carries else 0
            saved = 0
            for c in range(1, 3):
                length = 0
                for rank in range(ranks + 1):
                    if rank < ranks and in_runs[c - 1, rank] and remaining[rank] >= c:
                        length += 1
                        continue
                    if length >= shortest[c - 1]:
                        gone = 0
                        for k in range(rank - length, rank):
                            out_moves[row, (straights_at if c == 1 else pair_runs_at) + k] = 1
                            gone += int(remaining[k] == c)
                        saved = max(saved, gone - 1)
                    length = 0
            out_moves[row, groups_at + min(last, groups)] = 1
            out_moves[row, beatable_at + min(last, weak)] = 1
            in_run = saved + 1 if saved > 0 else 0
            plays = groups - saved - max(0, min(carriers, small - in_run))
            beatable_plays = weak - saved - max(0, min(carriers, small_weak - in_run))
            out_moves[row, plays_at + min(last, max(0, plays))] = 1
            out_moves[row, beatable_plays_at + min(last, max(0, beatable_plays))] = 1
            if answers:
                _answer(
                    obs[i], players, sizes_at, held, remaining, unseen, in_runs, pairs_apart, moves_at, out_moves[row]
                )
            row += 1
    begin[len(envs)] = row

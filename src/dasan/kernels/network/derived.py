"""Append derived features to rows of features, see `dasan.networks.derived`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dasan.arrays import Bytes, Flags, Ints, Longs, U
from dasan.kernels.env.buffers import signed
from dasan.kernels.runtime.bits import leading_zeros, popcount
from dasan.kernels.runtime.compiled import compiled, lean

NUMBERS = 16
"""One-hot flags of a number: 0, 1, … 14, 15 or more."""
SUIT = U(0x1_1111_1111_1111)
"""The cards of the first suit."""
FLUSH = 5
"""The number of cards in a flush."""


@compiled
def _above(before: Longs, after: Longs, unseen: Longs, in_runs: Flags, pairs_apart: bool) -> int:
    """The number of higher ranks, or runs of as many ranks, of which others may hold as many cards as the largest groups
    of a play have; -1 if there is no play, or those groups are no run. before, after: by rank, the cards with and without it.
    """
    ranks = len(before)
    most, lowest, highest, wide = 0, 0, 0, 0
    for rank in range(ranks):
        n = before[rank] - after[rank]
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
    in_runs: Flags,
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
    above = _above(held, remaining, unseen, in_runs, pairs_apart)
    if above >= 0:
        out[above_at + min(NUMBERS - 1, above)] = 1


class DerivedTables(NamedTuple):
    """The game data that `derive` reads.

    rank_of, move_rank_of: the rank of each flag of a set of cards, in observations and in moves. seen: where the sets of
    cards begin in an observation that nobody else holds. hand, table, cards: where the own hand begins, the cards on the
    table, and the cards of a move. pack: cards of each rank. deck: the same as a set of cards, if suits count. in_runs: bool
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
    deck: np.uint64
    in_runs: Flags
    shortest: Longs
    copies: int
    carries: int
    pairs_apart: bool
    players: int
    obs_at: Longs
    moves_at: Longs


@compiled
def _cards(row: Bytes, start: int, slots: int) -> np.uint64:
    """The flags of a set of cards, from `start` on, as bits."""
    out = U(0)
    for j in range(slots):
        if row[start + j]:
            out |= U(1) << U(j)
    return out


@lean
def _higher(cards: np.uint64, than: np.uint64) -> int:
    """The number of `cards` that are higher than all of `than`."""
    return signed(popcount(cards >> (U(63) - leading_zeros(than)) >> U(1))) if than else signed(popcount(cards))


@lean
def _write_suits(cards: np.uint64, out: Bytes, at: int) -> int:
    """Write the number of cards of each suit into a row from `at` on; returns the highest of these numbers."""
    most = 0
    for suit in range(4):
        n = signed(popcount(cards & (SUIT << U(suit))))
        out[at + suit * NUMBERS + n] = 1
        most = max(most, n)
    return most


@lean
def _flush_saves(cards: np.uint64) -> int:
    """The most cards without another of their rank, up to five, in five cards of a suit."""
    alone = U(0)
    for rank in range(13):
        same = cards & (U(15) << U(4 * rank))
        if popcount(same) == U(1):
            alone |= same
    most = 0
    for suit in range(4):
        if popcount(cards & (SUIT << U(suit))) >= U(FLUSH):
            most = max(most, signed(popcount(alone & (SUIT << U(suit)))))
    return min(FLUSH, most)


@compiled
def derive(
    obs: Bytes,
    envs: Longs,
    num: Ints,
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
        table,
        cards,
        pack,
        deck,
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
    on_table, none = np.zeros(ranks, np.int64), np.zeros(ranks, np.int64)
    others = mine = U(0)
    row = 0
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
            others, mine, beaten = deck, _cards(obs[i], hand, slots), _cards(obs[i], table, slots)
            for start in seen:
                others &= ~_cards(obs[i], start, slots)
            _write_suits(others, out_obs[e], obs_at[3])
            for rank in range(ranks):
                on_table[rank] = signed(popcount(beaten & (U(15) << U(4 * rank))))
            above = _above(on_table, none, unseen, in_runs, pairs_apart)
            if popcount(beaten) == U(1):
                above = _higher(others, beaten)
            if above >= 0:
                out_obs[e, obs_at[4] + min(last, above)] = 1
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
            played = U(0)  # read for suits alone, where there are at most 64 flags
            for j in range(len(move_rank_of)):
                if moves[m, cards + j]:
                    remaining[move_rank_of[j]] -= 1
                    played |= U(1) << U(j & 63)
            if suits:
                kept = mine & ~played
                flush = _write_suits(kept, out_moves[row], moves_at[10]) >= FLUSH
                out_moves[row, moves_at[11] + (_flush_saves(kept) if flush else 0)] = 1
                out_moves[row, moves_at[12] + min(last, _higher(kept, others))] = 1
                if popcount(played) == U(1):
                    out_moves[row, moves_at[13] + min(last, _higher(others, played))] = 1
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

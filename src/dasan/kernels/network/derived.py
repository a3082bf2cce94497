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
    ranks = len(held)
    size, most, lowest, highest, wide = 0, 0, 0, 0, 0
    for rank in range(ranks):
        n = held[rank] - remaining[rank]
        size += n
        if n > most:
            most, lowest, wide = n, rank, 0
        if n > 0 and n == most:
            highest = rank
            wide += 1
    if size <= 0:
        return
    for k in range(players - 1):
        many = obs[sizes_at + 1 + k]
        out[enough_at + k] = int(many >= size)
        out[just_enough_at + k] = int(many == size)
    run = min(most, 2) - 1
    row = highest - lowest + 1 == wide
    for rank in range(lowest, highest + 1):
        row = row and (wide == 1 or in_runs[run, rank])
    if not row:
        if most == 1 or not pairs_apart:
            return
        lowest, wide = highest, 1
    above, length = 0, 0
    for rank in range(lowest + 1, ranks):
        fits = unseen[rank] >= most and (wide == 1 or in_runs[run, rank])
        length = length + 1 if fits else 0
        above += int(length >= wide)
    out[above_at + min(NUMBERS - 1, above)] = 1


class DerivedTables(NamedTuple):
    """The game data that `derive` reads.

    rank_of, move_rank_of: the rank of each flag of a set of cards, in observations and in moves. seen: where the sets of
    cards begin in an observation that nobody else holds. hand, cards: where the own hand begins, and the cards of a move.
    pack: cards of each rank. in_runs: bool [2, ranks], the ranks of straights, and of runs of pairs. shortest: the number of
    ranks in the shortest of each. copies: the most cards of one rank. carries: a group of so many cards takes a kicker along;
    more than `copies` where no play has kickers. pairs_apart: whether two separate pairs are a play. players: how many there
    are. obs_at: where the numbers of cards that seats hold begin, then the new features of observations. moves_at: where
    those of moves begin; the last of both, who can answer a play, may be missing.
    """

    rank_of: Longs
    move_rank_of: Longs
    seen: Longs
    hand: int
    cards: int
    pack: Longs
    in_runs: npt.NDArray[np.bool_]
    shortest: Longs
    copies: int
    carries: int
    pairs_apart: bool
    players: int
    obs_at: Longs
    moves_at: Longs


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
        cards,
        pack,
        in_runs,
        shortest,
        copies,
        carries,
        pairs_apart,
        players,
        obs_at,
        moves_at,
    ) = tables
    sizes_at, unseen_at, answers = obs_at[0], obs_at[1], len(obs_at) > 2
    kept_at, groups_at, straights_at, pair_runs_at = moves_at[0], moves_at[1], moves_at[2], moves_at[3]
    beatable_at, plays_at, beatable_plays_at = moves_at[4], moves_at[5], moves_at[6]
    last = NUMBERS - 1
    ranks, slots = len(pack), len(rank_of)
    unseen, held, remaining = np.zeros(ranks, np.int64), np.zeros(ranks, np.int64), np.zeros(ranks, np.int64)
    highest = np.zeros(copies + 1, np.int64)
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

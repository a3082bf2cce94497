"""Rows of features with those that follow from them, see `dasan.bots.derived`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.kernels.runtime.compiled import compiled

Bytes = npt.NDArray[np.uint8]
Longs = npt.NDArray[np.int64]
NUMBERS = 16
"""Flags of a number: 0, 1, … 14, 15 or more."""


@compiled
def derive(
    obs: Bytes,
    envs: Longs,
    num: npt.NDArray[np.int32],
    starts: Longs,
    moves: Bytes,
    rank_of: Longs,
    move_rank_of: Longs,
    seen: Longs,
    hand: int,
    cards: int,
    pack: Longs,
    in_runs: npt.NDArray[np.bool_],
    shortest: Longs,
    copies: int,
    unseen_at: int,
    kept_at: int,
    out_obs: Bytes,
    out_moves: Bytes,
    begin: Longs,
) -> None:
    """Write one longer row of `obs` for each of `envs`, and longer rows of all its legal moves, begin[e] up to begin[e + 1].

    rank_of, move_rank_of: the rank of each flag of a set of cards, in observations and in moves. seen: where the sets of cards
    begin in an observation that nobody else holds. hand, cards: where the own hand begins, and the cards of a move. pack: cards
    of each rank. in_runs: bool [2, ranks], the ranks of straights, and of runs of pairs. shortest: the number of ranks in the
    shortest of each. copies: the most cards of one rank. unseen_at, kept_at: where the new features begin. Others: see `layers`.
    """
    ranks, slots = len(pack), len(rank_of)
    groups_at = kept_at + 2 * copies * ranks
    runs_at = groups_at + NUMBERS
    counts_at = runs_at + 2 * ranks
    unseen, held, kept = np.zeros(ranks, np.int64), np.zeros(ranks, np.int64), np.zeros(ranks, np.int64)
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
            kept[:] = held
            for j in range(len(move_rank_of)):
                if moves[m, cards + j]:
                    kept[move_rank_of[j]] -= 1
            groups = 0
            weak = 0
            for rank in range(ranks):
                n = max(0, min(kept[rank], copies))
                if n > 0:
                    beatable = int(highest[n] > rank)
                    out_moves[row, kept_at + 2 * (rank * copies + n - 1) + beatable] = 1
                    groups += 1
                    weak += beatable
            saved = 0
            for c in range(1, 3):
                length = 0
                for rank in range(ranks + 1):
                    if rank < ranks and in_runs[c - 1, rank] and kept[rank] >= c:
                        length += 1
                        continue
                    if length >= shortest[c - 1]:
                        gone = 0
                        for k in range(rank - length, rank):
                            out_moves[row, runs_at + (c - 1) * ranks + k] = 1
                            gone += int(kept[k] == c)
                        saved = max(saved, gone - 1)
                    length = 0
            last = NUMBERS - 1
            out_moves[row, groups_at + min(last, groups)] = 1
            out_moves[row, counts_at + min(last, weak)] = 1
            out_moves[row, counts_at + NUMBERS + min(last, max(0, groups - saved))] = 1
            out_moves[row, counts_at + 2 * NUMBERS + min(last, max(0, weak - saved))] = 1
            row += 1
    begin[len(envs)] = row

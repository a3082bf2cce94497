"""The network that gives the solver its first numbers for three players."""

from __future__ import annotations

import random
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dasan.bench.solver import at_random
from dasan.kernels.ranks.solver import learned
from dasan.kernels.ranks.solver.estimate import SPLIT_WORDS, choices_of, judged, losers_of, split_all
from dasan.kernels.ranks.solver.position import mover_of
from dasan.kernels.ranks.solver.sure_wins import filled
from dasan.kernels.ranks.tables import LEAD, rank_catalogue
from dasan.solver.open_hands import position

U = np.uint64
Columns = npt.NDArray[Any]
Heads = npt.NDArray[np.float64]


def plainly(stored: Columns, heads: Heads, hands: tuple[int, ...], context: int, choices: int, splits: Columns) -> Heads:
    """The network's answer, by one sum of columns. splits: turns and losers of each seat."""
    mover, owner, waiting, action = context & 3, context >> 2 & 3, context >> 4 & 15, context >> 8
    place = mover if action == LEAD else 4 + 4 * (3 * mover + owner) + (waiting.bit_count() > 1)
    columns = [64 * seat + bit for seat, hand in enumerate(hands) for bit in range(64) if hand >> bit & 1]
    columns += [192 + place, 256 + action, 448 + 32 * (mover == 0) + min(choices, 31), 608]
    for seat, (turns, losers) in enumerate(splits.tolist()):
        columns += [512 + 16 * seat + min(turns, 15), 560 + 16 * seat + min(losers, 15)]
    units = np.clip(stored[columns].sum(axis=0) / learned.SCALE, 0, 8)
    return np.append(units, 1) @ heads


@pytest.mark.full
def test_the_network_judges_a_child_as_it_judges_a_position() -> None:
    """The sum of columns is the plain first layer, also if it begins with the layer of the parent."""
    with (files("dasan.kernels.ranks.solver") / "learned.npz").open("rb") as stream, np.load(stream) as arrays:
        stored, heads = arrays["columns"].astype(np.int64), arrays["heads"].astype(np.float64)
    network, splits = learned.new_network(), np.zeros(4 * SPLIT_WORDS, np.uint64)
    for source in map(random.Random, range(20)):
        state = at_random(40, source)
        catalogue, before = rank_catalogue(state.rules), position(state)
        for play in source.sample(state.legal_moves(), 3):
            after = position(state.play(play))
            then, now, context = np.array(before.hands, U), np.array(after.hands, U), U(after.context)
            moved = mover_of(U(before.context))
            split_all(now, 0, 3, splits)
            learned.gather(then, 0, network)
            child = judged(now, 0, moved, then[moved] & ~now[moved], context, catalogue, splits, network)
            learned.gather(now, 0, network)
            assert child == judged(now, 0, 0, U(0), context, catalogue, splits, network)
            turns = np.array([(splits[SPLIT_WORDS * seat], lost(now, seat, splits)) for seat in range(3)], np.int64)
            choices = choices_of(now[mover_of(context)], context, catalogue)
            assert child == pytest.approx(plainly(stored, heads, after.hands, after.context, choices, turns), abs=1e-9)


def lost(hands: Columns, seat: int, splits: Columns) -> int:
    enemies = [hands[k] for k in range(3) if (k == 0) != (seat == 0)] + [U(0)]
    below = filled(enemies[0] | enemies[1]) >> U(1) & U(0x0FFF_0FFF_0FFF_0FFF)
    return int(losers_of(splits, SPLIT_WORDS * seat, enemies[0], enemies[1], below))

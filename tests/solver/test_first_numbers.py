"""The networks that give the solver its first numbers."""

from __future__ import annotations

import random
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dasan.arrays import U
from dasan.bench.solver import at_random
from dasan.kernels.ranks.solver import learned
from dasan.kernels.ranks.solver.estimate import SPLIT_WORDS, choices_of, forecast, judged, losers_of, split_all, weights
from dasan.kernels.ranks.solver.position import mover_of
from dasan.kernels.ranks.solver.search import new_search, odds_of
from dasan.kernels.ranks.solver.sure_wins import filled
from dasan.kernels.ranks.tables import LEAD, rank_catalogue
from dasan.play.moves import MoveType
from dasan.solver.open_hands import OpenPosition, position

Columns = npt.NDArray[Any]
Heads = npt.NDArray[np.float64]


def stored(form: str) -> tuple[Columns, Heads]:
    """(columns, heads) of a form's network, as its file has them."""
    with (files("dasan.kernels.ranks.solver") / f"learned-{form}.npz").open("rb") as stream, np.load(stream) as arrays:
        return arrays["columns"].astype(np.int64), arrays["heads"].astype(np.float64)


NETWORKS = {form: stored(form) for form in learned.FORMS}
SIDES = {"big-three": {0b0001}, "big-three-4p": {0b0011, 0b0101, 0b1001}}


def plainly(rows: Columns, heads: Heads, at: OpenPosition, choices: int, tallies: Columns) -> Heads:
    """The network's answer, by one sum of columns. tallies: turns and losers of each seat."""
    players, context = len(at.hands), at.context
    seats = [*range(players)]
    if at.side == 0b1001:
        seats = [3, 0, 1, 2]
    ours = [role for role, seat in enumerate(seats) if at.side >> seat & 1]
    mover, owner = seats.index(context & 3), seats.index(context >> 2 & 3)
    situation, first = mover, 64 * players
    if context >> 8 != LEAD:
        others = [seat for seat in seats if seat not in (seats[mover], seats[owner])]
        waiting = sum((context >> 4 + seat & 1) << i for i, seat in enumerate(others))
        situation = 4 + 4 * (players * mover + owner) + waiting
    columns = [64 * role + bit for role, seat in enumerate(seats) for bit in range(64) if at.hands[seat] >> bit & 1]
    columns += [
        first + situation,
        first + 64 + (context >> 8),
        first + 256 + 32 * (mover in ours) + min(choices, 31),
        -1,
    ]
    for role, (turns, losers) in enumerate(tallies[seats].tolist()):
        columns += [first + 320 + 16 * role + min(turns, 15), first + 320 + 16 * (players + role) + min(losers, 15)]
    units = np.clip(rows[columns].sum(axis=0) / learned.SCALE, 0, 8)
    return np.append(units, 1) @ heads


@pytest.mark.full
@pytest.mark.parametrize("game", SIDES)
def test_a_network_judges_a_child_as_it_judges_a_position(game: str) -> None:
    """The sum of columns is the plain first layer, also if it begins with the layer of the parent, and after passes."""
    network, splits = learned.new_network(), np.zeros(4 * SPLIT_WORDS, U)
    seen, passes = set(), 0
    for source in map(random.Random, range(30)):
        state = at_random(40, source, game)
        catalogue = rank_catalogue(state.rules)
        for _ in range(source.randrange(1, 4)):
            move = source.choice(state.legal_moves())
            before, state = position(state), state.play(move)
            after = position(state)
            passes += move.type is MoveType.PASS
            seen.add(after.side)
            players, side = len(before.hands), U(before.side)
            columns, heads = [*NETWORKS.values()][int(learned.form_of(players, side))]
            then, now, context = np.array(before.hands, U), np.array(after.hands, U), U(after.context)
            moved = mover_of(U(before.context))
            split_all(now, 0, players, splits)
            learned.gather(then, 0, players, side, network)
            played = then[moved] & ~now[moved]
            child = judged(now, 0, players, side, moved, played, context, catalogue, splits, network)
            learned.gather(now, 0, players, side, network)
            assert child == judged(now, 0, players, side, 0, U(0), context, catalogue, splits, network)
            tallies = [(splits[SPLIT_WORDS * seat], lost(after, seat, splits)) for seat in range(players)]
            choices = choices_of(now[mover_of(context)], context, catalogue)
            plain = plainly(columns, heads, after, choices, np.array(tallies, np.int64))
            assert child == pytest.approx(plain, abs=1e-9)
    assert seen == SIDES[game]
    assert passes


def lost(at: OpenPosition, seat: int, splits: Columns) -> int:
    enemies = [U(hand) for k, hand in enumerate(at.hands) if (at.side >> k ^ at.side >> seat) & 1]
    one, other = (*enemies, U(0))[:2]
    below = filled(one | other) >> U(1) & U(0x0FFF_0FFF_0FFF_0FFF)
    return int(losers_of(splits, SPLIT_WORDS * seat, one, other, below))


@pytest.mark.full
def test_a_bidder_against_three_has_the_linear_weights() -> None:
    splits = np.zeros(4 * SPLIT_WORDS, U)
    search = new_search(1 << 16)
    for source in map(random.Random, range(3)):
        state = at_random(40, source, "big-three-4p")
        catalogue, at = rank_catalogue(state.rules), position(state)
        hands = np.array(at.hands, U)
        split_all(hands, 0, 4, splits)
        linear, _, _ = forecast(hands, 0, 4, U(0b0001), U(at.context), catalogue, weights(), splits)
        assert odds_of(search, 4, at.hands, 0b0001, at.context, catalogue) == linear

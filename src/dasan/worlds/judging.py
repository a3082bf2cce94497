"""Flat Monte Carlo: the mean outcome of each move over many worlds and playouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dasan.arguments import instance, whole
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.worlds.deals import deals
from dasan.worlds.positions import MOST_POSITIONS, MOST_TIMES, Positions
from dasan.worlds.states import Sampler

if TYPE_CHECKING:
    from dasan.arrays import Doubles


@dataclass(frozen=True, eq=False)
class Judgement:
    """Outcomes of each of `moves` for the seat to act: float64 [moves, worlds], means over the playouts of each world.

    payments: units. places: 1 for the first out; in games that end with the first out, 0 if another seat is first. All
    moves use the same worlds (common random numbers), so differences between rows vary less than the rows.
    """

    moves: tuple[Move, ...]
    payments: Doubles
    places: Doubles

    def __repr__(self) -> str:
        return f"<Judgement of {len(self.moves)} moves in {self.payments.shape[1]} worlds>"

    def best(self) -> Move:
        """The move with the highest mean payment; ties go to the lowest mean place in games in which every seat gets
        one.
        """
        paid, place = self.payments.mean(axis=1), self.places.mean(axis=1)
        placed = bool((self.places >= 1).all())
        return self.moves[max(range(len(self.moves)), key=lambda i: (paid[i], -place[i] if placed else 0))]


def judge(
    view: View, *, worlds: int = 1000, playouts: int = 1, policy: str = "thrifty", seed: int = 0, threads: int = 1
) -> Judgement:
    """Play each legal move of `view` in each of `worlds` worlds, then play each hand to its end `playouts` times.

    ValueError: the seat is not to act; see also `sample` and `Positions.play_out`.
    """
    import numpy as np

    moves = instance(view, View, "worlds are drawn from a view, such as state.view(seat)").legal_moves()
    worlds, playouts = whole(worlds, "worlds", 1, MOST_POSITIONS), whole(playouts, "playouts", 1, MOST_TIMES)
    seed = whole(seed, "a seed")
    if not moves:
        raise ValueError("nothing to judge: it takes the view of the seat to act")
    sampler, positions = Sampler(view), Positions(view.rules, worlds)
    if sampler.settled_unseen:
        for i, state in enumerate(sampler.states(worlds, seed)):
            positions.put(i, state)
    else:
        positions.put_worlds(0, next(sampler.states(1, seed)), deals(view, worlds, seed))
    payments = np.zeros((len(moves), worlds))
    places = np.zeros((len(moves), worlds))
    for i, move in enumerate(moves):
        done = positions.play_out(
            policy=policy, times=playouts, seed=seed, opening=positions.ids.of(move, view.called), threads=threads
        )
        payments[i] = done.payments[:, :, view.seat].mean(axis=1)
        places[i] = done.places[:, :, view.seat].mean(axis=1)
    return Judgement(moves, payments, places)

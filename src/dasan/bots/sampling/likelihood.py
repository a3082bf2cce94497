"""The likelihood of the other players' moves in each of many worlds, assuming that they play by a network.

Moves are evidence about cards: a player who bid 3 is likely to hold twos and threes, and one who did not beat a king
is less likely to hold an ace. Each hand is replayed from its first bid, or else from its first play; every decision
of another seat contributes the softmax probability of its move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dasan.cards import Card
from dasan.play.moves import MoveType
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.play.view import View
from dasan.records.retrace import moves_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dasan.arrays import Doubles, Floats, Longs
    from dasan.bots.sampling.simulator import Simulator
    from dasan.networks.trained import Fitted
    from dasan.worlds.deals import Deals

SOFTNESS = 0.5
"""The temperature of the softmax, in multiples of `Network.unit`, because people and other bots play differently."""


@dataclass(frozen=True)
class Story:
    """Moves of a hand: the state before the first, and the seats and action ids. played: by seat, the cards of its plays."""

    start: State
    seats: tuple[int, ...]
    actions: tuple[int, ...]
    played: tuple[tuple[Card, ...], ...]


def stories(view: View, world: State) -> list[Story]:
    """The visible moves of `view` in a world that fits it: stories from the first bid, the call and the first play, as
    far as the hand has them.
    """
    from dasan.play.action_ids import action_ids

    ids = action_ids(view.rules, True)
    starts: dict[Phase, tuple[State, int]] = {}
    seats: list[int] = []
    actions: list[int] = []
    played: list[list[Card]] = [[] for _ in range(view.rules.players)]
    for before, move in moves_of(world):
        assert before.to_act is not None
        starts.setdefault(before.phase, (before, len(seats)))
        seats.append(before.to_act)
        actions.append(ids.of(move, view.called))
        played[before.to_act] += move.cards if move.type is MoveType.PLAY else ()
    hands = tuple(map(tuple, played))
    return [
        Story(start, tuple(seats[k:]), tuple(actions[k:]), hands)
        for start, k in (starts[phase] for phase in (Phase.AUCTION, Phase.CALL, Phase.PLAY) if phase in starts)
    ]


def log_likelihoods(view: View, world: State, deals: Deals, fitted: Fitted, simulator: Simulator) -> Doubles | None:
    """float64 [worlds]: the log-likelihood of each of `deals`, at most as many as `simulator` has room for; None if
    it cannot be computed. world: any world of the view. deals: including the kitty that was taken up, see
    `with_kitty`.
    """
    if view.rules.decks != 1:
        return None
    for story in stories(view, world):
        logs = _replayed(view, story, _at_the_start(view, story, deals), fitted, simulator)
        if logs is not None:
            return logs
    return None


def _at_the_start(view: View, story: Story, deals: Deals) -> Deals:
    """The deals as they were when the story began."""
    import numpy as np

    from dasan.kernels.cards import words_of

    one = deals.one.copy()
    for seat, cards in enumerate(story.played):
        one[:, seat] |= np.uint64(words_of(view.rules, cards)[0])
    if story.start.phase is Phase.AUCTION and view.phase != Phase.AUCTION and view.bidder is not None:
        one[:, view.bidder] &= ~one[:, view.rules.players]
    return replace(deals, one=one)


def _replayed(view: View, story: Story, deals: Deals, fitted: Fitted, simulator: Simulator) -> Doubles | None:
    """The log-likelihoods of a story in these deals; None if not every deal allows each of its moves."""
    import numpy as np

    count = len(deals)
    simulator.positions.put_worlds(0, story.start, deals)
    if count < simulator.positions.size:
        simulator.positions.copy(0, slice(count, simulator.positions.size))
    env = simulator.env
    env.load(simulator.positions)
    out = np.zeros(count)
    every = np.arange(count)
    for seat, action in zip(story.seats, story.actions, strict=True):
        if not (env.to_act[:count] == seat).all() or not env.mask[:, action].all():
            return None
        choosing = every[env.num_legal[:count] > 1]
        if seat != view.seat and len(choosing):
            scores = simulator.scorer(env, choosing, fitted.network.weights)
            out[choosing] += _log_chances(scores.rows, scores.begin, env.legal, choosing, action)
        env.step(np.full(simulator.positions.size, action, np.int32))
        if env.done.any():
            return None
    return out


def _log_chances(
    rows: Floats,
    begin: Longs,
    legal: npt.NDArray[np.int16],
    envs: Longs,
    action: int,
) -> Doubles:
    """float64 [environments]: the log-probability of `action` among the legal ones."""
    import numpy as np

    starts = begin[:-1]
    scaled = rows.astype(np.float64) / SOFTNESS
    top = np.maximum.reduceat(scaled, starts)
    lengths = np.diff(begin)
    total = np.add.reduceat(np.exp(scaled - np.repeat(top, lengths)), starts)
    place = (legal[envs, : lengths.max()] == action).argmax(axis=1)
    chosen: Doubles = scaled[starts + place] - top - np.log(total)
    return chosen

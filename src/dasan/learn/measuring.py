"""Measure a network in training against fixed players."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dasan.arena.contest import Contest, interval, play_deal
from dasan.bots.protocol import choices
from dasan.estimates import Estimate
from dasan.networks.network import Network
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.rules import Rules

OPPONENTS = ("random", "thrifty")
"""The fixed players to measure a network against."""


class NetworkPlayer:
    """A bot that makes its network's best move. session: whether the network reads observations for sessions."""

    name = "learner"
    version = "0"

    def __init__(self, network: Network, session: bool) -> None:
        self._network = network
        self._session = session

    def choose(self, view: View) -> Move:
        moves = choices(view)
        return moves[int(np.argmax(self._network.of_view(view, self._session)))]


def measure(
    rules: Rules, network: Network, session: bool, deals: int, opponents: Sequence[str] = OPPONENTS
) -> dict[str, Estimate]:
    """The network's earnings a hand, alone among each of the opponents, in every seat of `deals` deals."""
    makers = {"learner": lambda _: NetworkPlayer(network, session)}
    contests = {name: Contest(rules, "learner", name, deals) for name in opponents}
    return {
        name: interval(rules, [play_deal(contest, seed, makers) for seed in range(deals)])
        for name, contest in contests.items()
    }

"""Play whole random hands with the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dasan.interpreted.dealing import deal_hand
from dasan.play.new_hand import begin
from dasan.ruleset.places import places_of
from dasan.ruleset.rules import Rules
from dasan.worlds.stream import below, mixed, stepped

if TYPE_CHECKING:
    from dasan.kernels.env.results import HandResults

CHOICE = 0xE7037ED1A0B428DB


def hand_tables(rules: Rules) -> tuple[Rules]:
    """The tables for `random_hands`."""
    return (rules,)


def random_hands(first: int, seed: np.uint64, rules: Rules, results: HandResults) -> None:
    """Deal and randomly play hands of `seed`, starting with number `first`, one for each entry of `results`."""
    for k in range(len(results.plies)):
        number = first + k
        state = begin(rules, deal_hand(rules, int(seed), number))
        random = mixed(mixed(int(seed) ^ CHOICE) ^ number)
        while state.result is None:
            legal = state.legal_moves()
            random = stepped(random)
            state = state.play(legal[below(mixed(random), len(legal))])
            results.plies[k] += 1
        results.payments[k] = state.result.payments
        results.places[k] = places_of(state.result.finish_order, rules.players)

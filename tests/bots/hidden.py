"""The same position with the cards that a seat cannot see dealt differently."""

from __future__ import annotations

import random
from dataclasses import replace

from dasan import State


def shuffled_for(state: State, seat: int, rng: random.Random) -> State:
    """`state` with the cards of all other seats, and the kitty, mixed; the called card stays where it is."""
    fixed = {s: [c for c in hand if c == state.called] for s, hand in enumerate(state.hands)}
    others = [s for s in range(len(state.hands)) if s != seat]
    pool = [c for s in others for c in state.hands[s] if c != state.called] + list(state.kitty)
    rng.shuffle(pool)
    hands = list(state.hands)
    for s in others:
        missing = len(hands[s]) - len(fixed[s])
        hands[s] = state.rules.order.hand([*fixed[s], *pool[:missing]])
        del pool[:missing]
    return replace(state, hands=tuple(hands), kitty=tuple(state.rules.order.hand(pool)))

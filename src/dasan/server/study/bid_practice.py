"""The bidding trainer's hands: deals in which a seat is about to bid, and the values of its bids."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import dasan
from dasan.play import fairness
from dasan.play.events import EventType
from dasan.review.contract import contract
from dasan.review.expected import decision

OTHERS = "greedy"
"""The bot that bids in the other seats and plays the hand to its end."""
WORLDS = 192
"""Sampled deals for each bid."""
AFTER = (EventType.KITTY, EventType.CALL, EventType.PLAY)
"""The events that can follow an auction."""


def hand(preset: str, seed: bytes) -> dasan.State:
    """The deal of a seed, after a random number of bids, where a seat has a choice of bids.

    >>> state = hand("big-three", bytes(32))
    >>> state.phase, len(state.legal_moves()) > 1
    (<Phase.AUCTION: 'auction'>, True)
    """
    rules = dasan.rules(preset)
    bot = dasan.bot(OTHERS)
    for number in range(1000):
        drawn = fairness.local_seed(seed, "bidding", number)
        state = dasan.session(rules, seed=drawn).state
        bids = fairness.Stream(drawn).below(rules.players)
        while state.phase is dasan.Phase.AUCTION:
            if bids <= 0 and len(state.legal_moves()) > 1:
                return state
            state = state.play(bot.choose(state.view(state.to_act)))
            bids -= 1
    raise ValueError(f"nobody has a choice of bids in {preset}")


def shown(preset: str, seed: bytes) -> dict[str, Any]:
    """The view of the seat to act in the hand of a seed."""
    state = hand(preset, seed)
    return state.view(state.to_act).to_json()


def verdict(preset: str, seed: bytes, bid: str, seconds: float, memory_mb: float) -> dict[str, Any]:
    """The verdict (``BidVerdict``) on a bid in the hand of `shown`. seconds: for solving with all hands open.

    Errors as for `dasan.State.play`.
    """
    state = hand(preset, seed)
    after = state.play(bid)
    known = decision(state, next(move for move in state.legal_moves() if str(move) == bid), WORLDS)
    made = contract(state.view(state.to_act))
    by_seat: list[int | None] = [None] * state.rules.players
    if made is not None:
        solution = dasan.solve(state, seconds=seconds, memory_mb=memory_mb)
        by_seat = [solution.by_bidder[seat].value for seat in range(state.rules.players)]
    bot = dasan.bot(OTHERS)
    while after.to_act is not None:
        after = after.play(bot.choose(after.view(after.to_act)))
    assert after.result is not None
    auction = takewhile(lambda event: event.type not in AFTER, after.events)
    return {
        "known": {"type": "known", **known.to_json()},
        "contract": None if made is None else made.to_json(),
        "as_bidder": by_seat,
        "hands": [[str(card) for card in cards] for cards in state.hands],
        "kitty": [str(card) for card in state.kitty],
        "bids": [event.to_json() for event in auction if event.type in (EventType.BID, EventType.PASS)],
        "bidder": after.bidder,
        "bid": after.bid,
        "partner": after.partner,
        "winners": list(after.result.winners),
        "payments": list(after.result.payments),
    }

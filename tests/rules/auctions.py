"""A second, naive implementation of the auction: B3.08–B3.10, B4.02, H.02, H.11, H.12, H.43 and DD.02."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import dasan
from dasan import State

Said = tuple[int | str, ...]
"""Bids as numbers and "pass", in the order spoken."""


@dataclass(frozen=True)
class Standing:
    """The result of a sequence of bids and passes; seats count from the opener. `bidder` once it is over, None if the
    hand is void.
    """

    to_act: int | None
    bid: int | None
    bidder: int | None
    allowed: frozenset[int | str]


@dataclass(frozen=True, kw_only=True)
class Bidding:
    """How an auction goes. may_return: a player who has passed may bid again. once: every player speaks once. redeal: if nobody
    bids, the hand is void. ends_after: the passes in a row that end it. top: the highest bid.
    """

    may_return: bool
    opener_may_pass: bool
    once: bool = False
    redeal: bool = False
    ends_after: int | None = None
    top: int = 3


def standing(said: Said, players: int, bidding: Bidding) -> Standing:
    may_return, once, top = bidding.may_return, bidding.once, bidding.top
    seat, highest, holder = 0, None, None
    in_a_row = 0
    dropped: set[int] = set()
    for turns, word in enumerate(said, 1):
        if word == "pass":
            in_a_row += 1
            dropped.add(seat)
        else:
            assert isinstance(word, int)
            highest, holder, in_a_row = word, seat, 0
        left = [s for s in range(players) if s not in dropped]
        if highest == top:
            return Standing(None, top, holder, frozenset())
        if highest is None and turns == players:
            return Standing(None, None, None, frozenset()) if bidding.redeal else Standing(None, 1, 0, frozenset())
        if highest is not None and once and turns == players:
            return Standing(None, highest, holder, frozenset())
        if highest is not None and bidding.ends_after == in_a_row:
            return Standing(None, highest, holder, frozenset())
        if highest is not None and may_return and in_a_row == players - 1:
            return Standing(None, highest, holder, frozenset())
        if highest is not None and not may_return and left == [holder]:
            return Standing(None, highest, holder, frozenset())
        seat = (seat + 1) % players
        while not may_return and not once and seat in dropped:
            seat = (seat + 1) % players
    bids: frozenset[int | str] = frozenset(range((highest or 0) + 1, top + 1))
    must_bid = not said and not bidding.opener_may_pass
    return Standing(seat, highest, None, bids if must_bid else bids | {"pass"})


def walk(state: State, said: Said = ()) -> Iterator[tuple[State, Said]]:
    """Every auction that the engine allows from here: each state with the words that led to it."""
    yield state, said
    if state.phase == "auction":
        for move in state.legal_moves():
            yield from walk(state.play(move), (*said, "pass" if move.bid is None else move.bid))


def compare(state: State, bidding: Bidding) -> int:
    """Compare every auction from `state` on with the plain reading; return how many ended."""
    n, opener, ended = state.rules.players, state.opener or 0, 0
    for after, spoken in walk(state):
        plain = standing(spoken, n, bidding)
        assert after.bid == plain.bid, spoken
        if plain.to_act is None and plain.bidder is None:
            ended += 1
            assert (after.phase, after.bidder, after.payments) == ("over", None, (0,) * n), spoken
        elif plain.to_act is None:
            ended += 1
            assert after.phase not in ("auction", "over"), spoken
            assert after.bidder == ((plain.bidder or 0) + opener) % n, spoken
        else:
            assert (after.phase, after.to_act) == ("auction", (plain.to_act + opener) % n), spoken
            words = {"pass" if move.bid is None else move.bid for move in after.legal_moves()}
            assert words == plain.allowed, spoken
            for word in ("pass", *range(1, bidding.top + 1)):
                if word not in plain.allowed:
                    refuse(after, word)
    return ended


def refuse(state: State, word: int | str) -> None:
    try:
        state.play("pass" if word == "pass" else f"bid {word}")
    except dasan.IllegalPlay:
        return
    raise AssertionError(f"{word} was accepted")

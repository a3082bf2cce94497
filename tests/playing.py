"""Helpers for tests of the engine: sequences of moves, refusals, and whole random hands and sessions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import dasan
from dasan import DasanError, IllegalPlay, Move, Rules, Session, State

Options = dict[str, Any]
Choose = Callable[[State, random.Random], Move]

SETUPS: tuple[tuple[str, Options], ...] = (
    ("big-three", {}),
    ("big-three-denexa", {"must_dig": True, "opener_may_pass": True, "show_hands_after": False}),
    ("big-three-fr", {"reveal_kitty": True, "show_played": True, "opener_may_pass": True}),
    ("big-three-4p", {}),
    ("big-three-4p", {"passed_bidder_may_return": False, "pay_each_winner": True, "show_hands_after": False}),
    ("big-two", {}),
    ("big-two", {"guard": "enforced", "pass_is_final": True, "triples": True, "fours": True, "two_pairs": True}),
    ("big-two", {"straights": "taiwan", "suit_order": "clubs-low", "later_lead": "winner", "scoring": "cards"}),
    ("winner", {"players": 3}),
    ("winner", {"players": 3, "jokers": True, "scoring": "cards", "later_lead": "loser"}),
    ("winner", {}),
    ("winner", {"decks": 2, "jokers": True, "two_of_spades_restart": "always", "later_lead": "three-of-diamonds"}),
    ("winner", {"players": 5, "min_straight": 3, "straight_tie": "rank"}),
    ("winner", {"players": 6, "suits_ranked": False}),
    ("winner", {"players": 7, "scoring": "cards", "show_hands_after": False}),
    ("winner", {"players": 8, "jokers": True, "bomb": "quad"}),
    ("winner-bomb", {}),
    ("winner-bomb", {"players": 4, "decks": 2, "jokers": True}),
)
"""The presets of the first three games with every number of players, one deck and two, with jokers and without; `every_preset`
has the others.
"""


def setup_id(setup: tuple[str, Options]) -> str:
    preset, options = setup
    return " ".join([preset, *(f"{k}={v}" for k, v in options.items())])


every_setup = pytest.mark.parametrize("setup", SETUPS, ids=setup_id)
every_preset = pytest.mark.parametrize("preset", list(dasan.PRESETS))


def say(state: State, *moves: str) -> State:
    """The state after these moves."""
    for move in moves:
        state = state.play(move)
    return state


def refused(
    state: State, move: str | Move, clause: str, kind: type[DasanError] = IllegalPlay, *words: str
) -> DasanError:
    """Check that `move` is refused with this clause and these words, and that nothing changes (G.01)."""
    before, legal = state.record(), state.legal_moves()
    with pytest.raises(DasanError) as caught:
        state.play(move)
    error = caught.value
    assert type(error) is kind, error
    assert error.clause == clause, error
    assert str(error).endswith(f" — {clause}")
    for word in words:
        assert word in error.message
    assert (state.record(), state.legal_moves()) == (before, legal)
    return error


def texts(state: State) -> list[str]:
    """The legal moves as text."""
    return [str(move) for move in state.legal_moves()]


def types(state: State | Session) -> list[str]:
    """The types of the events of a hand so far."""
    hand = state.state if isinstance(state, Session) else state
    return [event.type.value for event in hand.events]


def at_random(state: State, rng: random.Random) -> Move:
    return rng.choice(state.legal_moves())


def lively(state: State, rng: random.Random) -> Move:
    """A random move that is rarely a pass: hands end sooner, and more is played."""
    legal = state.legal_moves()
    active = [m for m in legal if m.type != "pass"]
    return rng.choice(active) if active and rng.random() < 0.85 else rng.choice(legal)


def longest(state: State, rng: random.Random) -> Move:
    """The most cards, of those the lowest; the lowest bid; a pass only where nothing else is legal."""
    return max(state.legal_moves(), key=lambda m: (m.type != "pass", len(m.cards), -(m.bid or 0)))


def reluctant(state: State, rng: random.Random) -> Move:
    """Mostly a pass, where that is legal: many auctions are void, and many sides hardly play."""
    legal = state.legal_moves()
    passes = [m for m in legal if m.type == "pass"]
    return passes[0] if passes and rng.random() < 0.9 else rng.choice(legal)


def play_out(state: State, rng: random.Random, choose: Choose = lively) -> State:
    """The hand played to its end."""
    while state.phase != "over":
        state = state.play(choose(state, rng))
    return state


def play_hands(session: Session, hands: int, rng: random.Random, choose: Choose = lively) -> Session:
    """The session after `hands` hands, the last one over."""
    for n in range(hands):
        if n:
            session = session.next_hand()
        while session.state.phase != "over":
            session = session.play(choose(session.state, rng))
    return session


def paid(state: State) -> tuple[int, ...]:
    """The payments of a hand that is over, by seat."""
    assert state.result is not None
    return state.result.payments


def rules_of(setup: tuple[str, Options]) -> Rules:
    preset, options = setup
    return dasan.rules(preset, **options)


def fill(rules: Rules, hands: Sequence[str], size: int, *, leave: str = "") -> list[str]:
    """These hands, each filled up to `size` cards from the rest of the pack but for `leave`, high cards first."""
    left = list(rules.order.hand(rules.pack))
    for text in (*hands, leave):
        for c in text.split():
            left.remove(dasan.card(c))
    return [" ".join([*h.split(), *(str(left.pop()) for _ in range(size - len(h.split())))]) for h in hands]

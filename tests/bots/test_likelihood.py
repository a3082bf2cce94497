"""How likely others' bids and plays are in deals that fit a view."""

from __future__ import annotations

import numpy as np
import pytest

import dasan
from dasan import worlds
from dasan.bots.likelihood import _at_the_start, log_likelihoods, stories
from dasan.bots.simulator import simulator_for
from dasan.bots.trained import fitted
from dasan.kernels.worlds.deal import words_of
from dasan.play.phases import Phase

BIG_THREE = dasan.rules("big-three")
WORLDS = 64


def played(rules: dasan.Rules, seed: int, moves: int) -> dasan.State:
    """A hand after so many moves of the network."""
    state, net = dasan.deal(rules, seed=seed), dasan.bot("net")
    for _ in range(moves):
        state = state.play(net.choose(state.view(state.to_act)))
    return state


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
@pytest.mark.parametrize("seed", range(4))
def test_deals_go_back_to_the_auction(preset: str, seed: int) -> None:
    """Every card lies in one hand or the kitty, as it was dealt. The bidder knows the kitty, and the opener held the card that
    they showed (B3.07).
    """
    rules = dasan.rules(preset)
    state = played(rules, seed, 12)
    for seat in range(rules.players):
        view = state.view(seat)
        (world,) = worlds.sample(view, 1, seed)
        told = stories(view, world)[0]
        assert told.start.phase is Phase.AUCTION
        drawn = worlds.deals(view, WORLDS, seed)
        before = _at_the_start(view, told, drawn, seed).one
        sizes = [len(hand) for hand in told.start.hands] + [len(told.start.kitty)]
        assert [[int(word).bit_count() for word in row] for row in before] == [sizes] * WORLDS
        assert (np.bitwise_or.reduce(before, axis=1) == words_of(rules, rules.pack)[0]).all()
        opener = next(event for event in view.events if event.type.value == "open")
        shown = words_of(rules, [c for c in opener.cards if c is not None])[0]
        assert (before[:, opener.seat] & shown == shown).all()
        if seat == state.bidder and rules.kitty_size:
            taken = next(event for event in view.events if event.type.value == "kitty")
            assert (before[:, -1] == words_of(rules, [c for c in taken.cards if c is not None])[0]).all()
        if seat != state.bidder and rules.kitty_size:
            assert len(set(before[:, -1].tolist())) > 1


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_bids_speak_for_the_cards(preset: str) -> None:
    """Before anybody has played, the true cards are likelier than others, by the bids alone."""
    rules = dasan.rules(preset)
    found = fitted(rules)
    assert found is not None
    simulator = simulator_for(rules, found.trained.session)
    gains = []
    for seed in range(12):
        state = dasan.deal(rules, seed=seed)
        net = dasan.bot("net")
        while state.phase != "play":
            state = state.play(net.choose(state.view(state.to_act)))
        view = state.view(state.to_act)
        (world,) = worlds.sample(view, 1)
        drawn = worlds.deals(view, WORLDS)
        for seat, hand in enumerate(state.hands):
            drawn.one[0, seat] = words_of(rules, hand)[0]
        logs = log_likelihoods(view, world, drawn, found, simulator)
        assert logs is not None
        assert np.isfinite(logs).all()
        gains.append(logs[0] - np.log(np.exp(logs[1:]).mean()))
    assert np.mean(gains) > 0


def test_a_hand_that_begins_after_the_auction_is_judged_by_its_plays() -> None:
    state = dasan.start(
        BIG_THREE, ["6D 7C 8H 9D TD", "6H QH", "7S KS"], bidder=0, table="6S 7H 8D 9S", table_seat=2, to_act=0
    )
    state = state.play("pass").play("pass").play("7S")
    view = state.view(state.to_act)
    (world,) = worlds.sample(view, 1)
    told = stories(view, world)
    assert [one.start.phase for one in told] == [Phase.PLAY]
    found = fitted(BIG_THREE)
    assert found is not None
    logs = log_likelihoods(view, world, worlds.deals(view, 16), found, simulator_for(BIG_THREE, found.trained.session))
    assert logs is not None
    assert np.isfinite(logs).all()


def test_a_choice_that_was_forced_says_nothing() -> None:
    """Nobody has moved yet: there is no story."""
    state = dasan.deal(BIG_THREE, seed=3)
    view = state.view(state.to_act)
    (world,) = worlds.sample(view, 1)
    assert stories(view, world) == []
    found = fitted(BIG_THREE)
    assert found is not None
    assert log_likelihoods(view, world, worlds.deals(view, 4), found, simulator_for(BIG_THREE, False)) is None

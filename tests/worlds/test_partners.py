"""Worlds in which another player is the bidder's hidden partner (B4.04): each side's plays, and the payments."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.playing import lively

import dasan
from dasan import State, worlds
from dasan.backends import Wanted
from dasan.play.events import EventType
from dasan.play.moves import Move

SPRING = {"spring": True, "bombs": True, "bomb_doubles": True}


def side_played(world: State) -> int:
    """The plays of the bidder and the partner of this world, counted in its events."""
    return sum(e.type is EventType.PLAY and e.seat in (world.bidder, world.partner) for e in world.events)


def hidden_partners(seed: int) -> list[State]:
    """The states of a random hand in which the partner is not known, and nobody is out."""
    source, states = random.Random(seed), []
    state = dasan.deal(dasan.rules("big-three-4p", **SPRING), seed=seed)
    while state.to_act is not None:
        if state.phase == "play" and not state.partner_shown:
            states.append(state)
        state = state.play(lively(state, source))
    return states


def played_on(world: State, moves: list[Move]) -> State:
    for move in moves:
        world = world.play(move)
    return world


@pytest.mark.full
@pytest.mark.parametrize("backend", ["auto", "engine"])
def test_h_16_the_plays_of_the_side_are_those_of_each_world(backend: Wanted) -> None:
    done = Counter[str]()
    for seed in range(3):
        for state in hidden_partners(seed)[:12:3]:
            for seat in range(4):
                view = state.view(seat)
                drawn = worlds.sample(view, 6, seed)
                assert [world.bidder_plays for world in drawn] == [side_played(world) for world in drawn]
                assert all(world.view(seat) == view for world in drawn)
                done.update(str(world.partner == state.partner) for world in drawn)
                positions = worlds.Positions(state.rules, len(drawn), backend=backend)
                positions.put_worlds(0, drawn[0], worlds.deals(view, len(drawn), seed))
                paid = positions.play_out(policy="thrifty").payments[:, 0]
                alone = worlds.Positions(state.rules, len(drawn), backend=backend)
                for i, world in enumerate(drawn):
                    alone.put(i, world)
                assert (paid == alone.play_out(policy="thrifty").payments[:, 0]).all()
    assert min(done.values()) > 20, done


def test_h_16_a_spring_is_one_of_the_world_in_which_it_is() -> None:
    """Seat 0 bids and calls 4♠; seats 1, 2 and 3 may hold it. Seat 2 has played: no spring where it is the partner."""
    rules = dasan.rules("big-three-4p", spring=True)
    hands = ["5D 6D", "7D 9C", "8D 4S", "9D 8C"]
    state = dasan.start(rules, hands, bidder=0, bid=1, called="4S", to_act=1, has_played=[2])
    for world in worlds.sample(state.view(1), 40, seed=1):
        assert world.bidder_plays == (2 if world.partner == 2 else 0)
    positions = worlds.Positions(rules, 40)
    drawn = worlds.sample(state.view(1), 40, seed=1)
    positions.put_worlds(0, drawn[0], worlds.deals(state.view(1), 40, seed=1))
    paid = positions.play_out().payments[:, 0]
    alone = worlds.Positions(rules, 40)
    for i, world in enumerate(drawn):
        alone.put(i, world)
    assert (paid == alone.play_out().payments[:, 0]).all()
    assert {abs(int(paid[i, 1])) for i in range(40)} == {1, 2}


@pytest.mark.parametrize("backend", ["auto", "engine"])
def test_a_given_number_of_plays_is_of_the_states_own_partner(backend: Wanted) -> None:
    rules = dasan.rules("big-three-4p", spring=True)
    hands = ["4H 4S 5C", "5H 6H 9S", "7H 8C 7D", "9C 9D"]
    state = dasan.start(rules, hands, bidder=0, bid=1, called="8C", leader=3, has_played=[3], bidder_plays=0)
    positions = worlds.Positions(rules, 12, backend=backend)
    deals = worlds.deals(state.view(1), 12, 1)
    positions.put_worlds(0, state, deals)
    assert {seat for i in range(12) for seat in range(4) if dasan.card("8C") in deals.hand(i, seat)} == {2, 3}

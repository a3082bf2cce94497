"""A sampled world gives the view that it was drawn from, and depends on nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.playing import Options, every_preset, every_setup, lively, longest, play_out, rules_of

import dasan
from dasan import State, worlds
from dasan.play.dealing import Deal
from dasan.play.events import EventType


def moments(rules: dasan.Rules, seed: int, part: float) -> Iterator[State]:
    """Some moments of two hands of a session; among them every call, every exchange and every end."""
    rng = random.Random(seed)
    session = dasan.session(rules, seed=seed)
    for number in range(2):
        session = session.next_hand() if number else session
        while session.state.to_act is not None:
            if session.state.phase in ("call", "exchange") or rng.random() < part:
                yield session.state
            session = session.play(lively(session.state, rng))
        yield session.state


@pytest.mark.sampled(4, 8)
@every_setup
def test_a_world_played_again_gives_the_same_view(setup: tuple[str, Options]) -> None:
    for number, state in enumerate(moments(rules_of(setup), 3, 0.05)):
        for seat in (None, number % state.rules.players):
            view = state.view(seat)
            for world in worlds.sample(view, 2, seed=number):
                assert world.view(seat) == view
                assert world.origin.secret is None
                if state.events:
                    assert dasan.replay(world.record()) == world


@pytest.mark.sampled(3, 9)
@every_setup
def test_the_compiled_twin_deals_the_same_worlds(setup: tuple[str, Options]) -> None:
    for number, state in enumerate(moments(rules_of(setup), 5, 0.04)):
        players = state.rules.players
        view = state.view(number % players)
        deals = worlds.deals(view, 3, seed=number, first=2)
        for i, world in enumerate(worlds.sample(view, 5, seed=number)[2:]):
            assert [deals.hand(i, seat) for seat in range(players)] == list(world.hands)
            assert deals.hand(i, players) == tuple(world.kitty)


VOID: tuple[tuple[str, Options], ...] = (
    ("dou-dizhu", {}),
    ("dou-dizhu", {"show_hands_after": False}),
    ("big-three", {"opener_may_pass": True, "all_pass": "redeal"}),
    ("big-three", {"opener_may_pass": True, "all_pass": "redeal", "show_hands_after": False}),
)


@pytest.mark.parametrize(("preset", "options"), VOID, ids=str)
def test_h_12_the_kitty_of_a_void_hand_is_still_face_down(preset: str, options: Options) -> None:
    """DD.02, G.05: nobody took it up. In some of these deals a heart below the opener's lies in it (B3.07)."""
    rules = dasan.rules(preset, **options)
    for seed in range(12):
        state = dasan.deal(rules, seed=seed)
        while state.result is None:
            state = state.play("pass")
        for seat in (None, seed % 3):
            view = state.view(seat)
            (world,) = worlds.sample(view, 1, seed=seed)
            assert world.view(seat) == view
            assert sorted(map(str, (*world.kitty, *(c for hand in world.hands for c in hand)))) == sorted(
                map(str, rules.pack)
            )
            deal = worlds.deals(view, 1, seed=seed)
            assert [deal.hand(0, column) for column in range(4)] == [*world.hands, world.kitty]


@pytest.mark.parametrize("players", [2, 3])
def test_h_27_a_leader_without_the_lowest_card_leads_anything(players: int) -> None:
    """D2.11: a position names the leader; a first lead without its lowest card tells that another seat holds a lower one."""
    rules = dasan.rules("big-two", players=players)
    for seed in range(4):
        dealt = dasan.deal(rules, seed=seed)
        *hands, kitty = ([c for c in cards if c is not None] for cards in (*dealt.begun.hands, dealt.begun.kitty))
        state = dasan.start(rules, hands, kitty=kitty, leader=(dealt.mover + seed % 2) % players)
        for _ in range(3):
            for seat in (*range(players), None):
                view = state.view(seat)
                assert all(world.view(seat) == view for world in worlds.sample(view, 4, seed=seed))
            state = state.play(state.legal_moves()[-1])


@pytest.mark.full
@pytest.mark.parametrize("options", [{"guard_pays": True}, {"unplayed_twos": "double", "guard": "off"}], ids=str)
def test_h_32_what_the_first_out_was_paid_is_that_of_each_world(options: Options) -> None:
    """H.28, H.29: hidden cards decide whether the guard fouled, and what a loser's 2s double."""
    rules = dasan.rules("big-two", ending="last-in", scoring="cards", **options)
    various = 0
    for seed in range(30):
        rng = random.Random(seed)
        state = dasan.deal(rules, seed=seed)
        while not state.finished:
            state = state.play(lively(state, rng))
        for _ in range(2):
            drawn = worlds.sample(state.view(None), 4, seed=seed)
            assert [dasan.replay(world.record()) for world in drawn] == drawn
            various += len({world.payments for world in drawn}) > 1
            seat = state.to_act or 0
            paid = [(world.payments or ())[seat] for world in worlds.sample(state.view(seat), 4, seed=seed)]
            assert (worlds.judge(state.view(seat), worlds=4, seed=seed).payments == paid).all()
            state = state.play(state.legal_moves()[-1])
    assert various > 3


def test_h_29_payments_tell_how_many_2s_hidden_hands_hold() -> None:
    rules = dasan.rules("big-two", scoring="cards", unplayed_twos="double", guard="off", show_hands_after=False)
    for seed in (0, 2):
        view = play_out(dasan.deal(rules, seed=seed), random.Random(seed), longest).view(None)
        drawn = worlds.sample(view, 8, seed=seed)
        assert all(world.view(None) == view for world in drawn)
        deals = worlds.deals(view, 8, seed=seed)
        assert [[deals.hand(i, seat) for seat in range(4)] for i in range(8)] == [list(world.hands) for world in drawn]


@pytest.mark.full
@pytest.mark.sampled(9, 9)
@every_setup
def test_states_that_look_the_same_give_the_same_worlds(setup: tuple[str, Options]) -> None:
    """G.02: nothing leaks. Each sampled world is a state of its own, with other hidden cards behind an equal view."""
    for number, state in enumerate(moments(rules_of(setup), 7, 0.04)):
        seat = number % state.rules.players
        (other,) = worlds.sample(state.view(seat), 1, seed=99)
        if isinstance(other.begun, Deal) and state.events:
            other = replace(other, origin=state.origin)
            ours, theirs = (worlds.sample(s.view(seat), 3, seed=number) for s in (state, other))
            assert ours == theirs
            assert (
                worlds.deals(state.view(seat), 50, seed=1).one == worlds.deals(other.view(seat), 50, seed=1).one
            ).all()


@pytest.mark.full
@every_preset
def test_a_world_depends_on_its_number_alone(preset: str) -> None:
    view = dasan.deal(dasan.rules(preset), seed=3).view(1)
    assert worlds.sample(view, 5, seed=4)[:3] == worlds.sample(view, 3, seed=4)
    assert worlds.sample(view, 3, seed=4) != worlds.sample(view, 3, seed=5)
    some, more = worlds.deals(view, 4, seed=4, first=6), worlds.deals(view, 10, seed=4)
    assert (more.one[6:] == some.one).all()
    assert worlds.sample(view, 0) == []
    assert len(worlds.deals(view, 0)) == 0


@pytest.mark.full
def test_what_nothing_explains_is_refused() -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=3)
    view = state.view(0 if state.opener else 1)
    with pytest.raises(ValueError, match="the number of worlds is a whole number from 0 to"):
        worlds.sample(view, -1)
    with pytest.raises(ValueError, match="the number of worlds is a whole number from 0 to"):
        worlds.deals(view, -1)
    events = tuple(replace(e, cards=(view.hand[0],)) if e.type is EventType.OPEN else e for e in view.events)
    with pytest.raises(ValueError, match="explain what has been seen"):
        worlds.sample(replace(view, events=events), 1)

"""Positions for search agree with the engine: legal moves, their effects, the bot's choice, the end of a hand."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from tests.playing import Options, every_setup, rules_of

import dasan
from dasan import State, worlds
from dasan.backends import Wanted
from dasan.bots.thrifty import ThriftyBot


def outcome(state: State) -> tuple[list[int], list[int]]:
    """(payments, places) as positions have them."""
    assert state.result is not None
    places = [0] * state.rules.players
    for place, seat in enumerate(state.result.finish_order, 1):
        places[seat] = place
    return list(state.result.payments), places


@pytest.mark.full
@every_setup
@pytest.mark.parametrize("hands", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_positions_are_the_engines_move_by_move(setup: tuple[str, Options], hands: int) -> None:
    """Hands of a session, half of the moves by thrifty, the others random; the bot agrees with its compiled counterpart."""
    rules = rules_of(setup)
    rng = random.Random(9)
    thrifty = ThriftyBot()
    stepped, placed = worlds.Positions(rules, 3), worlds.Positions(rules, 1)
    session = dasan.session(rules, seed=11)
    for number in range(hands):
        session = session.next_hand() if number else session
        stepped.put(1, session.state)
        while session.state.to_act is not None:
            state = session.state
            placed.put(0, state)
            ids = {stepped.ids.of(move, state.called): move for move in state.legal_moves()}
            chosen = stepped.ids.of(thrifty.choose(state.view(state.to_act)), state.called)
            for positions, i in ((stepped, 1), (placed, 0)):
                assert positions.legal(i).tolist() == sorted(ids)
                assert positions.to_act(i) == state.to_act
                assert positions.thrifty(i) == chosen
            action = chosen if rng.random() < 0.5 else rng.choice(sorted(ids))
            stepped.copy(1, 2)
            stepped.step(2, action)
            stepped.copy(2, 1)
            session = session.play(ids[action])
        assert stepped.over[1]
        assert stepped.legal(1).tolist() == []
        assert (stepped.payments[1].tolist(), stepped.places[1].tolist()) == outcome(session.state)


@pytest.mark.sampled(3)
@every_setup
def test_playing_out_by_thrifty_is_what_the_bots_would_do(setup: tuple[str, Options]) -> None:
    rules = rules_of(setup)
    thrifty = ThriftyBot()
    state = dasan.deal(rules, seed=6)
    states = []
    while state.to_act is not None:
        states.append(state)
        state = state.play(thrifty.choose(state.view(state.to_act)))
    positions = worlds.Positions(rules, len(states))
    for i, earlier in enumerate(states):
        positions.put(i, earlier)
    done = positions.play_out(policy="thrifty")
    assert done.plies == len(states) * (len(states) + 1) // 2
    for payments, places in zip(done.payments.tolist(), done.places.tolist(), strict=True):
        assert (payments[0], places[0]) == outcome(state)


@pytest.mark.full
@every_setup
def test_random_playouts_depend_on_seed_and_number_alone(setup: tuple[str, Options]) -> None:
    rules = rules_of(setup)
    state = dasan.deal(rules, seed=6)
    positions = worlds.Positions(rules, 6)
    positions.put(0, state)
    positions.copy(0, slice(1, 6))
    whole = positions.play_out(policy="random", times=3, seed=5)
    again = positions.play_out(policy="random", times=3, seed=5, threads=3)
    part = positions.play_out(policy="random", times=3, seed=5, first=2, last=4)
    other = positions.play_out(policy="random", times=3, seed=6)
    assert (whole.payments == again.payments).all()
    assert (whole.places == again.places).all()
    assert (whole.places[2:4] == part.places).all()
    assert (whole.places != other.places).any()
    assert (whole.payments.sum(axis=2) == 0).all()
    assert ((whole.places == 1).sum(axis=2) == 1).all()


@pytest.mark.full
@pytest.mark.sampled(9, 9)
@every_setup
def test_worlds_become_positions(setup: tuple[str, Options]) -> None:
    """Filling rows with dealt words gives the rows of the sampled states, in every phase."""
    rng = random.Random(3)
    session = dasan.session(rules_of(setup), seed=4)
    for number in range(2):
        session = session.next_hand() if number else session
        while session.state.to_act is not None:
            state = session.state
            if state.phase in ("call", "exchange") or rng.random() < 0.05:
                view = state.view(state.to_act)
                sample = worlds.sample(view, 3, seed=8)
                filled, put = (worlds.Positions(state.rules, 3) for _ in range(2))
                filled.put_worlds(0, sample[0], worlds.deals(view, 3, seed=8))
                for i, world in enumerate(sample):
                    put.put(i, world)
                ours, theirs = (p.play_out(policy="random", times=2, seed=1) for p in (filled, put))
                assert (ours.payments == theirs.payments).all()
                assert (ours.places == theirs.places).all()
                assert ours.plies == theirs.plies
            session = session.play(rng.choice(state.legal_moves()))


@pytest.mark.full
def test_a_position_from_the_middle_can_be_played_out() -> None:
    """A hand that can go out at once does so: the bidder of Big Three with one play left."""
    state = dasan.start(dasan.rules("big-three"), ["4H 4S", "5D 6D", "7C"], bidder=0, bid=2, leader=0)
    judged = worlds.judge(state.view(0), worlds=50, seed=1)
    assert str(judged.best()) == "4H 4S"
    assert judged.payments[judged.moves.index(judged.best())].tolist() == [4.0] * 50


@pytest.mark.full
def test_where_payments_are_settled_the_place_counts() -> None:
    """W.22: payments are settled when the first player is out; after that a pair keeps the last card from being beaten."""
    rules = dasan.rules("winner", players=3, scoring="cards")
    state = dasan.start(rules, ["AS", "3D 3C 9H", "6S"], to_act=0)
    for move in ("AS", "pass", "pass"):
        state = state.play(move)
    judged = worlds.judge(state.view(1), worlds=50, seed=1)
    assert (judged.payments == judged.payments[0]).all()
    assert judged.payments.any()
    assert str(judged.best()) == "3D 3C"


@pytest.mark.full
def test_judging_knows_what_it_cannot_see() -> None:
    """The same view gives the same judgement, whatever the hidden cards."""
    state = dasan.deal(dasan.rules("winner", players=3), seed=8)
    while len(state.events) < 12:
        state = state.play(state.legal_moves()[0])
    assert state.to_act is not None
    view = state.view(state.to_act)
    (other,) = worlds.sample(view, 1, seed=77)
    ours, theirs = (worlds.judge(s.view(state.to_act), worlds=40, playouts=2, seed=2) for s in (state, other))
    assert ours.moves == theirs.moves
    assert (ours.places == theirs.places).all()
    assert ours.best() in ours.moves


@pytest.mark.full
def test_cards_offered_in_secret_are_not_taken_from_one_world() -> None:
    """W.20: a seat that sees the offer may fill positions with worlds; for others each world has its own offer."""
    rng = random.Random(3)
    session = dasan.session(dasan.rules("winner", players=3), seed=4)
    while session.state.to_act is not None:
        session = session.play(rng.choice(session.state.legal_moves()))
    session = session.next_hand()
    for _ in range(2):
        session = session.play(session.state.legal_moves()[0])
    deal = session.state.exchange
    assert deal is not None
    positions = worlds.Positions(session.rules, 20)
    for seat, sees in ((deal.loser, True), (3 - deal.loser - deal.winner, False)):
        view = session.state.view(seat)
        (state,) = worlds.sample(view, 1)
        if sees:
            positions.put_worlds(0, state, worlds.deals(view, 20))
        else:
            with pytest.raises(ValueError, match="from world to world"):
                positions.put_worlds(0, state, worlds.deals(view, 20))


def test_what_cannot_be_is_refused() -> None:
    rules = dasan.rules("big-two")
    state = dasan.deal(rules, seed=6)
    positions = worlds.Positions(rules, 2)
    positions.put(0, state)
    before = positions.legal(0).tolist()
    with pytest.raises(ValueError, match="not legal in position 0"):
        positions.step(0, 0)
    assert positions.legal(0).tolist() == before
    for wrong, words in (
        (lambda: positions.step(1, 5), "is over"),
        (lambda: positions.to_act(1), "is over"),
        (lambda: positions.thrifty(1), "is over"),
        (lambda: positions.play_out(), "is over"),
        (lambda: positions.play_out(last=1, policy="clever"), "random, thrifty"),
        (lambda: positions.play_out(last=3), "positions that exist"),
        (lambda: positions.play_out(last=1, opening=0), "not legal in position 0"),
        (lambda: positions.play_out(last=1, opening=10**6), "ids go from 0"),
        (lambda: positions.put(0, dasan.deal(dasan.rules("winner"), seed=1)), "another game"),
        (lambda: positions.put_worlds(1, state, worlds.deals(state.view(0), 2)), "more worlds than positions"),
        (lambda: worlds.Positions(rules, 0), "size is a whole number from 1 to"),
        (lambda: worlds.judge(state.view((state.to_act or 0) + 1 & 3)), "nothing to judge"),
    ):
        with pytest.raises(ValueError, match=words):
            wrong()


@pytest.mark.full
def test_statistics_of_random_playouts_match_the_engines() -> None:
    """W.18: the mean place of the seat that leads, by random hands of the engine and of the kernels."""
    rules = dasan.rules("winner", players=3)
    state = dasan.deal(rules, seed=6)
    rng = random.Random(1)
    engine = []
    for _ in range(120):
        played = state
        while played.to_act is not None:
            played = played.play(rng.choice(played.legal_moves()))
        engine.append(outcome(played)[1][0])
    positions = worlds.Positions(rules, 1)
    positions.put(0, state)
    kernel = positions.play_out(policy="random", times=20_000).places[0, :, 0].astype(float)
    error = float(np.hypot(np.std(engine) / len(engine) ** 0.5, kernel.std() / len(kernel) ** 0.5))
    assert abs(float(np.mean(engine)) - kernel.mean()) < 3.3 * error


@pytest.mark.parametrize("backend", ["auto", "engine"])
def test_a_copy_has_positions_of_its_own(backend: Wanted) -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=4)
    positions = worlds.Positions(state.rules, 2, backend=backend)
    positions.put(1, state)
    for again in (copy.copy(positions), copy.deepcopy(positions), pickle.loads(pickle.dumps(positions))):
        legal = positions.legal(1).tolist()
        assert again.legal(1).tolist() == legal
        assert again.over.tolist() == [True, False]
        again.step(1, legal[0])
        assert positions.legal(1).tolist() == legal
        assert again.to_act(1) != positions.to_act(1)

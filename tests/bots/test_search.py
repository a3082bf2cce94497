"""Bots that evaluate by networks and rollouts: they use only their view, and name what they evaluate."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.bots.hidden import shuffled_for

import dasan
from dasan import backends, vector, worlds
from dasan.bots import Bot
from dasan.bots.net import NetBot
from dasan.bots.sampling.beliefs import by_likelihood, evenly
from dasan.bots.sampling.likelihood import log_likelihoods
from dasan.bots.sampling.open_worlds import by_solver, solvable
from dasan.bots.sampling.rollouts import by_rule, network_for
from dasan.bots.sampling.simulator import simulator_for
from dasan.bots.search import INTERPRETED, OPEN, PLAYED_OUT, Effort, SearchBot, StrongBot, valued
from dasan.bots.seeds import seed_of
from dasan.features import encode, encode_moves
from dasan.kernels.cards import words_of
from dasan.networks.trained import catalogue, fitted
from dasan.play.moves import Move
from dasan.play.state import State

pytestmark = pytest.mark.full

SMALL = Effort(worlds=6, width=3, pool=16)
CHARLESWORTH = dasan.rules(
    "big-two",
    triples=True,
    two_pairs=True,
    fours=True,
    four_plus_one=False,
    straights="hong-kong",
    scoring="cards",
    guard="off",
)


def bots() -> list[Bot]:
    return [NetBot(), SearchBot(3, SMALL), StrongBot(3, SMALL)]


def halfway(rules: dasan.Rules, seed: int, moves: int = 20) -> dasan.State:
    """A hand under way in which the seat to act has a choice."""
    state = dasan.deal(rules, seed=seed)
    thrifty = dasan.bot("thrifty")
    for _ in range(moves):
        state = state.play(thrifty.choose(state.view(state.to_act)))
    while len(state.legal_moves()) < 3:
        state = state.play(thrifty.choose(state.view(state.to_act)))
    assert state.to_act is not None
    return state


@pytest.mark.parametrize("rules", [CHARLESWORTH, dasan.rules("winner")], ids=["charlesworth", "winner"])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_hidden_cards_change_no_move(rules: dasan.Rules, seed: int) -> None:
    rng = random.Random(4)
    state = halfway(rules, seed)
    seat = state.to_act
    assert seat is not None
    for bot in bots():
        move = bot.choose(state.view(seat))
        assert move in state.legal_moves()
        for _ in range(2):
            assert bot.choose(shuffled_for(state, seat, rng).view(seat)) == move


def test_every_network_of_the_package_fits_its_rules_and_has_a_card() -> None:
    assert catalogue()
    for one in catalogue():
        fit = fitted(one.rules)
        assert fit is not None
        assert fit.exact
        assert one.rules.digest in {rules.digest for rules in fit.trained.every}
        assert {"config", "hands", "decisions", "processor_hours", "data"} <= set(one.card)
        state = dasan.deal(one.rules, seed=1)
        values = NetBot().values(state.view(state.to_act))
        assert values is not None
        assert values.shape == (len(state.legal_moves()),)
        assert np.isfinite(values).all()


def test_other_rules_get_the_nearest_network_or_greedy_with_a_notice() -> None:
    net = NetBot()
    assert net.note(CHARLESWORTH) == ""
    house = dasan.rules("big-two", triples=True, scoring="cards", guard="off", straights="taiwan")
    assert "trained for other rules" in net.note(house)
    state = dasan.deal(house, seed=2)
    assert net.choose(state.view(state.to_act)) in state.legal_moves()
    unknown = dasan.rules("winner", players=6, decks=2)
    assert "greedy plays" in net.note(unknown)
    state = dasan.deal(unknown, seed=2)
    view = state.view(state.to_act)
    assert net.choose(view) == dasan.bot("greedy").choose(view)


def test_a_search_explains_what_it_looked_at() -> None:
    state = halfway(CHARLESWORTH, 5)
    view = state.view(state.to_act)
    for bot in (SearchBot(3, SMALL), StrongBot(3, SMALL)):
        explanation = bot.explain(view)
        assert explanation.moves[0].move == bot.choose(view)
        assert {one.move for one in explanation.moves} == set(view.legal_moves())
        valued = [one for one in explanation.moves if one.value is not None]
        assert 1 < len(valued) <= SMALL.width
        assert explanation.unit == "payment"
    explanation = NetBot().explain(view)
    assert all(one.value is not None and one.reasons[0].id == "network" for one in explanation.moves)


def test_search_plays_few_hands_of_rules_that_only_the_engine_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine takes a tenth of a millisecond for a move, and a server ends a bot that has thought for ten seconds."""
    rules = dasan.rules("big-two", dragon=True)
    assert not backends.choose(rules, backends.Purpose.WORLDS).compiled
    state = halfway(rules, 1, 0)
    view, bot, played = state.view(state.to_act), SearchBot(), 0
    play = State.play

    def counted(state: State, move: Move) -> State:
        nonlocal played
        played += 1
        return play(state, move)

    monkeypatch.setattr(State, "play", counted)
    explanation = bot.explain(view)
    assert 0 < played < INTERPRETED.worlds * INTERPRETED.width * len(rules.pack)
    assert explanation.moves[0].move == bot.choose(view)
    assert sum(one.value is not None for one in explanation.moves) > 1


def test_search_has_a_pool_to_choose_from() -> None:
    assert OPEN.pool >= OPEN.worlds
    assert PLAYED_OUT.pool >= PLAYED_OUT.worlds


@pytest.mark.parametrize(
    ("rules", "likely"),
    [(dasan.rules("big-two"), True), (dasan.rules("big-three"), True), (dasan.rules("winner", players=7), False)],
    ids=["big-two", "big-three", "without a network"],
)
def test_search_looks_at_likely_deals_where_a_network_plays(rules: dasan.Rules, likely: bool) -> None:
    state = halfway(rules, 5)
    view = state.view(state.to_act)
    values = {one.move: one.value for one in SearchBot(3, SMALL).explain(view).moves if one.value is not None}
    moves, seed, fit = list(values), seed_of(view, 3), fitted(rules)
    assert len(moves) > 1
    assert (fit is not None) == likely
    drawn = evenly(view, SMALL.worlds, seed) if fit is None else by_likelihood(view, SMALL.worlds, seed, fit, 16)
    tried = by_solver(view, moves, drawn, SMALL.nodes) if solvable(rules) else by_rule(view, moves, drawn)
    assert values == pytest.approx(dict(valued(tried)), abs=0.001)


def test_threads_do_not_disturb_each_other() -> None:
    views = [(state := halfway(CHARLESWORTH, seed)).view(state.to_act) for seed in (1, 2, 5)]

    def values(view: dasan.View) -> list[float | None]:
        return [one.value for one in StrongBot(3, Effort(worlds=24, width=4, pool=32)).explain(view).moves]

    alone = list(map(values, views))
    with ThreadPoolExecutor(len(views)) as threads:
        for _ in range(3):
            assert list(threads.map(values, views)) == alone


def test_others_moves_are_evidence_of_their_cards() -> None:
    """The plays of players like the network make the true cards more likely than others consistent with the view."""
    fit = network_for(CHARLESWORTH)
    assert fit is not None
    simulator = simulator_for(CHARLESWORTH, fit.trained.session)
    gains = []
    for seed in (1, 2, 3):
        state = halfway(CHARLESWORTH, seed, moves=16)
        view = state.view(state.to_act)
        (world,) = worlds.sample(view, 1)
        drawn = worlds.deals(view, 64)
        for seat, hand in enumerate(state.hands):
            drawn.one[0, seat] = words_of(CHARLESWORTH, hand)[0]
        logs = log_likelihoods(view, world, drawn, fit, simulator)
        assert logs is not None
        assert np.isfinite(logs).all()
        again = log_likelihoods(view, world, drawn, fit, simulator)
        assert again is not None
        assert np.array_equal(logs, again)
        gains.append(logs[0] - np.log(np.exp(logs[1:]).mean()))
    assert np.mean(gains) > 0
    opening = dasan.deal(CHARLESWORTH, seed=1)
    first = opening.view(opening.to_act)
    assert log_likelihoods(first, opening, worlds.deals(first, 4), fit, simulator) is None


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_environments_go_on_from_positions(preset: str) -> None:
    rules = dasan.rules(preset)
    states = [halfway(rules, seed, moves) for seed, moves in ((1, 9), (2, 14), (3, 20))]
    positions = worlds.Positions(rules, len(states))
    for i, state in enumerate(states):
        positions.put(i, state)
    env = vector.make(rules, len(states), moves="ragged")
    for _ in range(5):
        env.step(env.sample())
    env.load(positions)
    assert env.obs is not None
    assert env.moves is not None
    assert env.move_starts is not None
    for i, state in enumerate(states):
        view = state.view(state.to_act)
        assert env.to_act[i] == state.to_act
        assert env.obs[i].tolist() == encode(view)
        rows = encode_moves(view)
        legal = env.legal[i, : env.num_legal[i]].tolist()
        assert sorted(legal) == sorted(rows)
        assert env.mask[i].sum() == len(rows)
        for k, action in enumerate(legal):
            assert env.moves[env.move_starts[i] + k].tolist() == rows[action]
    with pytest.raises(ValueError, match="one position"):
        env.load(worlds.Positions(rules, 2))
